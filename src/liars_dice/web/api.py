"""The JSON API: the handlers, and at the end the table of endpoints from which the schema is made."""

from __future__ import annotations

import msgspec

from ..agents import AGENTS, RATING
from ..core import (
    FIRST_GAME,
    LESSON_DICE,
    LESSONS,
    PRESETS,
    SEEDS,
    TEACHER,
    BadValueError,
    NotationError,
    free_name,
    new_commitment,
    prob_exact,
    prob_holds,
    round_rules,
)
from . import game_api as g
from . import messages as m
from .api_requests import ApiRequest, Endpoint, Studio
from .bot_socket import bot_act, wait_for_next
from .room_bots import plays_as
from .room_document import RoomDoc, SeatDoc, clean_name, display_name, hash_token, new_room_id, new_token
from .rules_form import public_rules, requested_config, rule_fields

POLL_GRACE_S = 15.0
"""How long a bot without a socket counts as connected after a request."""

# -- bots and rules ----------------------------------------------------------------------------------------------------


async def list_agents(studio: Studio, request: ApiRequest) -> m.Agents:
    """The bots that can take a seat, the strongest first."""
    lines = [
        m.OfferedAgent(info.field_name, info.summary, info.memoryless, info.players, RATING.get(info.name))
        for info in AGENTS.by_strength
    ]
    lines += [m.OfferedAgent(name, "a bot added by this server", False, (2, 15)) for name in studio.rooms.offered_bots]
    return m.Agents(lines)


async def list_lessons(studio: Studio, request: ApiRequest) -> m.Lessons:
    """The first lessons: what is told, and the moves to try out."""
    return m.Lessons(LESSONS, LESSON_DICE, msgspec.to_builtins(FIRST_GAME.without_seed), TEACHER)


async def list_rules(studio: Studio, request: ApiRequest) -> m.RulesCatalog:
    """The presets, and every field of a rule set with its allowed values."""
    return m.RulesCatalog({name: public_rules(config) for name, config in PRESETS.items()}, rule_fields())


async def check_rules(studio: Studio, request: ApiRequest) -> m.CheckedRules:
    """Check a rule set; returns it in full, with the bids of its first round from the lowest up, and with the bots that
    are not made for it.
    """
    wish: m.RulesRequest = request.body
    rules = wish.config if wish.config is not None else wish.preset or "heads-up"
    config = requested_config(rules, wish.changes, None)
    studio.rooms.check_rules(config)
    bids = [m.BidPair(bid.quantity, bid.face) for bid in config.ladder().bids]
    return m.CheckedRules(public_rules(config), bids, plays_as(config))


# -- rooms -------------------------------------------------------------------------------------------------------------


async def create_room(studio: Studio, request: ApiRequest) -> m.SeatGranted:
    """Create a room. If no seat is open, its game starts at once."""
    wish: m.CreateRoom = request.body
    rooms = studio.rooms
    config = requested_config(wish.rules, wish.changes, len(wish.seats))
    rooms.check_rules(config)
    kinds = [seat.kind for seat in wish.seats]
    if kinds.count("you") > 1:
        raise BadValueError("seats", kinds, "at most one seat with the kind you")
    if wish.seed is not None and "open" in kinds:
        raise BadValueError("seed", "...", "no seed in a room with open seats: anyone who knows it knows all dice")
    if wish.seed is not None and any(seat.agent in rooms.offered_bots for seat in wish.seats):
        raise BadValueError("seed", "...", "no seed where other people's bots sit: they can find it, and know all dice")
    if wish.seed is not None and wish.seed not in SEEDS:
        raise BadValueError("seed", wish.seed, f"a whole number from 0 to {SEEDS[-1]}")
    if wish.practice and ("open" in kinds or "you" not in kinds):
        raise BadValueError("practice", True, "one seat for you and bots in all others")
    if wish.ready_check and "open" not in kinds:
        raise BadValueError("ready_check", True, "an open seat: only other people can be asked whether they are ready")
    if wish.hold and "you" not in kinds:
        raise BadValueError("hold", True, "a seat for you: a player starts the game")
    token = new_token() if "you" in kinds else None
    seats: list[SeatDoc] = []
    for n, seat in enumerate(wish.seats):
        taken = [other.name for other in seats]
        if seat.kind == "bot":
            agent = rooms.check_agent(seat.agent, config)
            name = display_name(clean_name(seat.name or agent) or "bot", n)
            seats.append(SeatDoc("bot", free_name(name, taken), agent))
        elif seat.kind == "you":
            name = display_name(rooms.check_name(seat.name or ""), n)
            seats.append(SeatDoc("person", free_name(name, taken), None, hash_token(token or "")))
        else:
            seats.append(SeatDoc("open", free_name(f"Seat {n + 1}", taken)))
    mine = kinds.index("you") if "you" in kinds else None
    invite = new_token() if wish.closed else None
    doc = RoomDoc(
        new_room_id(),
        rooms.clock.utc_now(),
        config.replace(seed=wish.seed),
        seats,
        wish.practice,
        min(wish.delay_ms, rooms.limits.max_delay_ms),
        host=mine,
        invite=invite,
        fairness=new_commitment() if wish.seed is None else None,
        hold=wish.hold,
        turn_limit=wish.turn_limit,
        help=wish.help,
        ready_check=wish.ready_check,
        chat=wish.chat,
    )
    await rooms.create(doc)
    return m.SeatGranted(doc.id, mine, token, invite)


