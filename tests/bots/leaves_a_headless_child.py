"""Plays well, but leaves a process whose main thread is dead."""

import ctypes
import os
import threading
import time

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def choose_action(self, view):
        if os.fork() == 0:
            os.setsid()
            threading.Thread(target=time.sleep, args=(600,)).start()
            ctypes.CDLL(None).syscall(60, 0)
        return super().choose_action(view)
