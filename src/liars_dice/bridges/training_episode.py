"""One game of a learner against built-in bots, with a reward from the game and one from the value that it gave away.

The environments for OpenEnv and verifiers under `integrations/` are made of this.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..coach import advise
from ..core import SEEDS, Action, BadValueError, IllegalMoveError, NotationError, derive_seed, fresh_seed, verify
from ..referee import fallback
from .bot_match import BotMatch
from .game_table import checked_opponents, checked_rules
from .seat_story import TableReport

EXACT = "equilibrium"
"""The source of values that are those of perfect play, up to the certified error of the solution."""


@dataclass(frozen=True)
class JudgedDecision:
    """A decision of the learner, and what it was worth."""

    action: Action
    value_lost: float
    """The chance to win that it gave away, from 0 to 1: of the round or of the game, see `source`."""
    source: str
    """What the value rests on: `equilibrium` is perfect play of the round; see `liars_dice.coach.Advice`."""
    played_for_it: bool
    """Whether the learner gave no legal move twice, and the fallback was played."""

    @property
    def exact(self) -> bool:
        """Whether the value is that of perfect play."""
        return self.source == EXACT


class TrainingEpisode:
    """A game by `rules` (a preset, with changes) against `opponents`: a name for all other seats, or one for each.

    A seed repeats the dice, the bots and the learner's seat. By default the rounds are small ones that are solved. An
    answer that is no legal move may be corrected once; after that the referee's fallback is played, and the game's
    reward is -1 whoever wins.

    >>> episode = TrainingEpisode(seed=1)
    >>> episode.report.your_dice, episode.reward
    ([5, 5], 0.0)
    """

    def __init__(
        self,
        rules: str = "heads-up",
        opponents: str | list[str] = "optimal",
        *,
        players: int | None = None,
        dice: int | None = 2,
        seat: int | None = None,
        seed: int | None = None,
    ) -> None:
        if seed is not None and seed not in SEEDS:
            raise BadValueError("seed", seed, f"a whole number from 0 to {SEEDS[-1]}")
        seed = fresh_seed() if seed is None else seed
        config = checked_rules(rules, players, dice)
        names = [opponents] * (config.num_players - 1) if isinstance(opponents, str) else list(opponents)
        if len(names) != config.num_players - 1:
            raise BadValueError("opponents", names, f"{config.num_players - 1}, one for each other seat")
        if seat is None:
            seat = derive_seed(seed, "seat", 0) % config.num_players
        if seat not in range(config.num_players):
            raise BadValueError("seat", seat, f"a seat from 0 to {config.num_players - 1}")
        self.config = config
        self.decisions: list[JudgedDecision] = []
        self.mistakes = 0
        """How many answers were no legal moves."""
        self._mistaken = False
        self._match = BotMatch(config, checked_opponents(names), seat=seat, seed=seed)
        self._match.play_on()

    @property
    def done(self) -> bool:
        """Whether the game is over."""
        return self._match.over

    @property
    def won(self) -> bool:
        """Whether the learner has won the game."""
        return self._match.engine.winner == self._match.seat

    @property
    def forfeited(self) -> bool:
        """Whether the fallback was played for the learner."""
        return any(decision.played_for_it for decision in self.decisions)

    @property
    def reward(self) -> float:
        """The game's reward: 0 before its end, then 1 for a win and -1 for a loss or a forfeit."""
        if not self.done:
            return 0.0
        return 1.0 if self.won and not self.forfeited else -1.0

    @property
    def value_lost(self) -> float:
        """The mean value lost so far, over the decisions whose value is that of perfect play; 0 if there is none.

        After a bid that perfect play hardly ever makes, there is no exact value.
        """
        lost = [decision.value_lost for decision in self.decisions if decision.exact]
        return sum(lost) / len(lost) if lost else 0.0

    @property
    def report(self) -> TableReport:
        """Where the game stands, as the learner may know it; what happened is told once."""
        return self._match.story.report("", self._match.view, over=self.done)

    def try_move(self, action: Action | NotationError) -> str:
        """Make a move, or take note of an answer that could not be read; returns what was wrong with it, or "".

        When something was wrong for the first time, nothing has happened in the game.
        """
        view = self._match.view
        if view is None:
            raise BadValueError("action", str(action), "no action: the game is over")
        wrong, again = "", self._mistaken
        try:
            if isinstance(action, NotationError):
                raise action
            verify(view.public, view.player_id, action)
        except (NotationError, IllegalMoveError) as error:
            wrong = str(error)
            self.mistakes += 1
            self._mistaken = not again
            if not again:
                return f"{wrong}. Try once more."
            action = fallback(view)
            wrong = f"{wrong}. {action} was played for you, and the game counts as lost."
        self._mistaken = False
        assert not isinstance(action, NotationError)
        advice = advise(view)
        self.decisions.append(JudgedDecision(action, advice.loss(action), advice.source, bool(wrong)))
        self._match.answer = action
        self._match.play_on()
        if self.done:
            self._match.close()
        return wrong
