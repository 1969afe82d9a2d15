"""Recorded games as a table of decisions: what a player saw, what it could do, what it did, and how that ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ..core import MOVES, Action, AgentFaulted, BidAction, GameState, PublicState, RoundEnded, action_of, legal_actions
from .envelope import RecordedEvent
from .recorder import rules_name
from .replay import final_state, replay
from .table_files import Columns, Row

DECISION_COLUMNS: Columns = {
    "game_id": str,
    "rules": str,
    "players": str,
    "round_index": int,
    "turn_index": int,
    "player_id": int,
    "player_name": str,
    "player_type": str,
    "hand": str,
    "dice_counts": str,
    "table_dice": str,
    "palifico": bool,
    "bids": str,
    "bidders": str,
    "legal": str,
    "legal_count": int,
    "action": str,
    "quantity": int,
    "face": int,
    "fault": str,
    "match_count": int,
    "round_won": bool,
    "round_lost": bool,
    "game_won": bool,
    "loss": float,
}
"""One row per decision; docs/persistence.md explains the columns."""


def decision_rows(events: Sequence[RecordedEvent], losses: Mapping[int, float] | None = None) -> Iterator[Row]:
    """The decisions of one game, in order, as rows of `DECISION_COLUMNS`.

    Rounds that have not ended are left out, since their dice are secret. `losses` are known from a review of the game:
    what each decision gave away, by its number in the game, counted from 1.
    """
    winner = final_state(events).public.winner
    waiting: list[tuple[int, Row]] = []
    turn, fault = 0, None
    before: GameState | None = None
    for event, state in replay(events):
        payload = event.payload
        if isinstance(payload, AgentFaulted):
            fault = payload.verdict
        elif isinstance(payload, MOVES) and before is not None:
            turn += 1
            action = action_of(payload)
            waiting.append((turn, (*_decision(event, before, payload.player_id, action), fault)))
            fault = None
        elif isinstance(payload, RoundEnded):
            for number, row in waiting:
                seat = row[_SEAT]
                game_won = None if winner is None else seat == winner
                loss = None if losses is None else losses.get(number)
                yield (*row, payload.match_count, seat == payload.winner, seat == payload.loser, game_won, loss)
            waiting.clear()
        before = state


_SEAT = list(DECISION_COLUMNS).index("player_id")


def _decision(event: RecordedEvent, state: GameState, seat: int, action: Action) -> Row:
    """What is known when the player decides, and what it does."""
    public = state.public
    bid = action.bid if isinstance(action, BidAction) else None
    legal = legal_actions(public)
    return (
        event.game_id,
        rules_name(state.config),
        msgspec.json.encode(public.names).decode(),
        event.round_index,
        event.turn_index,
        seat,
        public.names[seat],
        event.player_type,
        _spaced(state.hands[seat]),
        _spaced(public.dice_counts),
        _spaced(public.table_dice),
        public.palifico,
        _spaced(public.bid_history),
        _spaced(public.bidders),
        legal_text(public, legal),
        len(legal),
        str(action),
        None if bid is None else bid.quantity,
        None if bid is None else bid.face,
    )


def legal_text(public: PublicState, legal: Sequence[Action]) -> str:
    """Legal actions in few words: runs of bids that follow each other on the ladder, then the calls.

    `2x4..3x6 liar` stands for every bid from two fours to three sixes, and for calling liar.
    """
    rungs = [public.rules.rungs[action.bid] for action in legal if isinstance(action, BidAction)]
    runs: list[list[int]] = []
    for rung in rungs:
        if runs and runs[-1][-1] == rung - 1:
            runs[-1][1:] = [rung]
        else:
            runs.append([rung])
    bids = ["..".join(str(public.rules.bids[end]) for end in run) for run in runs]
    return " ".join([*bids, *(str(action) for action in legal if not isinstance(action, BidAction))])


def _spaced(values: Sequence[object]) -> str:
    return " ".join(map(str, values))
