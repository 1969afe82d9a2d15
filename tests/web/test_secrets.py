"""Clients are never told dice that their player must not know.

There are two proofs. The first scans every message of many random games, over sockets and HTTP, and knows from the
store who held what. The second plays a round twice with different hidden dice: what the others hear must be the same.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from studio_kit import EASY, Json, Socket, Studio, studio

from liars_dice.core import PRESETS, SPECTATOR, DiceCup, DiceRevealed, DiceRolled, GameConfig, GameCreated, GameEnded
from liars_dice.core.dice import SeatStream
from liars_dice.persistence import InMemoryRecorder, RecordedEvent

PUBLIC_LISTS = ("legal", "bids", "dice_counts", "config", "players")
"""Keys of lists of numbers that are public."""
SECRET_WORDS = ("seed", "seed_info", "hands", "hand", "private_dice", "reasoning", "token", "detail")


class Heard:
    """Everything one client was told, in order."""

    def __init__(self, seat: int, said: list[Json]) -> None:
        self.seat, self.said = seat, said


def numbers_in(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[int]]]:
    """Every list of numbers with the way to it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers_in(inner, (*path, key))
    elif isinstance(value, list):
        if value and all(type(item) is int for item in value):
            yield path, value
        for inner in value:
            yield from numbers_in(inner, path)


