"""The JSON API: every endpoint in one table, which is also what its schema is made from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from ..agents import AGENTS
from ..core import (
    PRESETS,
    SEEDS,
    SPECTATOR,
    BadValueError,
    Event,
    GameCreated,
    GameEnded,
    NotationError,
    free_name,
    fresh_seed,
    prob_exact,
    prob_holds,
    round_rules,
    visible_to,
)
from ..persistence import RecordedEvent, branch, decisions, utc_now, visible_events
from . import messages as m
from .api_requests import Call, Endpoint, Studio
from .bot_socket import bot_act, wait_for_next
from .errors import NotFoundError, RoomError
from .room import as_new_game, event_json, seated
from .room_document import RoomDoc, SeatDoc, called, clean_name, hash_token, new_room_id, new_token
from .rules_form import config_of, public, rule_fields

# -- bots and rules ----------------------------------------------------------------------------------------------------


async def list_agents(studio: Studio, call: Call) -> m.Agents:
    """The bots that can be given a seat."""
    lines = [m.AgentLine(info.field_name, info.summary, info.memoryless, info.players) for info in AGENTS.values()]
    lines += [m.AgentLine(name, "a bot of the house", False, (2, 15)) for name in studio.rooms.strangers]
    return m.Agents(lines)


async def list_rules(studio: Studio, call: Call) -> m.RuleBook:
    """The named rule sets, and every field with what it may be."""
    return m.RuleBook({name: public(config) for name, config in PRESETS.items()}, rule_fields())


async def check_rules(studio: Studio, call: Call) -> m.LadderLine:
    """Rules in full, with the bids of their first round from the lowest up."""
    wish: m.RulesWish = call.body
    rules = wish.config if wish.config is not None else wish.preset or "heads-up"
    config = config_of(rules, wish.changes, None)
    studio.rooms.check_rules(config)
    return m.LadderLine(public(config), [m.BidLine(bid.quantity, bid.face) for bid in config.ladder().bids])


# -- rooms -------------------------------------------------------------------------------------------------------------


async def create_room(studio: Studio, call: Call) -> m.Seated:
    """Make a room. If no seat is open its game begins at once."""
    wish: m.NewRoom = call.body
    rooms = studio.rooms
    config = config_of(wish.rules, wish.changes, len(wish.seats))
    rooms.check_rules(config)
    kinds = [seat.kind for seat in wish.seats]
    if kinds.count("you") > 1:
        raise BadValueError("seats", kinds, "you in one seat at most")
    if wish.seed is not None and "open" in kinds:
        raise BadValueError("seed", "...", "none where others may sit down: who knows the seed knows all dice")
    if wish.seed is not None and wish.seed not in SEEDS:
        raise BadValueError("seed", wish.seed, f"a whole number from 0 to {SEEDS[-1]}")
    if wish.practice and ("open" in kinds or "you" not in kinds):
        raise BadValueError("practice", True, "you alone among bots")
    token = new_token() if "you" in kinds else None
    seats: list[SeatDoc] = []
    for n, seat in enumerate(wish.seats):
        taken = [other.name for other in seats]
        if seat.kind == "bot":
            agent = rooms.check_agent(seat.agent, config)
            name = called(clean_name(seat.name or agent) or "bot", n)
            seats.append(SeatDoc("bot", free_name(name, taken), agent))
        elif seat.kind == "you":
            name = called(rooms.check_name(seat.name or ""), n)
            seats.append(SeatDoc("person", free_name(name, taken), None, hash_token(token or "")))
        else:
            seats.append(SeatDoc("open", free_name(f"Seat {n + 1}", taken)))
    config = config.replace(seed=fresh_seed() if wish.seed is None else wish.seed)
    delay_ms = min(wish.delay_ms, rooms.limits.max_delay_ms)
    doc = RoomDoc(new_room_id(), utc_now(), config, seats, wish.practice, delay_ms)
    await rooms.create(doc)
    return m.Seated(doc.id, kinds.index("you") if "you" in kinds else None, token)


async def list_rooms(studio: Studio, call: Call) -> m.RoomList:
    """Rooms that wait or play, the newest first."""
    return m.RoomList(await studio.rooms.lines())


async def show_room(studio: Studio, call: Call) -> m.RoomView:
    """A room as everybody may see it."""
    return (await studio.rooms.get(call.path["room"])).view()


async def take_seat(studio: Studio, call: Call) -> m.Seated:
    """Sit down; the token is the proof. When the last open seat is taken the game begins."""
    wish: m.TakeSeat = call.body
    room = await studio.rooms.get(call.path["room"])
    seat, token = await room.take_seat(wish.name, wish.seat, bot=wish.bot)
    return m.Seated(room.doc.id, seat, token)


async def start_room(studio: Studio, call: Call) -> m.RoomView:
    """Fill the open seats with bots, and begin."""
    room = await studio.rooms.get(call.path["room"])
    room.seat_of(call.body.token)
    await room.start()
    return room.view()


async def next_question(studio: Studio, call: Call) -> m.Json:
    """For bots without sockets: the next `choose` or `game_end`, or `wait` if there is none within `wait` seconds."""
    room = await studio.rooms.get(call.path["room"])
    seat = room.seat_of(call.token)
    room.polled(seat, call.query.wait + 15.0)
    return await wait_for_next(room, seat, min(call.query.wait, studio.rooms.limits.poll_s))


async def act(studio: Studio, call: Call) -> m.Ok:
    """For bots without sockets: the answer to `choose`. It is stored when this is answered."""
    said: m.BotAct = call.body
    room = await studio.rooms.get(call.path["room"])
    seat = room.seat_of(call.token)
    room.polled(seat, 15.0)
    await bot_act(room, seat, said.id, said.action, said.reasoning)
    return m.Ok()


# -- games -------------------------------------------------------------------------------------------------------------


async def list_games(studio: Studio, call: Call) -> m.GameList:
    """Recorded games, the newest first; `after` a game's id, those before it. Lines that were taken back are not among
    them.
    """
    query: m.GamesQuery = call.query
    return m.GameList(await studio.rooms.books.browse(partial(studio.catalogue.page, query.limit, query.after)))


async def show_game(studio: Studio, call: Call) -> m.GameRecord:
    """A recorded game: all of it if somebody won, else what a spectator may know."""
    events = await _events(studio, call.path["game"])
    created = events[0].payload
    assert isinstance(created, GameCreated)
    winner = _winner(events)
    seen = visible_events(events, SPECTATOR) if winner is None else map(_laid_open, events)
    notes = [event_json(event.version, event.payload) for event in seen]
    too_long = events[-1].version >= studio.rooms.limits.events
    ended: m.Ending | None = "won" if winner is not None else "too_long" if too_long else None
    names, finished = list(created.names), winner is not None
    return m.GameRecord(events[0].game_id, public(created.config), names, notes, winner, finished, ended)


async def _events(studio: Studio, game_id: str) -> list[RecordedEvent]:
    known = game_id.isprintable() and len(game_id) <= 200
    events = await studio.rooms.books.browse(lambda store: store.events(game_id)) if known else []
    if not events:
        raise NotFoundError(f"there is no game {game_id[:40]!r}")
    return events


def _winner(events: Sequence[RecordedEvent]) -> int | None:
    last = next((e.payload for e in reversed(events) if isinstance(e.payload, GameEnded)), None)
    return None if last is None else last.winner


def _laid_open(event: RecordedEvent) -> RecordedEvent:
    """An event of a finished game: everything but the seed, which other games may share."""
    payload: Event = event.payload
    seen = visible_to(payload, getattr(payload, "player_id", SPECTATOR), revealed=True)
    assert seen is not None
    return msgspec.structs.replace(event, payload=seen)


async def review_game(studio: Studio, call: Call) -> m.Json:
    """The coach's verdict on every move of a finished game."""
    events = await _events(studio, call.path["game"])
    if _winner(events) is None:
        raise RoomError("this game is not over yet")
    return await studio.lab.review(events, call.query.seat)


