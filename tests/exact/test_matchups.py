"""Exact match-ups against a second opinion, against games, and against published numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from liars_dice.agents import AGENTS, PERSONALITIES, Agent, Policy, PolicyAgent, make_agent
from liars_dice.core import GameConfig, GameView, preset
from liars_dice.exact.errors import OutOfReachError
from liars_dice.exact.matchups import exact_round as rounds
from liars_dice.exact.matchups.exact_round import OPENER_EXACT, OPENER_LOSES, OTHER_EXACT, OTHER_LOSES
from liars_dice.exact.matchups.match_chain import EndlessMatchError, chain_rounds
from liars_dice.exact.matchups.win_matrix import Matchups
from liars_dice.simulator.compiled_games import Simulator
from liars_dice.tournament.fields import agents_in_field
from liars_dice.tournament.runner import round_robin
from oracle import round_chances

MEMORYLESS = [name for name, info in AGENTS.items() if info.memoryless]
ROUNDS = {
    "uneven": GameConfig(dice=(2, 1), faces=4),
    "ones wild, perudo order, exact calls": GameConfig(
        dice=(1, 2), faces=3, wild="ones", bid_ordering="perudo", exact_call=True
    ),
    "tops wild, standard order": GameConfig(dice=(2, 2), faces=3, wild="top", bid_ordering="liars_dice_standard"),
    "at most three bids": GameConfig(dice=(2, 2), faces=3, exact_call=True, max_turns=3),
    "opening limits, impossible bids": GameConfig(
        dice=(1, 2), faces=4, opening_min_quantity=2, open_on_ones=False, max_quantity=4
    ),
    "wild face barred": GameConfig(dice=(2, 1), faces=4, wild="ones", wild_bids="forbidden"),
}
CALLS = {  # (who loses or calls rightly) by (the opener wins, the call, the caller wins)
    OPENER_LOSES: {(False, "liar", True), (False, "liar", False), (False, "exact", False)},
    OTHER_LOSES: {(True, "liar", True), (True, "liar", False), (True, "exact", False)},
    OPENER_EXACT: {(True, "exact", True)},
    OTHER_EXACT: {(False, "exact", True)},
}


def agents(*names: str) -> list[Agent]:
    return [make_agent(name) for name in names]


@pytest.mark.parametrize("rules", ROUNDS)
@pytest.mark.parametrize(
    "pair", [("optimal", "probabilistic"), ("bluffer", "sniper"), ("conservative", "truthful"), ("crawler", "bluffer")]
)
def test_a_round_agrees_with_every_hand_played_through_the_engine(pair: tuple[str, str], rules: str) -> None:
    config = ROUNDS[rules]
    two = agents(*pair)
    for seats in ((0, 1), (1, 0)):
        expected = round_chances([two[i] for i in seats], config)
        found = Matchups(two, config).round_outcomes(*config.dice)[seats]
        for outcome, kinds in CALLS.items():
            chance = sum(c for (winner, call, right), c in expected.items() if (winner == 0, call, right) in kinds)
            assert found[outcome] == pytest.approx(chance, abs=1e-12)
        assert found.sum() == pytest.approx(1, abs=1e-12)


def test_random_against_random_agrees_with_every_bidding() -> None:
    config = GameConfig(dice=(1, 1), faces=4, wild="top", exact_call=True)
    two = agents("random", "random")
    expected = round_chances(two, config)
    won = sum(chance for (winner, _, _), chance in expected.items() if winner == 0)
    assert Matchups(two, config).match.win[0, 1] == pytest.approx(won, abs=1e-12)


@pytest.mark.parametrize("next_opener", ["loser", "winner", "alternate"])
@pytest.mark.parametrize("dice", [(2, 2), (1, 3)])
def test_a_match_is_its_rounds_one_after_the_other(dice: tuple[int, int], next_opener: str) -> None:
    """Rules 6.2 and 6.5, by plain recursion over rounds that the engine has played."""
    config = GameConfig(dice=dice, faces=3, mode="elimination", next_opener=next_opener)  # type: ignore[arg-type]
    two = agents("optimal", "crawler")
    round_win = {
        (counts, opener): _first_wins(two, counts, opener)
        for counts in [(a, b) for a in (1, 2, 3) for b in (1, 2, 3)]
        for opener in (0, 1)
    }

    def wins(counts: tuple[int, int], opener: int) -> tuple[float, float]:
        """Seat 0's chance, and the rounds to come."""
        if 0 in counts:
            return float(counts[1] == 0), 0.0
        chance, rounds = 0.0, 1.0
        for winner, p in ((0, round_win[counts, opener]), (1, 1 - round_win[counts, opener])):
            left = (counts[0], counts[1] - 1) if winner == 0 else (counts[0] - 1, counts[1])
            opens = {"loser": 1 - winner, "winner": winner, "alternate": 1 - opener}[next_opener]
            later = wins(left, opens)
            chance += p * later[0]
            rounds += p * later[1]
        return chance, rounds

    found = Matchups(two, config).match
    expected = wins(dice, 0)
    assert found.win[0, 1] == pytest.approx(expected[0], abs=1e-12)
    assert found.rounds[0, 1] == pytest.approx(expected[1], abs=1e-12)
    assert sum(chance[0, 1] for chance in found.final.values()) == pytest.approx(1, abs=1e-12)
    assert all(0 in counts for counts in found.final)