async def list_rooms(studio: Studio, request: ApiRequest) -> m.RoomList:
    """Rooms that are waiting or playing, newest first."""
    return m.RoomList(await studio.rooms.list_items())


async def show_room(studio: Studio, request: ApiRequest) -> m.RoomView:
    """The public view of a room. A closed room is shown only to those with a seat's token or its invitation."""
    room = await studio.rooms.look_at(request.path["room"])
    room.check_invited(request.token)
    return room.view()


async def take_seat(studio: Studio, request: ApiRequest) -> m.SeatGranted:
    """Take a seat and get its token. The game starts when the last open seat is taken."""
    wish: m.TakeSeat = request.body
    room = await studio.rooms.get(request.path["room"])
    seat, token = await room.take_seat(wish.name, wish.seat, bot=wish.bot, entropy=wish.entropy, invite=wish.invite)
    return m.SeatGranted(room.doc.id, seat, token)


async def add_entropy(studio: Studio, request: ApiRequest) -> m.RoomView:
    """Before the game, add a text of your own to what the dice come from."""
    wish: m.AddEntropy = request.body
    room = await studio.rooms.get(request.path["room"])
    await room.add_entropy(room.seat_of(wish.token), wish.entropy)
    return room.view()


async def set_access(studio: Studio, request: ApiRequest) -> m.Access:
    """Close a room to strangers, or open it again. Each time it is closed it gets a new invitation."""
    room = await studio.rooms.get(request.path["room"])
    invite = await room.set_closed(room.seat_of(request.body.token), request.body.closed)
    return m.Access(invite is not None, invite)


async def start_room(studio: Studio, request: ApiRequest) -> m.RoomView:
    """Fill the open seats with bots, and start the game."""
    room = await studio.rooms.get(request.path["room"])
    room.seat_of(request.body.token)
    await room.start()
    return room.view()


async def next_question(studio: Studio, request: ApiRequest) -> m.Json:
    """For bots without a socket: the next `choose` or `game_end`, or `wait` if there is none within `wait` seconds."""
    room = await studio.rooms.get(request.path["room"])
    seat = room.seat_of(request.token)
    room.polled(seat, request.query.wait + POLL_GRACE_S)
    return await wait_for_next(room, seat, min(request.query.wait, studio.rooms.limits.poll_s))


async def act(studio: Studio, request: ApiRequest) -> m.Ok:
    """For bots without a socket: the answer to `choose`. It is stored when this returns."""
    said: m.BotMove = request.body
    room = await studio.rooms.get(request.path["room"])
    seat = room.seat_of(request.token)
    room.polled(seat, POLL_GRACE_S)
    await bot_act(room, seat, said.id, said.action, said.reasoning)
    return m.Ok()


# -- the lab -----------------------------------------------------------------------------------------------------------


def _numbers(text: str, what: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() and len(part) < 4 for part in parts):
        raise NotationError(text, what)
    return tuple(map(int, parts))


async def explain(studio: Studio, request: ApiRequest) -> m.Json:
    """How often the best strategy known takes each action at one point in a round of two, and what each is worth."""
    query: m.ExplainQuery = request.query
    dice = _numbers(query.dice, "two numbers of dice, for example 2,3")
    if len(dice) != 2:
        raise NotationError(query.dice, "two numbers of dice, for example 2,3")
    return await studio.analysis.explain(query.rules, dice, _numbers(query.hand, "dice, for example 1,4"), query.bids)


async def solved(studio: Studio, request: ApiRequest) -> m.LabRounds:
    """The rounds that the lab shows: for each game their dice and, if solved, bounds on what they are worth."""
    return await studio.analysis.solved()