async def review_progress(studio: Studio, call: Call) -> m.ReviewProgress:
    """How far the coach is with a review that somebody waits for."""
    return studio.lab.progress(call.path["game"], call.query.seat)


async def branch_game(studio: Studio, call: Call) -> m.Seated:
    """Sit down at a moment of a finished game, and play on from there."""
    wish: m.BranchWish = call.body
    rooms = studio.rooms
    events = await _events(studio, call.path["game"])
    if _winner(events) is None:
        raise RoomError("this game is not over yet")
    places = decisions(events)
    if not 1 <= wish.turn <= len(places):
        raise BadValueError("turn", wish.turn, f"a turn from 1 to {len(places)}")
    created = events[0].payload
    assert isinstance(created, GameCreated)
    config = created.config
    rooms.check_rules(config)
    if wish.seat >= config.num_players:
        raise BadValueError("seat", wish.seat, f"a seat from 0 to {config.num_players - 1}")
    token = new_token()
    agents = iter(wish.opponents)
    seats: list[SeatDoc] = []
    names = [""] * config.num_players
    names[wish.seat] = called(rooms.check_name(wish.name), wish.seat)
    for n in range(config.num_players):
        if n == wish.seat:
            seats.append(SeatDoc("person", names[n], None, hash_token(token)))
            continue
        agent = rooms.check_agent(next(agents, None), config)
        names[n] = free_name(clean_name(agent) or "bot", names)
        seats.append(SeatDoc("bot", names[n], agent))
    seed = fresh_seed()
    _, past = branch(events, places[wish.turn - 1], seated(seats), names=names, seed=seed)
    past = as_new_game(past)
    doc = RoomDoc(
        new_room_id(),
        utc_now(),
        config.replace(seed=seed),
        seats,
        True,
        min(wish.delay_ms, rooms.limits.max_delay_ms),
        past[0].game_id,
    )
    await rooms.create(doc, past)
    return m.Seated(doc.id, wish.seat, token)