def _first_wins(two: list[Agent], counts: tuple[int, int], opener: int) -> float:
    """Agent 0's chance in a round with these dice when `opener` opens."""
    config = GameConfig(dice=counts if opener == 0 else counts[::-1], faces=3)
    expected = round_chances(two if opener == 0 else two[::-1], config)
    return sum(chance for (winner, _, _), chance in expected.items() if winner == opener)


@pytest.mark.parametrize(
    "config",
    [
        preset("heads-up", dice=3),
        preset("perudo", players=2, dice=3),
        preset("perudo", players=2, dice=2, max_dice=4, next_opener="winner"),
        preset("perudo", players=2, dice=(3, 2), exact_payer="nobody"),
        preset("perudo", players=2, dice=2, max_dice=3, exact_payer="nobody", next_opener="alternate"),
        GameConfig(dice=(3, 1), mode="elimination", wild="top", next_opener="alternate"),
        GameConfig(dice=(2, 2), mode="best_of", rounds=5, exact_call=True),
        GameConfig(dice=(2, 1), mode="best_of", rounds=3, next_opener="winner"),
        preset("classic", dice=3, bid_ordering="liars_dice_standard"),
        preset("heads-up", dice=3, max_turns=4),
    ],
    ids=str,
)
def test_games_agree_with_the_exact_numbers(config: GameConfig) -> None:
    field_ = agents("optimal", "bluffer", "sniper", "random")
    exact = Matchups(field_, config).match
    simulator = Simulator(field_, config)
    n = 40_000
    for seats in ((0, 1), (1, 2), (2, 0), (3, 2), (1, 3)):
        tally = simulator.play(n, seed=5, seats=seats)
        win = exact.win[seats]
        assert abs(tally.wins(0) / n - win) < 4.5 * np.sqrt(win * (1 - win) / n) + 1e-9
        assert tally.rounds / n == pytest.approx(exact.rounds[seats], rel=0.02)


def test_both_ways_of_summing_a_round_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    field_ = agents("optimal", "probabilistic", "sniper")
    config = preset("perudo", players=2, dice=3)
    by_sets = Matchups(field_, config).match.win
    all_mixed = property(lambda self: [True] * 3, lambda self, value: None)
    monkeypatch.setattr(rounds.StackedTables, "is_mixed", all_mixed, False)
    by_pairs = Matchups(field_, config).match.win
    off_diagonal = ~np.eye(3, dtype=bool)
    assert np.allclose(by_sets[off_diagonal], by_pairs[off_diagonal], atol=1e-13)


def test_the_same_agent_twice_is_even_over_both_seats() -> None:
    win = Matchups(agents("optimal", "optimal"), preset("heads-up")).match.win
    assert win[0, 1] == win[1, 0]


def test_results_do_not_depend_on_company_or_workers() -> None:
    config = preset("heads-up", dice=3)
    alone = Matchups(agents("maniac", "bluffer"), config, workers=1).match.win
    among = Matchups(agents(*MEMORYLESS), config, workers=2).match.win
    i, j = MEMORYLESS.index("maniac"), MEMORYLESS.index("bluffer")
    assert among[i, j] == alone[0, 1]
    assert among[j, i] == alone[1, 0]


