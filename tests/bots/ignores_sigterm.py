"""Does not listen when told to go."""

import signal

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM, signal.SIGXCPU):
            signal.signal(number, signal.SIG_IGN)
        while True:
            pass
