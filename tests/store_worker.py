"""A writer or reader of a store in a process of its own, for tests that kill it or run many of them.

store_worker.py write STORE NAME EVENTS   writes games of its own and prints `GAME VERSION` after each flush
store_worker.py read STORE                reads until its input ends, and fails at anything that is not a whole prefix
"""

from __future__ import annotations

import itertools
import random
import select
import sys

from liars_dice.persistence import open_store
from liars_dice.persistence.conformance import sample_game


def game_of(game_id: str) -> list[object]:
    """What a game of this id must hold; its number is its seed."""
    return list(sample_game(game_id, seed=int(game_id.rpartition("-")[2])))


def write(where: str, name: str, count: int) -> None:
    rng = random.Random(name)
    written = 0
    with open_store(where) as store:
        for number in itertools.count():
            game_id = f"{name}-{number}"
            events = sample_game(game_id, seed=number)
            position = 0
            while position < len(events):
                chunk = events[position : position + rng.randint(1, 30)]
                for event in chunk:
                    store.record(event)
                store.flush()
                position += len(chunk)
                written += len(chunk)
                print(game_id, position, flush=True)
            if written >= count:
                return


def read(where: str) -> None:
    expected: dict[str, list[object]] = {}
    reads = 0
    with open_store(where) as store:
        last = False
        while not last:
            last = bool(select.select([sys.stdin], [], [], 0)[0]) and not sys.stdin.read(1)  # once more after the end
            for game in store.games(limit=5):
                events = store.events(game.game_id)
                whole = expected.setdefault(game.game_id, game_of(game.game_id))
                if list(events) != whole[: len(events)] or len(events) < game.events:
                    raise SystemExit(f"{game.game_id}: {len(events)} events that are no prefix of the game")
                reads += 1
    print(reads)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        read(sys.argv[2])
