"""Liar's Dice for OpenEnv: a typed client, actions and observations. The server is in `server`."""

from .client import LiarsDiceEnv
from .models import LiarsDiceAction, LiarsDiceObservation, LiarsDiceState

__all__ = ["LiarsDiceAction", "LiarsDiceEnv", "LiarsDiceObservation", "LiarsDiceState"]
