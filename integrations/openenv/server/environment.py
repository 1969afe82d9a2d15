"""The environment: one game per episode, refereed and judged by liars-dice."""

from dataclasses import asdict
from typing import Any, Literal
from uuid import uuid4

from liars_dice.bridges.training_episode import TrainingEpisode
from liars_dice.core import Action, Bid, BidAction, CallExactAction, CallLiarAction, rules_in_words
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

try:
    from ..models import LiarsDiceAction, LiarsDiceObservation, LiarsDiceState
except ImportError:  # started as `server.app` in this folder, as openenv.yaml says
    from models import LiarsDiceAction, LiarsDiceObservation, LiarsDiceState


class LiarsDiceEnvironment(Environment[LiarsDiceAction, LiarsDiceObservation, LiarsDiceState]):
    """Liar's Dice against built-in bots. A seed repeats an episode.

    `reset` takes `rules` (a preset), `players`, `dice` (for each player), `opponents` (a bot for all other seats, or
    one for each), `seat` (by default the seed chooses) and `reward`: "game" is 1 or -1 at the end, "value" is minus
    the exact value that each move gave away.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._episode: TrainingEpisode | None = None
        self._reward: Literal["game", "value"] = "game"
        self._state = LiarsDiceState(episode_id=str(uuid4()))

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        rules: str = "heads-up",
        players: int | None = None,
        dice: int | None = 2,
        opponents: str | list[str] = "optimal",
        seat: int | None = None,
        reward: Literal["game", "value"] = "game",
        **_: Any,
    ) -> LiarsDiceObservation:
        """Begin a game, and let the bots play until it is the player's turn."""
        if reward not in ("game", "value"):
            raise ValueError(f"reward = {reward!r}: expected 'game' or 'value'")
        self._episode = TrainingEpisode(rules, opponents, players=players, dice=dice, seat=seat, seed=seed)
        self._reward = reward
        self._state = LiarsDiceState(episode_id=episode_id or str(uuid4()))
        return self._observe(rules=rules_in_words(self._episode.config))

    def step(self, action: LiarsDiceAction, timeout_s: float | None = None, **_: Any) -> LiarsDiceObservation:
        """Make a move. One that is not legal is explained, and may be corrected once."""
        episode = self._episode
        if episode is None or episode.done:
            raise ValueError("no game is under way: call reset")
        known = len(episode.decisions)
        problem = episode.try_move(_action_of(action))
        self._state.step_count += 1
        self._state.mistakes, self._state.decisions = episode.mistakes, len(episode.decisions)
        self._state.mean_value_lost = episode.value_lost
        made = episode.decisions[known:]
        lost = made[0].value_lost if made and made[0].exact else None
        return self._observe(problem=problem, value_lost=lost)

    @property
    def state(self) -> LiarsDiceState:
        """Where the episode stands."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """What this environment is."""
        return EnvironmentMetadata(
            name="liars_dice_env", description="Liar's Dice against built-in bots, judged exactly", version="0.1.0"
        )

    def _observe(self, **more: Any) -> LiarsDiceObservation:
        assert self._episode is not None
        report = asdict(self._episode.report)
        seen = {key: report[key] for key in LiarsDiceObservation.model_fields if key in report}
        game = self._episode.reward
        reward = game if self._reward == "game" else -(more.get("value_lost") or 0.0)
        return LiarsDiceObservation(**seen, **more, game_reward=game, reward=reward, done=self._episode.done)


def _action_of(action: LiarsDiceAction) -> Action:
    if action.kind == "bid":
        return BidAction(Bid(action.quantity, action.face))
    return CallLiarAction() if action.kind == "liar" else CallExactAction()
