"""Tournaments on a Ray cluster: three nodes, in processes of this machine. One joins late, one is killed."""

from __future__ import annotations

import json
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from command_line import answer, call
from liars_dice.core import preset
from liars_dice.learn.champion.player import SHIPPED
from liars_dice.persistence import InMemoryRecorder, open_store
from liars_dice.tournament import (
    Ledger,
    Processes,
    Ray,
    TournamentSettings,
    WorkerDiedError,
    ray_backend,
    run_tournament,
)
from liars_dice.tournament.shipping import Shipment

ray = pytest.importorskip("ray")
pytestmark = [  # Ray leaves log files of its nodes open
    pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

BOT = """
from liars_dice.agents import Agent

class {name}(Agent):
    def choose_action(self, view):
        return view.legal_actions[{number} % len(view.legal_actions) if view.current_bid else 0]
"""

WITNESS = """
import os
import time
from pathlib import Path

from liars_dice.agents import Agent

NOTES = Path({notes!r})


class Witness(Agent):
    # Notes on which node it plays. Once it is told to, it waits on one node until it is killed, and on the others until
    # it has played on the node that joined late.

    def choose_action(self, view):
        node = os.environ.get("RAY_RAYLET_PID")  # it plays in a process of its own below the worker
        if node:
            (NOTES / node).touch()
            if (NOTES / "wait").exists():
                doomed, late = (NOTES / "wait").read_text().split()
                if node == doomed:
                    (NOTES / "waiting").touch()
                while node == doomed or not (NOTES / late).exists():
                    time.sleep(0.02)
        return view.legal_actions[-1 if view.current_bid else 0]
"""

KILLER = """
import os, signal
from liars_dice.agents import Agent

class Killer(Agent):
    def choose_action(self, view):
        os.kill(os.getpid(), signal.SIGKILL)
"""

COUNTER = """
import os
from pathlib import Path
from liars_dice.agents import Agent

class Counter(Agent):
    # Its decisions depend on how often it was asked since it was made. It notes in which process that was.

    def __init__(self):
        self.asked = {start}
        with open({notes!r}, "a") as notes:
            notes.write(f"{{os.getpid()}}\\n")

    def choose_action(self, view):
        self.asked += 1
        return view.legal_actions[self.asked % 7 % len(view.legal_actions)]
"""

A_LONG_TIME = 300.0
"""Seconds that nothing here should take, however busy the machine is."""
SMALL: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80_000_000, "include_dashboard": False}


def settings(*agents: str, **changes: Any) -> TournamentSettings:
    plain: dict[str, Any] = {
        "kind": "round-robin",
        "agents": agents,
        "rules": "test",
        "config": preset("heads-up", dice=2).to_dict(),
        "seed": 5,
        "record": "none",
        "time_limit_seconds": A_LONG_TIME,
    }
    return TournamentSettings(**plain | changes)


