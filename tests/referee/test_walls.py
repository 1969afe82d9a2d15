"""What a bot in a box cannot do, however it tries."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from liars_dice.core import preset
from liars_dice.referee import BotLimits, Referee, Seat, make_seat, missing_walls, namespaces, walls
from liars_dice.referee.bot_cgroup import BotCgroup
from liars_dice.referee.bot_group import BotGroup
from liars_dice.referee.isolated_seat import IsolatedSeat
from liars_dice.referee.seccomp import is_known_here
from liars_dice.referee.walls import bubblewrap
from patience import AMPLE, PATIENCE

boxed = pytest.mark.skipif(bubblewrap() is None, reason="no bubblewrap here")
filtered = pytest.mark.skipif(not is_known_here(), reason="no filter of system calls here")

ATTEMPTS = {
    "a socket": "__import__('socket').socket()",
    "a netlink socket": "__import__('socket').socket(16, 3, 0)",
    "ptrace": "call(101 if x86 else 117, 16, 1, 0, 0)",
    "reading the memory of others": "call(310 if x86 else 270, os.getppid(), 0, 0, 0, 0, 0)",
    "a new user namespace": "call(272 if x86 else 97, 0x10000000)",
    "a child in a new namespace": "call(56 if x86 else 220, 0x10000000 | 17, 0, 0, 0, 0)",
    "a mount": "call(165 if x86 else 40, b'x', b'/tmp', b'tmpfs', 0, 0)",
    "shared memory that outlives it": "call(29 if x86 else 194, 0, 4096, 0o1600)",
    "the kernel's keys": "call(250 if x86 else 219, 0, -3, 0)",
    "another processor's calls": "call(0x40000000 + 39) if x86 else deny()",
}
SIGHTS = {
    "processes of others": "len([p for p in os.listdir('/proc') if p.isdigit()]) > 4 or deny()",
    "files of the system": "open('/etc/passwd').read()",
    "files of others": "open(SECRET).read()",
    "the store beside it": "open(STORE).read()[0]",
    "writing beside its file": "open(os.path.join(os.path.dirname(__file__), 'left'), 'w')",
    "what boxes before it left in /tmp": "open('/tmp/left').read() if not open('/tmp/left', 'a') else ''[0]",
    "environment variables": "os.environ['PATH'][0]",
    "signals to others": "os.kill(PARENT, 0)",
}


def verdicts(attempts: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """What became of each attempt of a bot in a box: nothing, or the name of the error."""
    folder = tmp_path / "bots"
    folder.mkdir(mode=0o755)
    secret, store = tmp_path / "secret", folder / "games.db"
    for file in (secret, store):
        file.write_text("dice")
        file.chmod(0o644)
    tmp_path.chmod(0o755)
    bot = folder / "tries.py"
    bot.write_text(
        "import ctypes, json, os, platform\nfrom liars_dice.agents import RandomAgent\n"
        f"SECRET, STORE, PARENT = {str(secret)!r}, {str(store)!r}, {os.getpid()}\n"
        "x86, libc = platform.machine() == 'x86_64', ctypes.CDLL(None, use_errno=True)\n"
        "def deny(): raise PermissionError\n"
        "def call(*words):\n    if libc.syscall(*words) < 0: raise OSError(ctypes.get_errno(), 'refused')\n"
        f"told = {{}}\nfor name, attempt in {attempts!r}.items():\n"
        "    try:\n        eval(attempt)\n        told[name] = ''\n"
        "    except Exception as error:\n        told[name] = type(error).__name__\n"
        "class Tries(RandomAgent):\n    def choose_action(self, view): raise ValueError(json.dumps(told))\n"
    )
    result = Referee([make_seat(str(bot), AMPLE, isolate=True), make_seat("random")], preset("duel", dice=1), seed=1)
    detail = result.play().faults[0].detail
    found: dict[str, str] = json.loads(detail[detail.index("{") : detail.rindex("}") + 1])
    return found


@filtered
def test_calls_that_reach_out_of_a_box_are_refused(tmp_path: Path) -> None:
    assert set(verdicts(ATTEMPTS, tmp_path).values()) == {"PermissionError"}


@boxed
def test_a_box_has_no_sight_of_anything_else(tmp_path: Path) -> None:
    found = verdicts(SIGHTS, tmp_path)
    assert [name for name, error in found.items() if not error] == []
    assert not (tmp_path / "bots" / "left").exists()


@pytest.mark.skipif(not namespaces.are_allowed(), reason="no namespaces here")
def test_without_bubblewrap_a_box_builds_walls_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walls, "bubblewrap", lambda: None)
    names = ("processes of others", "signals to others", "environment variables")
    sights = {name: SIGHTS[name] for name in names} | {
        "interfaces": "len(open('/proc/net/dev').readlines()) > 3 or deny()"
    }
    left = Path("/dev/shm/ld-walls")
    found = verdicts({**sights, "shared memory": f"open({str(left)!r}, 'w')"}, tmp_path)
    assert [name for name, error in found.items() if not error] == ["shared memory"]
    assert not left.exists()


@boxed
def test_nothing_that_a_bot_writes_outlives_its_box(tmp_path: Path) -> None:
    before = {path.name for place in ("/tmp", "/dev/shm") for path in Path(place).iterdir()}
    writes = {place: f"open({place!r}, 'w').write('x')" for place in ("/tmp/ld-left", "/dev/shm/ld-left")}
    assert set(verdicts(writes, tmp_path).values()) == {""}
    after = {path.name for place in ("/tmp", "/dev/shm") for path in Path(place).iterdir()}
    assert "ld-left" not in after - before


def test_a_bot_cannot_change_the_referee(tmp_path: Path) -> None:
    """It may patch everything it finds; what it finds is its own copy."""
    bot = tmp_path / "patches.py"
    bot.write_text(
        "import liars_dice.referee.referee as r\nfrom liars_dice.agents import RandomAgent\n"
        "r.Referee.play = lambda self: r.MatchResult(0, ('a', 'b'), ())\n"
        "class Patches(RandomAgent): pass\n"
    )
    config = preset("heads-up", dice=1)
    honest = [Referee([make_seat("random"), make_seat("random")], config, seed=seed).play() for seed in range(3)]
    seats = [make_seat(str(bot), AMPLE, isolate=True), make_seat("random")]
    patched = [Referee(seats, config, seed=seed).play() for seed in range(3)]
    assert [one.winner for one in patched] == [one.winner for one in honest]


HOG = (
    "import threading\nfrom liars_dice.agents import RandomAgent\n"
    "def spin():\n    while True: pass\n"
    "class Hog(RandomAgent):\n    def choose_action(self, view):\n"
    "        threading.Thread(target=spin, daemon=True).start()\n        return super().choose_action(view)\n"
)


def used(seat: Seat) -> float:
    """The processor time that a boxed bot has used."""
    assert isinstance(seat, IsolatedSeat)
    assert seat._bot is not None
    leader = seat._bot._group._found()
    assert leader is not None
    return time.clock_gettime(~leader << 3 | 2)


@boxed
def test_a_hog_stands_still_while_others_think(tmp_path: Path) -> None:
    bot = tmp_path / "hog.py"
    bot.write_text(HOG)
    hog = make_seat(str(bot), AMPLE, isolate=True)
    spent: list[float] = []

    class Thinks(type(make_seat("random").agent)):  # type: ignore[misc]
        def choose_action(self, view):  # type: ignore[no-untyped-def]
            before = used(hog)
            end = time.thread_time() + 0.05
            while time.thread_time() < end:
                pass
            spent.append(used(hog) - before)
            return super().choose_action(view)

    Referee([hog, Thinks()], preset("heads-up", dice=2), seed=1, limits=AMPLE).play()
    assert spent
    assert sorted(spent)[len(spent) // 2] < 0.01


def test_only_a_bot_that_wants_the_processor_gets_more_time() -> None:
    """On a busy machine a bot that computes may go on until it has used its time; one that sleeps may not."""
    for code, wants in (("while True: pass", True), ("import time; time.sleep(1000)", False)):
        code = f"import sys; print(flush=True); {code}" if wants else f"print(flush=True); {code}"
        with subprocess.Popen(
            [sys.executable, "-c", code.replace("; while", "\nwhile")], stdout=subprocess.PIPE
        ) as bot:
            assert bot.stdout is not None
            bot.stdout.readline()
            group = BotGroup(0)
            group._leader = bot.pid
            while not wants and group.is_kept_waiting(PATIENCE):
                pass  # it falls asleep in a moment
            assert group.is_kept_waiting(PATIENCE) is wants
            assert not group.is_kept_waiting(0.0)
            bot.kill()


def test_a_module_of_ours_is_not_a_file_beside_us(tmp_path: Path) -> None:
    """A bot's file may have the name of a module that Python has, too, and that commands import late."""
    for name in ("statistics", "shlex"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('ran in the command itself')\n")
    words = [sys.executable, "-m", "liars_dice", "agents"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "ran in" in done.stderr) == (0, False), done.stderr


def test_a_cgroup_limits_all_processes_of_a_box_together(tmp_path: Path) -> None:
    group = BotCgroup(BotLimits(memory_mb=100, processes=4), tmp_path)
    (made,) = tmp_path.iterdir()
    assert int((made / "memory.max").read_text()) >= 100 * 2**20
    assert int((made / "pids.max").read_text()) >= 4
    assert group.joined(["true"])[-1] == "true"
    assert BotCgroup(BotLimits(), None).joined(["true"]) == ["true"]


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walls, "bubblewrap", lambda: None)
    said = "; ".join(missing_walls())
    assert "file system" in said
    assert "bubblewrap" in said
