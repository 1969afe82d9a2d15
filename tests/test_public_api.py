"""The public interface: what `import liars_dice` gives you, what it accepts, and what it says about mistakes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import liars_dice
from liars_dice import (
    Agent,
    Bid,
    BidAction,
    GameConfig,
    GameEngine,
    GameView,
    IllegalMoveError,
    LiarsDiceError,
    Simulation,
    best_response,
    exploitability,
    make_agent,
    matchup,
    play_game,
    preset,
    review_game,
    round_robin,
    solve,
)
from liars_dice.core import NotationError, new_game, parse_bid

PAGE = Path(__file__).parent.parent / "docs" / "five-tasks.md"


class Sceptic(Agent):
    """Opens with one six, and calls any bid."""

    memoryless = True

    def choose_action(self, view: GameView) -> str:
        return "liar" if view.current_bid else "1x6"


def in_a_new_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_needs_only_msgspec() -> None:
    code = (
        "import sys; before = set(sys.modules); import liars_dice\n"
        "loaded = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(*sorted(loaded - set(sys.stdlib_module_names)))"
    )
    loaded = in_a_new_process(code).split()
    assert set(loaded) <= {"liars_dice", "msgspec", "typing_extensions"}, (
        loaded
    )  # msgspec takes the last if it is there


def test_playing_a_game_needs_no_numpy() -> None:
    code = (
        "import sys, liars_dice; result = liars_dice.play_game(['optimal', 'random'], 'heads-up', seed=1)\n"
        "print(result.winner_name, 'numpy' in sys.modules)"
    )
    assert in_a_new_process(code) == "optimal False"


def test_packages_need_no_import_of_their_own() -> None:
    code = "import liars_dice; print(liars_dice.exact.solve.__name__, liars_dice.persistence.open_store.__name__)"
    assert in_a_new_process(code) == "solve open_store"
    assert set(liars_dice.__all__) <= set(dir(liars_dice))
    for name in liars_dice.__all__:
        assert getattr(liars_dice, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'chess'"):
        liars_dice.chess  # noqa: B018


def test_agents_are_accepted_in_any_form() -> None:
    one_die = preset("classic", dice=1)
    for sceptic in (Sceptic, Sceptic()):
        assert play_game([sceptic, "optimal"], seed=1).names == ("Sceptic", "optimal")
        exact = matchup(sceptic, "optimal", one_die)
        assert (exact.a, exact.b, exact.method) == ("Sceptic", "optimal", "exact")
        assert best_response(sceptic, "openspiel") == pytest.approx((1, 1 / 2))
        assert exploitability(sceptic, "openspiel") == pytest.approx(3 / 4)
        ranked = round_robin([sceptic, "optimal", make_agent("maniac")], one_die)
        assert {standing.agent for standing in ranked.ranking} == {"Sceptic", "optimal", "maniac"}
    copies = Simulation(3, 2, 5, agents=[Sceptic, Sceptic(), "optimal"], seed=1)
    assert sum(copies.start(verbose=False).values()) == 10
    assert copies.agents == ("Sceptic", "Sceptic#2", "optimal")


def test_objects_play_as_their_names_do() -> None:
    """The same seed gives the same games, whether a bot is given by name or as an object."""
    named = matchup("detective", "optimal", "duel", games=40, seed=3)
    handed = matchup(make_agent("detective"), "optimal", "duel", games=40, seed=3)
    assert named == handed
    assert named != matchup("detective", "optimal", "duel", games=40, seed=4)


def test_aliases_play_alike() -> None:
    optimal, best = (matchup(name, "maniac", "heads-up") for name in ("optimal", "threshold-best"))
    assert (optimal.a, best.a) == ("optimal", "threshold-best")
    assert optimal.win_rate == best.win_rate


@pytest.mark.parametrize("move", ["2x4", " 2X4 ", Bid(2, 4), BidAction(Bid(2, 4))])
def test_moves_in_any_form(move: str | Bid | BidAction) -> None:
    engine = GameEngine("duel", names=["ann", "bob"], seed=1)
    events: list[object] = []
    engine.subscribe(events.append)
    engine.start_new_round()
    assert engine.can_apply(0, move)
    assert not engine.can_apply(1, move)
    engine.verify(0, move)
    engine.move(move)
    assert engine.state.public.last_bid == Bid(2, 4)
    assert engine.current_player == 1
    engine.apply_action(1, "liar")
    assert [type(event).__name__ for event in events[-5:-3]] == ["BidPlaced", "LiarCalled"]
    assert (engine.legal_actions, engine.winner) == ((), engine.state.public.winner)


def test_moves_that_cannot_be_read_change_nothing() -> None:
    engine = GameEngine("duel")
    engine.start_new_round()
    state = engine.state
    for text in ("", "two fours", "2x", "call"):
        assert not engine.can_apply(0, text)
        for attempt in (engine.move, lambda move: engine.verify(0, move)):
            with pytest.raises(NotationError, match="expected a bid like 3x4, liar or exact"):
                attempt(text)
    with pytest.raises(IllegalMoveError, match="there is no bid to call yet"):
        engine.move("liar")
    assert engine.state is state


def test_no_one_is_to_move_between_rounds_and_after_the_game() -> None:
    engine = GameEngine("duel")
    seen = [engine.current_player]
    engine.start_new_round()
    for move in ("1x1", "liar"):
        seen.append(engine.current_player)
        engine.move(move)
    seen.append(engine.current_player)
    assert seen == [None, 0, 1, None]


def test_a_preset_by_name_has_a_seat_for_everyone() -> None:
    assert GameEngine("perudo", names=["a", "b", "c"]).state.config.dice == (5, 5, 5)
    assert GameEngine("perudo").state.config.num_players == 6
    assert len(play_game(["random"] * 4, "perudo", seed=1).names) == 4


def mistakes() -> Iterator[tuple[Callable[..., object], tuple[object, ...], dict[str, object], str]]:
    """What people get wrong, and a part of what they are told."""
    engine = GameEngine("duel")
    engine.start_new_round()
    yield play_game, ("optimal",), {}, "agents = 'optimal': expected a list of agents, one per seat"
    yield play_game, (5,), {}, "agents = 5: expected a list of agents"
    yield play_game, ([],), {}, "at least two agents"
    yield play_game, ([1, 2],), {}, r"agent = 1: expected an object with a method choose_action\(view\), its class"
    yield play_game, (["optimal"],), {}, "agents = 1: expected 2, one per seat"
    yield play_game, (["optimal", "optimla"],), {}, r"did you mean optimal\?"
    yield play_game, (["optimal", "maniac"], "purudo"), {}, r"rules = 'purudo': expected .* \(did you mean perudo\?\)"
    yield play_game, (["optimal", "maniac"], 5), {}, "rules = 5: expected a GameConfig, a file, or a name"
    yield play_game, (["optimal", "maniac"],), {"seed": "x"}, "seed = 'x': expected a whole number from 0"
    yield play_game, (["optimal", "maniac"],), {"names": ["a"]}, "expected 2 different names, one per seat"
    yield liars_dice.core.play_game, (["optimal", "maniac"],), {}, "agents = 'optimal': expected objects with a method"
    yield GameEngine, ("chess",), {}, "rules = 'chess': expected one of duel"
    yield GameEngine, ({"dice": (1, 1)},), {}, "expected a GameConfig, a file, or a name"
    yield GameEngine, ("duel", ["optimal", "maniac"]), {}, "objects with a method choose_action"
    yield GameEngine, ("duel", [Sceptic, Sceptic]), {}, "objects with a method choose_action"
    yield GameEngine, ("duel",), {"names": [1, 2]}, "expected printable names"
    yield engine.apply_action, (0, 5), {}, "an object of type int is not an action: expected a bid like '3x4'"
    yield engine.apply_action, (0, None), {}, "an object of type NoneType is not an action"
    yield engine.apply_action, ("ann", "2x4"), {}, "it is player-0's turn"
    yield engine.apply_action, (0, BidAction("2x4")), {}, "two whole numbers, a quantity and a face"  # type: ignore[arg-type]
    yield engine.apply_action, (0, Bid("2", "4")), {}, "two whole numbers, a quantity and a face"  # type: ignore[arg-type]
    yield engine.get_view, ("ann",), {}, "player_id = 'ann': expected a seat from 0 to 1"
    yield GameEngine("duel").start_new_round, (5,), {}, "hands = 5: expected one list of dice per seat"
    yield GameEngine("duel").start_new_round, ([1, 2],), {}, "expected one list of dice per seat"
    yield Bid("2", "4").is_higher_than, (Bid(1, 1), GameConfig()), {}, "two whole numbers"  # type: ignore[arg-type]
    yield Bid("2", "4").validate, (GameConfig(),), {}, "2x4 is not a bid of this game"  # type: ignore[arg-type]
    yield parse_bid, (24,), {}, "cannot read '24'"
    yield preset, (3,), {}, "rules = 3: expected one of duel"
    yield preset, ("duel",), {"players": "two"}, "players = 'two': expected a whole number"
    yield preset, ("classic",), {"dice": 2.5}, "dice = 2.5: expected a whole number, or one for each seat"
    yield preset, ("classic",), {"face": 6}, r"field = 'face': expected one of .* \(did you mean faces\?\)"
    yield GameConfig, (), {"dice": 5}, "dice = 5: expected 2 to 15 numbers, one per seat"
    yield GameConfig, (), {"dice": ("5", "5")}, "one per seat"
    yield GameConfig, (), {"wild": 1}, "wild = 1: expected 'none', 'ones' or 'top'"
    yield make_agent, (5,), {}, "agent = 5: expected the name of an agent"
    yield make_agent, ("maniak",), {}, r"did you mean maniac\?"
    yield matchup, ("optimal", 7), {}, "agent = 7: expected an object with a method choose_action"
    yield matchup, ("optimal", "maniac", "heads-upp"), {}, r"did you mean heads-up\?"
    yield best_response, (None, "duel"), {}, "agent = None: expected an object with a method choose_action"
    yield best_response, ("optimal", None.__class__), {}, "expected a GameConfig, a file, or a name"
    yield round_robin, (["optimal", 3],), {}, "agent = 3"
    yield solve, ("chess",), {}, "rules = 'chess'"
    yield Simulation, (2, 1, 1), {"agents": [3]}, "agent = 3"
    yield liars_dice.agents.create_personality_agent, (3,), {}, "personality = 3"
    yield liars_dice.agents.ThresholdAgent, ("high",), {}, "call threshold = 'high': expected a probability"


@pytest.mark.parametrize(("function", "arguments", "options", "message"), list(mistakes()))
def test_mistakes_get_one_clear_sentence(
    function: Callable[..., object], arguments: tuple[object, ...], options: dict[str, object], message: str
) -> None:
    with pytest.raises(LiarsDiceError, match=message) as caught:
        function(*arguments, **options)
    assert "\n" not in str(caught.value)


def test_reprs_are_short() -> None:
    engine = GameEngine("heads-up", names=["ann", "bob"], seed=5)
    assert repr(engine) == "<GameEngine: before round 1; ann 5 dice, bob 5 dice>"
    assert repr(new_game(GameConfig())) == "<GameState: before round 1; player-0 - | player-1 ->"
    engine.start_new_round(((1, 1, 2, 3, 4), (2, 2, 5, 6, 6)))
    engine.move("3x2")
    assert repr(engine.state) == "<GameState: round 1, bob to answer 3x2; ann 1,1,2,3,4 | bob 2,2,5,6,6>"
    assert repr(engine.state.public) == "<PublicState: round 1, bob to answer 3x2; ann 5 dice, bob 5 dice>"
    assert repr(engine.get_view(1)) == "<GameView of bob: 2,2,5,6,6; round 1, bob to answer 3x2; 5 unseen dice>"
    engine.move("liar")
    expected = "<RoundResolution: round 1: 3x2 liar; 3 counted; seat 0 won, seat 1 lost>"
    assert repr(engine.state.public.resolutions[0]) == expected
    assert repr(preset("heads-up")) == "GameConfig(dice=(5, 5), mode='elimination')"
    assert eval(repr(preset("perudo", players=3, seed=7))) == preset("perudo", players=3, seed=7)
    assert repr(BidAction(Bid(2, 4), "why not")) == "BidAction(Bid(2, 4), 'why not')"
    one_die = preset("classic", dice=1)
    for thing in (matchup("optimal", "random", one_die), round_robin(["optimal", "random"], one_die), solve(one_die)):
        assert len(repr(thing)) < 120


def test_a_review_of_a_game_driven_by_hand() -> None:
    engine = GameEngine("duel", names=["ann", "bob"], seed=1)
    engine.start_new_round(((1, 4), (2, 2, 6)))
    engine.move("5x4")
    engine.move("liar")
    losses = [move.loss for move in review_game(engine.state).moves]
    assert losses[0] > 0.3
    assert losses[1] == pytest.approx(0, abs=1e-6)


def errors(base: type[LiarsDiceError] = LiarsDiceError) -> Iterator[type[LiarsDiceError]]:
    yield base
    for kind in base.__subclasses__():
        yield from errors(kind)


def test_every_error_has_a_code_of_its_own() -> None:
    for package in liars_dice.__all__:
        getattr(liars_dice, package)
    ours = [kind for kind in errors() if kind.__module__.startswith("liars_dice.")]
    codes = {kind.code: kind for kind in ours}
    assert len(codes) == len(ours) > 15
    page = PAGE.read_text(encoding="utf-8")
    for code, kind in codes.items():
        assert code.replace("_", "").isalpha()
        assert code.islower()
        if kind is not LiarsDiceError:
            assert f"`{code}`" in page, f"{kind.__name__} is not documented"
            assert f"`{kind.__name__}`" in page