async def odds(studio: Studio, request: ApiRequest) -> m.Odds:
    """How likely every bid is, given a hand and the number of dice in play."""
    query: m.OddsQuery = request.query
    hand = _numbers(query.hand, "dice, for example 1,4")
    config = requested_config(query.rules, {}, None)
    rules = round_rules(config.without_seed, query.dice_total, False)
    if len(hand) > query.dice_total or not rules.faces.issuperset(hand):
        raise BadValueError("hand", query.hand, f"at most {query.dice_total} dice with faces 1 to {config.faces}")
    return m.Odds(
        [
            m.BidChance(bid.quantity, bid.face, prob_holds(bid, hand, rules), prob_exact(bid, hand, rules))
            for bid in rules.bids
        ]
    )


async def matchups(studio: Studio, request: ApiRequest) -> m.MatchupTable:
    """How often each bot beats each other, computed exactly."""
    rules = request.query.rules
    return await studio.analysis.matchups(rules, requested_config(rules, {}, None))


async def tournaments(studio: Studio, request: ApiRequest) -> m.TournamentList:
    """Tournaments in the store, newest first."""
    return m.TournamentList(await studio.analysis.tournaments())


async def tournament(studio: Studio, request: ApiRequest) -> m.Json:
    """One tournament with all its results."""
    return await studio.analysis.tournament(request.path["name"])


ENDPOINTS = (
    Endpoint("GET", "/agents", list_agents, m.Agents),
    Endpoint("GET", "/lessons", list_lessons, m.Lessons),
    Endpoint("GET", "/rules", list_rules, m.RulesCatalog),
    Endpoint("POST", "/rules", check_rules, m.CheckedRules, body=m.RulesRequest),
    Endpoint("GET", "/rooms", list_rooms, m.RoomList),
    Endpoint("POST", "/rooms", create_room, m.SeatGranted, body=m.CreateRoom),
    Endpoint("GET", "/rooms/{room}", show_room, m.RoomView),
    Endpoint("POST", "/rooms/{room}/seats", take_seat, m.SeatGranted, body=m.TakeSeat),
    Endpoint("POST", "/rooms/{room}/entropy", add_entropy, m.RoomView, body=m.AddEntropy),
    Endpoint("POST", "/rooms/{room}/access", set_access, m.Access, body=m.AccessRequest),
    Endpoint("POST", "/rooms/{room}/start", start_room, m.RoomView, body=m.StartRoom),
    Endpoint("GET", "/rooms/{room}/next", next_question, m.Json, query=m.NextQuery, bearer=True),
    Endpoint("POST", "/rooms/{room}/act", act, m.Ok, body=m.BotMove, bearer=True),
    Endpoint("GET", "/games", g.list_games, m.GameList, query=m.GamesQuery),
    Endpoint("GET", "/games/{game}", g.show_game, m.GameRecord),
    Endpoint("GET", "/games/{game}/review", g.review_game, m.Json, query=m.ReviewQuery),
    Endpoint("GET", "/games/{game}/review/progress", g.review_progress, m.ReviewProgress, query=m.ReviewQuery),
    Endpoint("GET", "/games/{game}/known", g.known_of_player, m.PlayerCard, query=m.KnownQuery),
    Endpoint("GET", "/players/card", g.player_card, m.PlayerCard, query=m.CardQuery),
    Endpoint("GET", "/games/{game}/turns/{turn}", g.turn_again, m.Json),
    Endpoint("GET", "/games/{game}/puzzles", g.game_puzzles, m.Json, query=m.SeatQuery),
    Endpoint("GET", "/games/{game}/events.jsonl", g.download_events, str, media="application/jsonl"),
    Endpoint("GET", "/games/{game}/notation.txt", g.download_notation, str, media="text/plain"),
    Endpoint("GET", "/games/{game}/card.png", g.game_card, bytes, media="image/png"),
    Endpoint("GET", "/puzzles/daily", g.daily_puzzles, m.Json, query=m.DayQuery),
    Endpoint("POST", "/games/{game}/branch", g.branch_game, m.SeatGranted, body=m.BranchRequest),
    Endpoint("GET", "/lab/explain", explain, m.Json, query=m.ExplainQuery),
    Endpoint("GET", "/lab/solved", solved, m.LabRounds),
    Endpoint("GET", "/lab/odds", odds, m.Odds, query=m.OddsQuery),
    Endpoint("GET", "/lab/matchups", matchups, m.MatchupTable, query=m.MatchupsQuery),
    Endpoint("GET", "/lab/tournaments", tournaments, m.TournamentList),
    Endpoint("GET", "/lab/tournaments/{name}", tournament, m.Json),
)
