"""`reader`: a bot that finds out how its opponents play and answers that, within a stated risk."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from ..agents import AgentNameError, Policy, PolicyAgent
from ..core import (
    Action,
    BadValueError,
    Bid,
    BidAction,
    GameConfig,
    GameResult,
    GameView,
    LiarsDiceError,
    PublicState,
    RoundResolution,
    apply,
    deal,
    new_game,
    preset,
    round_rules,
    seats_from,
)
from ..exact.solver import has_tablebase_rules, solved_policy, solved_round
from ..learn.champion.agent import ChampionAgent
from ..learn.champion.player import fits
from ..numeric import Ints
from ..persistence import GameRecorder, open_store
from .known_bots import KnownBots
from .player_rounds import games_of, rounds_of_player
from .reader_bank import RiskBank, start_chance
from .reader_rollouts import Belief, action_values, detective_table
from .reader_styles import HABITS, NASH, StyleMix
from .reader_table import believed, readable, table_answer
from .recorded_round import RecordedRound, finished_rounds
from .safe_response import RoundAnswer

DEFAULT_RISK = 2.0
"""The risk in games: what perfect adversaries can win from `reader` over what its start policy leaves them, in all
games of a match together."""
LEAST_GAIN, DOUBT = 0.05, 0.3
"""What an answer must promise over the start policy in a round that counts 1 or -1: the first number against a player
who is known well, and the second on top of it, divided by the square root of the number of rounds seen."""
PERFECT = 0.5
"""A player who is likelier than this to be `nash` is not answered."""
CLEAR = 0.6
"""How sure it must be, on average, who sits at a table."""
MOVED, GROWN = 0.03, 1.15
"""An answer is worked out again once this share of the weights has moved between styles, or, if habits count, once
there are this many times as many rounds."""
MOST_GAMES = 200
"""How many games of a player are read from a store: the latest."""


class Known:
    """What is known of one opponent: models, and the answers to them that were worked out."""

    def __init__(self) -> None:
        self.styles = StyleMix()
        """From rounds without wilds between two players."""
        self.bots = KnownBots()
        """From all other rounds."""
        self._answered: dict[str, float] = {}
        self._answered_rounds = 0
        self._answers: dict[Hashable, RoundAnswer] = {}

    def learn(self, played: RecordedRound, seat: int) -> None:
        """Learn from a finished round in which the opponent had this seat."""
        if has_two_players(played.resolution.dice_counts) and has_tablebase_rules(played.rules):
            self.styles.observe(played, seat)
        else:
            self.bots.observe(played, seat)

    def answer(self, public: PublicState, own: int, said: frozenset[int]) -> RoundAnswer:
        """The best answer in such rounds of two, once these faces have been bid against the opponent."""
        now, rounds = self.styles.weights, self.styles.rounds
        moved = sum(abs(weight - self._answered.get(name, 0.0)) for name, weight in now.items()) / 2
        grown = rounds > GROWN * self._answered_rounds and sum(now[name] for name in HABITS) > MOVED
        if moved > MOVED or grown:
            self._answered, self._answered_rounds, self._answers = now, rounds, {}
        key = (public.rules, own, said)
        if key not in self._answers:
            table = self.styles.table(public.rules, public.rules.total_dice - own, said)
            self._answers[key] = RoundAnswer(public.rules, own, table)
        return self._answers[key]


def reader_agent(address: str = "", name: str = "") -> ReaderAgent:
    """The reader; with the address of a store, one that remembers what its opponents did in the games there, and may
    have a `name` that does not say where that is.
    """
    if not address:
        return ReaderAgent()
    name = name or f"reader:{address}"
    try:
        if "://" not in address and not Path(address).exists():
            raise AgentNameError(name, "bad_parameters", "the file or address of a store with games")
        return ReaderAgent(name, store=open_store(address))
    except AgentNameError:
        raise
    except (LiarsDiceError, OSError) as error:
        raise AgentNameError(name, "bad_parameters", f"a store with games ({error})") from None


class ReaderAgent(PolicyAgent):
    """Starts from `nash` in solved rounds of two and from `champion` elsewhere, and moves towards the best answer to
    what it believes of its opponents, as far as the evidence carries.

    It remembers players by name as long as it lives, which is a match. It learns from finished rounds alone. `risk`
    bounds what it can cost (`reader_bank`). By rules that neither start policy knows it plays as `champion` does there.
    """

    name = "reader"

    def __init__(self, name: str = "", *, risk: float = DEFAULT_RISK, store: GameRecorder | None = None) -> None:
        super().__init__(name)
        given: object = risk
        if not isinstance(given, int | float) or not risk >= 0:
            raise BadValueError("risk", given, "a number of games, 0 or more")
        self.player_type = self.name
        self.risk = float(risk)
        self.known: dict[str, Known] = {}
        """By name: what is known of each opponent."""
        self.banks: dict[tuple[str, ...], RiskBank] = {}
        """By the names of all opponents at a table: what may be risked with them."""
        self._store = store
        self._start = ChampionAgent()
        _compile()
        self._begin(None, 0)

    def prepare(self) -> None:
        """Load what it plays by as long as it knows nobody."""
        self._start.prepare()

    def _begin(self, config: GameConfig | None, seat: int) -> None:
        self._config = config
        self.seat = seat
        """Where it sits in this game."""
        self._learned = 0
        """How many rounds of this game it has learned from."""
        self._round, self._reads = -1, False
        """The round that was decided on, and whether it is read."""
        self._bank: RiskBank | None = None
        self._made: list[tuple[RoundAnswer, Ints, int]] = []
        """The answers of this game, if they are to rounds of two: the choice with every hand, and the one made."""

    # -- memory ------------------------------------------------------------------------------------------------------

    def on_game_start(self, config: GameConfig, player_id: int) -> None:
        """A game begins."""
        self._begin(config.without_seed, player_id)

    def on_game_end(self, result: GameResult) -> None:
        """Learn from the last rounds, and settle the risk."""
        self._learn(result.resolutions, result.names)
        if self._bank is not None:
            self._bank.settle(self._wins(result))

    def _learn(self, resolutions: Sequence[RoundResolution], names: tuple[str, ...]) -> None:
        """Learn from the finished rounds of this game that are new."""
        assert self._config is not None
        for played in finished_rounds(self._config, resolutions, names)[self._learned :]:
            for seat, name in enumerate(names):
                if seat != self.seat and played.resolution.dice[seat]:
                    self.known_as(name).learn(played, seat)
        self._learned = len(resolutions)

    def known_as(self, name: str) -> Known:
        """What is known of the player of this name, from the store to begin with."""
        if name not in self.known:
            known = self.known[name] = Known()
            if self._store is not None:
                finished = [game for game in games_of(self._store, name) if game.winner is not None]
                for one in rounds_of_player(self._store, name, finished[:MOST_GAMES][::-1]):
                    known.learn(one.played, one.seat)
        return self.known[name]

    # -- decisions ---------------------------------------------------------------------------------------------------

    def choose_action(self, view: GameView) -> Action:
        """Draw from the policy."""
        policy = self.policy(view)
        drawn = self.draw(policy)
        if not self._reads:
            return replace(drawn, reasoning="by the start policy")
        if self._answers_round(view.public):
            answer, choices = self._answer(view)
            self._made.append((answer, choices, int(choices[answer.own.index[view.my_dice]])))
        return replace(drawn, reasoning=f"the best answer to {self._who(view.public)}")

    def policy(self, view: GameView) -> Policy:
        """The probability of each action."""
        public = view.public
        if self._config is None:  # asked outside a game
            self._begin(view.config, view.player_id)
        if not self.will_read(public):
            solved = solved_policy(view, measured=has_tablebase_rules(public.rules))
            return solved[1] if solved is not None else self._start.policy(view)
        if self._answers_round(public):
            answer, choices = self._answer(view)
            return {public.rules.moves[int(choices[answer.own.index[view.my_dice]])]: 1.0}
        beliefs = [believed(self.known_as(public.names[seat]).bots.posterior) for seat in self._others(public)]
        told = f"{self._seed} {public.round_index} {public.bid_history} {view.my_dice}"
        return table_answer(view, self._start.policy(view), beliefs, random.Random(told).getrandbits(63))

    def will_read(self, public: PublicState) -> bool:
        """Whether it reads its opponents in the round that is going on, rather than keep to its start policy."""
        if self._round != public.round_index:
            self._learn(public.resolutions, public.names)
            self._round, self._reads = public.round_index, self._decides_to_read(public)
        return self._reads

    def _decides_to_read(self, public: PublicState) -> bool:
        """Whether this round is read: from what was known before it began, so not from its dice and bids."""
        names = tuple(sorted(name for seat, name in enumerate(public.names) if seat != self.seat))
        bank = self._bank = self.banks.setdefault(names, RiskBank(self.risk))
        chance = start_chance(public, self.seat)
        if chance is None or public.rules.limits_raises or not (bank.is_open or bank.covers(chance)):
            return False
        promising = self._promises(public, chance) if self._answers_round(public) else self._is_clear(public)
        if promising and not bank.is_open:
            bank.stake(chance)
        return promising

    def _answers_round(self, public: PublicState) -> bool:
        """Whether a round is answered by searching all biddings: two players, no wilds."""
        return has_two_players(public.dice_counts) and has_tablebase_rules(public.rules)

    def _promises(self, public: PublicState, chance: float) -> bool:
        """Whether the answer to a round of two promises enough, given how well the opponent is known."""
        known = self.known_as(public.names[self._others(public)[0]])
        rounds = known.styles.rounds
        if rounds == 0 or known.styles.weights[NASH] >= PERFECT:
            return False
        opens = public.opener == self.seat
        promised = known.answer(public, public.dice_counts[self.seat], frozenset()).value(opens=opens)
        solved = solved_round(public)
        safe = 2 * chance - 1 if solved is None else (solved[1].value if opens else -solved[1].value)
        return bool(promised - safe >= LEAST_GAIN + DOUBT / rounds**0.5)

    def _is_clear(self, public: PublicState) -> bool:
        """Whether it is clear enough who sits at a table of the champion's."""
        if not fits(public.config) or solved_round(public) is not None:
            return False
        sure = [readable(self.known_as(public.names[seat]).bots.posterior) for seat in self._others(public)]
        return sum(sure) / len(sure) >= CLEAR

    def _answer(self, view: GameView) -> tuple[RoundAnswer, Ints]:
        """The answer to a round of two, and what it does now with every hand."""
        public = view.public
        said = frozenset(one.bid.face for one in view.round_bids if one.player_id == self.seat)
        known = self.known_as(public.names[self._others(public)[0]])
        answer = known.answer(public, len(view.my_dice), said)
        return answer, answer.choices(public.bid_history)

    def _others(self, public: PublicState) -> list[int]:
        """The seats that are still in, in turn order from the next."""
        return seats_from(self.seat, public.dice_counts)[1:]

    def _who(self, public: PublicState) -> str:
        """Whom it takes its opponents for, for its reasoning."""
        said = []
        for seat in self._others(public):
            known = self.known_as(public.names[seat])
            weights = known.styles.weights if self._answers_round(public) else known.bots.posterior
            style, weight = next(iter(weights.items()))
            said.append(f"{style} ({weight:.0%})")
        return ", ".join(said)

    def _wins(self, result: GameResult) -> float:
        """Whether the game was won. Of a single round that was answered: how often it would have been won with other
        dice with which all answers were the same; that is worth the same, with less luck in it.
        """
        if len(result.resolutions) > 1 or not self._made:
            return float(result.winner == self.seat)
        done = result.resolutions[-1]
        answer = self._made[0][0]
        likely = answer.own.weights.copy()
        for _, choices, choice in self._made:
            likely *= choices == choice
        (theirs,) = (dice for seat, dice in enumerate(done.dice) if dice and seat != self.seat)
        right = answer.holds(done.last_bid, theirs, exactly=done.call == "exact")
        bid_wins = right if done.call == "liar" else 1 - right
        wins = bid_wins if done.bidder == self.seat else 1 - bid_wins
        return float(likely @ wins / likely.sum())


@cache
def _compile() -> None:
    """Compile what decisions need, or read it from the disk, so that no decision has to wait for it."""
    dealt = deal(new_game(preset("perudo", players=2, dice=1)), ((1,), (2,)))
    after_bid = apply(dealt, BidAction(Bid(1, 2))).public
    beliefs = [Belief((("detective", 0.5), ("random", 0.5)))]
    raises = np.arange(after_bid.rung + 1, len(after_bid.rules.bids))
    action_values(after_bid, (2,), beliefs, raises, np.zeros(12), 1, 0)
    rules = round_rules(preset("classic", dice=1).without_seed, 2, False)
    RoundAnswer(rules, 1, detective_table(rules, 1, frozenset())).choices(())


def has_two_players(dice_counts: Sequence[int]) -> bool:
    """Whether two players are left."""
    return sum(n > 0 for n in dice_counts) == 2
