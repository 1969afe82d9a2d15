"""A referee that no bot can break: in this process as far as that goes, and through walls without exception."""

from __future__ import annotations

import gc
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from liars_dice.agents import AGENTS, AgentNameError, GameStart, RandomAgent, make_agent
from liars_dice.core import Action, AgentFaulted, Event, GameConfig, GameView, Move, Player, play_game, preset
from liars_dice.exact.solver.nash import NashAgent
from liars_dice.persistence import InMemoryRecorder, record_game, verify_game
from liars_dice.referee import bot_connection, isolated_seat
from liars_dice.referee.limits import BotLimits
from liars_dice.referee.named_seats import make_seat
from liars_dice.referee.referee import MatchResult, Referee
from liars_dice.referee.sandbox import descendants
from liars_dice.referee.seats import Seat
from patience import AMPLE, PATIENCE
from support import Chooser

BOTS = Path(__file__).parent.parent / "bots"
LONG = msgspec.structs.replace(AMPLE, memory_mb=600, processes=40)
SHORT = msgspec.structs.replace(LONG, decision=0.3)
PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable

VERDICTS: dict[str, str | None] = {
    "endless_loop": "too_slow",
    "sleeps": "too_slow",
    "answers_late": "too_slow",
    "crash_on_load": "exception",
    "has_a_typo": "exception",
    "crash_on_turn": "exception",
    "calls_sys_exit": "exception",
    "calls_os_exit": "died",
    "returns_nonsense": "wrong_type",
    "returns_nothing": "wrong_type",
    "illegal_bid": "illegal",
    "calls_too_early": "illegal",
    "eats_memory": "out_of_memory",
    "forks": "exception",
    "ignores_sigterm": "too_slow",
    "leaves_children": None,
    "edits_its_view": None,
    "looks_for_dice": None,
    "tampers_with_random": None,
    "raises_in_every_hook": "exception",
    "slow_to_learn": "too_slow",
    "slow_to_load": "too_slow",
    "recurses": "exception",
    "talks_too_much": None,
    "speaks_in_surrogates": "exception",
    "closes_everything": "died",
    "stops_itself": "too_slow",
    "kills_its_keeper": "exception" if os.geteuid() == 0 else "died",
    "writes_a_big_file": "exception",
    "cmd_answers_twice": "garbage",
    "cmd_floods": "garbage",
    "cmd_prints_garbage": "garbage",
    "cmd_never_reads": "too_slow",
    "cmd_answers_nonsense": "wrong_type",
    "cmd_dies_loading": "died",
    "raises_cancelled": "exception",
    "raises_the_unprintable": "exception",
    "bids_astronomically": "wrong_type",
    "leaves_a_headless_child": None,
    "hops": None,
    "cmd_floods_faults": "garbage",
    "cmd_odd_fault": "exception",
    "cmd_deep_json": "garbage",
    "cmd_true_id": "garbage",
}
"""Every misbehaving bot in tests/bots, and the first verdict it earns behind walls; None: it does no harm."""


def limits_for(bot: str) -> BotLimits:
    """Only the limit that this bot breaks is short: on a busy machine everything else takes its time."""
    if VERDICTS[bot] != "too_slow":
        return LONG
    if bot == "slow_to_learn":
        return msgspec.structs.replace(LONG, game_end=0.3)
    return msgspec.structs.replace(LONG, load=3.0) if bot == "slow_to_load" else SHORT


def name_of(bot: str) -> str:
    path = BOTS / f"{bot}.py"
    return f"cmd:{PYTHON} {path}" if bot.startswith("cmd_") else str(path)


def match(bot: str, rules: GameConfig | None = None, *, strict: bool = False, seed: int = 1) -> MatchResult:
    """The bot, isolated, against an isolated honest one."""
    seats = [make_seat(name_of(bot), limits_for(bot), isolate=True), make_seat("random", LONG, isolate=True)]
    return Referee(seats, rules or preset("heads-up", dice=2), seed=seed, strict=strict).play()


def test_every_bad_bot_has_its_verdict() -> None:
    assert {path.stem for path in BOTS.glob("*.py")} == set(VERDICTS)
    assert len(VERDICTS) >= 20


@pytest.mark.parametrize("bot", VERDICTS)
def test_isolated_matches_end_with_the_right_verdict(bot: str) -> None:
    """And the opponent is unharmed, and nothing of the bot is left."""
    others = descendants(os.getpid())
    result = match(bot)
    assert [fault.verdict for fault in result.faults][:1] == ([VERDICTS[bot]] if VERDICTS[bot] else []), result.faults
    assert {fault.player_id for fault in result.faults} <= {0}
    assert result.winner in (0, 1)
    assert result.game is not None
    assert set(descendants(os.getpid())) <= set(others)
    assert strangers() == []


