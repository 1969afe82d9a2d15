"""Proof that a game's dice are those that were committed to before it began."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ..core import BadValueError, ConfigError, DealError, Event, Fairness, GameCreated, GameEnded, IllegalMoveError
from .dice_check import check_dice
from .errors import ReplayError, StoreError
from .jsonlines import read_lines
from .replay import Replay


class FairnessCheck(msgspec.Struct, frozen=True):
    """One part of the proof."""

    check: str
    ok: bool
    detail: str


def check_fairness(
    events: Sequence[Event], *, commitment: str | None = None, entropy: str | None = None
) -> list[FairnessCheck]:
    """Every part of the proof that the dice of this game were not chosen by the one who rolled them.

    `commitment` is the one a player noted before the game, and `entropy` is what that player added: without them, the
    record is only compared with itself.
    """
    fairness = fairness_in(events)
    checks = [_check_commitment(fairness, commitment)]
    if entropy is not None:
        there = entropy in fairness.entropy
        seats = [str(seat) for seat, text in enumerate(fairness.entropy) if text == entropy]
        detail = f"your text counts, at seat {', '.join(seats)}" if there else "your text is not among those that count"
        checks.append(FairnessCheck("entropy", there, detail))
    return [*checks, _check_seed(events, fairness), _check_dice(events, fairness), _check_rules(events)]


def fairness_in(events: Sequence[Event]) -> Fairness:
    """What the seed of this game was made of; `BadValueError` if it has no commitment, or the secret is not shown."""
    created = events[0] if events else None
    fairness = created.fairness if isinstance(created, GameCreated) else None
    if fairness is None:
        raise BadValueError("game", "a game without a commitment", "one that was played in a room of the studio")
    if fairness.secret is None:
        raise BadValueError("game", "a game without its secret", "one that is over: the secret is shown at the end")
    return fairness


def _check_commitment(fairness: Fairness, noted: str | None) -> FairnessCheck:
    if not fairness.keeps_its_word:
        return FairnessCheck("commitment", False, "the secret is not the one that was committed to")
    if noted is not None and noted.strip().lower() != fairness.commitment:
        return FairnessCheck("commitment", False, f"you noted another one; this game has {fairness.commitment}")
    same = "" if noted is None else ", which is the one you noted"
    return FairnessCheck("commitment", True, f"the secret belongs to {fairness.commitment}{same}")


def _check_seed(events: Sequence[Event], fairness: Fairness) -> FairnessCheck:
    created = events[0]
    assert isinstance(created, GameCreated)
    texts = sum(map(bool, fairness.entropy))
    made_of = f"the secret and {texts} {'text' if texts == 1 else 'texts'} of players"
    if created.config.seed not in (None, fairness.seed):
        return FairnessCheck("seed", False, f"the recorded seed does not follow from {made_of}")
    return FairnessCheck("seed", True, f"it follows from {made_of}")


def _check_dice(events: Sequence[Event], fairness: Fairness) -> FairnessCheck:
    try:
        checked = check_dice(events)
    except ReplayError as error:
        return FairnessCheck("dice", False, str(error))
    first = fairness.first_round + 1
    detail = f"{checked.rolled_again} rolls are those that the seed gives"
    if first > 1:
        detail += f"; the commitment is for the dice from round {first} on, because this game continues another"
    if checked.without_seed:
        detail += f"; {checked.without_seed} earlier rolls are taken as recorded"
    return FairnessCheck("dice", True, detail)


def _check_rules(events: Sequence[Event]) -> FairnessCheck:
    over = isinstance(events[-1], GameEnded)
    if not over:
        return FairnessCheck("rules", False, "the record does not reach the end of the game")
    fold = Replay(strict=True)
    for number, event in enumerate(events):
        try:
            fold.feed(event)
        except (IllegalMoveError, DealError, BadValueError, ReplayError) as error:
            return FairnessCheck("rules", False, f"event {number} ({type(event).__name__}): {error}")
    return FairnessCheck("rules", True, f"all {len(events)} events follow from the rules")


def read_game(path: Path) -> list[Event]:
    """The one game in a file: an export as JSON lines, or what the studio's API answers at `/api/games/GAME`."""
    try:
        whole = json.loads(path.read_bytes())
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict) and isinstance(whole.get("events"), list):
        return _from_api(whole, path)
    recorded = list(read_lines(path))
    if len({event.game_id for event in recorded}) != 1:
        raise BadValueError("file", str(path), "one game: liars-dice export GAME --out FILE.jsonl")
    return [event.payload for event in recorded]


def _from_api(record: dict[str, Any], path: Path) -> list[Event]:
    try:
        events: list[Event] = [
            msgspec.convert({**event, "event_type": event["type"]}, Event) for event in record["events"]
        ]
        fairness = msgspec.convert(record.get("fairness"), Fairness | None)
    except (msgspec.ValidationError, KeyError, TypeError, ConfigError) as error:
        raise StoreError(f"{path}: not a game of the studio ({error})") from error
    if events and isinstance(events[0], GameCreated):
        events[0] = msgspec.structs.replace(events[0], fairness=fairness)
    return events
