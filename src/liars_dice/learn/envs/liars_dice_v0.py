"""The PettingZoo environment under its customary name: `liars_dice_v0.env(...)`."""

from __future__ import annotations

from .pettingzoo_env import env, parallel_env, raw_env

__all__ = ["env", "parallel_env", "raw_env"]
