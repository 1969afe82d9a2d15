"""From rounds to matches: a two-player match is a Markov chain over dice (or wins) and who opens (rule 6).

All functions work for one pairing or for many at once: an array of outcomes may have any leading shape.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...core import GameConfig, LiarsDiceError, RoundOutcome, after_round
from ...numeric import Floats
from .exact_round import OPENER_EXACT, OTHER_EXACT, OTHER_LOSES

Outcomes = Callable[[tuple[int, int], int], Floats]
"""The probabilities of a round's four outcomes in their last axis, given both seats' dice and who opens."""
State = tuple[tuple[int, int], int]
"""Both seats' dice, and who opens."""


class EndlessMatchError(LiarsDiceError):
    """Two agents whose match would never end."""

    code = "endless_match"


@dataclass(frozen=True)
class MatchOdds:
    """How a match ends, as probabilities and expectations."""

    win: Floats
    """The chance that seat 0 wins."""
    rounds: Floats
    """The expected number of rounds."""
    final: dict[tuple[int, int], Floats]
    """The probability of each final pair of dice counts, seat 0 first."""
    visits: dict[State, Floats]
    """The expected number of rounds with these dice and this opener."""


def chain_rounds(config: GameConfig, outcomes: Outcomes) -> MatchOdds:
    """The odds of a whole match, from the outcomes of its rounds."""
    if config.mode == "elimination":
        return _elimination(config, outcomes)
    return _first_to_win(config, outcomes)


def _outcome(opener: int, number: int) -> RoundOutcome:
    """Which seat won, if a round that this seat opened ended in one of the four outcomes."""
    winner = opener if number in (OTHER_LOSES, OPENER_EXACT) else 1 - opener
    return RoundOutcome(winner, 1 - winner, number in (OPENER_EXACT, OTHER_EXACT))


def _elimination(config: GameConfig, outcomes: Outcomes) -> MatchOdds:
    """Follow the expected number of visits to each state from the first to the last.

    The total number of dice falls with every round, except after a right exact call. So states are taken by their
    total, the most dice first; within a total the visits solve a small linear system. If nobody pays for a right exact
    call, the total can grow, and the visits to all states solve one system.
    """
    first, second = config.dice
    some = outcomes((first, second), 0)[..., 0]
    arriving: dict[State, Floats] = defaultdict(lambda: np.zeros_like(some))
    arriving[(first, second), 0] = np.ones_like(some)
    final: dict[tuple[int, int], Floats] = defaultdict(lambda: np.zeros_like(some))
    rounds: Floats = np.zeros_like(some)
    visited: dict[State, Floats] = {}
    grows = config.most_in_play > config.total_dice
    layers = [range(2, config.most_in_play + 1)] if grows else [range(n, n + 1) for n in range(first + second, 1, -1)]
    for layer in layers:
        states = _within(layer, config, {state for state in arriving if sum(state[0]) in layer}, outcomes)
        place = {state: i for i, state in enumerate(states)}
        stays = np.zeros((*some.shape, len(states), len(states)))
        leaves: list[tuple[int, State, Floats]] = []
        for state, i in place.items():
            for after, chance in _next_states(config, state, outcomes):
                if after in place:
                    stays[..., i, place[after]] += chance
                else:
                    leaves.append((i, after, chance))
        visits = _visits(np.stack([arriving[state] for state in states], axis=-1), stays) if states else None
        if visits is None:
            continue
        rounds = rounds + visits.sum(axis=-1)
        visited.update((state, visits[..., i]) for state, i in place.items())
        for i, (dice, opener), chance in leaves:
            if min(dice):
                arriving[dice, opener] = arriving[dice, opener] + visits[..., i] * chance
            else:
                final[dice] = final[dice] + visits[..., i] * chance
    win = np.zeros_like(some) + sum(chance for dice, chance in final.items() if dice[1] == 0)
    return MatchOdds(win, rounds, dict(sorted(final.items())), visited)


def _within(layer: range, config: GameConfig, start: set[State], outcomes: Outcomes) -> list[State]:
    """These states, and all that they lead to with a total number of dice in this layer."""
    found, new = set(start), list(start)
    while new:
        for after, _ in _next_states(config, new.pop(), outcomes):
            if sum(after[0]) in layer and min(after[0]) and after not in found:
                found.add(after)
                new.append(after)
    return sorted(found)


def _next_states(config: GameConfig, state: State, outcomes: Outcomes) -> list[tuple[State, Floats]]:
    """What a round leads to, each with its probability (rules 6.2, 6.3, 6.5)."""
    dice, opener = state
    chances = outcomes(dice, opener)
    found = []
    for number in range(4 if config.exact_call else 2):
        left, next_opener = after_round(config, dice, opener, _outcome(opener, number))
        found.append((((left[0], left[1]), next_opener), chances[..., number]))
    return found


def _visits(arriving: Floats, stays: Floats) -> Floats:
    """How often each state is expected to be visited: v = arriving + v · stays."""
    if not stays.any():
        return arriving
    identity = np.eye(stays.shape[-1])
    try:
        solved = np.linalg.solve(np.swapaxes(identity - stays, -1, -2), arriving[..., None])[..., 0]
    except np.linalg.LinAlgError:
        raise EndlessMatchError("two agents whose exact calls are right every time: their match never ends") from None
    return solved.astype(np.float64)


def _first_to_win(config: GameConfig, outcomes: Outcomes) -> MatchOdds:
    """First to win more than half of the rounds; a single round is the first to win one."""
    needed, dice = config.wins_needed, (config.dice[0], config.dice[1])
    by_opener = [outcomes(dice, opener) for opener in (0, 1)]
    some = by_opener[0][..., 0]
    # here[w, o]: the probability that the match goes on, that seat 0 has won w rounds so far, and that o opens
    here = np.zeros((needed, 2, *some.shape))
    here[0, 0] = 1.0
    win: Floats = np.zeros_like(some)
    rounds: Floats = np.zeros_like(some)
    opened: Floats = np.zeros_like(here[0])
    for played in range(2 * needed - 1):
        rounds = rounds + here.sum(axis=(0, 1))
        opened = opened + here.sum(axis=0)
        after = np.zeros_like(here)
        for opener in (0, 1):
            for number in range(4):
                outcome = _outcome(opener, number)
                _, next_opener = after_round(config, dice, opener, outcome)
                gone = here[:, opener] * by_opener[opener][..., number]
                if outcome.winner == 0:
                    after[1:, next_opener] += gone[:-1]
                    win = win + gone[-1]
                else:
                    after[:, next_opener] += gone
        lost = max(0, played + 2 - needed)  # with fewer wins than this, seat 1 has won the match
        after[:lost] = 0.0
        here = after
    return MatchOdds(win, rounds, {dice: np.ones_like(some)}, {(dice, opener): opened[opener] for opener in (0, 1)})
