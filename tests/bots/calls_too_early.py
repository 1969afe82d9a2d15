"""Calls when there is nothing to call."""

from liars_dice import CallLiarAction
from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        return CallLiarAction() if view.current_bid is None else super().choose_action(view)