# -- the lab -----------------------------------------------------------------------------------------------------------


def _numbers(text: str, what: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() and len(part) < 4 for part in parts):
        raise NotationError(text, what)
    return tuple(map(int, parts))


async def explain(studio: Studio, call: Call) -> m.Json:
    """How often perfect play takes each action at one point of a round between two, and what each is worth."""
    query: m.ExplainQuery = call.query
    dice = _numbers(query.dice, "two numbers of dice as in 2,3")
    if len(dice) != 2:
        raise NotationError(query.dice, "two numbers of dice as in 2,3")
    return await studio.lab.explain(dice, _numbers(query.hand, "dice as in 1,4"), query.bids)


async def odds(studio: Studio, call: Call) -> m.Odds:
    """How likely every bid is, given a hand among so many dice."""
    query: m.OddsQuery = call.query
    hand = _numbers(query.hand, "dice as in 1,4")
    config = config_of(query.rules, {}, None)
    rules = round_rules(config.without_seed, query.dice_total, False)
    if len(hand) > query.dice_total or not rules.faces.issuperset(hand):
        raise BadValueError("hand", query.hand, f"at most {query.dice_total} dice with faces 1 to {config.faces}")
    return m.Odds(
        [
            m.BidChance(bid.quantity, bid.face, prob_holds(bid, hand, rules), prob_exact(bid, hand, rules))
            for bid in rules.bids
        ]
    )


async def matchups(studio: Studio, call: Call) -> m.MatchupTable:
    """How often each bot beats each other, computed without playing."""
    rules = call.query.rules
    return await studio.lab.matchups(rules, config_of(rules, {}, None))


async def tournaments(studio: Studio, call: Call) -> m.TournamentList:
    """Tournaments in the store, the newest first."""
    return m.TournamentList(await studio.lab.tournaments())


async def tournament(studio: Studio, call: Call) -> m.Json:
    """One tournament, with everything that is known of it."""
    return await studio.lab.tournament(call.path["name"])


ENDPOINTS = (
    Endpoint("GET", "/agents", list_agents, m.Agents),
    Endpoint("GET", "/rules", list_rules, m.RuleBook),
    Endpoint("POST", "/rules", check_rules, m.LadderLine, body=m.RulesWish),
    Endpoint("GET", "/rooms", list_rooms, m.RoomList),
    Endpoint("POST", "/rooms", create_room, m.Seated, body=m.NewRoom),
    Endpoint("GET", "/rooms/{room}", show_room, m.RoomView),
    Endpoint("POST", "/rooms/{room}/seats", take_seat, m.Seated, body=m.TakeSeat),
    Endpoint("POST", "/rooms/{room}/start", start_room, m.RoomView, body=m.Start),
    Endpoint("GET", "/rooms/{room}/next", next_question, m.Json, query=m.NextQuery, bearer=True),
    Endpoint("POST", "/rooms/{room}/act", act, m.Ok, body=m.BotAct, bearer=True),
    Endpoint("GET", "/games", list_games, m.GameList, query=m.GamesQuery),
    Endpoint("GET", "/games/{game}", show_game, m.GameRecord),
    Endpoint("GET", "/games/{game}/review", review_game, m.Json, query=m.ReviewQuery),
    Endpoint("GET", "/games/{game}/review/progress", review_progress, m.ReviewProgress, query=m.ReviewQuery),
    Endpoint("POST", "/games/{game}/branch", branch_game, m.Seated, body=m.BranchWish),
    Endpoint("GET", "/lab/explain", explain, m.Json, query=m.ExplainQuery),
    Endpoint("GET", "/lab/odds", odds, m.Odds, query=m.OddsQuery),
    Endpoint("GET", "/lab/matchups", matchups, m.MatchupTable, query=m.MatchupsQuery),
    Endpoint("GET", "/lab/tournaments", tournaments, m.TournamentList),
    Endpoint("GET", "/lab/tournaments/{name}", tournament, m.Json),
)
