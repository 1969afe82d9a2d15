"""Whole games as text that parses back.

A game is a few lines: the rules that differ from the defaults, the players, and one line per round with all dice and
moves. Blank lines and lines that begin with # are ignored.

    # liars-dice game
    rules {"dice": [2, 3]}
    players ["ann", "bob"]
    1. 1,4 | 2,2,6 : 1x4 2x2 liar

Dice that belong to no player follow the hands: `1,4 | 2,6 | table 3 | hidden 5 : 1x4 liar`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from .actions import parse_action
from .bid import Bid
from .config import GameConfig
from .errors import NotationError
from .state import GameState, Hands
from .transition import apply, deal, new_game

_ROUND = re.compile(r"([0-9]{1,6})\.([^:]*):(.*)")
_HAND = re.compile(r"\s*[0-9]{1,6}(\s*,\s*[0-9]{1,6})*\s*")
_OUT = "-"
_SHARED = ("table", "hidden")
"""What dice that belong to no player are called."""

Hand = tuple[int, ...]


def format_game(state: GameState) -> str:
    """A whole game, finished or not. The text shows all dice: do not show it to players of a running game."""
    public = state.public
    defaults = GameConfig().to_dict()
    rules = {name: value for name, value in state.config.to_dict().items() if value != defaults[name]}
    lines = ["# liars-dice game", f"rules {json.dumps(rules)}", f"players {json.dumps(public.names)}"]
    if any(agent_id is not None for agent_id in state.agent_ids):
        lines.append(f"agents {json.dumps(state.agent_ids)}")
    lines += [
        _format_round(r.round_index, (r.dice, r.table_dice, r.hidden_dice), r.bids, r.call) for r in public.resolutions
    ]
    if public.status == "BIDDING":
        dice = (state.hands, public.table_dice, state.hidden_dice)
        lines.append(_format_round(public.round_index, dice, public.bid_history, ""))
    if public.winner is not None:
        lines.append(f"# {public.names[public.winner]} wins")
    return "\n".join(lines) + "\n"


def parse_game(text: str) -> GameState:
    """The state after the game in `text`.

    Text that is not this notation raises `NotationError`; moves and dice against the rules raise `IllegalMoveError`
    and `DealError`; rules that make no sense raise `ConfigError`, names that cannot be used `BadValueError`.
    """
    header: dict[str, Any] = {}
    state: GameState | None = None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if match := _ROUND.fullmatch(line):
            if state is None:
                state = _start(header)
            state = _play_round(state, match, number)
        elif state is None:
            _read_header(header, line, number)
        else:
            raise NotationError(line, "a round like `1. 1,4 | 2,2,6 : 1x4 2x2 liar`", number)
    return _start(header) if state is None else state


def _format_round(index: int, dice: tuple[Hands, Hand, Hand], bids: tuple[Bid, ...], call: str) -> str:
    hands, *shared = dice
    parts = [_faces(hand) or _OUT for hand in hands]
    parts += [f"{where} {_faces(on_table)}" for where, on_table in zip(_SHARED, shared, strict=True) if on_table]
    return f"{index + 1}. {' | '.join(parts)} : {' '.join([*map(str, bids), call])}".rstrip()


def _faces(dice: Hand) -> str:
    return ",".join(map(str, dice))


def _read_header(header: dict[str, Any], line: str, number: int) -> None:
    word, _, rest = line.partition(" ")
    expected: type | None = {"rules": dict, "players": list, "agents": list}.get(word)
    if expected is None:
        raise NotationError(line, "a line that begins with rules, players or agents", number)
    try:
        value = json.loads(rest)
    except (ValueError, RecursionError) as error:
        raise NotationError(rest, f"JSON after {word!r} ({error})", number) from error
    if not isinstance(value, expected):
        raise NotationError(rest, f"a JSON {'object' if expected is dict else 'list'} after {word!r}", number)
    if isinstance(value, list) and not all(isinstance(v, str) or (v is None and word == "agents") for v in value):
        raise NotationError(rest, f"a JSON list of texts after {word!r}", number)
    header[word] = value


def _start(header: dict[str, Any]) -> GameState:
    if "rules" not in header:
        raise NotationError("", "a line that begins with rules")
    return new_game(GameConfig.from_dict(header["rules"]), header.get("players"), header.get("agents"))


def _play_round(state: GameState, match: re.Match[str], number: int) -> GameState:
    if int(match[1]) != state.public.round_index + 2:
        raise NotationError(f"{match[1]}.", f"round {state.public.round_index + 2}", number)
    hands: list[Hand] = []
    shared: dict[str, Hand] = {}
    for part in match[2].split("|"):
        where, _, dice = part.strip().partition(" ")
        if where in _SHARED and where not in shared:
            shared[where] = _parse_hand(dice, number)
        else:
            hands.append(_parse_hand(part, number))
    state = deal(state, tuple(hands), *(shared.get(where, ()) for where in _SHARED))
    for move in match[3].split():
        try:
            action = parse_action(move)
        except NotationError as error:
            raise NotationError(error.text, error.expected, number) from None
        state = apply(state, action)
    return state


def _parse_hand(text: str, number: int) -> tuple[int, ...]:
    if text.strip() == _OUT:
        return ()
    if _HAND.fullmatch(text) is None:
        raise NotationError(text, f"dice like 1,4 (or {_OUT} for a seat that is out)", number)
    return tuple(int(die.strip()) for die in text.split(","))
