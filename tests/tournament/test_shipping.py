"""Bots on a machine that does not have their files."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from liars_dice.agents import AgentNameError, make_agent
from liars_dice.core import BadValueError, preset
from liars_dice.exact.solver import solve
from liars_dice.learn import Training, new_model
from liars_dice.learn.champion.player import SHIPPED
from liars_dice.opponents.clone import Clone
from liars_dice.opponents.parametric_player import ParametricPlayer
from liars_dice.opponents.reader import ReaderAgent
from liars_dice.persistence import InMemoryRecorder, open_store
from liars_dice.tournament import Ledger, TournamentSettings
from liars_dice.tournament.blocks import Block, PlayedBlock, Worker, WorkerSetup
from liars_dice.tournament.shipping import Shipment, version_of

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


def write_model(kind: str, path: str) -> None:
    """A small file of this kind of agent."""
    rules = preset("classic", dice=1)
    if kind == "champion":
        shutil.copy(SHIPPED, path)
    elif kind == "clone":
        Clone(
            player="Ann",
            rounds=10,
            decisions=10,
            log_loss=1.0,
            uniform_loss=1.0,
            weights={"habits": 0.0, "bots": 1.0},
            habits=ParametricPlayer().belief,
            bots={"crawler": 1.0},
        ).save(path)
    elif kind == "solved":
        solve(rules, target=0.1, save=Path(path))
    else:
        new_model(Training(algorithm="q" if kind == "q" else "pg", config=rules.to_dict(), games=10)).save(path)


MODELS = [("q", ""), ("pg", ""), ("pg", ",greedy"), ("champion", ""), ("clone", ""), ("solved", "")]


@pytest.mark.parametrize("folder", ["", "{home}/"])
@pytest.mark.parametrize(("kind", "how"), MODELS)
def test_a_model_is_shipped_under_its_name(
    kind: str, how: str, folder: str, home: Path, anywhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = folder.format(home=home) + "model.npz"
    write_model(kind, model)
    name = f"{kind}:{model}{how}"
    here = play(name)
    shipment = Shipment.of([name])
    forget(home, monkeypatch)
    with shipment.unpacked(anywhere / "unpacked"):
        assert without_times(play(name)) == without_times(here)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(("kind", "how"), MODELS)
def test_a_model_that_was_trained_again_is_another_version(kind: str, how: str) -> None:
    name = f"{kind}:model.npz{how}"
    assert version_of(name) == ""
    Path("model.npz").write_bytes(b"a model")
    version = version_of(name)
    assert version
    assert version == version_of(name)
    Path("model.npz").write_bytes(b"a better model")
    assert version_of(name) not in ("", version)


@pytest.mark.usefixtures("home")
def test_a_tournament_goes_on_after_a_store_has_grown_but_not_after_a_model_has_changed() -> None:
    store = InMemoryRecorder()
    for path in ("model.npz", "games.db"):
        Path(path).write_bytes(b"before")
    begun = {}
    for name in ("champion:model.npz", "reader:games.db"):
        asked = TournamentSettings(
            kind="round-robin", agents=(name, "random"), rules="duel", config=preset("duel").to_dict(), seed=1
        )
        ledger = Ledger(store, asked)
        ledger.begin((), 5)
        begun[name] = asked, ledger.id
    for path in ("model.npz", "games.db"):
        Path(path).write_bytes(b"after")
    Ledger(store, *begun["reader:games.db"])
    with pytest.raises(BadValueError, match=r"began: model\.npz changed since"):
        Ledger(store, *begun["champion:model.npz"])


@pytest.mark.usefixtures("home")
def test_a_kind_of_agent_is_not_taken_for_a_module() -> None:
    """A file that happens to be called like what is before the colon does not belong to the agent."""
    for kind in ("champion", "reader", "threshold"):
        Path(f"{kind}.py").write_text("# a file")
    names = ["champion:hard", "reader:games.db", "threshold:0.3,0.2"]
    assert Shipment.of(names).files == {}
    assert [version_of(name) for name in names] == ["", "", ""]


@pytest.mark.parametrize("store", ["games.db", "{home}/work/games.db"])
def test_a_reader_reads_its_store_where_it_is(
    store: str, home: Path, anywhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a bot whose file this machine does not have, so that the working directory is another."""
    name = f"reader:{store.format(home=home)}"
    with open_store(home / "work" / "games.db"):
        pass
    shipment = Shipment.of([name, "bots/near.py"])
    assert [Path(path).name for path in shipment.files] == ["near.py"]
    Path("bots/near.py").unlink()
    monkeypatch.chdir("/")
    with shipment.unpacked(anywhere / "unpacked"):
        reader = make_agent(name)
    assert isinstance(reader, ReaderAgent)
    assert reader._store is not None
    reader._store.close()
    assert reader.name == name
    forget(home, monkeypatch)
    with (
        pytest.raises(AgentNameError, match=rf"a store .* has at {home}/work/games\.db.*use --backend processes"),
        shipment.unpacked(anywhere / "unpacked"),
    ):
        pytest.fail("a reader without its store may not play")
    assert not (anywhere / "unpacked").exists()


def test_a_store_with_an_address_can_be_read_from_every_machine() -> None:
    assert Shipment.of(["reader", "reader:postgresql://db/games"]).stores == {}


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
