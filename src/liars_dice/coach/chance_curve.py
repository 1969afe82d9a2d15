"""Each seat's chance to win the game after every turn, as seen by a spectator who knows the bids but no dice.

Between two players, the chances of a round's outcomes are chained with the value of the game after each: in solved
rounds both play perfectly, and known bots play as they do. Everywhere else that the champion plays (Perudo for two to
six players), the chances are those among champions, from the dice left and who opens, weighted by how strong known
bots are; they change when a round ends. By other rules two players follow `optimal`, and with more players a seat's
chance is its share of the dice in play or, in a best-of match, of the rounds won (each count plus one).
`WinChances.source` says which it was.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ..core import (
    GameConfig,
    PublicState,
    RoundOutcome,
    after_round,
    is_over,
    next_opener,
    opener_after,
    round_rules,
    seats_from,
)
from ..exact import OutOfReachError
from ..exact.matchups import (
    OPENER_EXACT,
    OTHER_LOSES,
    Cells,
    EndlessMatchError,
    StackedTables,
    chain_rounds,
    most_turns,
    outcomes_from_bid,
    round_outcomes,
)
from ..exact.solver import (
    TABLEBASE_DICE,
    Tablebase,
    has_tablebase_rules,
    match_bracket,
    solved_game,
    value_to_last_bidder,
)
from ..exact.tables import CALLS_ONLY, HandSet, PolicyBook, Situation
from ..learn.champion.player import fits, rule_flags
from ..learn.champion.values import ChampionValues
from ..numeric import Floats
from .opponent_models import (
    STRANGER,
    OpponentModel,
    belief,
    bid_chances,
    check_searchable,
    match_distribution,
    model_of,
    seat_situation,
)
from .relative_strength import is_unequal, with_known_bots

Chances = tuple[float, ...]


class ChancePoint(NamedTuple):
    """The chances after one turn; turn 0 is before the first."""

    turn: int
    chances: Chances
    """Each seat's chance to win the game."""
    round: int = 0
    """The round of that turn, from 1; 0 before the first turn."""


