"""Games among experts as training data: a record per decision, or a chat in which the expert answers a prompt.

Games are played in chunks, each from its own seed, by as many processes as wanted: the data depend on the seed alone.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import signal
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from multiprocessing.process import BaseProcess
from typing import Literal, NamedTuple

import msgspec

from ..core import Action, BidAction, GameConfig, GameEngine, GameView, Progress, derive_seed, say_face
from ..persistence import Columns, Row
from .expert_judgements import EXPERTS, Expert, ExpertName, Judgement
from .prompts import position_prompt, rules_prompt

CHUNK_GAMES = 250
"""Games that are played side by side, and whose decisions are handed over together."""
Shape = Literal["records", "chat"]

RECORD_COLUMNS: Columns = {
    "game": int,
    "round_index": int,
    "turn_index": int,
    "player_id": int,
    "hand": str,
    "dice_counts": str,
    "palifico": bool,
    "bids": str,
    "bidders": str,
    "action": str,
    "probability": float,
    "value": float,
    "best_value": float,
    "holds": float,
    "round_won": bool,
    "round_lost": bool,
    "game_won": bool,
}
"""One row per decision; docs/language-models.md explains the columns."""
CHAT_COLUMNS: Columns = {
    "game": int,
    "round_index": int,
    "turn_index": int,
    "player_id": int,
    "system": str,
    "user": str,
    "assistant": str,
    "value": float,
    "game_won": bool,
}
"""One row per decision; in JSON lines, the three messages are one list, `messages`."""


class TrajectoryPlan(msgspec.Struct, frozen=True):
    """What is played, and what is written of it."""

    player: ExpertName
    config: GameConfig
    games: int
    seed: int
    shape: Shape = "records"

    @property
    def columns(self) -> Columns:
        """The columns of its rows."""
        return RECORD_COLUMNS if self.shape == "records" else CHAT_COLUMNS

    @property
    def chunks(self) -> int:
        """How many chunks it has."""
        return -(-self.games // CHUNK_GAMES)


class _Decision(NamedTuple):
    """A decision whose outcome is not known yet."""

    view: GameView
    action: Action
    judged: Judgement
    turn: int


class _Game:
    """One game among copies of the expert."""

    def __init__(self, plan: TrajectoryPlan, number: int) -> None:
        self.number = number
        names = [f"player-{seat}" for seat in range(plan.config.num_players)]
        self.engine = GameEngine(plan.config, names=names, seed=derive_seed(plan.seed, "trajectory", number))
        self.rng = random.Random(derive_seed(plan.seed, "moves", number))
        self.decisions: list[_Decision] = []
        self.engine.start_new_round()

    def next_view(self) -> GameView:
        """What the player to move sees."""
        return self.engine.get_view(self.engine.state.public.current_player)

    def move(self, view: GameView, judged: Judgement) -> None:
        """Draw the expert's move and make it."""
        actions = list(judged.chances)
        action = actions[0]
        if len(actions) > 1:
            (action,) = self.rng.choices(actions, list(judged.chances.values()))
        self.decisions.append(_Decision(view, action, judged, len(self.decisions) + 1))
        self.engine.apply_action(view.player_id, action)
        if self.engine.state.public.status == "REVEAL":
            self.engine.start_new_round()


@cache
def _expert(name: ExpertName) -> Expert:
    return EXPERTS[name]()


def play_chunk(plan: TrajectoryPlan, chunk: int) -> list[Row]:
    """The decisions of one chunk of games, in order."""
    first = chunk * CHUNK_GAMES
    games = [_Game(plan, number) for number in range(first, min(first + CHUNK_GAMES, plan.games))]
    expert = _expert(plan.player)
    playing = games
    while playing:
        views = [game.next_view() for game in playing]
        for game, view, judged in zip(playing, views, expert.judge(views), strict=True):
            game.move(view, judged)
        playing = [game for game in playing if not game.engine.is_terminal()]
    row = _record if plan.shape == "records" else _chat
    return [row(game, decision) for game in games for decision in game.decisions]


