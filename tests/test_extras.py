"""A part whose package is not installed says so in one sentence, with the command that installs it."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import call
from liars_dice import core
from liars_dice.core import GameConfig, MissingExtraError
from liars_dice.core.errors import PLAIN_INSTALL
from liars_dice.exact import solve
from liars_dice.learn.batch.batched_games import BatchedGames
from liars_dice.persistence import open_store
from liars_dice.tournament import make_backend
from test_dependencies import EXTRAS, PROJECT, declared
from test_house import SOURCE

FOR_MAINTAINERS = {"audit", "bench", "dev", "docs", "slow"}
"""Extras that the package itself never asks for."""


REIMPORTED = ("liars_dice.learn.envs.", "liars_dice.bridges.textarena_env")
"""Modules that need their package when they are imported."""


def environment(module: str) -> Callable[[], object]:
    """Import an environment anew."""
    return lambda: importlib.import_module(f"liars_dice.learn.envs.{module}")


NEEDS: list[tuple[str, str, Callable[[], object]]] = [
    ("gpu", "cupy", lambda: solve(GameConfig(dice=(1, 1)), device="gpu")),
    ("postgres", "psycopg", lambda: open_store("postgresql://localhost/games")),
    ("ray", "ray", lambda: make_backend("ray", 1)),
    ("rl", "gymnasium", environment("gymnasium_env")),
    ("rl", "gymnasium", environment("gymnasium_vector_env")),
    ("rl", "pettingzoo", environment("pettingzoo_env")),
    ("rl", "pyspiel", environment("openspiel_game")),
    ("textarena", "textarena", lambda: importlib.import_module("liars_dice.bridges.textarena_env")),
    ("train", "torch", lambda: BatchedGames(2, backend="torch")),
]
COMMANDS = [
    ("mcp", "mcp", "mcp"),
    ("parquet", "pyarrow", "export --decisions --format parquet --out d.parquet"),
    ("plots", "matplotlib", "tournament optimal maniac --exact --report report"),
    ("plots", "matplotlib", "explain --dice 1 1 --hand 5 --chart why.png"),
    ("plots", "matplotlib", "train q --dice 1 --games 10 --curve curve.png"),
    ("postgres", "psycopg", "games --db postgresql://localhost/games"),
    ("ray", "ray", "tournament optimal maniac --games 10 --backend ray"),
    ("train", "torch", "train champion --minutes 1 --out champion.npz"),
]
"""Extra, module, and what needs it."""


def test_every_extra_is_named_where_it_is_needed() -> None:
    """Here, or in an error of the package that has the command."""
    source = "".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    named = {extra for extra, *_ in (*NEEDS, *COMMANDS)} | set(re.findall(r"liars-dice\[(\w+)\]", source))
    assert named - {"extra"} >= set(EXTRAS) - FOR_MAINTAINERS


@pytest.mark.parametrize(("extra", "module", "use"), NEEDS, ids=lambda value: value if isinstance(value, str) else "")
def test_without_it_there_is_one_sentence(
    extra: str, module: str, use: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    for name in [name for name in sys.modules if name.startswith(REIMPORTED)]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtraError) as missing:
        use()
    assert str(missing.value).count(f"pip install 'liars-dice[{extra}]'") == 1
    assert "\n" not in str(missing.value)
    assert missing.value.code == "missing_extra"
    assert isinstance(missing.value, ImportError)


@pytest.mark.parametrize(("extra", "module", "words"), COMMANDS)
def test_without_it_a_command_fails_at_once_in_one_line(
    extra: str, module: str, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.chdir(str(tmp_path))
    monkeypatch.setitem(sys.modules, module, None)
    done = call(*words.split())
    assert done.exit_code == 1, done.output
    assert done.stderr.count("\n") == 1
    assert f"pip install 'liars-dice[{extra}]'" in done.stderr
    assert done.stdout == ""


def test_the_demo_goes_without_a_report(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.chdir(str(tmp_path))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("liars_dice.tournament.run_tournament", _stop)
    done = call("demo")
    assert done.exit_code == 130, "it was about to play"
    assert "No report will be written: a report needs matplotlib: pip install 'liars-dice[plots]'" in done.stderr


def _stop(*_: object, **__: object) -> object:
    raise KeyboardInterrupt


def test_an_installed_package_is_not_missed() -> None:
    core.check_extra("a game", "msgspec", "nothing")


# -- the engine alone --------------------------------------------------------------------------------------------------


def with_the_engine_alone(code: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process that has none of the packages that only a plain install has."""
    blocked = f"import sys\nsys.modules.update(dict.fromkeys({sorted(PLAIN_INSTALL)}))\n"
    return subprocess.run([sys.executable, "-c", blocked + code], capture_output=True, text=True, check=False)


def test_what_the_engine_does_without_is_what_a_plain_install_brings() -> None:
    assert declared(PROJECT["dependencies"]) == PLAIN_INSTALL | {"msgspec"}


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("liars_dice.matchup('optimal', 'maniac')", "liars_dice.tournament.matchup needs numpy"),
        ("liars_dice.round_robin(['optimal', 'maniac'])", "liars_dice.tournament.round_robin needs numpy"),
        ("liars_dice.solve('duel')", "liars_dice.solve needs numpy"),
        ("liars_dice.exact.solve('duel')", "liars_dice.exact needs numpy"),
        ("liars_dice.review_game", "liars_dice.review_game needs numpy"),
        ("liars_dice.terminal", "liars_dice.terminal needs rich"),
        ("liars_dice.web", "liars_dice.web needs starlette"),
        ("liars_dice.make_agent('nash')", "nash needs numpy"),
        ("liars_dice.play_game(['random', 'champion'], 'perudo')", "champion needs numpy"),
    ],
)
def test_the_engine_alone_says_what_is_missing(code: str, sentence: str) -> None:
    done = with_the_engine_alone(f"import liars_dice\n{code}")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(f"MissingExtraError: {sentence}: pip install liars-dice")
    assert done.stderr.count("Traceback") == 1, "one error, not a chain of them"


@pytest.mark.parametrize("kept", [set[str](), {"click", "rich"}])
def test_the_command_says_so_in_one_line(kept: set[str]) -> None:
    """Also where other packages have brought a part of what it needs."""
    words = "import liars_dice.cli\nliars_dice.cli.main(['solve', '1', '1'])"
    back = f"for name in {sorted(kept)}: del sys.modules[name]\n"
    done = with_the_engine_alone(back + words)
    assert done.returncode == 1
    missing = "numpy" if kept else "click"
    assert done.stderr.removeprefix("Error: ") == f"liars-dice needs {missing}: pip install liars-dice\n"


def test_a_bots_own_missing_package_is_not_ours(tmp_path: Path) -> None:
    """A bot's module that imports what is missing here: the module cannot be imported, which is its author's matter."""
    (tmp_path / "mine.py").write_text("import numpy")
    code = f"import liars_dice\nsys.path.insert(0, {str(tmp_path)!r})\nliars_dice.make_agent('mine:Bot')"
    done = with_the_engine_alone(code)
    assert "agent = 'mine:Bot': expected a module that can be imported (" in done.stderr.splitlines()[-1]
