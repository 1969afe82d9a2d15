"""The engine: who is told what, who is asked, and that an illegal move changes nothing (rules 2.3, 9.2, 9.3)."""

from __future__ import annotations

import pickle
import random

import msgspec
import pytest

from liars_dice import __version__
from liars_dice.agents import Agent, RandomAgent
from liars_dice.core import (
    REASONING_LIMIT,
    SPECTATOR,
    Action,
    AgentFaulted,
    BadValueError,
    Bid,
    BidAction,
    BidPlaced,
    CallExactAction,
    CallLiarAction,
    DealError,
    DiceRevealed,
    DiceRolled,
    Event,
    ExactCalled,
    GameConfig,
    GameCreated,
    GameEnded,
    GameEngine,
    GameResult,
    GameView,
    IllegalMoveError,
    LiarCalled,
    Narrator,
    RoundEnded,
    RoundResolution,
    RoundStarted,
    narrate,
    play_game,
    preset,
    visible_to,
)
from support import Chooser

HANDS = ((1, 4), (2, 2, 6))


def heard(engine: GameEngine, seat: int | None = None) -> list[Event]:
    events: list[Event] = []
    engine.subscribe(events.append, seat)
    return events


def test_version() -> None:
    assert __version__.count(".") == 2


def test_a_round_by_hand() -> None:
    engine = GameEngine(GameConfig(seed=1), names=["ann", "bob"])
    events = heard(engine)
    engine.start_new_round(HANDS)
    engine.apply_action(0, BidAction(Bid(1, 4), "holds one"))
    engine.apply_action(1, BidAction(Bid(3, 2)))
    assert engine.can_apply(0, CallLiarAction())
    engine.reveal_and_resolve(0)
    assert engine.is_terminal()
    assert events == [
        GameCreated(GameConfig(seed=1), ("ann", "bob"), (None, None)),
        RoundStarted(0, 0, (2, 3), False),
        DiceRolled(0, (1, 4)),
        DiceRolled(1, (2, 2, 6)),
        BidPlaced(0, Bid(1, 4), "holds one"),
        BidPlaced(1, Bid(3, 2)),
        LiarCalled(0),
        DiceRevealed(HANDS),
        RoundEnded(0, 1, Bid(3, 2), 2, False, (2, 3)),
        GameEnded(0),
    ]
    assert [msgspec.json.decode(msgspec.json.encode(event), type=Event) for event in events] == events


def test_exact_calls_are_told_as_such() -> None:
    engine = GameEngine(preset("perudo", players=2, dice=1))
    events = heard(engine)
    engine.start_new_round(((2,), (3,)))
    engine.apply_action(0, BidAction(Bid(1, 2)))
    engine.apply_action(1, CallExactAction("sure"))
    assert ExactCalled(1, "sure") in events
    assert engine.state.public.winner == 1


def test_players_and_spectators_hear_no_secrets() -> None:
    """Rule 9.2, rule 9.3."""
    engine = GameEngine(GameConfig(seed=77777))
    house, first, watcher = heard(engine), heard(engine, 0), heard(engine, SPECTATOR)
    engine.start_new_round()
    engine.apply_action(0, BidAction(Bid(1, 4), "I hold two fours"))
    engine.apply_action(1, BidAction(Bid(2, 4), "I hold none"))
    engine.apply_action(0, CallLiarAction("they bluff"))
    mine = engine.state.hands[0]
    assert [event for event in first if isinstance(event, DiceRolled)] == [DiceRolled(0, mine)]
    assert not [event for event in watcher if isinstance(event, DiceRolled)]
    assert [event.reasoning for event in first if isinstance(event, BidPlaced)] == ["I hold two fours", ""]
    assert [event.reasoning for event in watcher if isinstance(event, BidPlaced | LiarCalled)] == ["", "", ""]
    assert "77777" in str(house)
    assert "77777/0/1" in str(house)
    assert "77777" not in str(first) + str(watcher)
    assert DiceRevealed(engine.state.hands) in watcher
    fault = AgentFaulted(1, "exception", "ValueError: my dice are [6, 6]", "liar", traceback="dice = [6, 6]")
    for move in (BidPlaced(1, Bid(1, 1), "my dice"), LiarCalled(1, "my dice"), ExactCalled(1, "my dice")):
        assert visible_to(move, 1) == move
        for seat in (0, SPECTATOR):
            seen = visible_to(move, seat)
            assert seen is not None
            assert "my dice" not in repr(seen)
    assert visible_to(fault, 1) == fault
    assert visible_to(fault, 0) == AgentFaulted(1, "exception", "", "liar")
    for seat in (0, SPECTATOR):
        told = visible_to(fault, seat)
        assert told is not None
        assert "[6, 6]" not in repr(told) + narrate(told, ("a", "b"))


