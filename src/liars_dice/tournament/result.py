"""A tournament's settings and result as plain data, stored as JSON."""

from __future__ import annotations

from typing import Literal

import msgspec

from .fault_examples import FaultExample
from .method_choice import Method

TIE = 1e-12
"""Exact win rates closer to one half than this are a tie."""
ALPHA = 0.05
"""The accepted chance of even one false verdict among all pairings."""

TournamentKind = Literal["round-robin", "league"]
Seating = Literal["both", "listed"]
"""Who sits in seat 0 of a round robin's games: each of the two in turn, or always the one listed first."""


class TournamentSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a tournament plays. The result follows from these settings alone."""

    kind: TournamentKind
    agents: tuple[str, ...]
    rules: str
    """The name of the rules, as given."""
    config: dict[str, object]
    """The rules themselves."""
    seed: int
    exact: bool = False
    """Whether the exact method is required."""
    games: int | None = None
    """Games per pairing, or per table of a league; None for the default, at a table one deal in every seating."""
    tables: int | None = None
    """How many tables a league has, each a random group of agents in a random order; None for the default."""
    until_significant: bool = False
    isolate: bool = False
    """Whether each bot runs in a sandboxed process of its own."""
    boxed: tuple[str, ...] = ()
    """Agents that run only in boxes: those of a folder that was given as a field."""
    time_limit_seconds: float = 1.0
    """How long a bot may take for a decision. `on_game_end` may take twice as long."""
    record: Literal["all", "some", "faults", "none"] = "faults"
    seating: Seating = "both"
    base_url: str | None = None
    """Where language models are asked; None if none play, or if another version began the tournament."""

    def __post_init__(self) -> None:
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in self.config.items()}
        msgspec.structs.force_setattr(self, "config", plain)  # the same types as when read back from JSON

    @property
    def without_address(self) -> TournamentSettings:
        """The settings as others may read them: the models' address may be that of an internal host."""
        return msgspec.structs.replace(self, base_url=None)


class PairingResult(msgspec.Struct, frozen=True, kw_only=True):
    """How one agent does against another.

    In a round robin, `win_rate` is the share of their games that the first agent won, averaged over the seats unless
    `seating` says otherwise. In a league, it is the first agent's share of the games at common tables that either of
    the two won, per seat.
    """

    win_rate: float
    method: Method
    games: int | None
    """How many games it is based on; None if exact."""
    ci95: tuple[float, float] | None
    """A 95% interval for the win rate in the long run; with `until_significant`, one that is valid at any time."""
    p_value: float | None
    """The p-value of "the win rate is one half", with Holm's correction over all pairings; None if exact."""

    @property
    def verdict(self) -> int:
        """1 if the first agent is better than the second, -1 if it is worse, 0 for a tie or if undecided."""
        if self.p_value is None:
            sure = abs(self.win_rate - 0.5) > TIE
        else:
            sure = self.p_value <= ALPHA and self.win_rate != 0.5
        return (1 if self.win_rate > 0.5 else -1) if sure else 0


class RoundRate(msgspec.Struct, frozen=True, kw_only=True):
    """How many rounds of one kind an agent played and won; expected numbers if the result is exact."""

    rounds: float
    won: float

    @property
    def rate(self) -> float:
        """The share of rounds won."""
        return self.won / self.rounds if self.rounds else 0.0


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One agent's line in the ranking."""

    agent: str
    rank: int
    rank_interval: tuple[int, int]
    """The best and the worst rank that it may have in the long run. With 95% confidence, this holds for all agents at
    once. Equal if all results are exact."""
    win_rate: float
    """In a round robin, the mean over the other agents that it met; in a league, the share of all its games. ½ before
    its first game."""
    beats: int
    ties: int
    rating: float
    """In a round robin, on the Elo scale (mean 1500); in a league, OpenSkill's mu."""
    rating_interval: tuple[float, float] | None
    """A 95% interval for the rating; None if all results are exact, if there was only one table, or if a stopped
    tournament is uneven."""
    ci95: tuple[float, float] | None
    """A 95% interval for the win rate in the long run: over all tables and dice that might have been drawn, against the
    agents that it met. None if it is exact."""
    games: int | None
    """The games it played; None if all its results were computed, 0 if a stopped tournament has not reached it."""
    met: int | None = None
    """How many of the others it has met, if a stopped round robin is uneven; else None: all of them."""
    own_rank_interval: tuple[int, int] | None = None
    """The best and the worst rank with 95% confidence for this agent alone: never wider than `rank_interval`."""
    opening: RoundRate | None = None
    """Rounds it opened."""
    answering: RoundRate | None = None
    """Rounds that others opened."""
    by_dice: dict[int, RoundRate] = {}
    """Rounds by the number of its own dice."""
    faults: dict[str, int] = {}
    """How many faults it committed, by verdict."""
    fault_examples: tuple[FaultExample, ...] = ()
    """The first few different faults that it committed, in words."""


class TournamentResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a tournament."""

    settings: TournamentSettings
    method: Method
    """The least exact method that any pairing needed."""
    why: str = ""
    """Why a more exact method was not used; empty if it was."""
    ranking: tuple[Standing, ...]
    cells: tuple[tuple[PairingResult | None, ...], ...]
    """`[i][j]`, in the order of `settings.agents`: how agent i does against agent j."""
    games: int | None
    rounds: float
    ordered: tuple[str, ...] = ()
    """Agents that learn between games: one instance of each played all of its games, in order."""
    anew: tuple[str, ...] = ()
    """Agents that may want to learn, but began anew in every game: they ran in boxes, or are programs."""
    complete: bool = True
    """Whether all requested games were played."""
    planned: int = 0
    """How many games were requested; with `until_significant`, at most."""
    uneven: bool = False
    """Whether a stopped tournament has left out some opponents, or a part of its tables that is no random one. Then win
    rates do not compare: agents are ranked with all that is left counted as even, ranks are possible if any result of
    it makes them so, and ratings have no intervals."""
    resolution: float | None = None
    """If the win rates of two agents are at least this far apart, their difference is significant at the 5% level, as
    one comparison on its own, for any two agents; None if all results are exact, or if the tournament is uneven."""

    def __repr__(self) -> str:
        places = ", ".join(f"{one.rank}. {one.agent} {one.win_rate:.1%}" for one in self.ranking[:5])
        more = f", and {len(self.ranking) - 5} more" if len(self.ranking) > 5 else ""
        return f"<TournamentResult: {places}{more} ({self.method})>"

    @property
    def without_address(self) -> TournamentResult:
        """The result as others may read it (`TournamentSettings.without_address`)."""
        return msgspec.structs.replace(self, settings=self.settings.without_address)

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents, in the order given."""
        return self.settings.agents

    @property
    def rating_scale(self) -> str:
        """What ratings are measured in: Elo (mean 1500) in a round robin, OpenSkill's mu (25 at first) in a league."""
        return "Elo" if self.settings.kind == "round-robin" else "OpenSkill"

    @property
    def matrix(self) -> list[list[float | None]]:
        """`[i][j]`: how often agent i beats agent j; None on the diagonal, or if they never met."""
        return [[None if cell is None else cell.win_rate for cell in row] for row in self.cells]
