"""The wheel: what is in it, and that it does everything without the repository."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import urllib.request
import venv
import zipfile
from pathlib import Path

import msgspec
import pytest

from liars_dice import __version__
from patience import PATIENCE
from test_docs import blocks_of
from test_guides import GUIDES, walk
from test_house import ROOT

MOST_BYTES = 16_000_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without the network (the tests have the build backend), and without the documentation, which
    `test_site` looks at.
    """
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("no hatchling here (the extra dev has it), so no wheel can be built")
    folder = tmp_path_factory.mktemp("wheel")
    return build_wheel(folder, LIARS_DICE_WITHOUT_DOCS="1")


def build_wheel(folder: Path, **settings: str) -> Path:
    words = ("--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder))
    pip("wheel", *words, str(ROOT), **settings)
    (built,) = folder.glob("*.whl")
    return built


def pip(*words: str, **settings: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *words]
    subprocess.run(command, env={**os.environ, **settings}, check=True)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has the wheel and sees the dependencies of this one, and nothing else."""
    place = tmp_path_factory.mktemp("environment")
    venv.create(place, with_pip=False, symlinks=True)
    programs = place / "bin"
    (packages,) = place.glob("lib/python*/site-packages")
    dependencies = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    (packages / "dependencies.pth").write_text("\n".join(dependencies))  # their own .pth files are not read
    pip("--python", str(programs / "python"), "install", "--no-deps", "--no-index", str(wheel))
    return programs


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty directory, and no way back to the repository."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("LIARS_DICE_DB", str(tmp_path / "games.sqlite"))


def test_what_is_in_it(wheel: Path) -> None:
    assert wheel.stat().st_size <= MOST_BYTES
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if not name.endswith("/")}
        (metadata,) = (archive.read(name).decode() for name in inside if name.endswith(".dist-info/METADATA"))
    about = {name for name in inside if ".dist-info/" in name}
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "."]
    source = subprocess.run(listed, cwd=ROOT / "src", capture_output=True, text=True, check=False)
    if source.returncode:
        pytest.skip("not a git checkout")
    assert inside - about == set(source.stdout.split()), (
        "the wheel holds the package as it is in the repository, and nothing else"
    )
    assert inside >= {
        "liars_dice/py.typed",
        "liars_dice/exact/solver/data/tablebase.zip",
        "liars_dice/exact/solver/data/shortmemory.bin",
        "liars_dice/exact/solver/gpu_kernels.cu",
        "liars_dice/pictures/report.css",
        "liars_dice/web/static/index.html",
        "liars_dice/web/static/pages/room.js",
        "liars_dice/web/static/style.css",
    }
    assert not [name for name in inside if "build_" in name or "tools" in name], "builders are for the repository alone"
    assert any(name.endswith("/LICENSE") for name in about)
    assert f"\nVersion: {__version__}\n" in metadata
    assert "\nRequires-Python: >=3.11\n" in metadata
    assert {"gpu", "plots", "postgres", "ray", "rl", "dev"} <= set(
        re.findall(r"^Provides-Extra: (\w+)$", metadata, re.MULTILINE)
    )


OWN_BOTS = """
import sys
from liars_dice import Agent, CallLiarAction, GameEngine, play_game, preset

class Sceptic(Agent):
    def choose_action(self, view):
        return view.legal_actions[0] if view.current_bid is None else CallLiarAction()

print(play_game([Sceptic(), Sceptic()], preset("heads-up"), seed=1))
print(play_game([Sceptic(), Sceptic(), "random"], "perudo", seed=1))
engine = GameEngine("duel", seed=1)
engine.start_new_round()
engine.move("2x4")
print(engine.get_view(1))
foreign = {name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names - {"__main__", "liars_dice"}
print(sorted(foreign))
"""


def test_the_engine_needs_msgspec_alone(wheel: Path, tmp_path: Path) -> None:
    """A game of one's own bots in an environment that has the wheel, msgspec, and nothing else."""
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    python = tmp_path / "bare" / "bin" / "python"
    (packages,) = tmp_path.glob("bare/lib/python*/site-packages")
    pip("--python", str(python), "install", "--no-deps", "--no-index", str(wheel))
    (packages / "msgspec").symlink_to(Path(msgspec.__file__).parent)
    assert {path.name for path in packages.iterdir() if path.suffix != ".dist-info"} == {"liars_dice", "msgspec"}
    done = subprocess.run([python, "-c", OWN_BOTS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("\n['msgspec']\n")
    assert done.stdout.count("<GameResult: ") == 2
    done = subprocess.run([python.with_name("liars-dice"), "agents"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "liars-dice needs click: pip install liars-dice\n")


COMMANDS_IN_ONE_PROCESS = """
import json, sys
from click.testing import CliRunner
from liars_dice.cli import main

for words in json.load(sys.stdin):
    done = CliRunner().invoke(main, [*words.split(), "--json"])
    assert done.exit_code == 0, (words, done.output)
    print(done.stdout.strip())
"""
"""Runs commands, each with one line of JSON, without loading the libraries again for each of them."""


def test_it_works_without_the_repository(installed: Path) -> None:
    """The core of the journeys, in small. Nothing is compiled here, which would take a minute; the slow test does."""

    def run(*words: str | Path, given: str = "", **settings: str) -> str:
        environment = {**os.environ, **settings}
        done = subprocess.run(words, env=environment, input=given, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    where = run(installed / "python", "-c", "import liars_dice; print(liars_dice.__file__)").strip()
    assert Path(where).is_relative_to(installed.parent), "it is the installed one"
    assert run(installed / "liars-dice", "--version") == f"liars-dice, version {__version__}\n"
    bot = next(code for language, code in blocks_of(GUIDES["guide-bot-author"]) if language == "python")
    Path("mybot.py").write_text(bot)
    expected = {
        "check-bot mybot.py": ("ok", True),
        "tournament mybot.py optimal --dice 1 --games 4 --seed 1 --record all --report report": ("complete", True),
        "exploit mybot.py --dice 1 1": ("against_perfect_play", ...),
        "replay worst:mybot.py --verify": ("winner", "optimal"),
        "review worst:mybot.py --png worst.png": ("moves", ...),
        "train q --dice 1 --games 200 --evaluation-games 0 --out q.npz": ("optimum", ...),
        "matchup q:q.npz truthful --rules classic --dice 1": ("method", "exact"),
        "solve 1 1 --target 1e-2": ("stopped", "target"),
        "explain --dice 1 1 --hand 5 --png why.png": ("best", ...),
    }
    command = (installed / "python", "-c", COMMANDS_IN_ONE_PROCESS)
    told = run(*command, given=json.dumps([*expected]), NUMBA_DISABLE_JIT="1").splitlines()
    for (words, (key, value)), line in zip(expected.items(), told, strict=True):
        found = json.loads(line)[key]
        assert found if value is ... else found == value, words
    assert Path("report/heatmap.png").read_bytes().startswith(b"\x89PNG")
    large = ("watch", "nash", "optimal", "--dice", "4", "--seed", "1", "--json")  # beyond the tablebase: short memory,
    assert json.loads(run(installed / "liars-dice", *large))["winner"]  # which is unpacked by compiled code


def test_it_serves_the_studio(installed: Path) -> None:
    with subprocess.Popen(
        [installed / "liars-dice", "serve", "--port", "0"], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+:\d+/", server.stdout.readline())
            assert found
            for path, words in (("", b"<!doctype html>"), ("static/app.js", b""), ("api/agents", b'"optimal"')):
                with urllib.request.urlopen(found[0] + path, timeout=PATIENCE) as answer:
                    assert words in answer.read()
        finally:
            server.kill()


def test_types_are_declared(installed: Path) -> None:
    found = subprocess.run(
        [installed / "python", "-c", "import liars_dice; print(liars_dice.__path__[0])"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (Path(found.stdout.strip()) / "py.typed").is_file()


@pytest.mark.slow
def test_types_are_visible_to_users(installed: Path) -> None:
    """`py.typed`: a type checker believes what is written in the package, and finds a mistake of its user."""
    Path("uses.py").write_text(
        "from liars_dice import Bid, preset\n"
        "from liars_dice.agents import make_agent\n"
        "reveal_type(preset('duel').dice)\n"
        "reveal_type(make_agent('optimal'))\n"
        "Bid('two', 4)\n"
    )
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--python-executable",
        str(installed / "python"),
        "--no-incremental",
        "uses.py",
    ]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    assert "tuple[int, ...]" in said
    assert "liars_dice.agents.base.Agent" in said
    assert 'Argument 1 to "Bid" has incompatible type "str"' in said
    assert "untyped" not in said


@pytest.mark.slow
@pytest.mark.parametrize("name", GUIDES)
def test_the_guides_with_the_wheel(name: str, installed: Path) -> None:
    walk(GUIDES[name], installed)