def test_unsubscribing() -> None:
    engine = GameEngine()
    events: list[Event] = []
    stop = engine.subscribe(events.append, 0)
    engine.start_new_round()
    stop()
    count = len(events)
    engine.apply_action(0, BidAction(Bid(1, 1)))
    assert len(events) == count > 0


def test_an_illegal_action_changes_and_tells_nothing() -> None:
    """Rule 2.3."""
    engine = GameEngine(GameConfig(seed=2))
    events = heard(engine)
    engine.start_new_round()
    state, told = engine.state, list(events)
    for player, action in ((1, BidAction(Bid(1, 1))), (0, CallLiarAction()), (0, BidAction(Bid(9, 9))), (0, None)):
        assert not engine.can_apply(player, action)  # type: ignore[arg-type]
        for attempt in (engine.verify, engine.apply_action):
            with pytest.raises(IllegalMoveError) as caught:
                attempt(player, action)  # type: ignore[arg-type]
            assert (caught.value.player, caught.value.expected_player) == (player, 0)
            assert caught.value.legal == engine.get_view(0).legal_actions
            again = pickle.loads(pickle.dumps(caught.value))
            assert (str(again), vars(again)) == (str(caught.value), vars(caught.value))
    assert engine.state is state
    assert events == told
    with pytest.raises(DealError, match="a round is under way"):
        engine.start_new_round()
    assert engine.state is state


def test_reasoning_is_kept_short_and_is_text() -> None:
    engine = GameEngine()
    events = heard(engine)
    engine.start_new_round()
    engine.apply_action(0, BidAction(Bid(1, 1), "x" * 9999))
    engine.apply_action(1, BidAction(Bid(1, 2), object()))  # type: ignore[arg-type]
    assert [len(event.reasoning) for event in events if isinstance(event, BidPlaced)] == [REASONING_LIMIT, 0]


def test_step_deals_and_asks() -> None:
    engine = GameEngine(GameConfig(seed=3), [Chooser(1), Chooser(2)])
    assert not engine.is_terminal()
    steps = 0
    while not engine.is_terminal():
        engine.step()
        steps += 1
    assert steps == engine.state.public.turn_index + 1
    with pytest.raises(DealError, match="the game is over"):
        engine.step()


def test_step_needs_agents() -> None:
    engine = GameEngine()
    engine.step()
    with pytest.raises(BadValueError, match="agents"):
        engine.step()


