"""Replay of recorded games: every state and view without rolling dice, and proof that a game followed the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from ..core import (
    MOVES,
    AgentFaulted,
    BadValueError,
    BidAction,
    BidPlaced,
    CallExactAction,
    CallLiarAction,
    DealError,
    DiceRevealed,
    DiceRolled,
    Event,
    ExactCalled,
    Fairness,
    GameCreated,
    GameEnded,
    GameEngine,
    GameState,
    Hands,
    IllegalMoveError,
    LiarCalled,
    Player,
    RoundEnded,
    RoundStarted,
    SharedDiceRolled,
    action_of,
    apply,
    deal,
    fresh_seed,
    new_game,
    recorded_id,
    visible_to,
)
from .envelope import ACTS, PERSON_TYPE, RecordedEvent
from .errors import ReplayError
from .recorder import GameRecorder


class Replay:
    """Turns events into states, one event at a time. With `strict`, an outcome that the rules do not give raises."""

    def __init__(self, state: GameState | None = None, *, strict: bool = False) -> None:
        self.strict = strict
        self._state = state
        self._rolled: dict[int, tuple[int, ...]] = {}
        self._shared: SharedDiceRolled | None = None
        self._started: RoundStarted | None = None
        self._due: list[type[Event]] = []

    @property
    def between_moves(self) -> bool:
        """Whether events are still due that follow from the last ones: rolls, a reveal, the end of a round or game."""
        return self._started is not None or bool(self._due)

    @property
    def state(self) -> GameState:
        """The state after the events so far."""
        if self._state is None:
            raise ReplayError("the first event must be GameCreated")
        return self._state

    def feed(self, event: Event) -> GameState:
        """The state after one more event."""
        if self.strict and self._due and not isinstance(event, (self._due[0], AgentFaulted)):
            raise ReplayError(f"expected {self._due[0].__name__}, found {type(event).__name__}")
        match event:
            case GameCreated(config=config, names=names, agent_ids=agent_ids):
                if self._state is not None:
                    raise ReplayError("a second GameCreated")
                self._state = new_game(config, names, agent_ids)
            case RoundStarted():
                self._start_round(event)
            case DiceRolled(player_id=seat, dice=dice):
                self._roll(seat, dice)
            case SharedDiceRolled():
                self._roll_shared(event)
            case BidPlaced() | LiarCalled() | ExactCalled():
                self._move(event.player_id, action_of(event))
            case DiceRevealed() | RoundEnded() | GameEnded():
                self._check_outcome(event)
            case AgentFaulted(player_id=player):
                if not 0 <= player < len(self.state.public.names):
                    raise ReplayError(f"player {player} faulted, but there is no such player")
        return self.state

    def _start_round(self, event: RoundStarted) -> None:
        public = self.state.public
        expected = (public.round_index + 1, public.dice_counts)
        if self._started is not None or public.status != "REVEAL":
            raise ReplayError("a round cannot start now")
        if self.strict and (event.round_index, event.dice_counts) != expected:
            raise ReplayError(f"expected round {expected[0]} with dice {expected[1]}, found {event}")
        self._started, self._rolled, self._shared = event, {}, None

    def _roll(self, seat: int, dice: tuple[int, ...]) -> None:
        if self._started is None or seat in self._rolled:
            raise ReplayError(f"seat {seat} cannot roll now")
        self._rolled[seat] = dice
        self._deal_if_all_rolled()

    def _roll_shared(self, event: SharedDiceRolled) -> None:
        if self._started is None or self._shared is not None:
            raise ReplayError("the dice on the table cannot be rolled now")
        self._shared = event
        self._deal_if_all_rolled()

    def _deal_if_all_rolled(self) -> None:
        counts, shares = self.state.public.dice_counts, self.state.config.shared_dice > 0
        if len(self._rolled) < len(counts) - counts.count(0) or shares != (self._shared is not None):
            return
        hands: Hands = tuple(self._rolled.get(s, ()) for s in range(len(counts)))
        started, self._started = self._started, None
        shared = self._shared or SharedDiceRolled(())
        self._state = deal(self.state, hands, shared.table_dice, shared.hidden_dice)
        public = self._state.public
        follows = RoundStarted(public.round_index, public.opener, public.dice_counts, public.palifico)
        if self.strict and follows != started:
            raise ReplayError(f"expected {follows}, found {started}")

    def _move(self, player: int, action: BidAction | CallLiarAction | CallExactAction) -> None:
        if player != self.state.public.current_player:
            raise ReplayError(f"player {player} moved; it was player {self.state.public.current_player}'s turn")
        self._state = apply(self.state, action)
        if not isinstance(action, BidAction):
            self._due = [DiceRevealed, RoundEnded]
            if self.state.public.status == "ENDED":
                self._due.append(GameEnded)

    def _check_outcome(self, event: DiceRevealed | RoundEnded | GameEnded) -> None:
        if self.strict and not self._due:
            raise ReplayError(f"{type(event).__name__}, but nothing has ended")
        self._due = self._due[1:]
        if not self.strict:
            return
        public = self.state.public
        last = public.resolutions[-1]
        follows: Event
        if isinstance(event, DiceRevealed):
            follows = DiceRevealed(last.dice, last.table_dice, last.hidden_dice)
        elif isinstance(event, RoundEnded):
            follows = RoundEnded(
                last.winner, last.loser, last.last_bid, last.match_count, last.was_true, public.dice_counts
            )
        else:
            follows = GameEnded(last.winner)
        if event != follows:
            raise ReplayError(f"expected {follows}, found {event}")


def replay(events: Iterable[RecordedEvent], *, strict: bool = False) -> Iterator[tuple[RecordedEvent, GameState]]:
    """Every event with the state after it."""
    fold = Replay(strict=strict)
    for event in events:
        yield event, _step(fold, event)


def _step(fold: Replay, event: RecordedEvent) -> GameState:
    try:
        return fold.feed(event.payload)
    except (IllegalMoveError, DealError, BadValueError, ReplayError) as error:
        raise ReplayError(f"game {event.game_id}, event {event.version} ({event.event_type}): {error}") from error


def final_state(events: Iterable[RecordedEvent]) -> GameState:
    """The state after all events."""
    return _state_after(events, Replay())


def _state_after(events: Iterable[RecordedEvent], fold: Replay) -> GameState:
    for event in events:
        _step(fold, event)
    return fold.state


def resume_point(events: Sequence[RecordedEvent]) -> int:
    """How many events to replay before the game can go on with a move or a roll.

    That is all of them, unless the program was stopped between a call and the events that follow from it.
    """
    fold = Replay()
    version = 0
    for count, event in enumerate(events, 1):
        _step(fold, event)
        if not fold.between_moves:
            version = count
    return version


def decisions(events: Sequence[RecordedEvent], seat: int | None = None) -> list[int]:
    """For each decision of the game, or of this seat, how many events come before it: the points to go back to.

    A bot's faults belong to the decision that follows them.
    """
    places: list[int] = []
    place: int | None = None
    for version, event in enumerate(events):
        if isinstance(event.payload, AgentFaulted):
            place = version if place is None else place
            continue
        if isinstance(event.payload, MOVES) and seat in (None, event.payload.player_id):
            places.append(version if place is None else place)
        place = None
    return places


def fallback_turns(events: Sequence[RecordedEvent]) -> frozenset[int]:
    """The turns of the game, from 1, that the player did not decide: the referee played because a bot failed, or a bot
    played in a person's place.
    """
    found: set[int] = set()
    created = events[0].payload if events else None
    people = [(player or "").split(":")[0] == "human" for player in getattr(created, "agent_ids", ())]
    played_for: set[tuple[int, str]] = set()
    turn = 0
    for recorded in events:
        event = recorded.payload
        if isinstance(event, AgentFaulted):
            played_for.add((event.player_id, event.fallback))
        elif isinstance(event, MOVES):
            turn += 1
            replaced = people[event.player_id] and recorded.player_type != PERSON_TYPE
            if replaced or (event.player_id, str(action_of(event))) in played_for:
                found.add(turn)
            played_for.clear()
    return frozenset(found)


def verify_game(events: Sequence[RecordedEvent]) -> GameState:
    """The state after all events; `ReplayError` at the first event that breaks the rules."""
    fold = Replay(strict=True)
    round_index, turn = -1, 0
    for expected_version, event in enumerate(events):
        _step(fold, event)
        where = f"game {event.game_id}, event {event.version} ({event.event_type})"
        if event.game_id != events[0].game_id:
            raise ReplayError(f"{where}: found among the events of game {events[0].game_id}")
        if event.event_type != type(event.payload).__name__:
            raise ReplayError(f"{where}: the payload is a {type(event.payload).__name__}")
        if (event.player_type is None) == isinstance(event.payload, ACTS):
            expected = (
                "a type, because a player acted" if event.player_type is None else "None, because no player acted"
            )
            raise ReplayError(f"{where}: player_type = {event.player_type!r}: expected {expected}")
        if isinstance(event.payload, RoundStarted):
            round_index, turn = event.payload.round_index, 0
        at = (expected_version, round_index, turn)
        if (event.version, event.round_index, event.turn_index) != at:
            raise ReplayError(f"{where}: expected (version, round, turn) = {at}")
        if isinstance(event.payload, MOVES):
            turn += 1
    if not events:
        raise ReplayError("no events")
    return fold.state


def state_at(recorder: GameRecorder, game_id: str, version: int) -> GameState:
    """The state after the first `version` events, starting from the nearest earlier snapshot."""
    snapshot = recorder.load_snapshot(game_id, version)
    start, state = (0, None) if snapshot is None else snapshot
    events = recorder.events(game_id, start, version)
    if version < 1 or start + len(events) != version:
        there = len(recorder.events(game_id))
        raise ReplayError(f"version = {version}: expected 1 to {there}, the events of game {game_id}")
    try:
        return _state_after(events, Replay(state))
    except ReplayError:
        if start == 0:
            raise
        return final_state(recorder.events(game_id, 0, version))  # the snapshot was of a deal half done


def branch(
    events: Sequence[RecordedEvent],
    version: int,
    agents: Sequence[Player] = (),
    *,
    names: Sequence[str] | None = None,
    seed: int | None = None,
    fairness: Fairness | None = None,
) -> tuple[GameEngine, list[RecordedEvent]]:
    """A live game that continues from the state after the first `version` events, and those events.

    The dice on the table stay as they were rolled; later rounds roll new dice. Without `seed` or `fairness` they come
    from a new seed, because that of the other game may be known. Pass the events as `history` to `record_game`: then
    the record of the new game is complete and says where it came from.
    """
    if not 0 < version <= len(events):
        raise ReplayError(f"version = {version}: expected 1 to {len(events)}, the events of the game")
    past = list(events[:version])
    fold = Replay()
    for event in past:
        _step(fold, event)
    if fold.between_moves:
        raise ReplayError(f"version = {version}: expected a point after a move and all events that follow from it")
    if fairness is not None:
        fairness = msgspec.structs.replace(fairness, first_round=fold.state.public.round_index + 1)
        seed = fairness.seed
    seed = fresh_seed() if seed is None else seed
    created = past[0].payload
    assert isinstance(created, GameCreated)
    renamed = msgspec.structs.replace(
        created,
        config=created.config.replace(seed=seed),
        names=created.names if names is None else tuple(names),
        agent_ids=tuple(map(recorded_id, agents)) if agents else created.agent_ids,
        branched_from=f"{past[0].game_id}@{version}",
        fairness=fairness,
    )
    past[0] = _with_payload(past[0], renamed)
    return GameEngine.resume(final_state(past), agents, seed=seed), past


def visible_events(events: Sequence[RecordedEvent], seat: int) -> Iterator[RecordedEvent]:
    """What this seat (or `SPECTATOR`) may see of a game: other players' rolls only in rounds that were revealed."""
    revealed = {event.round_index for event in events if isinstance(event.payload, DiceRevealed)}
    for event in events:
        seen = visible_to(event.payload, seat, revealed=event.round_index in revealed)
        if seen is not None:
            yield event if seen is event.payload else _with_payload(event, seen)


def _with_payload(event: RecordedEvent, payload: Event) -> RecordedEvent:
    return msgspec.structs.replace(event, payload=payload)
