"""A bot hears the same, in the same order, wherever it is hosted: one game, driven through every kind of host."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from studio_kit import Json, Studio, seats, studio

import scribe_bot
from liars_dice.agents import AGENTS, AgentInfo, Question, hook_calls
from liars_dice.core import (
    MOVES,
    AgentFaulted,
    Event,
    Fairness,
    GameConfig,
    GameCreated,
    GameEngine,
    GameResult,
    Player,
    play_game,
    preset,
    view_of,
)
from liars_dice.exact.response.agent_probe import AgentProbe
from liars_dice.persistence import InMemoryRecorder, RecordedEvent, final_state, record_game
from liars_dice.referee import Referee, Seat, make_seat
from liars_dice.referee.protocol import GameFromMessages, answer_message
from liars_dice.web.room_bots import HouseBots
from patience import AMPLE
from scribe_bot import Scribe

FILE = Path(scribe_bot.__file__)
SEED = 25
CONFIG = preset("perudo", players=3, dice=2)
TABLE = ("Scribe", "Scribe", "StumblingScribe")
Logs = list[list[str]]
"""What each scribe has heard."""


@pytest.fixture(autouse=True)
def no_logs() -> None:
    Scribe.logs.clear()


def scribes(names: Sequence[str], *, isolate: bool = False) -> list[Player | Seat]:
    return [make_seat(f"{FILE}:{name}", AMPLE, isolate=True) if isolate else vars(scribe_bot)[name]() for name in names]


def refereed(
    names: Sequence[str] = TABLE,
    config: GameConfig = CONFIG,
    *,
    fairness: Fairness | None = None,
    isolate: bool = False,
) -> tuple[list[RecordedEvent], Logs]:
    """The record of a game, and what was heard in it (nothing can be seen of that in a box)."""
    store = InMemoryRecorder()
    referee = Referee(scribes(names, isolate=isolate), config, seed=SEED, limits=AMPLE)
    if fairness is not None:  # what bots hear has the commitment in it
        referee.engine = GameEngine(config, referee.seats, fairness=fairness)
    game_id = record_game(referee.engine, store)
    referee.play()
    return store.events(game_id), [list(log) for log in Scribe.logs]


def moves(record: Sequence[RecordedEvent]) -> list[Event]:
    """Every move, with the digest of what the scribe had heard when it made it; and every fault."""
    return [e.payload for e in record if isinstance(e.payload, (*MOVES, AgentFaulted))]


def fairness_of(record: Sequence[RecordedEvent]) -> Fairness:
    """What the seed of a room's game came from."""
    created = record[0].payload
    assert isinstance(created, GameCreated)
    assert created.fairness is not None
    return created.fairness


def heard_of(record: Sequence[RecordedEvent]) -> set[str]:
    return {type(event.payload).__name__ for event in record}


def test_the_game_has_everything_in_it() -> None:
    record, heard = refereed()
    assert heard_of(record) >= {"AgentFaulted", "BidPlaced", "LiarCalled", "DiceRevealed", "RoundEnded", "GameEnded"}
    assert sum(isinstance(event.payload, AgentFaulted) for event in record) > 1
    for log in heard:
        kinds = [line.partition(" ")[0] for line in log]
        assert (kinds[0], kinds[-2], kinds[-1]) == ("start", "round", "end")
        assert "GameEnded" in log[-3]


def test_an_engine_tells_what_a_referee_tells() -> None:
    _, expected = refereed(TABLE[:2], preset("perudo", players=2, dice=2))
    Scribe.logs.clear()
    players: list[Player] = [Scribe() for _ in range(2)]
    play_game(players, preset("perudo", players=2, dice=2), seed=SEED)
    assert Scribe.logs == expected


def test_a_box_tells_what_a_referee_tells() -> None:
    expected, _ = refereed()
    record, _ = refereed(isolate=True)
    assert [event.payload for event in record[1:]] == [event.payload for event in expected[1:]]


