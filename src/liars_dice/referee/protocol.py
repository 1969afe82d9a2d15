"""The messages between a host and a bot in another process: one JSON object per line (docs/bot-protocol.md)."""

from __future__ import annotations

from typing import Any, TypeGuard

import msgspec

from ..agents import GameStart, Heard, Question
from ..core import (
    REASONING_LIMIT,
    Action,
    Bid,
    BidAction,
    CallExactAction,
    CallLiarAction,
    Event,
    GameConfig,
    GameResult,
    GameView,
    PublicState,
    RoundResolution,
    parse_action,
    parse_bid,
    round_rules,
)

PROTOCOL = 1
LONGEST_LINE = 65_536
"""The most bytes in a line from a bot; a longer line is garbage."""

Message = dict[str, Any]

_encoder = msgspec.json.Encoder()


def encode(message: Message) -> bytes:
    """A message as a line of text."""
    return _encoder.encode(message) + b"\n"


def message_of(heard: Heard, number: int) -> Message:
    """What a bot hears, as a message. `number` is the `id` of a message that the bot answers.

    A start has no `id`: hosts add one for bots that confirm it.
    """
    match heard:
        case GameStart():
            return _start_message(heard)
        case Question():
            return _choose_message(number, heard.view)
        case RoundResolution():
            return {"type": "round_end", "resolution": msgspec.to_builtins(heard)}
        case GameResult():
            return game_end_message(number, heard.winner, heard.names)
        case _:
            return {"type": "event", "event": msgspec.to_builtins(heard)}


def _start_message(start: GameStart) -> Message:
    return {
        "type": "start",
        "protocol": PROTOCOL,
        "config": msgspec.to_builtins(start.config.without_seed),
        "player_id": start.player_id,
        "names": start.names,
        "seed": start.seed,
    }


def game_end_message(number: int, winner: int | None, names: tuple[str, ...]) -> Message:
    """The game is over; its rounds were told by `round_end` messages. A game that grew too long has no winner."""
    return {"type": "game_end", "id": number, "winner": winner, "names": names}


def _choose_message(number: int, view: GameView) -> Message:
    """The fields up to `round_number` say everything; the others save bots some arithmetic."""
    public = view.public
    return {
        "type": "choose",
        "id": number,
        "view": {
            "player_id": view.player_id,
            "my_dice": view.my_dice,
            "dice_counts": public.dice_counts,
            "table_dice": public.table_dice,
            "opener": public.opener,
            "bids": [str(bid) for bid in public.bid_history],
            "palifico": view.palifico,
            "round_number": view.round_number,
            "current_bid": None if view.current_bid is None else str(view.current_bid),
            "bidders": public.bidders,
            "total_dice": view.total_dice,
            "other_dice": view.other_dice,
            "unseen_dice": view.unseen_dice,
            "wild_face": view.wild_face,
            "legal_actions": [str(action) for action in view.legal_actions],
        },
    }


def action_of(message: Message) -> Action:
    """The action in a bot's answer; `NotationError` if its text is not an action."""
    action = parse_action(str(message["action"]))
    reasoning = message.get("reasoning", "")
    return msgspec.structs.replace(action, reasoning=reasoning if isinstance(reasoning, str) else "")


def answer_message(number: int, action: Action) -> Message:
    """A bot's answer, from the bot's side."""
    return {"type": "action", "id": number, "action": str(action), "reasoning": action.reasoning[:REASONING_LIMIT]}


class GameFromMessages:
    """The bot's side of one game: turns messages back into what the host wrote them from."""

    def __init__(self, start: Message) -> None:
        self.config = GameConfig.from_dict(start["config"])
        self.player_id: int = start["player_id"]
        self.names = tuple(start["names"])
        self.resolutions: tuple[RoundResolution, ...] = ()

    def heard(self, message: Message) -> Heard:
        """What the bot hears by this message."""
        match message["type"]:
            case "start":
                return GameStart(self.config, self.player_id, message["seed"], self.names)
            case "choose":
                return Question(self.view(message["view"]))
            case "round_end":
                resolution = msgspec.convert(message["resolution"], RoundResolution)
                self.resolutions = (*self.resolutions, resolution)
                return resolution
            case "game_end":
                return GameResult(message["winner"], self.names, self.resolutions)
            case _:
                event: Event = msgspec.convert(message["event"], Event)
                return event

    def view(self, fields: Message) -> GameView:
        """The view that a `choose` message describes, exactly as the engine made it."""
        counts = tuple(fields["dice_counts"])
        rules = round_rules(self.config, self.config.in_play(counts), fields["palifico"])
        bids = tuple(map(parse_bid, fields["bids"]))
        rung = rules.ladder.rung(bids[-1]) if bids else -1
        player = fields["player_id"]
        public = PublicState(
            rules,
            self.names,
            counts,
            fields["opener"],
            player,
            bids,
            rung,
            "BIDDING",
            self.resolutions,
            tuple(fields["table_dice"]),
        )
        return GameView(player, tuple(fields["my_dice"]), public)


def _is_sound(number: object) -> bool:
    return type(number) is int and -(10**6) < number < 10**6


_ACTION_TYPES = (BidAction, CallLiarAction, CallExactAction)


def is_action(thing: object) -> TypeGuard[Action]:
    """Whether a bot returned an action, legal or not."""
    if type(thing) is BidAction:
        bid: object = thing.bid
        return type(bid) is Bid and _is_sound(bid.quantity) and _is_sound(bid.face)
    return type(thing) in _ACTION_TYPES
