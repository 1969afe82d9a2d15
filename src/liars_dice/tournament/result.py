"""What comes of a tournament: who is how good, against whom, and how sure that is. Plain data, saved as JSON."""

from __future__ import annotations

from typing import Literal

import msgspec

from .method_choice import Method

TIE = 1e-12
"""Exact win rates nearer to one half than this are a tie."""
ALPHA = 0.05
"""The chance of even one false verdict among all pairs."""

Kind = Literal["round-robin", "league"]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What a tournament was asked to do. Its result follows from this alone."""

    kind: Kind
    agents: tuple[str, ...]
    rules: str
    """The name of the rules, as it was given."""
    config: dict[str, object]
    """The rules themselves."""
    seed: int
    exact: bool = False
    """Whether the exact method was insisted on."""
    games: int | None = None
    """Games a pairing, or a table of a league; None: as many as are usual."""
    tables: int | None = None
    """Tables of a league."""
    until_significant: bool = False
    isolate: bool = False
    """Whether each bot plays in a box of its own."""
    record: Literal["all", "faults", "none"] = "faults"

    def __post_init__(self) -> None:
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in self.config.items()}
        msgspec.structs.force_setattr(self, "config", plain)  # as it comes back from JSON


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """How one agent fares against another.

    In a round robin `win_rate` is the part of their games that the first of them won, seats averaged. In a league it is
    the part of the games that one of the two won at a common table.
    """

    win_rate: float
    method: Method
    games: int | None
    """How many games it rests on; None if it is exact."""
    ci95: tuple[float, float] | None
    p_value: float | None
    """That it is one half, after Holm's correction over all pairs; None if it is exact."""

    @property
    def verdict(self) -> int:
        """1 if the first agent is better than the second, -1 if it is worse, 0 if they tie or it is not decided."""
        if self.p_value is None:
            sure = abs(self.win_rate - 0.5) > TIE
        else:
            sure = self.p_value <= ALPHA and self.win_rate != 0.5
        return (1 if self.win_rate > 0.5 else -1) if sure else 0


class RoundRate(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent fares in rounds of one kind: how many there were (expected ones, if exact), and how many it won."""

    rounds: float
    won: float

    @property
    def rate(self) -> float:
        """The part that was won."""
        return self.won / self.rounds if self.rounds else 0.0


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One agent's place in the ranking."""

    agent: str
    rank: int
    rank_interval: tuple[int, int]
    """The best and the worst rank that the intervals of all win rates leave; one and the same if all is exact."""
    win_rate: float
    """In a round robin the mean over the other agents; in a league the part of all its games."""
    beats: int
    ties: int
    rating: float
    """In a round robin on the Elo scale (mean 1500), in a league openskill's mu."""
    rating_interval: tuple[float, float] | None
    ci95: tuple[float, float] | None
    games: int | None
    opening: RoundRate | None = None
    """Rounds it opened."""
    answering: RoundRate | None = None
    """Rounds others opened."""
    by_dice: dict[int, RoundRate] = {}
    """Rounds by how many dice it had."""
    faults: dict[str, int] = {}
    """What it did wrong in games, by verdict."""


class TournamentResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a tournament."""

    settings: Settings
    method: Method
    """The least exact that was needed anywhere."""
    why: str = ""
    """Why it was not found out in a better way."""
    ranking: tuple[Standing, ...]
    cells: tuple[tuple[Cell | None, ...], ...]
    """[i][j], in the order of `settings.agents`: how agent i fares against agent j."""
    games: int | None
    rounds: float
    ordered: tuple[str, ...] = ()
    """Agents that learn: their games were played one after the other, in one worker."""
    complete: bool = True
    """Whether all was played that was asked for."""

    def __repr__(self) -> str:
        places = ", ".join(f"{one.rank}. {one.agent} {one.win_rate:.1%}" for one in self.ranking[:5])
        more = f", and {len(self.ranking) - 5} more" if len(self.ranking) > 5 else ""
        return f"<TournamentResult: {places}{more} ({self.method})>"

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents, in the order in which they were given."""
        return self.settings.agents

    @property
    def matrix(self) -> list[list[float | None]]:
        """[i][j]: how often agent i beats agent j; None against itself, or if they never met."""
        return [[None if cell is None else cell.win_rate for cell in row] for row in self.cells]