@pytest.mark.parametrize("isolate", [False, True])
def test_a_bot_hears_the_same_after_a_break(isolate: bool) -> None:
    """Wherever the game was left, even between a call and what follows from it."""
    whole, expected = refereed()
    places = range(1, len(whole)) if not isolate else (len(whole) // 2,)
    for place in places:
        Scribe.logs.clear()
        if isinstance(whole[place - 1].payload, AgentFaulted):
            continue  # a decision that was cut off is made again, with its faults
        store = InMemoryRecorder()
        for event in whole[:place]:
            store.record(event)
        store.flush()
        referee = Referee.resume(scribes(TABLE, isolate=isolate), whole[:place], limits=AMPLE)
        game_id = record_game(referee.engine, store, game_id=whole[0].game_id, history=whole[:place])
        referee.play()
        assert moves(store.events(game_id)) == moves(whole)
        assert isolate or Scribe.logs == expected, place


def test_bots_that_fail_at_hooks_hear_the_same_in_a_box() -> None:
    """One that fails at an event hears no more events from that moment on, but still how rounds and the game end."""
    names = ("FailingScribe", "Scribe")
    config = preset("heads-up", dice=2)
    expected, heard = refereed(names, config)
    record, _ = refereed(names, config, isolate=True)
    assert "GameEnded" not in "".join(heard[0])
    assert heard[0][-2].startswith("round")

    def digests(record: Sequence[RecordedEvent]) -> list[str]:
        return [e.reasoning for e in moves(record) if isinstance(e, MOVES) and e.player_id == 0]

    assert digests(record) == digests(expected)


# -- the studio --------------------------------------------------------------------------------------------------------


def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scribes as if they were part of the package: they run in the studio's own process."""
    for name in set(TABLE):
        info = AgentInfo(name, f"scribe_bot:{name}", "writes down what it hears")
        monkeypatch.setitem(AGENTS._listed, name, info)
        monkeypatch.setitem(AGENTS._named, name, info)


def in_a_room(
    agents: Sequence[str], *words: str, remote: Callable[[Studio, str], Awaitable[None]] | None = None
) -> list[RecordedEvent]:
    """The record of the game in a room. `remote` plays the open seats. Where strangers sit, no seed may be given."""
    store = InMemoryRecorder()

    async def run() -> None:
        async with studio(store, agents=agents) as one:
            wish: Json = {"rules": "perudo", "changes": {"dice": 2}, "delay_ms": 0, "seats": seats(*words)}
            room = (await one.post("/rooms", wish | ({} if remote or agents else {"seed": SEED})))["room"]
            watcher = await one.enter(room)
            if remote is not None:
                await remote(one, room)
            await watcher.until("over")

    asyncio.run(run())
    (game,) = store.games()
    return store.events(game.game_id)


def test_a_room_tells_its_own_bots_what_a_referee_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, heard = refereed()
    Scribe.logs.clear()
    registered(monkeypatch)
    record = in_a_room((), *TABLE)
    assert moves(record) == moves(expected)
    assert sorted(Scribe.logs) == sorted(heard)  # each bot is made when it is first asked


def test_a_room_tells_bots_in_boxes_what_a_referee_tells() -> None:
    record = in_a_room([f"{FILE}:{name}" for name in sorted(set(TABLE))], *TABLE)
    expected, _ = refereed(fairness=fairness_of(record))
    assert moves(record) == moves(expected)


def test_a_room_that_is_opened_again_before_every_move(monkeypatch: pytest.MonkeyPatch) -> None:
    registered(monkeypatch)
    record, _ = refereed()
    for place, event in enumerate(record):
        move = event.payload
        if not isinstance(move, MOVES):
            continue
        while isinstance(record[place - 1].payload, AgentFaulted):
            place -= 1
        past = record[:place]
        bots = HouseBots({}, SEED, AMPLE)
        view = view_of(final_state(past), move.player_id)
        action, faults = bots.choose(TABLE[move.player_id], view, past)
        assert faults == [e.payload for e in record[place:] if isinstance(e.payload, AgentFaulted)][: len(faults)]
        assert action.reasoning == move.reasoning
        bots.close()


async def remote_scribe(one: Studio, room: str, token: str) -> list[str]:
    """A scribe behind a socket: turns messages into what they say, and hears that."""
    socket = one.socket(room, "bot")
    socket.say({"type": "hello", "token": token})
    socket.say({"type": "ready", "name": "scribe", "events": True})
    scribe, game = Scribe(), None
    while True:
        message = await socket.next()
        game = GameFromMessages(message) if message["type"] == "start" else game
        assert game is not None
        heard = game.heard(message)
        if isinstance(heard, Question):
            socket.say(answer_message(message["id"], scribe.choose_action(heard.view)))
            continue
        for name, arguments in hook_calls(heard):
            getattr(scribe, name)(*arguments)
        if isinstance(heard, GameResult):
            return scribe.log


def test_a_socket_tells_what_a_referee_tells() -> None:
    told: Logs = []

    async def remote(one: Studio, room: str) -> None:
        joined = [await one.post(f"/rooms/{room}/seats", {"name": "scribe", "bot": True}) for _ in range(2)]
        tokens = [seat["token"] for seat in joined]
        told.extend(await asyncio.gather(*(remote_scribe(one, room, token) for token in tokens)))
        told.append(await remote_scribe(one, room, tokens[0]))  # comes back when everything is over

    record = in_a_room([f"{FILE}:StumblingScribe"], "open", "open", "StumblingScribe", remote=remote)
    Scribe.logs.clear()
    expected, heard = refereed(fairness=fairness_of(record))
    assert moves(record) == moves(expected)
    assert told[:2] == heard[:2]
    assert told[2] == [line for line in heard[0] if not line.startswith("asked")]  # it was asked before


# -- outside games -----------------------------------------------------------------------------------------------------


def test_a_probe_tells_what_a_referee_tells() -> None:
    """As much of a game as a probe plays: the bids of one round."""
    config = preset("classic", dice=2)
    record, heard = refereed(("Scribe", "Scribe"), config)
    engine = GameEngine(config, seed=SEED)
    engine.start_new_round()
    asked = [0, 0]
    for event in moves(record):
        assert isinstance(event, MOVES)
        seat = event.player_id
        view = engine.get_view(seat)
        questions = [place for place, line in enumerate(heard[seat], 1) if line.startswith("asked")]
        probe = AgentProbe(Scribe(), config, seat)
        Scribe.logs.clear()
        probe.chances([view.my_dice], view.public)
        probe.confirm()
        ((_, *lived),) = Scribe.logs  # the copy that confirms was told before that some game begins
        assert lived == heard[seat][: questions[asked[seat]]]
        asked[seat] += 1
        engine.apply_action(seat, Scribe.chosen(view))
    assert sum(asked) > 2
