"""Bids a number with five thousand digits."""

from liars_dice import Bid, BidAction
from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        return BidAction(Bid(10**5000, 4))