def strangers() -> list[int]:
    """Processes of the users that bots become and that do not end; not those of tests in other workers."""
    found = {int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and is_strangers(p)}
    found -= set(descendants(os.getppid())) - set(descendants(os.getpid()))
    return sorted(pid for pid in found if not ends(pid))


def ends(pid: int) -> bool:
    """Whether this process ends, which may take it a moment."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], PATIENCE)[0])
    finally:
        os.close(process)


def is_strangers(entry: Path) -> bool:
    try:
        return entry.stat().st_uid > 1_000_000
    except OSError:
        return False


def test_bots_that_fail_at_events_are_muted() -> None:
    """Faults do not feed on themselves."""
    seats = [make_seat(name_of("raises_in_every_hook"), LONG, isolate=True) for _ in range(2)]
    result = Referee(seats, preset("heads-up"), seed=2).play()
    assert {fault.verdict for fault in result.faults} == {"exception"}
    assert len(result.faults) < 100


def test_starting_may_take_as_long_as_loading(tmp_path: Path) -> None:
    bot = tmp_path / "slow_start.py"
    bot.write_text(
        "import time\nfrom liars_dice.agents import RandomAgent\nclass Bot(RandomAgent):\n"
        "    def on_game_start(self, config, player_id):\n        time.sleep(0.1)\n"
    )
    hurried = msgspec.structs.replace(LONG, decision=0.01, game_end=0.01)
    for isolate in (False, True):
        seat = make_seat(str(bot), hurried, isolate=isolate)
        seat.tell(GameStart(preset("duel"), 0, seed=1, names=("one", "two")))  # a bot that is late raises `BotFault`
        seat.close()


class WaitingTime:
    """A clock for the referee that does not depend on how busy the machine is: it moves only by waits in vain.

    A wait takes no time if what is waited for comes, however late, and all its time once it is sure never to come.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.in_vain: Callable[[], bool] = lambda: False
        """Whether a bot is never going to answer."""

    def monotonic(self) -> float:
        return self.now

    def select(self, reads: list[Any], writes: list[Any], others: list[Any], seconds: float) -> tuple[list[Any], ...]:
        while True:
            ready = select.select(reads, writes, others, min(seconds, 0.01))
            if any(ready) or not seconds or self.in_vain():
                self.now += 0 if any(ready) else seconds
                return ready

    def wait(self, process: subprocess.Popen[bytes], timeout: float = PATIENCE) -> int:
        try:
            return WAIT(process, PATIENCE)
        except subprocess.TimeoutExpired:
            self.now += timeout
            raise


WAIT = subprocess.Popen.wait


