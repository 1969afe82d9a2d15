"""How likely a bid is, under every wild rule (rule 4). Everything that needs such odds takes them from here."""

from __future__ import annotations

from functools import lru_cache
from math import comb, fsum

from .bid import Bid
from .rules import RoundRules, count_matches
from .view import GameView


@lru_cache(maxsize=65536)
def binomial_prob_exactly(n: int, k: int, p: float = 1 / 6) -> float:
    """P(exactly k of n dice match), each with probability p."""
    return comb(n, k) * p**k * (1 - p) ** (n - k) if 0 <= k <= n else 0.0


@lru_cache(maxsize=65536)
def binomial_prob_at_least(n: int, k: int, p: float = 1 / 6) -> float:
    """P(at least k of n dice match), each with probability p.

    >>> binomial_prob_at_least(2, 1)  # 11/36
    0.3055555555555556
    """
    if k <= 0:
        return 1.0
    return min(1.0, fsum(binomial_prob_exactly(n, i, p) for i in range(k, n + 1)))


def match_chance(face: int, rules: RoundRules) -> float:
    """The chance that an unseen die counts for a bid on `face`."""
    wild = rules.wild_face
    return (1 if wild is None or wild == face else 2) / rules.config.faces


def prob_holds(bid: Bid, known_dice: tuple[int, ...], rules: RoundRules) -> float:
    """The chance that at least `bid.quantity` dice count for `bid`, given the dice you see."""
    missing = bid.quantity - count_matches((known_dice,), bid.face, rules.wild_face)
    return binomial_prob_at_least(rules.total_dice - len(known_dice), missing, match_chance(bid.face, rules))


def prob_exact(bid: Bid, known_dice: tuple[int, ...], rules: RoundRules) -> float:
    """The chance that exactly `bid.quantity` dice count for `bid`, given the dice you see."""
    missing = bid.quantity - count_matches((known_dice,), bid.face, rules.wild_face)
    return binomial_prob_exactly(rules.total_dice - len(known_dice), missing, match_chance(bid.face, rules))


def chance_true(view: GameView, bid: Bid) -> float:
    """The chance that `bid` holds, as this player sees the table."""
    return prob_holds(bid, view.known_dice, view.public.rules)


def chance_exact(view: GameView, bid: Bid) -> float:
    """The chance that `bid` is exactly right, as this player sees the table."""
    return prob_exact(bid, view.known_dice, view.public.rules)