def test_right_exact_calls_give_dice_back_and_forth() -> None:
    """Rule 6.3: the number of dice need not fall, so a match has no longest course. Followed for 500 rounds."""
    config = GameConfig(dice=(1, 3), mode="elimination", exact_call=True, max_dice=4)
    chances = [0.1, 0.2, 0.3, 0.4]
    found = chain_rounds(config, lambda dice, opener: np.array(chances))
    here = {((1, 3), 0): 1.0}
    win = rounds_ = 0.0
    for _ in range(500):
        after: dict[tuple[tuple[int, int], int], float] = {}
        for ((a, b), opener), weight in here.items():
            rounds_ += weight
            for outcome, p in enumerate(chances):
                winner = opener if outcome in (OTHER_LOSES, OPENER_EXACT) else 1 - opener
                gain = outcome in (OPENER_EXACT, OTHER_EXACT)
                left = (min(a + gain, 4), b - 1) if winner == 0 else (a - 1, min(b + gain, 4))
                if 0 in left:
                    win += weight * p * (left[1] == 0)
                else:
                    after[left, 1 - winner] = after.get((left, 1 - winner), 0.0) + weight * p
        here = after
    assert float(found.win) == pytest.approx(win, abs=1e-12)
    assert float(found.rounds) == pytest.approx(rounds_, abs=1e-10)
    assert sum(float(chance) for chance in found.final.values()) == pytest.approx(1, abs=1e-12)


def test_a_policy_that_mixes_only_after_the_last_bid() -> None:
    """The cap on bids leaves only calls, and of these `random` takes any."""
    config = GameConfig(
        dice=(2, 2), faces=2, max_quantity=2, exact_call=True, opening_min_quantity=2, open_on_ones=False, max_turns=1
    )
    two = agents("random", "optimal")
    expected = round_chances(two, config)
    won = sum(chance for (winner, _, _), chance in expected.items() if winner == 0)
    assert Matchups(two, config).match.win[0, 1] == pytest.approx(won, abs=1e-12)


class _Coin(PolicyAgent):
    """Mixes the lowest raise and a call; which of them more, differs between two such agents."""

    memoryless = True
    boldness = 0.3

    def policy(self, view: GameView) -> Policy:
        first, last = view.legal_actions[0], view.legal_actions[-1]
        return {first: 1.0} if first == last else {first: self.boldness, last: 1 - self.boldness}


class _BolderCoin(_Coin):
    boldness = 0.9


def test_mixers_with_the_same_cells_are_still_different() -> None:
    """Their tables look alike: distribution 0 here, distribution 0 there."""
    config = GameConfig(dice=(1, 1), faces=2)
    field_: list[Agent] = [_Coin(), _BolderCoin(), make_agent("crawler")]
    win = Matchups(field_, config).match.win
    for i, j in ((0, 1), (1, 0), (0, 2), (1, 2), (2, 0), (2, 1)):
        expected = round_chances([field_[i], field_[j]], config)
        won = sum(chance for (winner, _, _), chance in expected.items() if winner == 0)
        assert win[i, j] == pytest.approx(won, abs=1e-12)


def test_long_matches_stay_exact() -> None:
    """Rounding of a round's chances must not add up over two thousand rounds."""
    config = GameConfig(dice=(5, 5), mode="best_of", rounds=1999)
    win = Matchups(agents("sniper", "random"), config).match.win
    assert abs(win[0, 1] - 1) < 1e-12


def test_two_who_play_for_ever() -> None:
    """With two faces and ones wild, as many twos as there are dice is exactly right, always."""
    config = GameConfig(
        dice=(2, 2), faces=2, wild="ones", exact_call=True, mode="elimination", next_opener="alternate", max_dice=3
    )
    with pytest.raises(EndlessMatchError, match="never ends"):
        Matchups(agents("probabilistic", "sniper"), config)
    with pytest.raises(OutOfReachError, match="not over after 100,000 rounds"):
        Simulator(agents("probabilistic", "sniper"), config).play(3, seed=1)


# -- the published tournament ------------------------------------------------------------------------------------------

PUBLISHED = json.loads((Path(__file__).parent.parent / "data" / "published_tournament.json").read_text())


