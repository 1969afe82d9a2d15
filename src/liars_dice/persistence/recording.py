"""Recording a game into a store while an engine plays it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import msgspec

from ..core import BadValueError, Event, GameEnded, GameEngine, RoundEnded
from .envelope import PERSON_TYPE, Clock, Enveloper, RecordedEvent, new_game_id, utc_now
from .errors import StoreError
from .recorder import GameRecorder
from .replay import resume_point

SNAPSHOT_EVERY = 1000
"""A snapshot is stored after this many events. Most games have fewer and need none."""


def record_game(
    engine: GameEngine,
    recorder: GameRecorder,
    *,
    game_id: str | None = None,
    player_types: Sequence[str] | None = None,
    clock: Clock = utc_now,
    live: bool = False,
    history: Sequence[RecordedEvent] = (),
) -> str:
    """Record everything that happens in this engine from now on; returns the game's id.

    Events are stored when the game ends and whenever the recorder's batch is full; with `live`, after every event, so
    that nothing a player has seen can be lost. `history` holds the events a branched game begins with. If they belong
    to the game `game_id` itself, that game continues, and events that are already stored are not written again.
    """
    if engine.state.public.round_index >= 0 and not history:
        raise BadValueError("engine", "under way", "a game that has not begun, or `history` with its events")
    game_id = new_game_id(clock) if game_id is None else game_id
    types = [player_type(agent) for agent in engine.agents] or [PERSON_TYPE] * engine.state.config.num_players
    enveloper = Enveloper(game_id, types if player_types is None else player_types, clock)
    stored = len(history) if history and history[0].game_id == game_id else 0
    for event in history[: resume_point(history)]:
        again = enveloper.seal(event.payload)
        if stored:
            continue
        if event.version:  # moves keep their time, but the new game is created now
            again = msgspec.structs.replace(again, timestamp_utc=event.timestamp_utc, player_type=event.player_type)
        recorder.record(again)

    def write(event: Event) -> None:
        sealed = enveloper.seal(event)
        if sealed.version < stored:
            return
        recorder.record(sealed)
        if live or isinstance(event, GameEnded):
            recorder.flush()
        if isinstance(event, RoundEnded) and sealed.version // SNAPSHOT_EVERY > snapshots[-1]:
            snapshots.append(sealed.version // SNAPSHOT_EVERY)
            recorder.flush()
            try:
                recorder.save_snapshot(game_id, sealed.version + 1, engine.state)
            except StoreError as error:  # snapshots are optional
                warnings.warn(f"no snapshot of game {game_id}: {error}", stacklevel=2)

    snapshots = [0]
    engine.subscribe(write)
    return game_id


def player_type(agent: object) -> str:
    """The player type to record: the `player_type` of the agent (`Human` for people), or else the name of its class."""
    return str(getattr(agent, "player_type", type(agent).__name__))
