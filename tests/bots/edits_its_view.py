"""Writes itself better dice, and the others none."""

from msgspec.structs import force_setattr

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        force_setattr(view, "my_dice", (6,) * len(view.my_dice))
        force_setattr(view.public, "dice_counts", (0,) * len(view.public.dice_counts))
        return self._first(view)

    def _first(self, view):
        bids = view.public.bid_history
        return view.public.rules.moves[-1] if bids else view.public.rules.moves[0]