@pytest.fixture(scope="module", autouse=True)
def apart() -> Iterator[None]:
    """Keep clusters apart from others on this machine, and let them leave nothing behind."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="ray", dir="/tmp") as folder:
        patch.setenv("TMPDIR", folder)
        patch.setenv("RAY_TMPDIR", folder)
        patch.setenv("RAY_AUTH_MODE", "disabled")  # the clusters of Ray's test kit have no token
        for limit in ("RAY_raylet_start_wait_time_s", "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S"):
            patch.setenv(limit, f"{A_LONG_TIME:.0f}")
        patch.setenv("RAY_memory_monitor_refresh_ms", "0")  # no worker is killed because other programs need memory
        patch.setenv("RAY_worker_register_timeout_seconds", f"{A_LONG_TIME:.0f}")
        for limit in ("health_check", "grpc_keepalive", "grpc_client_keepalive", "agent_register"):
            patch.setenv(f"RAY_{limit}_timeout_ms", f"{1000 * A_LONG_TIME:.0f}")
        patch.setenv("GRPC_ENABLE_FORK_SUPPORT", "0")  # Ray's servers fork while gRPC's threads run
        patch.delenv("RAY_ADDRESS", raising=False)
        yield


@pytest.fixture(scope="module")
def cluster(apart: None) -> Iterator[Any]:
    """A cluster of two nodes with one processor each. The first is also the server for `ray://` at `client`."""
    from ray.cluster_utils import Cluster

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    cluster: Any = Cluster()
    cluster.add_node(**SMALL, ray_client_server_port=port)
    cluster.second = add_node(cluster)
    cluster.client = f"ray://127.0.0.1:{port}"
    wait_until(lambda: listens(port), "the server for ray:// to start")
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture
def far_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """The nodes do not have this machine's files: what is shipped is deleted here."""

    class Moved(Shipment, frozen=True):
        @classmethod
        def of(cls, names: Any) -> Shipment:
            shipment = Shipment.of(names)
            for path in (*shipment.files, *shipment.stores.values()):
                Path(path).unlink()
            return shipment

    monkeypatch.setattr(ray_backend, "Shipment", Moved)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Much to schedule, however few the games."""
    monkeypatch.setattr("liars_dice.tournament.runner.BLOCK_DEALS", {True: 10, False: 2})
    monkeypatch.setattr("liars_dice.tournament.chunks.CHUNK_SECONDS", 0.0)


def raylet(node: Any) -> str:
    """What bots on a node can know it by: the process of Ray there."""
    return str(node.all_processes["raylet"][0].process.pid)


def add_node(cluster: Any) -> Any:
    node = cluster.add_node(**SMALL, wait=False)
    cluster.wait_for_nodes(timeout=A_LONG_TIME)
    return node


def listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def wait_until(happened: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + A_LONG_TIME
    while not happened():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)


@pytest.mark.usefixtures("far_away")
def test_files_need_not_be_on_the_cluster(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the command line and `ray://`: a folder of bots, a bot elsewhere, a module, a model, and one's own rules."""

    def files() -> None:
        (tmp_path / "work" / "bots").mkdir(parents=True, exist_ok=True)
        monkeypatch.chdir(tmp_path / "work")
        for number, path in enumerate(("bots/one.py", "bots/two.py", "../elsewhere.py", "shipped_module.py")):
            Path(path).write_text(BOT.format(name=f"Bot{number}", number=number + 1))
        shutil.copy(SHIPPED, "model.npz")
        Path("house.json").write_text(json.dumps(preset("heads-up", dice=2, faces=5).to_dict()))

    elsewhere = str(tmp_path / "elsewhere.py")
    words = ["tournament", "--field", "bots", elsewhere, "shipped_module:Bot3", "champion:model.npz", "--rules"]
    words += ["house.json", "--games", "8", "--seed", "3", "--time-limit", str(A_LONG_TIME), "--record", "all"]
    files()
    here = answer(*words, "--backend", "processes")
    assert here["games"] == 80
    files()
    assert answer(*words, "--backend", cluster.client) == here
    assert not Path("bots/one.py").exists()


