"""What is said between the referee and a bot in a process of its own: one JSON object a line (docs/bot-protocol.md)."""

from __future__ import annotations

from typing import Any, TypeGuard

import msgspec

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
"""A longer line from a bot is garbage."""

Message = dict[str, Any]

_encoder = msgspec.json.Encoder()


def encode(message: Message) -> bytes:
    """A message as a line."""
    return _encoder.encode(message) + b"\n"


def start_message(config: GameConfig, player_id: int, names: tuple[str, ...], seed: int) -> Message:
    """The game begins."""
    return {
        "type": "start",
        "protocol": PROTOCOL,
        "config": msgspec.to_builtins(config.without_seed),
        "player_id": player_id,
        "names": names,
        "seed": seed,
    }


def choose_message(number: int, view: GameView) -> Message:
    """It is this bot's turn. The first fields say all there is; those behind spare bots some arithmetic."""
    public = view.public
    return {
        "type": "choose",
        "id": number,
        "view": {
            "player_id": view.player_id,
            "my_dice": view.my_dice,
            "dice_counts": public.dice_counts,
            "opener": public.opener,
            "bids": [str(bid) for bid in public.bid_history],
            "palifico": view.palifico,
            "round_number": view.round_number,
            "current_bid": None if view.current_bid is None else str(view.current_bid),
            "bidders": public.bidders,
            "total_dice": view.total_dice,
            "other_dice": view.other_dice,
            "wild_face": view.wild_face,
            "legal_actions": [str(action) for action in view.legal_actions],
        },
    }


def event_message(event: Event) -> Message:
    """Something happened that this bot may know of."""
    return {"type": "event", "event": msgspec.to_builtins(event)}


def round_end_message(resolution: RoundResolution) -> Message:
    """A round is over."""
    return {"type": "round_end", "resolution": msgspec.to_builtins(resolution)}


def game_end_message(number: int, result: GameResult) -> Message:
    """The game is over; `round_end` messages have told its rounds."""
    return {"type": "game_end", "id": number, "winner": result.winner, "names": result.names}


def action_of(message: Message) -> Action:
    """The action in a bot's answer; `NotationError` if its text is no action."""
    action = parse_action(str(message["action"]))
    reasoning = message.get("reasoning", "")
    return msgspec.structs.replace(action, reasoning=reasoning if isinstance(reasoning, str) else "")


def answer_message(number: int, action: Action) -> Message:
    """A bot's answer, from the bot's side."""
    return {"type": "action", "id": number, "action": str(action), "reasoning": action.reasoning[:REASONING_LIMIT]}


class GameFromMessages:
    """The bot's side: rebuilds views from what was said."""

    def __init__(self, start: Message) -> None:
        self.config = GameConfig.from_dict(start["config"])
        self.player_id: int = start["player_id"]
        self.names = tuple(start["names"])
        self.resolutions: tuple[RoundResolution, ...] = ()

    def round_end(self, message: Message) -> RoundResolution:
        """Remember how a round ended."""
        resolution = msgspec.convert(message["resolution"], RoundResolution)
        self.resolutions = (*self.resolutions, resolution)
        return resolution

    def view(self, fields: Message) -> GameView:
        """The view a `choose` message tells of, exactly as the engine made it."""
        counts = tuple(fields["dice_counts"])
        rules = round_rules(self.config, sum(counts), fields["palifico"])
        bids = tuple(map(parse_bid, fields["bids"]))
        rung = rules.ladder.rung(bids[-1]) if bids else -1
        player = fields["player_id"]
        public = PublicState(
            rules, self.names, counts, fields["opener"], player, bids, rung, "BIDDING", self.resolutions
        )
        return GameView(player, tuple(fields["my_dice"]), public)

    def result(self, message: Message) -> GameResult:
        """How the game ended."""
        return GameResult(message["winner"], self.names, self.resolutions)


_ACTION_TYPES = (BidAction, CallLiarAction, CallExactAction)


def is_action(thing: object) -> TypeGuard[Action]:
    """Whether a bot returned an action at all, legal or not."""
    if type(thing) is BidAction:
        bid: object = thing.bid
        numbers = (bid.quantity, bid.face) if type(bid) is Bid else (None,)
        return all(type(number) is int and abs(number) < 10**6 for number in numbers)
    return type(thing) in _ACTION_TYPES
