"""Slow and plain second opinions: the same questions answered through the rules engine, hand by hand."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from liars_dice.agents import Agent
from liars_dice.core import GameConfig, GameState, apply, as_action, deal, legal_actions, new_game, view_of


def round_chances(agents: Sequence[Agent], config: GameConfig) -> dict[tuple[int, str, bool], float]:
    """How probable each (winner, call, whether the caller won) of the first round is, over all rolls of two players."""
    found: dict[tuple[int, str, bool], float] = {}
    first, second = config.dice
    rolls = list(product(range(1, config.faces + 1), repeat=first + second))
    for roll in rolls:
        state = deal(new_game(config), (roll[:first], roll[first:]))
        for outcome, chance in _play(agents, state, 1.0):
            found[outcome] = found.get(outcome, 0.0) + chance / len(rolls)
    return found


def _play(agents: Sequence[Agent], state: GameState, chance: float) -> list[tuple[tuple[int, str, bool], float]]:
    if state.public.status != "BIDDING":
        last = state.public.resolutions[-1]
        return [((last.winner, last.call, last.winner == last.caller), chance)]
    seat = state.public.current_player
    view = view_of(state, seat)
    policy = agents[seat].policy(view) or {as_action(agents[seat].choose_action(view)): 1.0}
    return [end for action, p in policy.items() for end in _play(agents, apply(state, action), chance * p)]


def best_value(agent: Agent, config: GameConfig, seat: int) -> Fraction:
    """The most that anybody in `seat` can win against the agent in the other seat, by trying everything.

    For each own hand the hands of the agent that are still possible are carried along, as a list.
    """
    own, theirs = config.dice[seat], config.dice[1 - seat]
    faces = range(1, config.faces + 1)
    total = Fraction(0)
    for hand in product(faces, repeat=own):
        states = []
        for other in product(faces, repeat=theirs):
            hands = (hand, other) if seat == 0 else (other, hand)
            states.append((deal(new_game(config), hands), Fraction(1)))
        total += _best(agent, states, seat)
    return 2 * total / Fraction(len(faces) ** (own + theirs)) - 1


def _best(agent: Agent, states: list[tuple[GameState, Fraction]], seat: int) -> Fraction:
    """All states look the same to the adversary; each has a weight."""
    if not states:
        return Fraction(0)
    public = states[0][0].public
    if public.status != "BIDDING":
        return sum((weight for state, weight in states if state.public.winner == seat), Fraction(0))
    if public.current_player == seat:
        return max(
            _grouped(agent, [(apply(state, action), weight) for state, weight in states], seat)
            for action in legal_actions(public)
        )
    after: list[tuple[GameState, Fraction]] = []
    for state, weight in states:
        view = view_of(state, 1 - seat)
        policy = agent.policy(view) or {as_action(agent.choose_action(view)): 1.0}
        after += [(apply(state, action), weight * Fraction(p)) for action, p in policy.items()]
    return _grouped(agent, after, seat)


def _grouped(agent: Agent, states: list[tuple[GameState, Fraction]], seat: int) -> Fraction:
    """The adversary sees the bidding: states with different biddings are apart."""
    groups: dict[object, list[tuple[GameState, Fraction]]] = {}
    for state, weight in states:
        groups.setdefault((state.public.bid_history, state.public.status), []).append((state, weight))
    return sum((_best(agent, group, seat) for group in groups.values()), Fraction(0))
