"""How strong built-in bots are beside the champion, and chances to win at tables where some of them sit.

The champion's chances to win are those among equals. Where a bot is known to sit, its chance counts for more or less by
its relative strength, and all chances are scaled until they add up to one again.

>>> with_known_bots([0.5, 0.5], ["champion", "champion:easy"]).round(2).tolist()
[0.63, 0.37]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..numeric import Floats

RELATIVE_STRENGTH: dict[str, tuple[float, float]] = {
    "champion": (1.00, 1.00),
    "detective": (0.57, 0.86),
    "champion:hard": (0.90, 0.71),
    "bluffer": (0.59, 0.55),
    "nash": (0.82, 0.52),
    "probabilistic": (0.82, 0.50),
    "champion:medium": (0.68, 0.50),
    "champion:easy": (0.58, 0.42),
    "calling-station": (0.66, 0.38),
    "threshold-best": (0.52, 0.38),
    "crawler": (0.45, 0.37),
    "aggressive": (0.49, 0.33),
    "passive": (0.44, 0.27),
    "sniper": (0.32, 0.26),
    "conservative": (0.59, 0.25),
    "maniac": (0.44, 0.19),
    "truthful": (0.19, 0.14),
    "random": (0.03, 0.01),
}
"""What the chance of each bot counts for: with two players left, against the champion; and with more.

Fitted to 42,750 games at tables of two to six, most of them of all bots or of the league of nine, by the rules of
`perudo` and `perudo-tournament` (`tools/measure_relative_strength.py`).
"""
EQUAL = (1.0, 1.0)


def is_unequal(bot: str) -> bool:
    """Whether a bot is known to be stronger or weaker than the champion."""
    return RELATIVE_STRENGTH.get(bot, EQUAL) != EQUAL


def with_known_bots(chances: Sequence[float], bots: Sequence[str]) -> Floats:
    """Chances to win if these bots sit there, given those among champions: 0 for a player who is out.

    Any other name stands for a player who is taken for an equal of the champion.
    """
    among_equals = np.asarray(chances, dtype=np.float64)
    more_left = int((among_equals > 0).sum() > 2)
    weighted = among_equals * [RELATIVE_STRENGTH.get(bot, EQUAL)[more_left] for bot in bots]
    return np.asarray(weighted / weighted.sum())