class AgentProbe(Agent):
    """Notes every call of a hook."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.heard: list[object] = []

    def choose_action(self, view: GameView) -> Action:
        return self.rng.choice(view.legal_actions)

    def on_game_start(self, config: GameConfig, player_id: int) -> None:
        self.heard.append((config, player_id))

    def on_event(self, event: Event) -> None:
        self.heard.append(event)

    def on_round_end(self, resolution: RoundResolution) -> None:
        self.heard.append(resolution)

    def on_game_end(self, result: GameResult) -> None:
        self.heard.append(result)


def test_hooks() -> None:
    """Rule 9.3: the rules an agent is given have no seed; its events are its own."""
    agents = [AgentProbe("ann"), AgentProbe("bob")]
    result = play_game(agents, preset("heads-up", dice=2, seed=99))
    for seat, agent in enumerate(agents):
        start, *middle, end = agent.heard
        assert start == (preset("heads-up", dice=2), seat)
        assert end == result
        assert tuple(thing for thing in middle if isinstance(thing, RoundResolution)) == result.resolutions
        rolled = [thing for thing in middle if isinstance(thing, DiceRolled)]
        assert {event.player_id for event in rolled} == {seat}
        assert len(rolled) == len(result.resolutions)
    assert result.winner_name == ("ann", "bob")[result.winner]


class Seeded(RandomAgent):
    """Remembers the seed it was given."""

    given: int | None = None

    def seed(self, seed: int) -> None:
        self.given = seed
        super().seed(seed)


def test_agents_are_seeded_apart_from_the_dice_and_from_each_other() -> None:
    """Rule 9.3: an agent that knew the game's seed would know all dice."""
    agents = [Seeded(), Seeded(), Seeded()]
    play_game(agents, preset("perudo", players=3, dice=1), seed=123)
    seeds = {agent.given for agent in agents}
    assert len(seeds) == 3
    assert not seeds & {123, None}


def test_stepping_is_playing() -> None:
    """Seeds and hooks are the same; a game half stepped and then played tells every round once."""
    played, stepped, mixed = (
        GameEngine(preset("heads-up", dice=3), [AgentProbe("a"), AgentProbe("b")], seed=3) for _ in "123"
    )
    played.play()
    while not stepped.is_terminal():
        stepped.step()
    while len(mixed.state.public.resolutions) < 2:
        mixed.step()
    assert mixed.play() == mixed.play()
    assert played.state == stepped.state == mixed.state
    for one, two, three in zip(played.agents, stepped.agents, mixed.agents, strict=True):
        assert isinstance(one, AgentProbe)
        assert isinstance(two, AgentProbe)
        assert isinstance(three, AgentProbe)
        assert one.heard == two.heard == three.heard


def test_a_failing_subscriber_cuts_nobody_elses_record_short() -> None:
    engine = GameEngine(GameConfig())

    def fail(event: Event) -> None:
        raise RuntimeError(f"no {type(event).__name__}")

    before = heard(engine)
    engine.subscribe(fail, 0)
    after = heard(engine)
    with pytest.raises(RuntimeError, match="no GameCreated"):
        engine.start_new_round()
    with pytest.raises(RuntimeError, match="no BidPlaced"):
        engine.apply_action(0, BidAction(Bid(1, 1)))
    with pytest.raises(RuntimeError, match="no LiarCalled"):
        engine.apply_action(1, CallLiarAction())
    assert [type(event) for event in before] == [type(event) for event in after]
    assert isinstance(before[-1], GameEnded)


def test_unused_hooks_cost_nothing() -> None:
    engine = GameEngine(GameConfig(), [RandomAgent(), RandomAgent()])
    engine.play()
    assert engine._subscribers == []


def test_play_game_prints_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    result = play_game([Chooser(1), Chooser(2)], preset("perudo", players=2, dice=2), verbose=True, seed=6)
    printed = capsys.readouterr().out
    assert "Round 1: chooser opens" in printed
    assert "chooser#2 rolls" in printed
    assert printed.strip().endswith(f"{result.winner_name} wins the game")
    play_game([Chooser(1), Chooser(2)])
    assert capsys.readouterr().out == ""


def test_players_can_be_given_names(capsys: pytest.CaptureFixture[str]) -> None:
    result = play_game([Chooser(1), Chooser(2)], verbose=True, names=["Alice", "Bob"], seed=6)
    assert result.names == ("Alice", "Bob")
    assert "Round 1: Alice opens" in capsys.readouterr().out
    with pytest.raises(BadValueError, match="names"):
        play_game([Chooser(1), Chooser(2)], names=["Alice"])


