"""Which known bot is it? The posterior over registered bots, through their own policies."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import inf, log

import numpy as np

from ..agents import AGENTS, Agent, PolicyAgent, ask, make_agent
from ..core import Action, BadValueError, GameView, PublicState, RoundRules, legal_actions
from ..exact.tables import PolicyBook, PolicyTable, Situation, hand_set, situation_after
from ..learn.champion.agent import ChampionAgent
from ..numeric import Floats
from .recorded_round import Decision, RecordedRound

LIBRARY = tuple(name for name, info in AGENTS.items() if not info.target.startswith("liars_dice.opponents."))
"""Every registered bot, except those that are themselves made of models of players."""
TREMBLE = 0.02
"""How often a bot is taken to make some legal move at random, so that one odd move does not rule it out."""
CHANGE = 0.002
"""How often, per round, a player is taken to become another bot of the library."""
SMALL_TABLE = 6
"""Up to this many dice in play, bots are looked up in tables rather than asked."""
NEGLIGIBLE = 1e-4
"""Bots that are less likely than this are left out of predictions."""


class BotPolicy:
    """A bot as a model of a player. It has nothing to learn."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.agent: Agent = make_agent(name)
        self._book = PolicyBook(self.agent) if self.agent.memoryless else None

    def observe(self, played: RecordedRound, seat: int) -> float:
        """The log-probability of what the player did. There is nothing to learn: what the bot does is known."""
        decisions = list(played.decisions(seat))
        policies = self.distributions([decision.view for decision in decisions])
        done = [policy.get(decision.action, 0.0) for policy, decision in zip(policies, decisions, strict=True)]
        return sum(log(chance) if chance else -inf for chance in done)

    def distribution(self, view: GameView) -> dict[Action, float]:
        """What the bot does here."""
        return self.distributions([view])[0]

    def distributions(self, views: Sequence[GameView]) -> list[dict[Action, float]]:
        """What the bot does in each of these views."""
        if self._book is not None and self._book.is_vectorised and all(map(_has_small_table, views)):
            return [self._looked_up(self._book, view) for view in views]
        if isinstance(self.agent, ChampionAgent):
            return [dict(policy) for policy in self.agent.policies(views)]
        if isinstance(self.agent, PolicyAgent):
            return [dict(self.agent.policy(view)) for view in views]
        return [ask(self.agent, view) for view in views]

    def table(self, rules: RoundRules, own: int) -> PolicyTable | None:
        """What the bot does with this many dice, if a table can hold that."""
        return None if self._book is None else self._book[Situation(rules, own)].complete()

    @staticmethod
    def _looked_up(book: PolicyBook, view: GameView) -> dict[Action, float]:
        """What the bot does according to its table."""
        table = book[situation_after(view.public.rules, len(view.my_dice), view.public.bid_history)]
        return table.distribution(table.hands.index[view.my_dice], view.public.rung)

    def chances(self, public: PublicState) -> Floats:
        """[hand, action]: what the bot does with every hand that the player to move may hold."""
        legal = legal_actions(public)
        place = {action: index for index, action in enumerate(legal)}
        own = public.dice_counts[public.current_player]
        hands = hand_set(own, public.config.faces)
        found: Floats = np.zeros((len(hands), len(legal)))
        if self._book is not None and not public.config.shared_dice:
            table = self._book[situation_after(public.rules, own, public.bid_history)]
            table.fill([(hand, public.rung) for hand in range(len(hands))])
            cells = table.cells[:, public.rung + 1]
            for cell in np.unique(cells):
                (rows,) = np.nonzero(cells == cell)
                for action, chance in table.distribution(int(rows[0]), public.rung).items():
                    found[rows, place[action]] = chance
            return found
        views = [GameView(public.current_player, hand, public) for hand in hands.hands]
        for row, policy in zip(found, self.distributions(views), strict=True):
            for action, chance in policy.items():
                row[place[action]] += chance
        return found


def _has_small_table(view: GameView) -> bool:
    """Whether a table is worth making for such rounds: a bot with one answers ten times as fast."""
    return view.public.rules.total_dice <= SMALL_TABLE and not view.config.shared_dice


@lru_cache(maxsize=256)
def bot_policy(name: str) -> BotPolicy:
    """The bot of this name, made once: it learns nothing, so that all models can share it."""
    return BotPolicy(name)


