"""Bots on a machine that does not have their files."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from liars_dice.core import preset
from liars_dice.learn import Training, new_model
from liars_dice.tournament.blocks import Block, PlayedBlock, Worker, WorkerSetup
from liars_dice.tournament.shipping import Shipment

BOT = """
from liars_dice.agents import Agent

class {name}(Agent):
    def choose_action(self, view):
        return view.legal_actions[-1 if view.current_bid else 0]
"""
ROOT = Path(__file__).parent.parent.parent
PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else "python3"


@pytest.fixture
def anywhere() -> Iterator[Path]:
    """A folder that every user may read, such as the one that a sandboxed bot runs as."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def home(anywhere: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with bots of every kind; the working directory is one below."""
    home = anywhere / "home"
    for path, text in {
        "work/bots/near.py": BOT.format(name="Near"),
        "work/agents/found.py": BOT.format(name="Found"),
        "work/shipped_package/__init__.py": "NAME = 'Packed'\n",
        "work/shipped_package/bot.py": "from . import NAME\n" + BOT.format(name="Packed"),
        "work/program.py": (ROOT / "examples" / "protocol_bot.py").read_text(),
        "far.py": BOT.format(name="Far"),
        "absolute.py": BOT.format(name="One") + BOT.format(name="Two"),
    }.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text)
    monkeypatch.chdir(home / "work")
    monkeypatch.setattr(sys, "path", [*sys.path])
    return home


def play(name: str, *, isolate: bool = False) -> PlayedBlock:
    """Some games, recorded, so that the agent's names in the record are compared, too."""
    setup = WorkerSetup(
        agents=(name, "random"), config=preset("classic", dice=1), record="all", prefix="t", isolate=isolate
    )
    block = Block(number=0, table=(0, 1), seed=3, first=0, deals=2, rotations=2, compiled=False)
    return Worker(setup).play(block)


def without_times(played: PlayedBlock) -> object:
    result, games = played
    return result, [[(event.payload, event.player_type) for event in game] for game in games]


@pytest.mark.parametrize(
    ("name", "isolate"),
    [
        ("bots/near.py", False),
        ("bots/near.py:Near", False),
        ("../far.py", True),
        ("{home}/absolute.py:Two", False),
        ("{home}/absolute.py:Two", True),
        ("Found", False),
        ("Found", True),
        ("shipped_package.bot:Packed", False),
        ("shipped_package.bot:Packed", True),
        (f"cmd:{PYTHON} program.py", False),
    ],
)
def test_a_bot_plays_where_its_file_is_not(
    name: str, isolate: bool, home: Path, anywhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = name.format(home=home)
    here = play(name, isolate=isolate)
    assert not here[0].faults
    shipment = Shipment.of(["random", name, "threshold:0.3,0.2"])
    forget(home, monkeypatch)
    with shipment.unpacked(anywhere / "unpacked"):
        assert without_times(play(name, isolate=isolate)) == without_times(here)


def forget(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be a machine without these files, whose working directory is another."""
    monkeypatch.chdir("/")
    shutil.rmtree(home)
    for module in [name for name in sys.modules if name.partition(".")[0] == "shipped_package"]:
        monkeypatch.delitem(sys.modules, module)


@pytest.mark.parametrize("model", ["model.npz", "{home}/model.npz"])
def test_a_trained_agent_is_shipped_under_its_name(
    model: str, home: Path, anywhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model.format(home=home)
    new_model(Training(algorithm="q", config=preset("classic", dice=1).to_dict(), games=10)).save(model)
    here = play(f"q:{model}")
    shipment = Shipment.of([f"q:{model}"])
    forget(home, monkeypatch)
    with shipment.unpacked(anywhere / "unpacked"):
        assert without_times(play(f"q:{model}")) == without_times(here)


def test_only_what_agents_need_is_shipped(home: Path) -> None:
    assert Shipment.of(["optimal", "RandomAgent", "threshold:0.3,0.2", "cmd:/bin/cat -n"]).files == {}
    Path("net.npz").write_bytes(b"a model")
    assert list(Shipment.of(["pg:net.npz,greedy"]).files.values()) == [b"a model"]
    shipped = Shipment.of(["Found", "shipped_package.bot:Packed", "../far.py"]).files
    below = {Path(path).relative_to(home).as_posix() for path in shipped}
    assert below == {
        "work/agents/found.py",
        "work/shipped_package/__init__.py",
        "work/shipped_package/bot.py",
        "far.py",
    }


def test_files_that_are_there_already_stay_where_they_are(
    home: Path, anywhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipment = Shipment.of(["bots/near.py", f"{home}/far.py"])
    monkeypatch.chdir("/")
    with shipment.unpacked(anywhere / "unpacked"):
        assert Path.cwd() == home / "work"
        assert not (anywhere / "unpacked").exists()
    (home / "far.py").write_text("# another version\n")
    with shipment.unpacked(anywhere / "unpacked"):
        assert Path.cwd().is_relative_to(anywhere / "unpacked")
        assert "class Far" in Path("../far.py").read_text()
    assert Path.cwd() == Path("/")
    assert not (anywhere / "unpacked").exists()