@pytest.mark.skipif(not Path("/proc").exists(), reason="this system does not say what processes do")
@pytest.mark.parametrize("bot", ["endless_loop", "ignores_sigterm", "stops_itself"])
def test_a_late_bot_is_dead_at_once(bot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once its time is up, nothing is waited for but the end of its processes, and the verdict comes after that."""
    clock = WaitingTime()
    for module in (bot_connection, isolated_seat):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(bot_connection, "select", clock)
    monkeypatch.setattr(subprocess.Popen, "wait", lambda *told, **timeout: clock.wait(*told, **timeout))
    others = set(descendants(os.getpid()))
    seat = make_seat(name_of(bot), SHORT, isolate=True)
    referee = Referee([seat, make_seat("random", LONG)], preset("heads-up", dice=1), seed=1)
    verdicts: list[tuple[float, set[int]]] = []

    def hear(event: Event) -> None:
        if isinstance(event, AgentFaulted):
            verdicts.append((clock.now, set(descendants(os.getpid())) - others))

    referee.engine.subscribe(hear)
    choose, asked = seat.choose_action, list[float]()

    def timed(view: GameView) -> Move:
        used = processor_seconds(others)
        clock.in_vain = lambda: is_stopped(others) or processor_seconds(others) > used + SHORT.decision
        asked.append(clock.now)
        return choose(view)

    monkeypatch.setattr(seat, "choose_action", timed)
    referee.play()
    told, alive = verdicts[0]
    assert told == pytest.approx(asked[0] + SHORT.decision)
    assert not alive


def processes_below(others: set[int]) -> list[list[str]]:
    """What the system says of each process below this one that is not among these: its state, and numbers."""
    found = []
    for pid in set(descendants(os.getpid())) - others:
        with suppress(OSError):
            found.append(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split())
    return found


def processor_seconds(others: set[int]) -> float:
    return sum(int(fields[11]) + int(fields[12]) for fields in processes_below(others)) / os.sysconf("SC_CLK_TCK")


def is_stopped(others: set[int]) -> bool:
    return any(fields[0] == "T" for fields in processes_below(others))


def test_a_keeper_does_not_look_now_and_then_but_hears_that_the_game_is_over() -> None:
    """Here it waits without a time limit, and its bot does not end when it is asked to."""
    program = """
import select, signal, sys, types
from liars_dice.referee import sandbox

sandbox.select = types.SimpleNamespace(select=lambda reads, writes, others, seconds: select.select(reads, [], []))
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sandbox.keep(int(sys.argv[1]), lambda: print("up", flush=True) or signal.pause(), None)
"""
    inside, control = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", program, str(inside)], stdout=subprocess.PIPE, pass_fds=(inside,)
    ) as keeper:
        os.close(inside)
        assert keeper.stdout is not None
        assert keeper.stdout.readline() == b"up\n"
        os.close(control)
        ended = select.select([keeper.stdout], [], [], PATIENCE)[0]
        keeper.kill()
    assert ended, "the bot lives on"


def test_strict_matches_are_forfeited() -> None:
    result = match("crash_on_turn", strict=True)
    assert (result.winner, result.forfeited_by, len(result.faults)) == (1, 0, 1)
    assert result.faults[0].fallback == "forfeit"
    late = match("slow_to_learn", strict=True)
    assert late.forfeited_by is None
    assert late.faults[0].fallback == "the game goes on"
    three: list[Player | Seat] = [make_seat(name_of("illegal_bid"), LONG), RandomAgent(), RandomAgent()]
    void = Referee(three, preset("perudo", players=3), seed=1, limits=LONG, strict=True).play()
    assert (void.winner, void.forfeited_by) == (None, 0)


IN_PROCESS = [bot for bot, verdict in VERDICTS.items() if verdict in ("illegal", "wrong_type")]
IN_PROCESS += ["endless_loop", "sleeps", "answers_late", "crash_on_turn", "calls_sys_exit", "recurses", "slow_to_learn"]
IN_PROCESS += ["raises_in_every_hook", "tampers_with_random", "raises_cancelled", "raises_the_unprintable"]


@pytest.mark.parametrize("bot", [bot for bot in IN_PROCESS if not bot.startswith("cmd_")])
def test_trusted_bots_are_survived_too(bot: str) -> None:
    seats = [make_seat(name_of(bot), limits_for(bot)), make_seat("random", LONG)]
    result = Referee(seats, preset("heads-up", dice=2), seed=1).play()
    assert [fault.verdict for fault in result.faults][:1] == ([VERDICTS[bot]] if VERDICTS[bot] else [])
    assert {fault.player_id for fault in result.faults} <= {0}
    assert result.winner in (0, 1)


def test_fallbacks_are_liar_or_the_lowest_bid() -> None:
    result = match("illegal_bid", preset("heads-up", dice=1))
    assert {fault.fallback for fault in result.faults} <= {"1x1", "liar"}
    assert result.faults[0].fallback == "1x1"
    assert "99x9 is not a bid of this round" in result.faults[0].detail


def test_faults_are_recorded_and_the_record_verifies() -> None:
    store = InMemoryRecorder()
    seats = [make_seat(name_of(bot), LONG) for bot in ("calls_too_early", "raises_in_every_hook")]
    referee = Referee(seats, preset("heads-up", dice=2), seed=3)
    game_id = record_game(referee.engine, store)
    result = referee.play()
    events = store.events(game_id)
    assert verify_game(events) == referee.engine.state
    recorded = [event.payload for event in events if isinstance(event.payload, AgentFaulted)]
    assert recorded == list(result.faults)[: len(recorded)]
    assert {fault.player_id for fault in recorded} == {0, 1}


def test_the_other_player_hears_of_faults_without_details() -> None:
    heard: list[Event] = []

    class Listener(RandomAgent):
        def on_event(self, event: Event) -> None:
            heard.append(event)

    seats: list[Player | Seat] = [make_seat(name_of("crash_on_turn"), LONG), Listener()]
    Referee(seats, preset("heads-up", dice=1), seed=1, limits=LONG).play()
    faults = [event for event in heard if isinstance(event, AgentFaulted)]
    assert faults
    assert {fault.detail for fault in faults} == {""}


@pytest.mark.parametrize("name", AGENTS)
def test_walls_change_nothing(name: str) -> None:
    """The same seed gives the same game with and without them: views, seeds and hooks cross the wall unharmed."""
    config, names = preset("perudo", players=3, dice=3, palifico=True), (name, "random", "detective")
    room = BotLimits().memory_mb if name == "reader" else LONG.memory_mb  # it compiles in its box
    limits = msgspec.structs.replace(LONG, memory_mb=room)
    free = Referee([make_seat(n, limits) for n in names], config, seed=7).play()
    walled = Referee([make_seat(n, limits, isolate=True) for n in names], config, seed=7).play()
    assert walled.game is not None
    assert free.game is not None
    assert walled.game.resolutions == free.game.resolutions
    assert walled.faults == free.faults == ()
    assert play_game([make_agent(n) for n in (name, "random", "detective")], config, seed=7).resolutions == (
        free.game.resolutions
    )


def test_tampering_changes_no_dice() -> None:
    def dice(result: MatchResult) -> list[object]:
        assert result.game is not None
        return [resolution.dice for resolution in result.game.resolutions[:1]]

    assert dice(match("tampers_with_random")) == dice(match("talks_too_much"))


@pytest.mark.parametrize("count", [12, pytest.param(1000, marks=pytest.mark.slow)])
def test_many_isolated_matches_leave_nothing_behind(count: int) -> None:
    """No process, no zombie, no file descriptor, and no memory that grows."""

    def memory() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1])

    def files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    match("leaves_children", preset("duel"))
    others = set(descendants(os.getpid()))
    before, grown = files(), memory()
    for number in range(count):
        match(("leaves_children", "crash_on_turn", "calls_os_exit")[number % 3], preset("duel", dice=1), seed=number)
    assert files() == before
    assert set(descendants(os.getpid())) <= others
    zombies = [p for p in Path("/proc").iterdir() if p.name.isdigit() and is_zombie_of_ours(p)]
    assert zombies == []
    assert memory() - grown < 2500  # pages: ten megabytes


def is_zombie_of_ours(entry: Path) -> bool:
    try:
        fields = (entry / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[0] == "Z" and fields[1] == str(os.getpid())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has privileges to drop")
def test_root_is_dropped() -> None:
    script = "import os, sys; print({'type': 'ready'} and os.geteuid(), flush=True); sys.stdin.read()"
    seat = make_seat(f'cmd:{PYTHON} -c "{script}"', LONG)
    result = Referee([seat, Chooser()], preset("duel", dice=1), seed=1, limits=LONG).play()
    assert result.faults[0].verdict == "garbage"
    user = int(result.faults[0].detail.rpartition(" ")[2].strip("b'\""))
    assert user >= 65534


def test_programs_and_isolation_need_something_to_run() -> None:
    with pytest.raises(AgentNameError, match="a program to run"):
        make_seat("cmd:")
    seats: list[Player | Seat] = [make_seat("cmd:no-such-program-here", LONG), Chooser()]
    result = Referee(seats, preset("duel", dice=1), seed=1, limits=LONG).play()
    assert result.faults[0].verdict == "died"
    assert shutil.which("no-such-program-here") is None


def test_the_alarm_waits_for_the_garbage_collector() -> None:
    """What is raised in one of its callbacks goes to the screen and not to the bot, so the clock rings again later."""

    class Collects(RandomAgent):
        def choose_action(self, view: GameView) -> Action:
            gc.collect(0)
            while True:
                time.sleep(0.01)

    def linger(phase: str, info: dict[str, int]) -> None:
        end = time.perf_counter() + 2 * SHORT.decision
        while phase == "start" and time.perf_counter() < end:
            time.sleep(0.01)

    gc.callbacks.append(linger)
    try:
        result = Referee([Collects(), Collects()], GameConfig(dice=(1, 1)), seed=1, limits=SHORT).play()
    finally:
        gc.callbacks.remove(linger)
    assert {fault.verdict for fault in result.faults} == {"too_slow"}


class SlowNash(NashAgent):
    """Somebody's bot, made from one of ours."""


@pytest.mark.parametrize(("player", "verdicts"), [("nash", set()), (NashAgent(), set()), (SlowNash(), {"too_slow"})])
def test_our_own_bots_have_the_time_for_loading(player: Any, verdicts: set[str]) -> None:
    """They may have to unpack what they know; what they do must not depend on how fast the machine is."""
    hurried = BotLimits(decision=1e-9, load=PATIENCE)
    seat = make_seat(player, hurried) if isinstance(player, str) else player
    result = Referee([seat, make_seat("random", hurried)], preset("perudo", players=2), seed=1, limits=hurried).play()
    assert {fault.verdict for fault in result.faults} == verdicts
