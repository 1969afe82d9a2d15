"""Plays well, but every hook fails."""

from liars_dice.agents import RandomAgent


class Bot(RandomAgent):
    def seed(self, seed):
        raise ValueError("seed")

    def on_game_start(self, config, player_id):
        raise ValueError("start")

    def on_event(self, event):
        raise ValueError("event")

    def on_round_end(self, resolution):
        raise ValueError("round")

    def on_game_end(self, result):
        raise ValueError("game")
