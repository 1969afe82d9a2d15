"""Builds the benchmark's positions for language models: `src/liars_dice/bridges/data/positions-VERSION.jsonl.gz`.

Positions of two players come from games between the package's equilibrium strategies, and their values are exact: the
chance to win the round against that strategy, with the best play afterwards. Positions of three to six players come
from games among champions; their values are the champion's estimates of the chance to win the game.

A position is taken if the decision matters: the worst move loses much, and most moves are not among the best.
"""

from __future__ import annotations

import argparse
import gzip
import random
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

import msgspec

import liars_dice
from liars_dice.bridges.positions import POSITIONS_VERSION, Group, Position, position_view
from liars_dice.bridges.prompts import whole_prompt
from liars_dice.coach.champion_advice import from_champion
from liars_dice.core import GameConfig, GameView, preset
from liars_dice.exact.solver import SolvedGame, Tablebase, explain, mix_of

DATA = Path(liars_dice.__file__).parent / "bridges" / "data"
LEAST_AT_STAKE = 0.1
"""The worst move of a position loses at least this chance to win."""
MOST_BEST, NEAR = 0.5, 0.01
"""At most this share of the moves is as good as the best, but for this difference."""
LEAST_EXPECTED = 1e-3
"""The equilibrium strategy makes each of the other player's bids at least this often."""

MOST_DISPUTED = 0.005
"""Of larger tables, only positions are taken where the champion's own mix loses at most this much by its values: where
the two disagree, the values are not to be trusted."""


def differing(config: GameConfig) -> dict[str, object]:
    """The dice, and the rules that differ from the defaults."""
    defaults = GameConfig().to_dict()
    return {name: value for name, value in config.to_dict().items() if value != defaults[name] or name == "dice"}


def position(
    group: Group, view: GameView, values: dict[str, float], holds: float | None, tolerance: float = 0.0
) -> Position | None:
    """The position of this view, if its decision matters."""
    legal = tuple(map(str, view.legal_actions))
    worth = tuple(abs(round(values[move], 5)) for move in legal)
    near = sum(max(worth) - value <= max(NEAR, tolerance) for value in worth) / len(worth)
    if max(worth) - min(worth) < LEAST_AT_STAKE or near > MOST_BEST:
        return None
    return Position(
        "",
        group,
        differing(view.config),
        view.player_id,
        view.my_dice,
        tuple(map(str, view.public.bid_history)),
        whole_prompt(view),
        legal,
        worth,
        None if holds is None else round(holds, 5),
        round(tolerance, 5),
    )


def solved_positions(group: Group, game: SolvedGame, rng: random.Random) -> Iterator[Position]:
    """Decisions of two equilibrium strategies that play solved rounds, all sizes in turn."""
    base = Tablebase.shipped(game)
    for dice in cycle([dice for dice in sorted(base.entries) if sum(dice) > 2]):
        solved = base.round(*dice)
        config = base.config.replace(dice=dice)
        hands = [tuple(sorted(rng.choices(range(1, 7), k=n))) for n in dice]
        bids: tuple[str, ...] = ()
        while True:
            seat = len(bids) % 2
            view = position_view(config, seat, hands[seat], bids)
            told = explain(solved.tree, solved.pool, view.public.bid_history, hands[seat])
            if told.rarest < LEAST_EXPECTED:
                break
            values = {str(choice.action): (1 + choice.value) / 2 for choice in told.choices}
            found = position(group, view, values, 1 - values["liar"] if bids else None)
            if found is not None:
                yield found
            mix = mix_of(solved.tree, solved.pool, view.public.bid_history, hands[seat])
            (move,) = rng.choices([str(action) for action in mix], list(mix.values()))
            if move in ("liar", "exact"):
                break
            bids = (*bids, move)


def table_positions(rng: random.Random) -> Iterator[Position]:
    """Decisions of champions at tables of three to six, with one to five dice each."""
    for players in cycle((3, 4, 5, 6)):
        dice = tuple(rng.randint(1, 5) for _ in range(players))
        config = preset("perudo", players=players).replace(dice=dice)
        hands = [tuple(sorted(rng.choices(range(1, 7), k=n))) for n in dice]
        bids: tuple[str, ...] = ()
        while True:
            seat = len(bids) % players
            view = position_view(config, seat, hands[seat], bids)
            advice = from_champion(view)
            assert advice is not None
            values = {str(choice.action): choice.win_chance for choice in advice.choices}
            found = position("multi-player", view, values, advice.holds, advice.tolerance)
            weights = [choice.chance or 0.0 for choice in advice.choices]
            disputed = sum(w * advice.loss(c.action) for w, c in zip(weights, advice.choices, strict=True))
            if found is not None and disputed <= MOST_DISPUTED:
                yield found
            (move,) = rng.choices([str(choice.action) for choice in advice.choices], weights)
            if move in ("liar", "exact"):
                break
            bids = (*bids, move)


def some(source: Iterator[Position], count: int, name: str, say: Callable[[str], None]) -> Iterator[Position]:
    """That many different positions of a source, at most a third of them openings."""
    seen: set[tuple[object, ...]] = set()
    openings = 0
    for one in source:
        key = (*one.rules["dice"], one.seat, one.hand, one.bids)
        if key in seen or (not one.bids and openings >= count // 3):
            continue
        seen.add(key)
        openings += not one.bids
        yield msgspec.structs.replace(one, id=f"{name}-{len(seen):03}")
        if len(seen) == count:
            say(f"{name}: {count} positions, {openings} of them openings")
            return


def main() -> None:
    """Build the file."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--each", type=int, default=160, help="positions of each solved game")
    arguments.add_argument("--tables", type=int, default=100, help="positions of larger tables")
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    rng = random.Random(given.seed)
    positions = [
        *some(solved_positions("no-wilds", "heads-up", rng), given.each, "no-wilds", print),
        *some(solved_positions("perudo", "perudo", rng), given.each, "perudo", print),
        *some(table_positions(rng), given.tables, "multi-player", print),
    ]
    lines = b"".join(msgspec.json.encode(one) + b"\n" for one in positions)
    DATA.mkdir(exist_ok=True)
    path = DATA / f"positions-{POSITIONS_VERSION}.jsonl.gz"
    path.write_bytes(gzip.compress(lines, 9, mtime=0))
    print(f"{path.name}: {len(positions)} positions, {len(lines):,} bytes, {path.stat().st_size:,} compressed")


if __name__ == "__main__":
    main()
