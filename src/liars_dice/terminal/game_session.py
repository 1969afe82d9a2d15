"""A game with people in a terminal: begun, resumed or branched, recorded as it is played, with undo in practice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from rich.console import Console
from rich.markup import escape

from ..core import SPECTATOR, Event, GameConfig, GameCreated, GameEnded, GameEngine, GameState, RoundEnded
from ..persistence import GameRecorder, RecordedEvent, branch, decisions, is_person, record_game
from ..referee import BotLimits, MatchResult, Referee
from .human_player import TerminalPlayer, UndoRequested, ask
from .move_help import history_lines
from .seating import make_seats
from .table_view import TableView, can_ask


class GameSession:
    """One game between people and bots, from its start until it ends or a player quits."""

    def __init__(
        self,
        console: Console,
        store: GameRecorder,
        lineup: Sequence[str],
        *,
        practice: bool = False,
        ascii_only: bool = False,
        full: bool = False,
        isolate: bool = False,
        limits: BotLimits | None = None,
        player: TerminalPlayer | None = None,
    ) -> None:
        """`lineup` says who sits in each seat: see `seating`. `limits` hold for the bots; people take their time.

        `player` asks the people, instead of a plain `TerminalPlayer`.
        """
        self.console = console
        self.store = store
        self.lineup = tuple(lineup)
        self.practice = practice
        self.full = full
        self.isolate = isolate
        self.limits = limits
        self.player = player or TerminalPlayer(
            console, people=len(self.people), practice=practice, ascii_only=ascii_only
        )
        self.game_id = ""

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, entry in enumerate(self.lineup) if is_person(entry)]

    @property
    def state(self) -> GameState:
        """The current state, hidden dice included; not for the players."""
        return self.referee.engine.state

    def begin(self, config: GameConfig, seed: int | None = None) -> Self:
        """Start a new game."""
        seats = make_seats(self.lineup, self.player, config, self.limits, isolate=self.isolate)
        return self._open(Referee(seats, config, seed=seed))

    def resume(self, events: Sequence[RecordedEvent]) -> Self:
        """Continue an unfinished game, and its record."""
        seats = make_seats(self.lineup, self.player, _created(events).config, self.limits, isolate=self.isolate)
        return self._open(Referee.resume(seats, events), events, events[0].game_id)

    def branch(self, events: Sequence[RecordedEvent], version: int, seed: int | None = None) -> Self:
        """Start a new game that begins with the first `version` events of another."""
        seats = make_seats(self.lineup, self.player, _created(events).config, self.limits, isolate=self.isolate)
        names = GameEngine(_created(events).config, seats).state.public.names
        _, past = branch(events, version, seats, names=names, seed=seed)
        return self._open(Referee.resume(seats, past), past)

    def play(self) -> MatchResult:
        """Play to the end. `Quit` or `KeyboardInterrupt` if a player leaves; everything played is stored by then."""
        try:
            while True:
                try:
                    return self.referee.play()
                except UndoRequested as request:
                    self.take_back(request.seat)
        finally:
            self.player.wait_for_coach()

    def take_back(self, *seats: int) -> bool:
        """Go back to the last decision of these seats, with the same dice in this round and new ones later; returns
        whether there was one. The abandoned line stays in the store, and a new game continues from there.
        """
        events = self.store.events(self.game_id)
        places = [place for seat in seats for place in decisions(events, seat)]
        if places:
            self.branch(events, max(places))
        return bool(places)

    def _open(self, referee: Referee, past: Sequence[RecordedEvent] = (), game_id: str | None = None) -> Self:
        self.referee = referee
        self.game_id = record_game(referee.engine, self.store, game_id=game_id, live=True, history=past)
        self.store.flush()
        state = referee.engine.state
        self.table = TableView(self.console, state.public.names, ascii_only=self.player.ascii_only, full=self.full)
        self.player.known_as = [
            agent_id or name for agent_id, name in zip(state.agent_ids, state.public.names, strict=True)
        ]
        self._skipping = False
        referee.engine.subscribe(self._show, seat=SPECTATOR)
        referee.engine.subscribe(self._announce_elimination, seat=SPECTATOR)
        if past:
            self._recap()
        return self

    def _show(self, event: Event) -> None:
        """Show an event; after people have skipped to the end, only who wins."""
        if not self._skipping or isinstance(event, GameEnded):
            self.table.reveal(event)

    def _announce_elimination(self, event: Event) -> None:
        """Tell people who have lost their last die that the game goes on without them. When all are out, they may skip
        to the end.
        """
        public = self.state.public
        if not isinstance(event, RoundEnded) or public.status == "ENDED":
            return
        for seat in self.people:
            if public.resolutions[-1].dice[seat] and not event.dice_counts[seat]:
                out = "You are" if public.names[seat] == "You" else f"{public.names[seat]} is"
                self.table.say(escape(f"{out} out; the others play on."))
                if can_ask(self.console) and not any(event.dice_counts[one] for one in self.people):
                    answer = ask(self.console, "  Press Enter to watch, or type end to skip to the end: ")
                    self._skipping = answer.lower() in ("end", "skip")

    def _recap(self) -> None:
        """Print the current round's bids and the number of dice."""
        public = self.state.public
        counts = (f"{name} {n}" for name, n in zip(public.names, public.dice_counts, strict=True) if n)
        if public.status == "BIDDING":
            self.console.print()
            self.table.say(f"[bold]{escape(history_lines(public)[-1])}[/bold]", indent=0)
        self.table.say(f"Dice: {escape(', '.join(counts))}")


def _created(events: Sequence[RecordedEvent]) -> GameCreated:
    created = events[0].payload
    assert isinstance(created, GameCreated)
    return created
