"""The compiled simulator is the rules engine's game, and its dice are fair."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from liars_dice.agents import AGENTS, Agent, Policy, PolicyAgent, PolicyError, ThresholdAgent, make_agent
from liars_dice.core import Action, BadValueError, GameConfig, GameEngine, GameView, preset
from liars_dice.exact.errors import OutOfReachError
from liars_dice.exact.matchups.win_matrix import Matchups
from liars_dice.exact.tables.policy_table import UNKNOWN
from liars_dice.numeric.random_streams import below, stream, word
from liars_dice.referee.time_guard import guarded
from liars_dice.simulator import compiled_games as simulator
from liars_dice.simulator.compiled_games import Simulator
from patience import PATIENCE
from support import configs

MEMORYLESS = [name for name, info in AGENTS.items() if info.memoryless]
GAMES = {
    "duel": preset("duel"),
    "classic": preset("classic"),
    "heads-up": preset("heads-up"),
    "perudo": preset("perudo"),
    "openspiel": preset("openspiel"),
    "perudo with palifico": preset("perudo", players=4, palifico=True, max_dice=6),
    "many dice, dealt one by one": preset("classic", dice=8, wild="ones", exact_call=True),
    "uneven, winner opens, standard order": GameConfig(
        dice=(3, 1, 2), mode="elimination", bid_ordering="liars_dice_standard", wild="top", next_opener="winner"
    ),
    "best of five, each in turn, at most four bids": GameConfig(
        dice=(2, 2, 2), mode="best_of", rounds=5, next_opener="alternate", max_turns=4, exact_call=True
    ),
    "opening limits and palifico": GameConfig(
        dice=(2,) * 5, mode="elimination", palifico=True, opening_min_quantity=2, open_on_ones=False, wild="ones",
        bid_ordering="perudo", next_opener="alternate",
    ),
}  # fmt: skip


def same_as_the_engine(agents: list[Agent], config: GameConfig, seed: int, games: range) -> int:
    """Replay traced games through the engine: every agent, asked there, does what was traced, and the same seat wins.

    Agents that mix may do what was traced. Returns how many moves were compared.
    """
    traced = Simulator(agents, config, workers=1)
    moves = 0
    for game in games:
        winner, rounds = traced.trace(game, seed=seed)
        engine = GameEngine(config, seed=0)
        for played in rounds:
            engine.start_new_round(played.hands)
            for action in played.actions:
                seat = engine.state.public.current_player
                view = engine.get_view(seat)
                chosen = engine.state.public.rules.moves[action]
                policy = agents[seat].policy(view)
                if policy is None:
                    assert str(agents[seat].choose_action(view)) == str(chosen)
                else:
                    assert policy[chosen] > 0
                engine.apply_action(seat, chosen)
                moves += 1
        assert engine.is_terminal()
        assert engine.state.public.winner == winner
    return moves


def seated(config: GameConfig, start: int = 0) -> list[Agent]:
    """Built-in agents for every seat, others for every start."""
    chosen = itertools.islice(itertools.cycle(MEMORYLESS), start, start + config.num_players)
    return [make_agent(name) for name in chosen]


@pytest.mark.parametrize("rules", GAMES)
def test_the_simulator_plays_the_engines_game(rules: str) -> None:
    for start in (0, 4, 8):
        assert same_as_the_engine(seated(GAMES[rules], start), GAMES[rules], seed=start, games=range(20)) > 20


@pytest.mark.slow
@pytest.mark.parametrize("start", range(10))
@pytest.mark.parametrize("rules", GAMES)
def test_the_simulator_plays_the_engines_game_100_000_times(rules: str, start: int) -> None:
    assert same_as_the_engine(seated(GAMES[rules], start), GAMES[rules], seed=99 + start, games=range(1000)) > 1000


@settings(max_examples=60, deadline=None)
@given(config=configs(5, 3, shared=False), seed=st.integers(0, 2**63 - 1), start=st.integers(0, 11))
def test_under_any_rules(config: GameConfig, seed: int, start: int) -> None:
    """Games that hardly ever end (dice are won, and nobody pays for them) are refused, as is what takes much room."""
    try:
        compared = same_as_the_engine(seated(config, start), config.without_seed, seed, range(3))
    except OutOfReachError:
        reject()
    assert compared >= 6  # a bid and a call each


@pytest.mark.parametrize("rules", ["heads-up", "perudo"])
def test_results_depend_on_the_seed_alone(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = GAMES[rules]
    agents = seated(config)
    reference = Simulator(agents, config, workers=1).play(3000, seed=7)
    two = Simulator(agents, config, workers=2)
    assert (two.play(3000, seed=7).winners == reference.winners).all()
    parts = [two.play(1000, seed=7, first=first) for first in (2000, 0, 1000)]
    joined = np.concatenate([parts[1].winners, parts[2].winners, parts[0].winners])
    assert (joined == reference.winners).all()
    assert sum(part.actions for part in parts) == reference.actions
    assert sum(part.rounds for part in parts) == reference.rounds
    monkeypatch.setattr(simulator, "BLOCK", 700)
    assert (two.play(3000, seed=7).winners == reference.winners).all()
    assert (two.play(3000, seed=8).winners != reference.winners).any()


def test_the_same_dice_are_dealt_whoever_sits_where() -> None:
    """Duplicate dice: as long as the numbers of dice agree, so do the hands."""
    config = preset("heads-up")
    field = Simulator([make_agent("optimal"), make_agent("maniac")], config)
    for game in range(20):
        one, other = field.trace(game, seed=3)[1], field.trace(game, seed=3, seats=(1, 0))[1]
        assert one[0].hands == other[0].hands


class Stranger(ThresholdAgent):
    """Asked cell by cell, as it is a class of its own."""

    asked = 0

    def choose_action(self, view: GameView) -> Action:
        type(self).asked += 1
        return super().choose_action(view)


class StrangeMixer(PolicyAgent):
    memoryless = True

    def policy(self, view: GameView) -> Policy:
        weights = [1 + (i * 7 + view.my_dice[0]) % 11 for i in range(len(view.legal_actions))]
        return {action: w / sum(weights) for action, w in zip(view.legal_actions, weights, strict=True)}


def test_strangers_are_asked_for_what_is_needed_and_play_the_same() -> None:
    config = preset("perudo", players=3)
    others = [make_agent("random"), make_agent("probabilistic")]
    reference = Simulator([make_agent("optimal"), *others], config).play(2000, seed=1)
    Stranger.asked = 0
    strange = Simulator([Stranger(), *others], config)
    assert (strange.play(2000, seed=1).winners == reference.winners).all()
    cells = sum(table.cells.size for table in strange._tables) // 3
    assert 0 < Stranger.asked < cells / 5
    asked = Stranger.asked
    strange.play(2000, seed=1)
    assert Stranger.asked == asked


def test_a_strange_mixer_plays_its_mixture() -> None:
    config = GameConfig(dice=(1, 1), faces=3)
    agents: list[Agent] = [StrangeMixer(), StrangeMixer()]
    same_as_the_engine(agents, config, 1, range(50))
    mixers = Simulator(agents, config, workers=1)
    firsts = [mixers.trace(game, seed=11)[1][0] for game in range(3000)]
    threes = [played.actions[0] for played in firsts if played.hands[0] == (3,)]
    weights = np.array([1 + (i * 7 + 3) % 11 for i in range(6)], dtype=float)
    found = np.bincount(threes, minlength=6)
    assert chisquare(found, weights / weights.sum() * found.sum()).pvalue > 1e-4


class FewMixes(PolicyAgent):
    """A stranger with few distributions, which are all known before all cells are."""

    memoryless = True

    def policy(self, view: GameView) -> Policy:
        actions = (
            view.legal_actions[:2] if view.current_bid is None else (view.legal_actions[0], view.legal_actions[-1])
        )
        return {actions[0]: 1.0} if actions[0] == actions[-1] else {actions[0]: 0.5, actions[1]: 0.5}


def test_strangers_that_mix_keep_their_own_distributions() -> None:
    """Beside built-in mixers, in many small parts: game g is game g, and rates are the exact ones."""
    config = preset("heads-up", dice=2)
    agents: list[Agent] = [make_agent("random"), make_agent("bluffer"), FewMixes(), make_agent("crawler")]
    exact = Matchups(agents, config).match.win
    whole = Simulator(agents, config).play(20_000, seed=3, seats=(2, 3))
    parts = Simulator(agents, config)
    winners = [parts.play(10, seed=3, seats=(2, 3), first=first).winners for first in range(0, 20_000, 10)]
    assert (np.concatenate(winners) == whole.winners).all()
    assert abs(whole.wins(0) / 20_000 - exact[2, 3]) < 0.016
    for table, first, policy in zip(parts._tables, parts._first, parts._policy, strict=True):
        for place in np.flatnonzero(table.cells.ravel() < 0):
            if table.cells.ravel()[place] != UNKNOWN:
                assert parts._cells[first + place] == table.cells.ravel()[place] - parts._first_mix[policy]


def test_a_hanging_stranger_is_not_waited_for() -> None:
    class Hanging(Stranger):
        def choose_action(self, view: GameView) -> Action:
            time.sleep(60)
            return super().choose_action(view)

    with pytest.raises(PolicyError, match="too_slow"):
        Simulator([Hanging(), make_agent("random")], preset("heads-up"), guard=partial(guarded, 0.2)).play(10, seed=0)


def test_ctrl_c_stops_compiled_games() -> None:
    """The kernel is told, and its threads are gone when the error arrives."""
    script = (
        "import threading, time, _thread\n"
        "from liars_dice.agents import make_agent\n"
        "from liars_dice.core import preset\n"
        "from liars_dice.simulator import Simulator\n"
        "s = Simulator([make_agent('random')] * 6, preset('perudo'), workers=2)\n"
        "s.warm_up()\n"
        "others, start = set(threading.enumerate()), time.process_time()\n"
        "def interrupt():\n"
        "    while time.process_time() < start + 0.5:\n"
        "        time.sleep(0.01)\n"
        "    _thread.interrupt_main()\n"
        "stopper = threading.Thread(target=interrupt)\n"
        "try:\n    stopper.start()\n    s.play(10**8, seed=1)\n"
        "except KeyboardInterrupt:\n"
        "    left = set(threading.enumerate()) - others - {stopper}\n"
        "    print(time.process_time() - start, len(left))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=True)
    processor_seconds, threads = done.stdout.split()
    assert float(processor_seconds) < 10  # all games would take a minute or more
    assert threads == "0"


# -- chance ------------------------------------------------------------------------------------------------------------


def test_numbers_below_n_are_fair() -> None:
    key = np.uint64(stream(np.uint64(5), np.int64(0), 0))
    for n in (2, 6, 7776, 3_000_000_000):
        drawn = np.array([below(key, i * 3, n)[0] for i in range(20_000)])
        assert drawn.min() >= 0
        assert drawn.max() < n
        counts = np.bincount((drawn * min(n, 12) // n).astype(int), minlength=min(n, 12))
        if n in (2, 6, 3_000_000_000):
            assert chisquare(counts).pvalue > 1e-4


def test_what_would_favour_low_numbers_is_drawn_again() -> None:
    """2**32 is no multiple of 3 * 2**30: a quarter of all words is rejected."""
    key = np.uint64(stream(np.uint64(1), np.int64(1), 0))
    used = [below(key, 100 * i, 3 << 30)[1] - 100 * i for i in range(4000)]
    assert np.mean(used) == pytest.approx(4 / 3, abs=0.05)


def test_hands_are_as_likely_as_they_should_be() -> None:
    config = preset("classic", dice=8, faces=3)  # six dice at once, two more one by one
    monk = Simulator([make_agent("truthful")] * 2, config)
    hands = [monk.trace(game, seed=2)[1][0].hands[0] for game in range(3000)]
    from liars_dice.exact.tables.hands import hand_set

    every = hand_set(8, 3)
    found = np.bincount([every.index[hand] for hand in hands], minlength=len(every))
    enough = every.weights * len(hands) > 5
    observed, expected = [*found[enough], found[~enough].sum()], [*every.weights[enough], every.weights[~enough].sum()]
    assert chisquare(observed, np.array(expected) * len(hands)).pvalue > 1e-4


def test_streams_do_not_share_words() -> None:
    words = {
        int(word(np.uint64(stream(np.uint64(seed), np.int64(game), kind)), i))
        for seed in range(5)
        for game in range(5)
        for kind in (0, 1)
        for i in range(200)
    }
    assert len(words) == 5 * 5 * 2 * 200


def test_the_stream_is_pinned() -> None:
    """The same seed gives the same games in every version and on every machine."""
    assert int(word(np.uint64(stream(np.uint64(1), np.int64(2), 0)), 3)) == 6982568162587446372
    tally = Simulator(seated(preset("perudo")), preset("perudo")).play(1000, seed=1)
    assert [tally.wins(seat) for seat in range(6)] == [0, 12, 349, 315, 322, 2]


# -- bad input ---------------------------------------------------------------------------------------------------------


def test_what_cannot_be_simulated_is_said() -> None:
    with pytest.raises(OutOfReachError, match=r"detective does not declare `memoryless`.*the engine can"):
        Simulator([make_agent("detective"), make_agent("random")], preset("heads-up"))
    with pytest.raises(OutOfReachError, match=r"would need tables of .* cells.*the engine plays such games"):
        Simulator([make_agent("random")] * 15, preset("perudo", players=15, dice=60))
    with pytest.raises(OutOfReachError, match=r"table_dice = 1.*the engine plays the others"):
        Simulator([make_agent("random")] * 2, preset("heads-up", table_dice=1))
    two = Simulator([make_agent("random")] * 2, preset("heads-up"))
    for options, message in (
        ({"games": -1, "seed": 0}, "from 0 up"),
        ({"games": 1, "seed": -1}, "seed = -1"),
        ({"games": 1, "seed": 2**64}, "seed = "),
        ({"games": 1, "seed": 0, "first": -1}, "from 0 up"),
        ({"games": 1, "seed": 0, "seats": (0, 9)}, "agents of the field, 0 to 1"),
        ({"games": 1, "seed": 0, "seats": (0, -1)}, "agents of the field, 0 to 1"),
    ):
        with pytest.raises(BadValueError, match=message):
            two.play(**options)
    with pytest.raises(BadValueError, match="seats = 3: expected 2 agents, one per seat"):
        Simulator([make_agent("random")] * 3, preset("heads-up")).play(1, seed=0)


def test_a_stranger_that_fails_is_said() -> None:
    class Failing(Stranger):
        def choose_action(self, view: GameView) -> Action:
            raise RuntimeError("no")

    with pytest.raises(PolicyError, match="RuntimeError: no"):
        Simulator([Failing(), make_agent("random")], preset("heads-up")).play(10, seed=0)
