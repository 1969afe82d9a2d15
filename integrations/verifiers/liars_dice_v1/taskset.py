"""One game per task: the task's prompt is the model's first decision, and each answer is answered with what happened.

The game gives one reward, `game` (1 for a win, -1 for a loss or a forfeit), and the value of the decisions another,
`value`: minus the mean chance to win that a decision gave away, compared with perfect play of the round.
"""

from collections.abc import Iterator

import verifiers.v1 as vf

from liars_dice.bridges.read_reply import read_reply
from liars_dice.bridges.training_episode import TrainingEpisode
from liars_dice.core import Action, NotationError, rules_in_words

SYSTEM_PROMPT = "You play Liar's Dice. Think first if you like. Your answer ends with your move alone in its last line."


class LiarsDiceConfig(vf.TasksetConfig):
    """The games to play."""

    rules: str = "heads-up"
    """A preset: duel, classic, heads-up, perudo, perudo-tournament or openspiel."""
    players: int | None = None
    """The number of players, if not that of the rules."""
    dice: int | None = 2
    """The dice of each player. By the default rules, rounds with so few are solved, and values are exact."""
    opponents: list[str] = ["optimal"]  # noqa: RUF012 - pydantic copies it
    """Built-in bots: one for all other seats, or one for each."""
    games: int = 100
    """How many tasks there are."""
    seed: int = 0
    """The first task's seed; each task has the next one. A seed repeats the dice, the bots and the seat."""


class LiarsDiceData(vf.TaskData):
    """What a game is made from."""

    rules: str
    players: int | None
    dice: int | None
    opponents: list[str]
    seed: int

    def begin(self) -> TrainingEpisode:
        """The game, from its beginning."""
        opponents = self.opponents[0] if len(self.opponents) == 1 else self.opponents
        return TrainingEpisode(self.rules, opponents, players=self.players, dice=self.dice, seed=self.seed)


class LiarsDiceTask(vf.Task[LiarsDiceData]):
    """One game."""

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Check without a model that the game can be played to its end, and that the prompt is its beginning."""
        episode = self.data.begin()
        right = self.data.prompt == opening(episode)
        while not episode.done:
            episode.try_move(NotationError("", "a move"))
        return right and episode.reward == -1


class LiarsDiceEnvConfig(vf.EnvConfig):
    """The player, and what each reward counts."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, max_turns=200)
    game_weight: float = 1.0
    value_weight: float = 1.0


class LiarsDiceEnv(vf.Env[LiarsDiceEnvConfig]):
    """The referee and the other players answer the model."""

    async def run(self, task: LiarsDiceTask, agents: vf.Agents) -> None:
        """Play one game."""
        episode = task.data.begin()
        opening(episode)
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated and not episode.done:
                problem = episode.try_move(read(segment.last_reply))
                if episode.done:
                    break
                segment = await interaction.turn(table(episode, problem))
        trace = interaction.trace
        trace.record_reward("game", episode.reward if episode.done else -1.0, self.config.game_weight)
        trace.record_reward("value", 0.0 - episode.value_lost, self.config.value_weight)
        exact = sum(decision.exact for decision in episode.decisions)
        trace.record_metrics(
            {
                "decisions": len(episode.decisions),
                "illegal_answers": episode.mistakes,
                "exactly_judged": exact / max(1, len(episode.decisions)),
                "finished": float(episode.done),
            }
        )


class LiarsDiceTaskset(vf.Taskset[LiarsDiceTask, LiarsDiceConfig]):
    """Games, one for each seed."""

    def load(self) -> Iterator[LiarsDiceTask]:
        """The tasks."""
        config = self.config
        for number in range(config.games):
            made = {"rules": config.rules, "players": config.players, "dice": config.dice}
            data = LiarsDiceData(
                name=f"{config.rules}#{config.seed + number}",
                system_prompt=SYSTEM_PROMPT,
                opponents=config.opponents,
                seed=config.seed + number,
                **made,
            )
            yield LiarsDiceTask(data.model_copy(update={"prompt": opening(data.begin())}), config.task)


def read(reply: str) -> Action | NotationError:
    """The move in an answer, or why there is none."""
    try:
        return read_reply(reply).action
    except NotationError as error:
        return error


def opening(episode: TrainingEpisode) -> str:
    """The rules, and the first decision."""
    return "\n".join([*rules_in_words(episode.config), "", table(episode)])


def table(episode: TrainingEpisode, problem: str = "") -> str:
    """What happened since the last time, and what the model has to decide."""
    report = episode.report
    calls = " or ".join(f"`{call}`" for call in report.legal_calls)
    players = ", ".join(f"{player.name} {player.dice}" for player in report.players)
    return "\n".join(
        [
            *([problem] if problem else []),
            *report.happened,
            f"Dice of each player: {players}.",
            f"Your dice: {' '.join(map(str, report.your_dice))}.",
            f"The current bid: {report.current_bid or 'none, you open the round'}.",
            f"Your move: a higher bid, such as `bid 3 fours`{f', or {calls}' if calls else ''}.",
        ]
    )
