"""Rule sets compiled to arrays for batched games."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...core import ConfigError, GameConfig, RoundRules, round_rules
from ...exact.tables import count_rungs
from ...numeric import Truths
from .game_arrays import BEST_OF, ELIMINATION, SINGLE_ROUND, RuleArrays

MOST_CELLS = 50_000_000
"""The most entries of `RuleArrays.allowed`, the largest array."""
MOST_ROLLS = 10_000
"""Hands are looked up by rolls of as many dice as have at most this many rolls; more dice take several rolls."""
_NEVER = 1 << 40
_MODES = {"single_round": SINGLE_ROUND, "elimination": ELIMINATION, "best_of": BEST_OF}
_OPENERS = ("loser", "winner", "alternate")


def compile_rules(configs: Sequence[GameConfig]) -> RuleArrays:
    """These rule sets as arrays. They must have dice with the same number of faces."""
    faces = configs[0].faces
    for config in configs:
        if config.faces != faces:
            raise ConfigError("faces", config.faces, f"{faces}, as in the first rule set: a batch has one kind of dice")
    longest = max(_longest_ladder(config) for config in configs)
    totals = 1 + max(config.most_in_play for config in configs)
    kinds, limits = 2 * len(configs) * totals, faces + 3
    if kinds * limits * longest > MOST_CELLS:
        raise ConfigError(
            "dice",
            max(configs, key=lambda config: config.most_in_play).dice,
            f"fewer dice or faces: the tables of these rules would have {kinds * limits * longest:,} entries, "
            f"{MOST_CELLS:,} at most are held",
        )
    seats = max(config.num_players for config in configs)
    size = np.zeros(kinds, dtype=np.int64)
    quantity = np.zeros((kinds, longest), dtype=np.int16)
    face = np.zeros((kinds, longest), dtype=np.int8)
    allowed = np.zeros((kinds, limits, longest), dtype=np.bool_)
    for number, config in enumerate(configs):
        for rules in _rounds(config):
            kind = (2 * number + rules.palifico) * totals + rules.total_dice
            size[kind] = rungs = len(rules.bids)
            quantity[kind, :rungs] = [bid.quantity for bid in rules.bids]
            face[kind, :rungs] = [bid.face for bid in rules.bids]
            allowed[kind, :, :rungs] = _limits(rules, face[kind, :rungs])
    before, nth = _ranks(allowed)
    most_dice = max(map(_most_in_a_hand, configs))
    hand_of_roll = _hands_of_rolls(faces, most_dice)
    return RuleArrays(
        facts=np.array([_facts(config) for config in configs]),
        start_dice=np.array([config.dice + (0,) * (seats - config.num_players) for config in configs], dtype=np.int16),
        ladder_size=size,
        quantity=quantity,
        face=face,
        allowed=allowed,
        before=before,
        nth=nth,
        hand_of_roll=hand_of_roll,
        rolled_before=np.arange(0, most_dice, len(hand_of_roll) - 1),
    )


def _facts(config: GameConfig) -> list[int]:
    """In the order of the columns of `RuleArrays.facts`."""
    return [
        config.num_players,
        _MODES[config.mode],
        config.wins_needed,
        _OPENERS.index(config.next_opener),
        config.dice_cap,
        config.exact_call,
        config.exact_payer == "nobody",
        config.palifico and max(config.dice) > 1,
        _NEVER if config.max_turns is None else config.max_turns,
        config.wild_face() or 0,
        config.table_dice,
        config.hidden_dice,
        _highest_quantity(config),
    ]


def _kinds(config: GameConfig) -> tuple[bool, ...]:
    return (False, True) if config.palifico else (False,)


def _longest_ladder(config: GameConfig) -> int:
    return max(count_rungs(config, config.most_in_play, palifico=palifico) for palifico in _kinds(config))


def _highest_quantity(config: GameConfig) -> int:
    return max(config.ladder(config.most_in_play, palifico=palifico).max_quantity for palifico in _kinds(config))


def _most_in_a_hand(config: GameConfig) -> int:
    return max(config.dice_cap, config.table_dice, config.hidden_dice)


def _rounds(config: GameConfig) -> list[RoundRules]:
    """The rules of every kind of round that can arise in a game."""
    fewest = 2 + config.shared_dice if config.mode == "elimination" else config.total_dice
    totals = range(fewest, config.most_in_play + 1)
    rules = config.without_seed
    return [round_rules(rules, total, palifico) for palifico in _kinds(config) for total in totals]


def _limits(rules: RoundRules, face: NDArray[np.int8]) -> Truths:
    """[limit, rung]: what each limit allows: anything, one face, nothing, what may open."""
    kept = face == np.arange(1, rules.config.faces + 1)[:, None]
    opens = np.isin(np.arange(face.size), list(rules.opening_rungs))
    return np.vstack([np.ones(face.size, dtype=np.bool_), kept, np.zeros(face.size, dtype=np.bool_), opens])


def _ranks(allowed: Truths) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """How many allowed rungs are below each rung, and the allowed rungs in order."""
    before = np.zeros((*allowed.shape[:2], allowed.shape[2] + 1), dtype=np.int16)
    np.cumsum(allowed, axis=2, out=before[:, :, 1:])
    nth = np.argsort(~allowed, axis=2, kind="stable").astype(np.int16)
    return before, nth


def _hands_of_rolls(faces: int, most_dice: int) -> NDArray[np.int8]:
    at_once = max(n for n in range(1, most_dice + 1) if faces**n <= MOST_ROLLS)
    roll = np.arange(faces**at_once)
    hands = np.zeros((at_once + 1, roll.size, faces), dtype=np.int8)
    for die in range(at_once):
        hands[die + 1] = hands[die]
        hands[die + 1, roll, roll // faces**die % faces] += 1
    return hands