class WinChances:
    """Computes chances to win a game under these rules between players who follow these models."""

    def __init__(self, config: GameConfig, models: tuple[OpponentModel, ...]) -> None:
        self.config = config
        self.models = models
        self._books = tuple(_deterministic_policy(model) for model in models)
        self._value = cache(self._duel_value)
        self._round = cache(self._round_outcomes)
        self._wins_value = cache(self._best_of_value)
        self._champion = fits(config)
        self._sources: dict[str, None] = {}

    @property
    def source(self) -> str:
        """What the chances so far rest on."""
        return "; ".join(self._sources)

    def of(self, public: PublicState) -> Chances:
        """Each seat's chance to win the game, given the public state."""
        if public.winner is not None:
            return tuple(float(seat == public.winner) for seat in range(len(public.names)))
        if public.status == "BIDDING":
            return self._in_round(public)
        opener = next_opener(public) if public.resolutions else 0
        return self._between(public, public.dice_counts, opener, _wins(public))

    def at_stake(self, public: PublicState, seat: int) -> float:
        """How much higher a seat's chance to win the game is if another player in the round loses it, not this one."""
        other = seats_from(seat, public.dice_counts)[1]
        ends = (RoundOutcome(seat, other), RoundOutcome(other, seat))
        saved, lost = (self._after(public, outcome)[seat] for outcome in ends)
        return max(0.0, saved - lost)

    # -- between rounds ----------------------------------------------------------------------------------------------

    def _between(self, public: PublicState, counts: tuple[int, ...], opener: int, wins: tuple[int, ...]) -> Chances:
        """The chances when the next round is about to begin."""
        seats = [seat for seat, n in enumerate(counts) if n]
        if len(seats) == 2 and not self._by_champion(counts):
            try:
                found = self._pair(counts, seats, opener, wins)
            except (OutOfReachError, EndlessMatchError):
                pass
            else:
                self._sources[self._pair_source(counts)] = None
                return found
        if self._champion:
            bots = tuple(model.bot for model in self.models)
            unequal = any(is_unequal(bots[seat]) for seat in seats)
            self._sources["champion, and how strong these bots are" if unequal else "champion"] = None
            return tuple(with_known_bots(among_champions(public, counts, opener), bots).tolist())
        best_of = self.config.mode == "best_of"
        shares = tuple(n + 1 for n in wins) if best_of else counts
        self._sources["share of the rounds won" if best_of else "share of the dice"] = None
        return tuple(share / sum(shares) for share in shares)

    def _by_champion(self, counts: tuple[int, ...]) -> bool:
        """Whether the champion's chances are the best known."""
        seats = [seat for seat, n in enumerate(counts) if n]
        if not self._champion or len(seats) > 2:
            return self._champion
        known = all(self.models[seat].known and self.models[seat].books[0].is_deterministic for seat in seats)
        return not known and not self._is_solved(counts[seats[0]], counts[seats[1]])

    def _is_solved(self, own: int, other: int) -> bool:
        rules = round_rules(self.config, own + other, False)
        if solved_game(rules) == "perudo match":
            return (own, other) in Tablebase.shipped("perudo match").entries
        return own + other <= TABLEBASE_DICE and has_tablebase_rules(rules)

    def _pair_source(self, counts: tuple[int, ...]) -> str:
        seats = [seat for seat, n in enumerate(counts) if n]
        if self._is_solved(*(counts[seat] for seat in seats)):
            return "perfect play"
        return " against ".join(self._books[seat].agent.name for seat in seats)

    def _pair(self, counts: tuple[int, ...], seats: list[int], opener: int, wins: tuple[int, ...]) -> Chances:
        first, second = seats
        if self.config.mode == "elimination":
            chance = self._value(first, second, counts[first], counts[second], opener == first)
        else:
            chance = self._wins_value(wins[first], wins[second], opener == first)
        return _two(len(counts), first, chance, second)

    def _duel_value(self, first: int, second: int, own: int, other: int, opens: bool) -> float:
        """The first seat's chance to win an elimination match from here."""
        if not own or not other:
            return float(other == 0)
        config = self.config
        rules = round_rules(config, own + other, False)
        if own + other <= TABLEBASE_DICE and has_tablebase_rules(rules):
            low, high = match_bracket(*((own, other) if opens else (other, own)), config.next_opener)
            return (low + high) / 2 if opens else 1 - (low + high) / 2
        if self._is_solved(own, other):
            chance = (1 + Tablebase.shipped("perudo match").entries[(own, other) if opens else (other, own)].value) / 2
            return chance if opens else 1 - chance
        if config.exact_call:
            return self._with_exact_calls(first, second, own, other, opens)
        chances = self._round(first, second, own, other, opens)
        won = chances[OTHER_LOSES] if opens else 1 - chances[OTHER_LOSES]
        if_won, if_lost = (self._duel_after(first, second, own, other, opens, winner) for winner in (0, 1))
        return float(won * if_won + (1 - won) * if_lost)

    def _duel_after(self, first: int, second: int, own: int, other: int, opens: bool, winner: int) -> float:
        """The first seat's chance to win an elimination match when it (0) or the second seat (1) wins this round."""
        outcome = RoundOutcome(winner, 1 - winner)
        (own_left, other_left), opener = after_round(self.config, (own, other), 0 if opens else 1, outcome)
        return self._value(first, second, own_left, other_left, opener == 0)

    def _with_exact_calls(self, first: int, second: int, own: int, other: int, opens: bool) -> float:
        """A correct exact call gives a die back, so states can recur: the match is solved as a Markov chain."""
        seats = (first, second) if opens else (second, first)
        chain = GameConfig(
            dice=(own, other) if opens else (other, own),
            mode="elimination",
            exact_call=True,
            max_dice=self.config.dice_cap,
            exact_payer=self.config.exact_payer,
            next_opener=self.config.next_opener,
        )

        def outcomes(dice: tuple[int, int], opener: int) -> Floats:
            return self._round(*seats, dice[0], dice[1], opener == 0)

        win = float(chain_rounds(chain, outcomes).win)
        return win if opens else 1 - win

    def _best_of_value(self, own_wins: int, other_wins: int, opens: bool) -> float:
        """Seat 0's chance to win a best-of match, or a single round, from here."""
        needed = self.config.wins_needed
        if needed in (own_wins, other_wins):
            return float(own_wins == needed)
        own, other = self.config.dice
        chances = self._round(0, 1, own, other, opens)
        won = chances[OTHER_LOSES] + chances[OPENER_EXACT]
        won = won if opens else 1 - won
        next_if_won, next_if_lost = (
            opener_after(self.config, (own, other), 0 if opens else 1, RoundOutcome(winner, 1 - winner)) == 0
            for winner in (0, 1)
        )
        if_won = self._wins_value(own_wins + 1, other_wins, next_if_won)
        if_lost = self._wins_value(own_wins, other_wins + 1, next_if_lost)
        return float(won * if_won + (1 - won) * if_lost)

    def _round_outcomes(self, first: int, second: int, own: int, other: int, opens: bool) -> Floats:
        """The probabilities of a round's four outcomes, from the opener's point of view."""
        rules = round_rules(self.config, own + other, False)
        seats, dice = ((first, second), (own, other)) if opens else ((second, first), (other, own))
        if own + other <= TABLEBASE_DICE and has_tablebase_rules(rules):
            won = (1 + Tablebase.shipped().entry(*dice).value) / 2
            return np.array([1 - won, won, 0.0, 0.0])
        for n in dice:
            check_searchable(rules, n)
        tables = [StackedTables([self._books[seat]], rules, n) for seat, n in zip(seats, dice, strict=True)]
        found: Floats = round_outcomes(tables[0], tables[1], rules, np.ones((1, 1), dtype=bool), workers=1)[0, 0]
        return found

    # -- during a round ----------------------------------------------------------------------------------------------

    def _in_round(self, public: PublicState) -> Chances:
        if not public.bid_history or self._by_champion(public.dice_counts):
            return self._between(public, public.dice_counts, public.opener, _wins(public))
        bidder, actor = public.bidders[-1], public.current_player
        total = np.zeros(len(public.names))
        try:
            ends = self._ends(public, bidder, actor)
        except OutOfReachError:
            return self._between(public, public.dice_counts, public.opener, _wins(public))
        for (winner, exact), chance in ends.items():
            if chance > 0:
                outcome = RoundOutcome(winner, actor + bidder - winner, exact)
                total += chance * np.array(self._after(public, outcome))
        rest = 1 - sum(ends.values())
        if rest > 1e-9:
            total += rest * np.array(self._between(public, public.dice_counts, public.opener, _wins(public)))
        return tuple((total / total.sum()).tolist())

    def _ends(self, public: PublicState, bidder: int, actor: int) -> dict[tuple[int, bool], float]:
        """The probability that the bidder or the actor wins the round, with or without an exact call. With more than
        two players only the next answer is considered; the rest, up to 1, is that the round goes on after it.
        """
        rules = public.rules
        in_play = seats_from(public.opener, public.dice_counts)
        if len(in_play) > 2:
            return self._next_answer(public, bidder, actor)
        if rules.total_dice <= TABLEBASE_DICE and has_tablebase_rules(rules):
            solved = Tablebase.shipped().round(*(public.dice_counts[seat] for seat in in_play))
            won = (1 + value_to_last_bidder(solved.tree, solved.pool, public.bid_history)) / 2
            return {(bidder, False): won, (actor, False): 1 - won}
        sides = [self._side(public, seat) for seat in (bidder, actor)]
        lost, won, exact, others_exact = outcomes_from_bid(
            sides[0], sides[1], rules, public.rung, len(public.bid_history)
        ).tolist()
        return {(actor, False): lost, (bidder, False): won, (bidder, True): exact, (actor, True): others_exact}

    def _side(self, public: PublicState, seat: int) -> tuple[Cells, Cells, HandSet, Floats]:
        """A seat's tables, and the probability of each of its hands."""
        book, rules = self._books[seat], public.rules
        check_searchable(rules, public.dice_counts[seat])
        table = book[seat_situation(public, seat, 0)].complete()
        capped = most_turns(rules) is not None
        calls = (
            book[Situation(rules, public.dice_counts[seat], CALLS_ONLY)].complete().cells if capped else table.cells[:0]
        )
        return table.cells, calls, table.hands, belief(public, seat, self.models[seat]).sum(axis=0)

    def _next_answer(self, public: PublicState, bidder: int, actor: int) -> dict[tuple[int, bool], float]:
        """The probability of each result if the next player calls, by its model."""
        rules, bid = public.rules, public.bid_history[-1]
        model = self.models[actor]
        situation = seat_situation(public, actor, len(public.bid_history))
        table = model.tables(situation)[0]
        calls, exacts = (model.likelihood(situation, public.rung, action) for action in (table.liar, table.exact))
        weights = belief(public, actor, model)
        missing = bid.quantity - table.hands.matches(rules.wild_face)[:, bid.face]
        rest = [seat for seat in seats_from(public.opener, public.dice_counts) if seat != actor]
        true, right = bid_chances(missing, match_distribution(public, rest, self.models, bid.face))
        return {
            (bidder, False): float((weights * (calls * true + exacts * (1 - right))).sum()),
            (actor, False): float((weights * calls * (1 - true)).sum()),
            (actor, True): float((weights * exacts * right).sum()),
        }

    def _after(self, public: PublicState, outcome: RoundOutcome) -> Chances:
        """When the round has ended like this."""
        wins = list(_wins(public))
        wins[outcome.winner] += 1
        counts, opener = after_round(self.config, public.dice_counts, public.opener, outcome)
        if is_over(self.config, counts, wins[outcome.winner]):
            return tuple(float(seat == outcome.winner) for seat in range(len(counts)))
        return self._between(public, counts, opener, tuple(wins))


