"""How fast whole games are, compared with TextArena, an arena for language models, in the same run.

Two players with five dice each play until one has none. In TextArena, a raise increases quantity or face and lowers
neither, so both programs get the same kind of moves, as text: a call one time in four, else a random bid that is legal
in both. Before each move, the player to move is told the state of the game: once as data (TextArena's raw environment,
our view), and once as the text of the whole game so far (TextArena's default, our narration). Runs alternate, and
ratios are medians.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

from figures import figure
from liars_dice.core import Bid, Event, GameEngine, narrate, parse_action, preset, view_of, visible_to

GAMES = 200
REPEATS = 9
NAMES = ("Ann", "Bob")


def next_move(rng: random.Random, quantity: int, face: int, most: int) -> tuple[int, int] | None:
    """A higher bid that lowers neither part, or None: a call."""
    if quantity and (rng.random() < 0.25 or (quantity, face) == (most, 6)):
        return None
    while True:
        raised = min(most, quantity + rng.randrange(2)), min(6, face + rng.randrange(3))
        if raised != (quantity, face) and min(raised) > 0:
            return raised


def textarena_games(environment: str, seed: int) -> int:
    """Play them; the number of moves."""
    import textarena

    rng, moves = random.Random(seed), 0
    random.seed(seed)
    for _ in range(GAMES):
        env = textarena.make(environment)
        env.reset(num_players=2)
        done = False
        while not done:
            env.get_observation()
            table = env.state.game_state
            bid = table["current_bid"]
            move = next_move(rng, bid["quantity"], bid["face_value"], sum(table["remaining_dice"].values()))
            done, _ = env.step("[Call]" if move is None else f"[Bid: {move[0]}, {move[1]}]")
            moves += 1
    return moves


def our_games(told: bool, seed: int) -> int:
    """Play them, with the story of the game told or not; the number of moves."""
    rng, moves = random.Random(seed), 0
    config = preset("heads-up")
    for number in range(GAMES):
        engine = GameEngine(config, names=NAMES, seed=seed * GAMES + number)
        heard: list[list[str]] = [[], []]

        def tell(event: Event, heard: list[list[str]] = heard) -> None:
            for seat, lines in enumerate(heard):
                if (seen := visible_to(event, seat)) is not None:
                    lines.append(narrate(seen, NAMES))

        if told:
            engine.subscribe(tell)
        while not engine.is_terminal():
            public = engine.state.public
            if public.status != "BIDDING":
                engine.start_new_round()
                continue
            if told:
                "\n".join(heard[public.current_player])
            else:
                view_of(engine.state, public.current_player)
            bid = public.bid_history[-1] if public.bid_history else Bid(0, 0)
            move = next_move(rng, bid.quantity, bid.face, public.total_dice)
            engine.apply_action(public.current_player, parse_action("liar" if move is None else f"{move[0]}x{move[1]}"))
            moves += 1
    return moves


def rate(play: Callable[[int], int], seed: int) -> tuple[float, float]:
    """Games and moves per second."""
    start = time.perf_counter()
    moves = play(seed)
    elapsed = time.perf_counter() - start
    return GAMES / elapsed, moves / elapsed


def compare(what: str, their_play: Callable[[int], int], our_play: Callable[[int], int]) -> None:
    """Print the ratio, and both rates."""
    theirs, ours = [], []
    for seed in range(REPEATS):
        theirs.append(rate(their_play, seed))
        ours.append(rate(our_play, seed))
    ratio = statistics.median(o[1] / t[1] for o, t in zip(ours, theirs, strict=True))
    figure(f"moves per second compared with TextArena, {what}", ratio, "times", least=1)
    for name, rates in (("TextArena", theirs), ("ours", ours)):
        games, moves = (statistics.median(column) for column in zip(*rates, strict=True))
        print(f"  {name}: {games:,.0f} games/s, {moves:,.0f} moves/s")


def main() -> None:
    """Measure and print."""
    print(f"Python {sys.version.split()[0]}, one core, medians of {REPEATS} runs of {GAMES} games")
    try:
        import textarena
    except ImportError:
        print("TextArena is not installed (the extra `bench` brings it): nothing to compare with")
        return
    print(f"TextArena {textarena.__version__}")
    compare("players get data", partial(textarena_games, "LiarsDice-v0-raw"), partial(our_games, False))
    compare("players get text", partial(textarena_games, "LiarsDice-v0"), partial(our_games, True))


if __name__ == "__main__":
    main()
