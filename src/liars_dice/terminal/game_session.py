"""A game with people in it: recorded as it is played, taken up again after a break, and in practice taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from rich.console import Console
from rich.markup import escape

from ..core import SPECTATOR, Event, GameConfig, GameCreated, GameEngine, GameState, RoundEnded
from ..persistence import GameRecorder, RecordedEvent, branch, decisions, is_person, record_game
from ..referee import MatchResult, Referee
from .human_player import TerminalPlayer, UndoRequested
from .move_help import history_lines
from .seating import make_seats
from .table_view import TableView


class GameSession:
    """People and bots at one table, from sitting down to the end of the game or until somebody leaves."""

    def __init__(
        self,
        console: Console,
        store: GameRecorder,
        lineup: Sequence[str],
        *,
        practice: bool = False,
        ascii_only: bool = False,
        isolate: bool = False,
    ) -> None:
        """`lineup` say who sits where, as in `seating`."""
        self.console = console
        self.store = store
        self.lineup = tuple(lineup)
        self.practice = practice
        self.isolate = isolate
        self.player = TerminalPlayer(console, people=len(self.people), practice=practice, ascii_only=ascii_only)
        self.game_id = ""

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, word in enumerate(self.lineup) if is_person(word)]

    @property
    def state(self) -> GameState:
        """The game as it stands, hidden dice included: for the house's own books."""
        return self.referee.engine.state

    @property
    def table(self) -> TableView:
        """What the game is shown on."""
        return TableView(self.console, self.state.public.names, ascii_only=self.player.ascii_only)

    def begin(self, config: GameConfig, seed: int | None = None) -> Self:
        """Sit down to a new game."""
        seats = make_seats(self.lineup, self.player, config, isolate=self.isolate)
        return self._open(Referee(seats, config, seed=seed))

    def resume(self, events: Sequence[RecordedEvent]) -> Self:
        """Go on with a game that was left. Its record goes on, too."""
        seats = make_seats(self.lineup, self.player, _created(events).config, isolate=self.isolate)
        return self._open(Referee.resume(seats, events), events, events[0].game_id)

    def branch(self, events: Sequence[RecordedEvent], version: int, seed: int | None = None) -> Self:
        """Sit down to a new game that begins like the first `version` events of another."""
        seats = make_seats(self.lineup, self.player, _created(events).config, isolate=self.isolate)
        names = GameEngine(_created(events).config, seats).state.public.names
        _, past = branch(events, version, seats, names=names, seed=seed)
        return self._open(Referee.resume(seats, past), past)

    def play(self) -> MatchResult:
        """Play to the end. `Quit` or `KeyboardInterrupt` if somebody leaves: what was played is stored by then."""
        try:
            while True:
                try:
                    return self.referee.play()
                except UndoRequested as wish:
                    self.take_back(wish.seat)
        finally:
            self.player.wait_for_coach()

    def take_back(self, *seats: int) -> bool:
        """Back to the last decision of these seats, if there is one, with the same dice now and later. The record of
        what is taken back stays; a new one goes on from there.
        """
        events = self.store.events(self.game_id)
        places = [place for seat in seats for place in decisions(events, seat)]
        if places:
            self.branch(events, max(places), self.referee.engine.seed)
        return bool(places)

    def _open(self, referee: Referee, past: Sequence[RecordedEvent] = (), game_id: str | None = None) -> Self:
        self.referee = referee
        self.game_id = record_game(referee.engine, self.store, game_id=game_id, live=True, history=past)
        self.store.flush()
        state = referee.engine.state
        self.player.known_as = [word or name for word, name in zip(state.agent_ids, state.public.names, strict=True)]
        referee.engine.subscribe(self.table.reveal, seat=SPECTATOR)
        referee.engine.subscribe(self._announce_elimination, seat=SPECTATOR)
        if past:
            self._recap()
        return self

    def _announce_elimination(self, event: Event) -> None:
        """Say so to people who are out of a game that goes on."""
        public = self.state.public
        if not isinstance(event, RoundEnded) or public.status == "ENDED":
            return
        for seat in self.people:
            if public.resolutions[-1].dice[seat] and not event.dice_counts[seat]:
                out = "You are" if public.names[seat] == "You" else f"{public.names[seat]} is"
                self.table.say(escape(f"{out} out; the others play on."))

    def _recap(self) -> None:
        """Where the game stands."""
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