@pytest.mark.usefixtures("far_away")
def test_a_reader_needs_its_store_on_every_machine(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with open_store("games.db"):
        pass
    words = ("tournament", "reader:games.db", "detective", "--dice", "1", "--games", "2", "--db", "other.db")
    refused = call(*words, "--backend", cluster.client)
    assert refused.exit_code == 1
    told = refused.stderr.strip().splitlines()[-1]
    assert told.startswith("Error: agent = 'reader:games.db': expected a store that every machine of the cluster has")
    assert "use --backend processes" in told


def test_a_bot_that_kills_every_worker_pays_alone(cluster: Any, tmp_path: Path) -> None:
    killer = tmp_path / "killer.py"
    killer.write_text(KILLER)
    result = run_tournament(settings("detective", str(killer), games=4), backend=Ray(address=cluster.address))
    faults = {entry.agent: entry.faults for entry in result.ranking}
    assert faults["detective"] == {}
    assert set(faults[str(killer)]) == {"died"}


def test_a_bot_that_never_answers_is_late_and_ends(cluster: Any, tmp_path: Path) -> None:
    """It swallows every interruption, so a worker that ran it would never come back."""
    hangs = tmp_path / "hangs.py"
    hangs.write_text(
        "import time\nfrom liars_dice.agents import RandomAgent\n\nclass Hangs(RandomAgent):\n"
        "    memoryless = False\n    def choose_action(self, view):\n        while True:\n            try:\n"
        "                time.sleep(1)\n            except BaseException: pass\n"
    )
    asked = settings("detective", str(hangs), games=2, time_limit_seconds=0.3)
    result = run_tournament(asked, backend=Ray(address=cluster.address))
    faults = {entry.agent: entry.faults for entry in result.ranking}
    assert "too_slow" in faults[str(hangs)]
    assert faults["detective"].keys() <= {"too_slow"}  # where the time is short, anyone may be late


def test_the_process_of_a_bot_stays_for_more_than_one_chunk(cluster: Any, tmp_path: Path) -> None:
    """Not for another run, and it ends soon after the last chunk although the connection to the cluster stays."""
    notes, bot = tmp_path / "notes", tmp_path / "counter.py"
    asked = settings("detective", str(bot), games=80)  # a chunk is a block of four games
    ran_in: list[set[str]] = []
    with Ray(1, cluster.address) as backend:
        for start in (0, 1):
            bot.write_text(COUNTER.format(notes=str(notes), start=start))
            here = run_tournament(asked, backend=Processes(1))
            notes.unlink()
            assert run_tournament(asked, backend=backend) == here
            made = notes.read_text().split()
            assert len(made) >= 20
            assert len(set(made)) < len(made)
            ran_in.append(set(made))
        assert not ran_in[0] & ran_in[1]
        all_of_them = ran_in[0] | ran_in[1]
        wait_until(lambda: not any(Path("/proc", pid).exists() for pid in all_of_them), "all bots' processes to end")


def test_another_version_on_the_cluster_is_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_backend, "__version__", "77.0")
    with pytest.raises(WorkerDiedError, match=r"a machine of the cluster has liars-dice .*; install 77\.0 there"):
        run_tournament(settings("detective", "threshold-best", games=4), backend=Ray(address=cluster.address))


def test_an_interrupted_tournament_goes_on(cluster: Any) -> None:
    asked = settings("detective", "threshold-best", "bluffer", games=40)
    store = InMemoryRecorder()
    ledger = Ledger(store, asked)

    def ctrl_c(done: int, total: int) -> None:
        if done > total // 3:
            raise KeyboardInterrupt

    with Ray(1) as backend:
        assert ray.get_runtime_context().gcs_address == cluster.address  # it runs on this machine
        assert not run_tournament(asked, backend=backend, ledger=ledger, progress=ctrl_c).complete
        assert backend.workers == 1
        resumed = run_tournament(asked, backend=backend, ledger=Ledger(store, asked, ledger.id))
    assert resumed == run_tournament(asked, backend=Processes(1))


@pytest.mark.usefixtures("far_away")
def test_nodes_come_and_go(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last test here: Ray takes a while to notice that a node is gone, and may try to connect to it meanwhile."""
    monkeypatch.chdir(tmp_path)
    notes = tmp_path / "notes"
    notes.mkdir()
    Path("witness.py").write_text(WITNESS.format(notes=str(notes)))
    asked = settings("detective", "witness.py", "threshold-best", games=80)
    here = run_tournament(asked, backend=Processes(1))
    backend = Ray(address=cluster.address)
    seen: list[int] = []
    story: dict[str, str] = {}

    def on_progress(done: int, total: int) -> None:
        seen.append(backend.workers)
        if not story:
            story["doomed"], story["late"] = raylet(cluster.second), raylet(add_node(cluster))
            (notes / "new").write_text(f"{story['doomed']} {story['late']}")
            (notes / "new").rename(notes / "wait")
        elif "killed" not in story and (notes / story["late"]).exists():
            wait_until((notes / "waiting").exists, "the doomed node to get a chunk, which it will never finish")
            cluster.remove_node(cluster.second, allow_graceful=False)
            story["killed"] = story["doomed"]

    there = run_tournament(asked, backend=backend, progress=on_progress)
    assert there == here
    assert seen[0] == 2
    assert max(seen) == 3
    assert story["killed"]
    played_on = {note.name for note in notes.iterdir()} - {"wait", "waiting"}
    assert {story["doomed"], story["late"]} <= played_on


def test_a_cluster_of_ones_own() -> None:
    asked = settings("detective", "threshold-best", "bluffer", games=40, until_significant=True)
    with Ray(2, "local") as backend:
        assert run_tournament(asked, backend=backend) == run_tournament(asked, backend=Processes(1))
        assert backend.workers == 2
        assert ray.is_initialized()
    assert not ray.is_initialized()