def trajectory_chunks(
    plan: TrajectoryPlan, workers: int, progress: Progress | None = None
) -> Generator[list[Row], None, None]:
    """The rows of all chunks, in order, played by this many processes."""
    if workers == 1 or plan.chunks == 1:
        played: Iterable[list[Row]] = (play_chunk(plan, chunk) for chunk in range(plan.chunks))
        yield from _counted(plan, played, progress)
        return
    pool = ProcessPoolExecutor(min(workers, plan.chunks), mp_context=multiprocessing.get_context("spawn"))
    started: list[BaseProcess] = []
    try:
        yield from _counted(plan, _in_order(pool, plan, workers, started), progress)
        pool.shutdown()
    except BaseException:  # also if nobody wants the rest
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in started:
            worker.kill()
        raise


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """Block SIGINT in this thread, and thereby in the processes that it starts."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _in_order(
    pool: ProcessPoolExecutor, plan: TrajectoryPlan, workers: int, started: list[BaseProcess]
) -> Iterator[list[Row]]:
    """Chunks in order; only a few are under way or waiting to be written, to limit memory. Notes the pool's workers."""
    waiting: list[Future[list[Row]]] = []
    for chunk in range(plan.chunks):
        with _ctrl_c_blocked():  # submitting may start a worker, which then ignores it, too
            before = multiprocessing.active_children()
            waiting.append(pool.submit(play_chunk, plan, chunk))
            started += [child for child in multiprocessing.active_children() if child not in before]
        if len(waiting) > 2 * workers:
            yield waiting.pop(0).result()
    for future in waiting:
        yield future.result()


def _counted(plan: TrajectoryPlan, played: Iterable[list[Row]], progress: Progress | None) -> Iterator[list[Row]]:
    for chunk, rows in enumerate(played, 1):
        yield rows
        if progress is not None:
            progress(min(chunk * CHUNK_GAMES, plan.games), plan.games)


def chat_line(row: Row) -> bytes:
    """A row of `CHAT_COLUMNS` as a line of JSON with a list of messages."""
    named = dict(zip(CHAT_COLUMNS, row, strict=True))
    messages = [{"role": role, "content": named.pop(role)} for role in ("system", "user", "assistant")]
    return msgspec.json.encode({"messages": messages, **named})


def _record(game: _Game, decision: _Decision) -> Row:
    view, action, judged, turn = decision
    public = view.public
    end = game.engine.state.public.resolutions[public.round_index]
    return (
        game.number,
        public.round_index,
        turn,
        view.player_id,
        _spaced(view.my_dice),
        _spaced(public.dice_counts),
        public.palifico,
        _spaced(public.bid_history),
        _spaced(public.bidders),
        str(action),
        judged.chances[action],
        judged.values.get(action),
        judged.best,
        judged.holds,
        view.player_id == end.winner,
        view.player_id == end.loser,
        view.player_id == game.engine.state.public.winner,
    )


def _chat(game: _Game, decision: _Decision) -> Row:
    view, action, judged, turn = decision
    return (
        game.number,
        view.public.round_index,
        turn,
        view.player_id,
        _rules(view.config),
        position_prompt(view),
        answer_text(action, judged.holds),
        judged.values.get(action),
        view.player_id == game.engine.state.public.winner,
    )


@cache
def _rules(config: GameConfig) -> str:
    return rules_prompt(config)


def answer_text(action: Action, belief: float | None) -> str:
    """A move as the answer that a prompt asks for."""
    move = str(action)
    if isinstance(action, BidAction):
        quantity, face = action.bid.quantity, action.bid.face
        move = f"bid {quantity} {say_face(face, many=quantity != 1)}"
    return json.dumps({"move": move} if belief is None else {"move": move, "belief": round(belief, 2)})


def _spaced(values: Iterable[object]) -> str:
    return " ".join(map(str, values))
