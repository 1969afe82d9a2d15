"""How long tests wait for what must come."""

from __future__ import annotations

from liars_dice.referee import BotLimits

PATIENCE = 300.0
"""Seconds after which a test gives up on something that never comes. Nothing takes this long, however busy the machine
is, so a test fails by it only if something hangs.
"""

AMPLE = BotLimits(decision=PATIENCE, game_end=PATIENCE, load=PATIENCE)
"""Limits for bots in tests that are not about time: no bot is late because the machine is busy."""
