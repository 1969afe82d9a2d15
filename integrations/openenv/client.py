"""The client: a game on a server, step by step."""

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult

from .models import LiarsDiceAction, LiarsDiceObservation, LiarsDiceState


class LiarsDiceEnv(EnvClient[LiarsDiceAction, LiarsDiceObservation, LiarsDiceState]):
    """A session of its own on a server of this environment.

    >>> with LiarsDiceEnv(base_url="http://localhost:8000").sync() as env:  # doctest: +SKIP
    ...     result = env.reset(seed=7, rules="perudo", players=3, opponents="optimal", reward="value")
    ...     result = env.step(LiarsDiceAction(kind="bid", quantity=1, face=4))
    """

    def _step_payload(self, action: LiarsDiceAction) -> dict[str, Any]:
        return action.model_dump(exclude={"metadata"})

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[LiarsDiceObservation]:
        reward, done = payload.get("reward"), payload.get("done", False)
        observation = LiarsDiceObservation(**{**payload["observation"], "reward": reward, "done": done})
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> LiarsDiceState:
        return LiarsDiceState(**payload)
