"""The benchmark for language models: positions with exact answers, and games against reference players.

Answers can be kept in a file, to which each is written as soon as it is there. A run that stopped continues with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import msgspec

from ..core import BadValueError, Progress
from .position_answers import (
    SCORING_VERSION,
    Answer,
    BeliefScore,
    PositionScore,
    answer_positions,
    score_answers,
    score_beliefs,
)
from .positions import POSITIONS_VERSION, Group, Position, load_positions
from .reference_games import POOL_VERSION, PlayedDeal, ReferenceScore, deals_to_play, play_pool, score_pool


class BenchHeader(msgspec.Struct, frozen=True):
    """The first line of a file with answers: whose they are, and to which questions."""

    player: str
    positions_version: int = POSITIONS_VERSION
    pool_version: int = POOL_VERSION

    def __str__(self) -> str:
        return (
            f"answers of {self.player} to positions {self.positions_version} and reference players {self.pool_version}"
        )


class BenchResult(msgspec.Struct, frozen=True):
    """What the benchmark says about a player."""

    player: str
    exact: PositionScore | None
    """At the positions of solved rounds."""
    groups: dict[Group, PositionScore]
    belief: BeliefScore | None
    games: tuple[ReferenceScore, ...]

    def as_json(self) -> dict[str, Any]:
        """The result as one JSON object; other programs rely on these keys."""
        exact = self.exact
        return {
            "player": self.player,
            "loss": None if exact is None else exact.loss,
            "ci95": None if exact is None else exact.ci95,
            "best": None if exact is None else exact.best,
            "illegal": None if exact is None else exact.illegal,
            "corrected": None if exact is None else exact.corrected,
            "positions": 0 if exact is None else exact.positions,
            "groups": msgspec.to_builtins(self.groups),
            "belief": msgspec.to_builtins(self.belief),
            "games": msgspec.to_builtins(self.games),
            "positions_version": POSITIONS_VERSION,
            "pool_version": POOL_VERSION,
            "scoring_version": SCORING_VERSION,
        }


class Bench:
    """One run of the benchmark."""

    def __init__(self, player: str, *, per_group: int | None = None, games: int = 20) -> None:
        """`per_group` positions of each group (all by default), and `games` against each reference player."""
        if games < 0 or games % 2:
            raise BadValueError("games", games, "an even number: each deal is played in both seatings")
        self.player = player
        self.games = games
        self.positions = _first_of_each(load_positions(), per_group)
        self.answers: dict[str, Answer] = {}
        self.deals: dict[tuple[str, int], PlayedDeal] = {}
        self._file: IO[bytes] | None = None

    @contextmanager
    def kept_in(self, path: Path | None) -> Iterator[None]:
        """Inside the `with` block, answers are read from this file and written to it."""
        if path is None:
            yield
            return
        try:
            self._read(path)
            with path.open("ab") as self._file:
                if path.stat().st_size == 0:
                    self._write(BenchHeader(self.player))
                yield
        except OSError as error:
            raise BadValueError("out", str(path), f"a file that can be written ({error.strerror})") from None
        finally:
            self._file = None

    def _read(self, path: Path) -> None:
        data = path.read_bytes() if path.exists() else b""
        if not data.endswith(b"\n"):  # a run was killed while it wrote
            data = data[: data.rfind(b"\n") + 1]
            path.write_bytes(data)
        lines = data.splitlines()
        try:
            if lines and (header := msgspec.json.decode(lines[0], type=BenchHeader)) != BenchHeader(self.player):
                expected = f"a new file, or one with answers of {self.player} to these questions; it has {header}"
                raise BadValueError("out", str(path), expected)
            for line in lines[1:]:
                if b'"deal":' in line:
                    played = msgspec.json.decode(line, type=PlayedDeal)
                    self.deals[played.key] = played
                else:
                    answer = msgspec.json.decode(line, type=Answer)
                    self.answers[answer.position] = answer
        except msgspec.DecodeError as error:
            raise BadValueError("out", str(path), f"a file that this command wrote ({error})") from None

    def _write(self, line: msgspec.Struct) -> None:
        if self._file is not None:
            self._file.write(msgspec.json.encode(line) + b"\n")
            self._file.flush()

    def run(self, progress: Progress | None = None) -> None:
        """Ask what has not been answered yet."""
        left = [position for position in self.positions if position.id not in self.answers]
        done, total = 0, len(left) + 2 * deals_to_play(self.games, self.deals)

        def count(steps: int, line: msgspec.Struct) -> None:
            nonlocal done
            done += steps
            self._write(line)
            if progress is not None:
                progress(done, total)

        def on_answer(answer: Answer) -> None:
            self.answers[answer.position] = answer
            count(1, answer)

        def on_deal(deal: PlayedDeal) -> None:
            self.deals[deal.key] = deal
            count(2, deal)

        answer_positions(self.player, left, on_answer)
        play_pool(self.player, self.games, self.deals, on_deal)

    def result(self) -> BenchResult:
        """The scores of what has been answered."""
        groups: dict[Group, PositionScore] = {}
        for group in dict.fromkeys(position.group for position in self.positions):
            score = score_answers((one for one in self.positions if one.group == group), self.answers)
            if score is not None:
                groups[group] = score
        exact = [position for position in self.positions if position.exact]
        wanted = {key: deal for key, deal in self.deals.items() if deal.deal < self.games // 2}
        return BenchResult(
            self.player,
            score_answers(exact, self.answers),
            groups,
            score_beliefs(exact, self.answers),
            tuple(score_pool(wanted)),
        )


def _first_of_each(positions: Sequence[Position], per_group: int | None) -> list[Position]:
    """The first positions of each group."""
    kept: list[Position] = []
    for position in positions:
        if per_group is None or sum(one.group == position.group for one in kept) < per_group:
            kept.append(position)
    return kept
