"""Liar's Dice for verifiers: `vf-eval liars-dice-v1`."""

from .taskset import LiarsDiceEnv, LiarsDiceTaskset

__all__ = ["LiarsDiceEnv", "LiarsDiceTaskset"]
