"""Explains itself in ten megabytes, and prints as much again."""

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        print("x" * 10_000_000)
        return type(action := super().choose_action(view))(
            *([action.bid] if hasattr(action, "bid") else []), "y" * 10_000_000
        )