def among_champions(public: PublicState, counts: tuple[int, ...], opener: int) -> Chances:
    """Everybody's chance to win among champions when a round is about to begin with these dice."""
    seats = seats_from(opener, counts)
    after_this_round = public.status == "BIDDING" and counts != public.dice_counts
    had_one = [
        any(len(r.dice[seat]) == 1 for r in public.resolutions) or (after_this_round and public.dice_counts[seat] == 1)
        for seat in seats
    ]
    found = ChampionValues.shipped().between_rounds(
        [counts[seat] for seat in seats], had_one, rule_flags(public.config)
    )
    by_seat = dict(zip(seats, found.tolist(), strict=True))
    return tuple(by_seat.get(seat, 0.0) for seat in range(len(counts)))


def _deterministic_policy(model: OpponentModel) -> PolicyBook:
    """The model's tables if the player is known and does not mix, else those of `optimal`."""
    return model.books[0] if model.known and model.books[0].is_deterministic else model_of(STRANGER[0]).books[0]


def _wins(public: PublicState) -> tuple[int, ...]:
    return tuple(sum(r.winner == seat for r in public.resolutions) for seat in range(len(public.names)))


def _two(seats: int, first: int, chance: float, second: int) -> Chances:
    return tuple(chance if seat == first else 1 - chance if seat == second else 0.0 for seat in range(seats))