def test_seeds_make_games_repeatable() -> None:
    config = preset("perudo", players=3)
    one = play_game([RandomAgent() for _ in range(3)], config, seed=5)
    two = play_game([RandomAgent() for _ in range(3)], config.replace(seed=5))
    other = play_game([RandomAgent() for _ in range(3)], config, seed=6)
    fresh = [play_game([RandomAgent() for _ in range(3)], config) for _ in range(2)]
    assert one == two != other
    assert fresh[0] != fresh[1]


def test_tampering_with_global_randomness_changes_no_dice() -> None:
    class Tamperer(RandomAgent):
        def choose_action(self, view: GameView) -> Action:
            random.seed(1)
            return super().choose_action(view)

    honest = play_game([RandomAgent(), RandomAgent()], preset("heads-up"), seed=8)
    assert play_game([Tamperer(), RandomAgent()], preset("heads-up"), seed=8).resolutions == honest.resolutions


def test_names() -> None:
    engine = GameEngine(GameConfig(dice=(1,) * 4), [Chooser(), Chooser(), RandomAgent(), Chooser()])
    assert engine.state.public.names == ("chooser", "chooser#2", "random", "chooser#3")
    assert engine.state.agent_ids == ("chooser", "chooser", "random", "chooser")

    class Named(Chooser):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    odd = GameEngine(GameConfig(dice=(1,) * 3), [Named("x#2"), Named("x"), Named("x")])
    assert odd.state.public.names == ("x#2", "x", "x#3")


def test_bad_input() -> None:
    with pytest.raises(BadValueError, match="agents = 3: expected 2, one per seat"):
        GameEngine(GameConfig(), [Chooser(), Chooser(), Chooser()])
    for seed in (-1, 1.0, True):
        with pytest.raises(BadValueError, match=f"seed = {seed}"):
            GameEngine(seed=seed)  # type: ignore[arg-type]
    with pytest.raises(DealError, match="expected whole numbers"):
        GameEngine().start_new_round([[1.0, 4], [1, 2, 3]])  # type: ignore[list-item]
    with pytest.raises(BadValueError, match=r"player_id = 0\.0"):
        GameEngine().get_view(0.0)  # type: ignore[arg-type]
    with pytest.raises(BadValueError, match="at least two agents"):
        play_game([])


def test_every_event_has_its_sentence() -> None:
    names = ("ann", "bob")
    assert narrate(BidPlaced(0, Bid(1, 4), "why"), names).strip() == "ann bids one four (why)"
    for fallback, said in (("2x4", "played instead: two fours"), ("the game goes on", "the game goes on")):
        fault = AgentFaulted(0, "too_slow", "", fallback)
        assert narrate(fault, names).strip() == f"ann faulted (too slow); {said}"
    assert narrate(BidPlaced(0, Bid(13, 4)), names).strip() == "ann bids 13 fours"
    assert narrate(ExactCalled(1), names).strip() == "bob calls exact"
    assert narrate(DiceRevealed(((1, 2), ())), names).strip() == "Revealed: ann 1 2"
    ended = RoundEnded(0, 1, Bid(3, 2), 1, False, (2, 3))
    assert narrate(ended, names).strip() == "There was one two: the bid was false. ann wins the round, bob loses it"
    for count, verdict in ((3, "exactly right"), (4, "not exact"), (2, "not exact")):
        tell = Narrator(("You", "bob"))
        tell(ExactCalled(1))
        told = tell(RoundEnded(1, 0, Bid(3, 2), count, count >= 3, (2, 3))).strip()
        assert told.endswith(f"twos: {verdict}. bob wins the round, you lose it")
        tell(LiarCalled(1))
        assert "the bid" in tell(RoundEnded(1, 0, Bid(3, 2), count, count >= 3, (2, 3)))
    assert narrate(GameEnded(0), ("You", "bob")).strip() == "You win the game"
    assert "palifico" in narrate(RoundStarted(3, 1, (1, 1), True), names)
    assert narrate(GameCreated(GameConfig(), names, (None, None)), names).startswith("ann against bob")
