"""One of the first checkpoint's policy among copies of the second's: how often it wins whole games from full dice.

python duel.py one.pt others.pt 6 cuda 20000 2                  # two of the first at each table: how often either wins
python duel.py exploiter.pt victim.pt 6 cuda 20000 1 OUT.jsonl  # an exploiter: append the better of policy and average
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "src/liars_dice/learn"))
from champion.league import one_among, play_games, wins_of
from champion.network import load_policy, read_weights
from champion.perudo_batch import RuleMix
from champion.scripted import FROZEN, LEARNER

one, others, players, device, games = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5])
learners = int(sys.argv[6]) if len(sys.argv) > 6 else 1
mix = RuleMix((players, players), full_games=1.0)
measured = []
for part in ("averaged", "policy"):
    winner, kinds = play_games(
        load_policy(one, device, part), one_among(LEARNER, FROZEN, players, learners), mix, games, device,
        frozen=load_policy(others, device), seed=5,
    )  # fmt: skip
    found = wins_of(LEARNER, winner, kinds, players)
    told = {
        "players": players,
        "exploiters": learners,
        "part": part,
        "win_rate": round(found.rate, 4),
        "ci95": [round(end, 4) for end in found.ci95],
        "games": found.games,
    }
    measured.append(told)
    print(json.dumps({**told, "fair": round(learners / players, 4)}), flush=True)
if len(sys.argv) > 7:
    run = read_weights(one)
    told = {
        "victim": Path(others).stem,
        "rules": "perudo",
        **max(measured, key=lambda part: part["win_rate"]),
        "seed": run["settings"]["seed"],
        "decisions": run["decisions"],
        "trained_s": round(run["trained_s"], 2),
        "curve": f"exploiters/{Path(one).stem}.jsonl",
    }
    with open(sys.argv[7], "a", encoding="utf-8") as file:
        file.write(json.dumps(told) + "\n")
