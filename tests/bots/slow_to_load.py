"""Takes its time to be made."""

import time

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def __init__(self):
        time.sleep(60)
