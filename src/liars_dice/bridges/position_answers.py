"""Asking a player at the benchmark's positions, and what its answers are worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import msgspec

from ..agents import Agent, asks_network, make_agent, states_policy, work_at_once
from ..core import AgentFaulted, derive_seed
from ..referee import GOES_ON, BotFault, BotSession, InProcessSeat, Seat, fallback, limits_for, make_seat
from .positions import POSITIONS_VERSION, Position

if TYPE_CHECKING:
    from .llm_player import LanguageModelAgent

SCORING_VERSION = 2
"""How answers are scored. In version 1 an answer that is not legal was scored as the referee's move."""
BEST_WITHIN = 0.005
"""Moves that lose at most this chance to win count as best: perfect play mixes between such moves."""
BINS = 5
"""Stated beliefs are sorted into this many bins to show how well they are calibrated."""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a player did at a position."""

    position: str
    chances: dict[str, float]
    """Its move; for a bot that states its probabilities, all moves that it may make."""
    belief: float | None = None
    """The chance that it gave the current bid."""
    corrected: bool = False
    """Whether its first answer could not be played."""
    illegal: bool = False
    """Whether the referee had to play for it: then the move is the referee's."""


class PositionScore(msgspec.Struct, frozen=True):
    """How well a player answered."""

    positions: int
    loss: float
    """The chance to win that it gives away, on average per decision: all that it has where it makes no legal move."""
    ci95: tuple[float, float] | None
    """A 95% interval for the loss over positions like these (Student's t); None for a single position."""
    best: float
    """The share of its answers that are best; one that is not legal never is."""
    illegal: float
    """The share of positions where the referee had to play for it."""
    corrected: float
    """The share of positions where its first answer could not be played."""


class BeliefBin(msgspec.Struct, frozen=True):
    """Positions at which similar beliefs were stated."""

    answers: int
    stated: float
    true: float
    """The mean chance that the bids there are true."""


class BeliefScore(msgspec.Struct, frozen=True):
    """How close stated beliefs are to the exact chances that bids are true."""

    answers: int
    error: float
    """The root of the mean squared difference."""
    bias: float
    """The mean difference: above 0 if the player believes too much."""
    bins: tuple[BeliefBin, ...]


def answer_positions(player: str, positions: Sequence[Position], on_answer: Callable[[Answer], None]) -> None:
    """Ask a player at these positions: a model, several at once; any other bot one after another."""
    if asks_network(player):
        model = make_agent(player)
        from .llm_player import LanguageModelAgent  # needs httpx, which other bots do not

        assert isinstance(model, LanguageModelAgent)
        work_at_once([partial(_model_answer, model, position) for position in positions], on_answer)
        return
    seat = make_seat(player, limits_for(None), apart=True)
    try:
        for number, position in enumerate(positions):
            on_answer(_bot_answer(seat, position, derive_seed(POSITIONS_VERSION, "position", number)))
    finally:
        seat.dismiss()


def _model_answer(model: LanguageModelAgent, position: Position) -> Answer:
    """A model's answer to the prompt that is published with the position."""
    view = position.view()
    try:
        decision = model.decide(view, [{"role": "user", "content": position.prompt}])
    except BotFault:  # too slow
        return Answer(position.id, {str(fallback(view)): 1.0}, illegal=True)
    action = decision.action if decision.legal and decision.action is not None else fallback(view)
    corrected = len(decision.answers) > 1
    return Answer(position.id, {str(action): 1.0}, decision.belief, corrected, illegal=not decision.legal)


def _bot_answer(seat: Seat, position: Position, seed: int) -> Answer:
    view = position.view()
    faults: list[AgentFaulted] = []
    session = BotSession(seat, view.player_id, seed, faults.append)
    try:
        session.start(view)
        if isinstance(seat, InProcessSeat) and isinstance(seat.agent, Agent) and states_policy(seat.agent):
            policy = seat.agent.policy(view)
            if policy is not None:
                return Answer(position.id, {str(action): float(chance) for action, chance in policy.items()})
        chosen = str(session.choose(view))
    finally:
        session.close()
    return Answer(position.id, {chosen: 1.0}, illegal=any(fault.fallback != GOES_ON for fault in faults))


def score_answers(positions: Iterable[Position], answers: Mapping[str, Answer]) -> PositionScore | None:
    """The score at those positions that were answered; None if there is none."""
    losses, best = [], []
    found = [(position, answers[position.id]) for position in positions if position.id in answers]
    if not found:
        return None
    for position, answer in found:
        if answer.illegal:
            losses.append(max(position.values))
            best.append(0.0)
            continue
        losses.append(sum(chance * position.loss(move) for move, chance in answer.chances.items()))
        near = max(BEST_WITHIN, position.tolerance)
        top = max(position.values)
        best.append(sum(c for move, c in answer.chances.items() if top - position.value_of(move) <= near))
    return PositionScore(
        len(found),
        fmean(losses),
        _interval(losses),
        fmean(best),
        fmean(answer.illegal for _, answer in found),
        fmean(answer.corrected for _, answer in found),
    )


def _interval(losses: Sequence[float]) -> tuple[float, float] | None:
    """A 95% interval for the mean of what these are a sample of; None if there is only one."""
    from scipy.stats import t

    if len(losses) < 2:
        return None
    mean, half = fmean(losses), float(t.ppf(0.975, len(losses) - 1)) * stdev(losses) / sqrt(len(losses))
    return max(0.0, mean - half), min(1.0, mean + half)


def score_beliefs(positions: Iterable[Position], answers: Mapping[str, Answer]) -> BeliefScore | None:
    """How good the stated beliefs are, at positions with a bid; None if no belief was stated."""
    pairs = [
        (belief, position.holds)
        for position in positions
        if position.holds is not None and position.id in answers and (belief := answers[position.id].belief) is not None
    ]
    if not pairs:
        return None
    bins: list[BeliefBin] = []
    for number in range(BINS):
        inside = [pair for pair in pairs if min(int(pair[0] * BINS), BINS - 1) == number]
        if inside:
            bins.append(BeliefBin(len(inside), fmean(p[0] for p in inside), fmean(p[1] for p in inside)))
    differences = [stated - true for stated, true in pairs]
    error = sqrt(fmean(difference**2 for difference in differences))
    return BeliefScore(len(pairs), error, fmean(differences), tuple(bins))
