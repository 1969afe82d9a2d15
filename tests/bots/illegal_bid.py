"""Bids what cannot be bid."""

from liars_dice import Bid, BidAction
from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        return BidAction(Bid(99, 9))