@pytest.fixture(scope="module")
def grid() -> tuple[list[str], np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    names = agents_in_field("threshold-grid")
    win = Matchups(agents(*names), preset("heads-up")).match.win
    return names, (win + 1 - win.T) / 2


def test_the_published_champion_is_the_champion(grid) -> None:  # type: ignore[no-untyped-def]
    names, rates = grid
    assert len(names) == 81
    means = np.nanmean(rates, axis=1)
    best = names.index("threshold:{call:g},{raise:g}".format(**PUBLISHED["best"]))
    assert means[best] == means.max()
    assert means[best] == pytest.approx(PUBLISHED["best"]["average_win_rate"], abs=0.002)
    assert means[best] == pytest.approx(0.565853673241484, abs=1e-12)
    assert (rates[best] > 0.5 + 1e-12).sum() == 73
    assert (np.abs(rates[best] - 0.5) <= 1e-12).sum() == 1


def test_somebody_is_beaten_by_nobody_and_it_is_not_the_champion(grid) -> None:  # type: ignore[no-untyped-def]
    names, rates = grid
    unbeaten = [name for name, row in zip(names, rates, strict=True) if (row < 0.5 - 1e-12).sum() == 0]
    assert unbeaten == [f"threshold:{call},{raise_}" for call in (0.35, 0.4) for raise_ in (0.2, 0.25, 0.3)]
    champion = names.index("threshold:0.35,0.15")
    assert rates[names.index(unbeaten[0]), champion] == pytest.approx(0.508555268314388, abs=1e-12)


def test_the_published_rates_of_optimal_are_near(grid) -> None:  # type: ignore[no-untyped-def]
    """They are sampled, with 10,000 games a cell, by another program: within two and a half points."""
    names, rates = grid
    optimal = names.index("threshold:0.35,0.15")
    for name, rate in PUBLISHED["optimal_against"].items():
        call, raise_ = PERSONALITIES[name]
        assert rates[optimal, names.index(f"threshold:{call:g},{raise_:g}")] == pytest.approx(rate, abs=0.025)


def test_the_published_figures_follow_if_the_first_listed_sits_first() -> None:
    """With the pairs in the order of call, then raise thresholds: one champion, its average, its four rates."""
    result = round_robin(agents_in_field("threshold-grid"), preset("heads-up"), exact=True, seating="listed")
    best, second = result.ranking[:2]
    assert best.agent == "threshold:{call:g},{raise:g}".format(**PUBLISHED["best"])
    assert best.win_rate == pytest.approx(0.564842303937655, abs=1e-12)
    assert round(best.win_rate, 3) == PUBLISHED["best"]["average_win_rate"]
    assert second.win_rate < best.win_rate - 0.002
    assert (best.beats, best.ties) == (80, 0)  # 77 of 80 in the sample: see how close some are
    row = dict(zip(result.agents, result.matrix[result.agents.index(best.agent)], strict=True))
    close = [rate for rate in row.values() if rate is not None and rate < 0.5075]
    assert len(close) == 13
    for name, rate in PUBLISHED["optimal_against"].items():
        call, raise_ = PERSONALITIES[name]
        found = row[f"threshold:{call:g},{raise_:g}"]
        assert found is not None
        error = (found * (1 - found) / 10_000) ** 0.5
        assert abs(found - rate) < 0.005 + 1.1 * error  # published in whole percent


# -- out of reach ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "config", "message"),
    [
        (("optimal", "detective"), preset("heads-up"), "detective does not declare `memoryless`.*--games"),
        (("optimal", "random"), preset("perudo"), "6 players.*compiled simulator.*--games"),
        (("optimal", "random"), preset("duel", table_dice=1), "table_dice = 1.*the engine plays.*--games"),
        (("optimal", "random"), preset("duel", hidden_dice=2), "hidden_dice = 2.*the engine plays.*--games"),
        (("optimal", "random"), preset("classic", dice=40), "would need tables of .* cells.*--games"),
    ],
)
def test_what_is_out_of_reach_is_said_with_what_is_not(
    names: tuple[str, ...], config: GameConfig, message: str
) -> None:
    with pytest.raises(OutOfReachError, match=message):
        Matchups(agents(*names), config)
