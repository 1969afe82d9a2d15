"""Raises what is not an Exception."""

import asyncio

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        raise asyncio.CancelledError