def words_in(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key with its value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key, inner
            yield from words_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from words_in(inner)


def rounds_of(events: list[RecordedEvent]) -> tuple[dict[int, dict[int, list[int]]], dict[int, int]]:
    """The dice of every seat in every round, and the event that revealed them."""
    held: dict[int, dict[int, list[int]]] = {}
    revealed: dict[int, int] = {}
    for event in events:
        if isinstance(event.payload, DiceRolled):
            held.setdefault(event.round_index, {})[event.payload.player_id] = sorted(event.payload.dice)
        if isinstance(event.payload, DiceRevealed):
            revealed[event.round_index] = event.version
    return held, revealed


def last_event(message: Json) -> int:
    """The number of the latest event a message tells of; -1 if it tells of none."""
    return max((value for key, value in words_in(message) if key == "n" and type(value) is int), default=-1)


def leaks(heard: Heard, events: list[RecordedEvent]) -> list[str]:
    """What this client was told and must not know."""
    held, revealed = rounds_of(events)
    round_at = [event.round_index for event in events]
    created, last = events[0].payload, events[-1]
    assert isinstance(created, GameCreated)
    sealed = [str(created.config.seed), *([] if created.fairness is None else [str(created.fairness.secret)])]
    end = last.version if isinstance(last.payload, GameEnded) else len(events)
    found: list[str] = []
    known = -1
    for message in heard.said:
        known = max(known, last_event(message))
        if any(event["n"] >= len(events) for event in message.get("events", ())):
            found.append(f"an event that is not stored: {message}")
        over = known >= end or message["type"] == "over" or ("status", "over") in words_in(message)
        if not over:
            found += [f"the seed or its secret: {message}" for secret in sealed if secret in json.dumps(message)]
        for key, value in words_in(message):
            if key in SECRET_WORDS and value not in (None, ""):
                found.append(f"{key} = {value}")
        for event in [message.get("event", {}), *message.get("events", ())]:
            if event and event["type"] == "DiceRolled" and event["player_id"] != heard.seat:
                at = round_at[event["n"]]
                if at not in revealed or revealed[at] > known:
                    found.append(f"the dice of seat {event['player_id']}: {event}")
        if known < 0:
            continue
        now = round_at[known]
        if now in revealed and revealed[now] <= known:
            continue
        hidden = [dice for seat, dice in held.get(now, {}).items() if seat != heard.seat and len(dice) > 1]
        own = held.get(now, {}).get(heard.seat)
        for path, numbers in numbers_in(message):
            if path[-1] in PUBLIC_LISTS or "config" in path or sorted(numbers) == own:
                continue
            if message["type"] == "welcome" or "events" in path:
                continue  # checked event by event: it contains finished rounds
            if sorted(numbers) in hidden:
                found.append(f"{'.'.join(path)} = {numbers}")
    return found


def random_rules(rng: random.Random, players: int) -> Json:
    if players == 2 and rng.random() < 0.5:
        return {"rules": rng.choice([name for name in PRESETS if PRESETS[name].num_players == 2])}
    changes: Json = {"dice": rng.randint(1, 3), "exact_call": True, "palifico": rng.random() < 0.5}
    return {"rules": "perudo", "changes": changes}


async def person(one: Studio, room: str, seat: int, token: str | None, rng: random.Random) -> list[Heard]:
    """A player who moves at random, asks for things, leaves and reconnects; returns everything they were told."""
    said: list[Json] = []
    elsewhere: list[Heard] = []
    socket = await one.enter(room, token)
    while True:
        message = await socket.next()
        if message["type"] == "over":
            break
        assert message["type"] != "error", message
        if message["type"] != "turn":
            continue
        if rng.random() < 0.1:
            shown = await one.get(f"/rooms/{room}")
            said.append({"type": "http", "http": shown})
            record = await one.get(f"/games/{shown['game_id']}")
            if not record["finished"]:  # a public record must not reveal anything
                elsewhere.append(Heard(SPECTATOR, [{"type": "welcome", **record}]))
        if seat == SPECTATOR or message["seat"] != seat:
            continue
        if rng.random() < 0.1:
            socket.say({"type": "ask", "id": "odds", "what": "odds"})
        if rng.random() < 0.1:
            said += socket.heard
            await socket.hang_up()
            socket = await one.enter(room, token, rng.choice([0, last_event({"events": said}) + 1]))
            continue
        socket.say({"type": "act", "id": 1, "turn": message["turn"], "action": choose(message, rng)})
    return [Heard(seat, said + socket.heard), *elsewhere]


def choose(turn: Json, rng: random.Random) -> Json:
    """A low bid mostly, a call sometimes."""
    if turn["calls"] and (not turn["bids"] or rng.random() < 0.25):
        return {"kind": rng.choice(turn["calls"])}
    quantity, face = turn["bids"][min(rng.randrange(6), len(turn["bids"]) - 1)]
    return {"kind": "bid", "quantity": quantity, "face": face}


async def random_game(number: int) -> tuple[int, list[str]]:
    """Play a random game; how many messages were scanned, and what leaked."""
    rng = random.Random(number)
    players = rng.choice([2, 2, 3, 4])
    people = rng.randint(1, players)
    kinds = ["you", *["open"] * (people - 1), *["bot"] * (players - people)]
    wish = {"seats": [{"kind": kind, "agent": rng.choice(["random", "bluffer", "detective"])} for kind in kinds]}
    store = InMemoryRecorder()
    async with studio(store, EASY) as one:
        made = await one.post("/rooms", wish | {"delay_ms": 0} | random_rules(rng, players))
        room = made["room"]
        tokens = {0: made["token"]}
        watcher = asyncio.create_task(person(one, room, SPECTATOR, None, random.Random(number + 1)))
        for _ in range(people - 1):
            joined = await one.post(f"/rooms/{room}/seats", {"name": "p"})
            tokens[joined["seat"]] = joined["token"]
        playing = [person(one, room, seat, token, random.Random(f"{number}/{seat}")) for seat, token in tokens.items()]
        heard = [one_heard for all_heard in await asyncio.gather(*playing, watcher) for one_heard in all_heard]
    (game,) = store.games()
    events = store.events(game.game_id)
    return sum(len(h.said) for h in heard), [
        f"game {number}, seat {h.seat}: {x}" for h in heard for x in leaks(h, events)
    ]


def scan(numbers: range) -> int:
    async def run() -> int:
        scanned = 0
        for number in numbers:
            count, found = await random_game(number)
            assert not found, "\n".join(found[:10])
            scanned += count
        return scanned

    return asyncio.run(run())


def test_fifty_random_games_keep_their_secrets() -> None:
    assert scan(range(50)) > 5000


@pytest.mark.slow
def test_a_thousand_random_games_keep_their_secrets() -> None:
    assert scan(range(1000, 2000)) > 100_000


def test_the_scan_can_fail() -> None:
    """The scan finds a planted roll, a planted hand and a planted seed."""

    async def run() -> tuple[list[Json], list[RecordedEvent]]:
        store = InMemoryRecorder()
        async with studio(store, EASY) as one:
            wish = {"seats": [{"kind": "you"}, {"kind": "bot", "agent": "random"}], "delay_ms": 0}
            made = await one.post("/rooms", wish)
            socket = await one.enter(made["room"], made["token"])
            await socket.until("turn")
            return socket.heard, store.events(store.games()[0].game_id)

    said, events = asyncio.run(run())
    assert not leaks(Heard(0, said), events)
    rolled = next(e for e in events if isinstance(e.payload, DiceRolled) and e.payload.player_id == 1)
    dice = list(rolled.payload.dice)  # type: ignore[union-attr]
    plain = {"type": "event", "n": rolled.version, "event": {"type": "DiceRolled", "player_id": 1, "n": rolled.version}}
    created = events[0].payload
    assert isinstance(created, GameCreated)
    assert created.fairness is not None
    early = {"type": "seats", "fairness": {"note": f"it is {created.fairness.secret}"}}
    told = {"type": "seats", "config": {"seed": 7}}
    for planted in (plain, {"type": "answer", "to": 1, "x": dice[::-1]}, told, early):
        assert leaks(Heard(0, [*said, planted]), events), planted


# -- bots over the network ---------------------------------------------------------------------------------------------


def bot_leaks(seat: int, said: list[Json], events: list[RecordedEvent]) -> list[str]:
    """What a bot was told and must not know. A round is public from its `DiceRevealed` or `round_end` on."""
    held, _ = rounds_of(events)
    created = events[0].payload
    assert isinstance(created, GameCreated)
    assert created.fairness is not None
    sealed = (str(created.config.seed), str(created.fairness.secret))
    found: list[str] = []
    now = 0
    for message in said:
        found += [f"the seed or its secret: {message}" for secret in sealed if secret in json.dumps(message)]
        if message["type"] == "round_end":
            now = message["resolution"]["round_index"] + 1
            continue
        if message["type"] == "choose":
            now = message["view"]["round_number"] - 1
        if (
            message["type"] == "event" and message["event"]["event_type"] == "RoundStarted"
        ):  # a bot that reconnects hears it again
            now = message["event"]["round_index"]
        if message["type"] == "event" and message["event"]["event_type"] in ("DiceRevealed", "RoundEnded"):
            continue
        hidden = [dice for other, dice in held.get(now, {}).items() if other != seat and len(dice) > 1]
        own = held.get(now, {}).get(seat)
        for path, numbers in numbers_in(message):
            public = path[-1] in ("dice_counts", "bidders") or "config" in path or sorted(numbers) == own
            if not public and sorted(numbers) in hidden:
                found.append(f"{'.'.join(path)} = {numbers}")
        event = message.get("event", {})
        if event.get("event_type") == "DiceRolled" and event["player_id"] != seat:
            found.append(f"the dice of seat {event['player_id']}")
        for key, value in words_in(message):
            secret = key in ("seed_info", "hands", "private_dice", "token")
            secret = secret or (key == "seed" and value != message.get("seed"))  # a bot has a seed of its own
            if secret and value is not None:
                found.append(f"{key} = {value}")
    return found


async def network_bot(one: Studio, room: str, token: str, rng: random.Random) -> list[Json]:
    """A bot on a socket, which disconnects and reconnects now and then."""
    said: list[Json] = []
    while True:
        socket = one.socket(room, "bot")
        socket.say({"type": "hello", "token": token})
        socket.say({"type": "ready", "name": "b", "events": True})
        while True:
            message = await socket.next()
            if message["type"] == "game_end":
                return said + socket.heard
            if message["type"] == "choose":
                if rng.random() < 0.1:
                    break
                action = rng.choice(message["view"]["legal_actions"][:5] + message["view"]["legal_actions"][-1:])
                socket.say({"type": "action", "id": message["id"], "action": action, "reasoning": "secret"})
        said += socket.heard
        await socket.hang_up()


async def polling_bot(one: Studio, room: str, token: str, rng: random.Random) -> list[Json]:
    """A bot without sockets."""
    said: list[Json] = []
    while True:
        message = await one.get(f"/rooms/{room}/next?wait=5", authorization=f"Bearer {token}")
        said.append(message)
        if message["type"] == "game_end":
            return said
        if message["type"] == "choose":
            action = rng.choice(message["view"]["legal_actions"][:5] + message["view"]["legal_actions"][-1:])
            body = {"id": message["id"], "action": action}
            await one.post(f"/rooms/{room}/act", body, authorization=f"Bearer {token}")


async def game_of_bots(number: int) -> int:
    store = InMemoryRecorder()
    async with studio(store, EASY) as one:
        wish = {"seats": [{"kind": "open"}] * 3, "rules": "perudo", "changes": {"dice": 3}, "delay_ms": 0}
        room = (await one.post("/rooms", wish))["room"]
        tokens = [(await one.post(f"/rooms/{room}/seats", {"name": "b", "bot": True}))["token"] for _ in range(3)]
        rngs = [random.Random(f"{number}/{seat}") for seat in range(3)]
        said = await asyncio.gather(
            network_bot(one, room, tokens[0], rngs[0]),
            network_bot(one, room, tokens[1], rngs[1]),
            polling_bot(one, room, tokens[2], rngs[2]),
        )
    events = store.events(store.games()[0].game_id)
    for seat, heard in enumerate(said):
        assert not bot_leaks(seat, heard, events), bot_leaks(seat, heard, events)[:5]
        assert "secret" not in json.dumps([m for m in heard if m.get("event", {}).get("player_id") not in (None, seat)])
    planted = {"type": "event", "event": {"event_type": "DiceRolled", "player_id": 2, "dice": [1]}}
    assert bot_leaks(0, [*said[0][:1], planted], events)
    return sum(map(len, said))


def test_bots_over_the_network_learn_no_more_than_others() -> None:
    async def run() -> int:
        return sum([await game_of_bots(number) for number in range(10)])

    assert asyncio.run(run()) > 500


# -- the same game with other hidden dice ------------------------------------------------------------------------------


def hand(seed: int, seat: int, dice: int) -> tuple[int, ...]:
    return tuple(sorted(DiceCup(6).roll(dice, SeatStream(seed, 0, seat))))


def twins(config: GameConfig, count: int) -> Iterator[tuple[int, int]]:
    """Pairs of seeds that give seat 0 the same first hand and seat 1 another."""
    seen: dict[tuple[int, ...], int] = {}
    found = 0
    for seed in range(100_000):
        own = hand(seed, 0, config.dice[0])
        if own in seen and hand(seed, 1, config.dice[1]) != hand(seen[own], 1, config.dice[1]):
            yield seen.pop(own), seed
            found += 1
            if found == count:
                return
        seen.setdefault(own, seed)


async def opening_of(seed: int) -> list[Json]:
    """All that seat 0 hears of a round, with odds and room, until just before the call."""
    async with studio() as one:
        # a bot whose bids do not depend on its dice: the crawler raises as little as it can until it doubts
        wish = {"seats": [{"kind": "you"}, {"kind": "bot", "agent": "crawler"}], "rules": "duel", "delay_ms": 0}
        made = await one.post("/rooms", wish | {"seed": seed})
        socket: Socket = await one.enter(made["room"], made["token"])
        turn = await socket.until("turn")
        socket.say({"type": "ask", "id": 1, "what": "odds"})
        await socket.until("answer")
        socket.say({"type": "act", "id": 2, "turn": 1, "action": choose(turn, random.Random(1))})
        await socket.until(lambda m: m["type"] == "event" and m["event"]["type"] != "DiceRolled")
        return [without_names(message) for message in [*socket.heard, await one.get(f"/rooms/{made['room']}")]]


def without_names(value: Any) -> Any:
    """A message without what differs between any two games."""
    if isinstance(value, dict):
        return {key: without_names(inner) for key, inner in value.items() if key not in ("room", "game_id")}
    return [without_names(inner) for inner in value] if isinstance(value, list) else value


def test_other_hidden_dice_change_nothing_that_is_heard() -> None:
    for one, other in twins(PRESETS["duel"], 5):
        assert asyncio.run(opening_of(one)) == asyncio.run(opening_of(other))