class KnownBots:
    """The posterior over known bots, given what a player did with which dice.

    Each bot is asked what it would have done in every decision of the player, so the posterior is exact: Bayes' rule
    with equal priors. Two allowances are made. A bot makes a random legal move with probability `tremble`, and after
    each round the player may `change` into any bot of the library; with both at zero, one odd move rules a bot out.

    >>> from liars_dice.agents import make_agent
    >>> from liars_dice.core import GameEngine, preset
    >>> from liars_dice.opponents import finished_rounds
    >>> game = GameEngine("heads-up", [make_agent("crawler"), make_agent("optimal")], seed=1)
    >>> bots = KnownBots()
    >>> for played in finished_rounds(preset("heads-up"), game.play().resolutions):
    ...     _ = bots.observe(played, 0)
    >>> max(bots.posterior, key=bots.posterior.get)
    'crawler'
    """

    def __init__(self, names: Sequence[str] = LIBRARY, *, tremble: float = TREMBLE, change: float = CHANGE) -> None:
        for field, value in (("tremble", tremble), ("change", change)):
            if not 0 <= value < 1:
                raise BadValueError(field, value, "a probability from 0 up to, but not including, 1")
        self.bots = {name: bot_policy(name) for name in names}
        self.tremble = tremble
        self.change = change
        self.rounds = 0
        """How many rounds were observed in which the player decided something."""
        self._log_weights: Floats = np.full(len(self.bots), -log(len(self.bots)))

    @property
    def posterior(self) -> dict[str, float]:
        """How likely each bot is, the likeliest first."""
        chances = dict(zip(self.bots, self._weights().tolist(), strict=True))
        return dict(sorted(chances.items(), key=lambda one: -one[1]))

    def observe(self, played: RecordedRound, seat: int) -> float:
        """Learn from what the player in this seat did; the log-probability that the model gave to it before."""
        return self.learn(list(played.decisions(seat)))

    def learn(self, decisions: Sequence[Decision]) -> float:
        """The same for the decisions of one round."""
        if not decisions:
            return 0.0
        self.rounds += 1
        before = self._weights()
        with np.errstate(divide="ignore"):
            likelihoods = np.log(self.likelihoods(decisions)).sum(axis=1)
        best = float(likelihoods.max())
        if best == -inf:  # without a tremble: no bot of the library does this, so nothing can be learnt from it
            return best
        given = best + log(before @ np.exp(likelihoods - best))
        self._log_weights += likelihoods
        if self.change:
            weights = (1 - self.change) * self._weights() + self.change / len(self.bots)
            self._log_weights = np.log(weights)
        return given

    def likelihoods(self, decisions: Sequence[Decision]) -> Floats:
        """[bot, decision]: how likely each bot was to decide like this, trembles included."""
        legal = np.array([len(decision.view.legal_actions) for decision in decisions])
        answers = self._answers([decision.view for decision in decisions])
        actions = [decision.action for decision in decisions]
        done = [
            [policy.get(action, 0.0) for policy, action in zip(policies, actions, strict=True)] for policies in answers
        ]
        found: Floats = (1 - self.tremble) * np.array(done) + self.tremble / legal
        return found

    def distribution(self, view: GameView) -> dict[Action, float]:
        """How likely each legal action is, if the player sees `view`."""
        return self.blend(view, self._weights())

    def chances(self, public: PublicState) -> Floats:
        """[hand, action]: the same for every hand that the player to move may hold."""
        return self.blend_of_hands(public, self._weights())

    def blend(self, view: GameView, weights: Floats) -> dict[Action, float]:
        """How likely each legal action is, if the player is each of the bots with these probabilities."""
        legal = view.legal_actions
        found = dict.fromkeys(legal, self.tremble / len(legal))
        for bot, weight in self._likely(weights):
            for action, chance in bot.distribution(view).items():
                found[action] += (1 - self.tremble) * weight * chance
        return found

    def blend_of_hands(self, public: PublicState, weights: Floats) -> Floats:
        """[hand, action]: the same for every hand that the player to move may hold."""
        mixed: Floats = sum(weight * bot.chances(public) for bot, weight in self._likely(weights))  # type: ignore[assignment]
        trembling: Floats = (1 - self.tremble) * mixed + self.tremble / mixed.shape[1]
        return trembling

    def _likely(self, weights: Floats) -> list[tuple[BotPolicy, float]]:
        """The bots that are not negligible, with weights that add up to one."""
        rest = weights[weights >= NEGLIGIBLE].sum()
        both = zip(self.bots.values(), weights.tolist(), strict=True)
        return [(bot, weight / rest) for bot, weight in both if weight >= NEGLIGIBLE]

    def _weights(self) -> Floats:
        weights: Floats = np.exp(self._log_weights - self._log_weights.max())
        weights /= weights.sum()
        return weights

    def _answers(self, views: Sequence[GameView]) -> list[list[dict[Action, float]]]:
        """What each bot does in these views. The champion and its levels share one answer of the network."""
        champion = self.bots.get("champion")
        played: list[dict[Action, float]] | None = None
        answers = []
        for bot in self.bots.values():
            if champion is not None and isinstance(bot.agent, ChampionAgent):
                played = champion.distributions(views) if played is None else played
                weaken = bot.agent.weakened
                answers.append([dict(weaken(view, policy)) for view, policy in zip(views, played, strict=True)])
            else:
                answers.append(bot.distributions(views))
        return answers
