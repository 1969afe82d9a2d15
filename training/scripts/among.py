"""Play one of a checkpoint among five of each rule bot, and one of each among five: whole games from full dice.

python among.py champion-g.pt --device cuda --games 2000 --bots conservative,detective
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "src/liars_dice/learn"))
from champion.league import one_among, play_games, wins_of
from champion.network import load_policy
from champion.perudo_batch import RuleMix
from champion.scripted import BOTS, LEARNER, NAMES

parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
parser.add_argument("checkpoint")
parser.add_argument("--device", default="cpu")
parser.add_argument("--games", type=int, default=2000)
parser.add_argument("--bots", default=",".join(BOTS))
asked = parser.parse_args()
policy = load_policy(asked.checkpoint, asked.device)
for rules, tournament in (("perudo", 0.0), ("perudo-tournament", 1.0)):
    mix = RuleMix((6, 6), full_games=1.0, tournament=tournament)
    for name in asked.bots.split(","):
        bot = NAMES.index(name)
        for what, one, others in (
            (f"champion among five {name}", LEARNER, bot),
            (f"{name} among five champions", bot, LEARNER),
        ):
            winner, kinds = play_games(policy, one_among(one, others, 6), mix, asked.games, asked.device, seed=24)
            found = wins_of(one, winner, kinds, 6)
            ci95 = [round(end, 4) for end in found.ci95]
            told = {"what": what, "rules": rules, "rate": round(found.rate, 4), "ci95": ci95, "games": found.games}
            print(json.dumps(told), flush=True)
