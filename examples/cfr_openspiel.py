# examples/cfr_openspiel.py: OpenSpiel's CFR on our rules. Needs pip install 'liars-dice[rl]'. Run it: python examples/cfr_openspiel.py --iterations 100
import argparse

import pyspiel

from liars_dice.core import preset
from liars_dice.learn.envs.openspiel_game import load_game

parser = argparse.ArgumentParser(description="Counterfactual regret minimisation on one round of Liar's Dice.")
parser.add_argument("--iterations", type=int, default=100)
parser.add_argument("--dice", type=int, default=1, help="dice of each player")
parser.add_argument("--faces", type=int, default=3)
parser.add_argument("--exact", action="store_true", help="play with exact calls, which OpenSpiel's own game has not")
arguments = parser.parse_args()

config = preset("classic", dice=arguments.dice, faces=arguments.faces, exact_call=arguments.exact)
game = load_game(config)
solver = pyspiel.CFRSolver(game)
print(game)
for iteration in range(1, arguments.iterations + 1):
    solver.evaluate_and_update_policy()
    if iteration & (iteration - 1) == 0 or iteration == arguments.iterations:  # 1, 2, 4, 8, ... and the last
        average = solver.average_policy()
        value = pyspiel.expected_returns(game.new_initial_state(), average, -1, True)[0]
        print(
            f"{iteration:6d} iterations: exploitability {pyspiel.exploitability(game, average):.6f}, value {value:+.6f}"
        )
