"""The house rules: layers, public names, numbered rules, and files that speak of the product alone."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import liars_dice

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "liars_dice"

LAYERS = (
    "core",
    "persistence",
    "agents",
    "numeric",
    "exact",
    "simulator",
    "learn",
    "referee",
    "tournament",
    "coach",
    "opponents",
    "pictures",
    "terminal",
    "web",
    "bridges",
    "cli",
)
"""Each room imports only from itself and from those before it."""

DOORS = {
    *LAYERS,
    "exact.tables",
    "exact.matchups",
    "exact.solver",
    "exact.response",
    "learn.batch",
    "learn.champion",
    "learn.envs",
}
"""Packages that others enter, through their `__init__` alone."""

NO_DOOR = {"bridges", "learn.batch", "learn.champion", "learn.envs"}
"""Packages whose modules are entered one by one, because each needs another library."""

LAZY_TARGETS = {
    "agents/registry.py": {
        "exact.solver.nash",
        "exact.solver.solved_agent",
        "learn.agents",
        "learn.champion.agent",
        "opponents.clone",
        "opponents.reader",
        "bridges.llm_player",
    }
}
"""Who may name modules of later rooms in strings, and which: agents that are loaded when they are named."""


OPTIONAL = {"httpx": "llm", "mcp": "mcp", "textarena": "textarena", "torch": "train"}
"""Packages that may be missing, and the extras that have them."""


def layer_of(parts: tuple[str, ...]) -> str | None:
    """The room a module `liars_dice.<parts>` belongs to; None for the package's own face."""
    return parts[0] if parts and parts[0] in LAYERS else None


def module_of(path: Path) -> tuple[str, ...]:
    """The dotted name of a file, as parts behind `liars_dice`."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def imports_of(path: Path) -> Iterator[tuple[tuple[str, ...], str]]:
    """What a file imports from this package, wherever the import stands: the module, as parts, and the name."""
    package = path.relative_to(SOURCE).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "liars_dice":
                    yield tuple(alias.name.split(".")[1:]), ""
        elif isinstance(node, ast.ImportFrom):
            module = tuple((node.module or "").split(".")) if node.module else ()
            if node.level:
                base = package[: len(package) - node.level + 1]
                module = (*base, *module)
            elif module[:1] == ("liars_dice",):
                module = module[1:]
            else:
                continue
            yield from ((module, alias.name) for alias in node.names)


def named_modules(path: Path) -> Iterator[tuple[str, ...]]:
    """Modules of ours that a file names in strings, as in `"liars_dice.exact.solver.nash:NashAgent"`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for found in re.findall(r"^liars_dice((?:\.\w+)+)(?::\w+)?$", node.value):
                yield tuple(found[1:].split("."))


def door_of(module: tuple[str, ...]) -> tuple[str, ...]:
    """The package through which others reach a module."""
    ends = (module[:end] for end in range(len(module), 0, -1))
    return next(parts for parts in ends if ".".join(parts) in DOORS)


def test_every_package_is_a_layer() -> None:
    packages = {".".join(path.parent.relative_to(SOURCE).parts) for path in SOURCE.rglob("__init__.py")} - {""}
    assert packages == DOORS
    assert {path.stem for path in SOURCE.glob("*.py")} == {"__init__", "__main__"}


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_only_point_up(path: Path) -> None:
    own = layer_of(path.relative_to(SOURCE).parts)
    if own is None:
        return
    allowed = LAZY_TARGETS.get(path.relative_to(SOURCE).as_posix(), set())
    for module in named_modules(path):
        if ".".join(module) not in allowed:
            assert LAYERS.index(module[0]) <= LAYERS.index(own), f"{own} must not name {'.'.join(module)}"
    for module, name in imports_of(path):
        target = module if layer_of(module) else (name,)
        layer = layer_of(target)
        if layer is None:
            assert name == "__version__", f"{path.name} imports the package's face: {module} {name}"
            continue
        assert LAYERS.index(layer) <= LAYERS.index(own), f"{own} must not import {'.'.join((*module, name))}"


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_rooms_are_entered_through_their_doors(path: Path) -> None:
    """A module of another package is reached through that package's `__init__`, never directly."""
    own = module_of(path)
    for module, name in imports_of(path):
        if layer_of(module) is None:
            continue
        door = door_of(module)
        if own[: len(door)] == door or ".".join(door) in NO_DOOR:
            continue  # inside the same package, or one above it
        assert module == door, f"{'.'.join(own)} enters {'.'.join(module)} around {'.'.join(door)}"
        if (*module, name) != ("referee", "protocol"):  # a module of functions that all speak of one thing
            taken = SOURCE.joinpath(*module, f"{name}.py")
            assert not taken.is_file(), f"{'.'.join(own)} takes the module {name} out of {'.'.join(door)}"


def test_packages_do_not_import_each_other_in_circles() -> None:
    """Not for types either: what stands under TYPE_CHECKING counts."""
    edges: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for path in SOURCE.rglob("*.py"):
        own = module_of(path)
        if layer_of(own) is None:
            continue
        here = door_of(own)
        for module, _ in imports_of(path):
            if layer_of(module) is not None and (there := door_of(module)) not in (here, here[:1], there[:1]):
                edges.setdefault(here, set()).add(there)
    for start in edges:
        reached, waiting = set[tuple[str, ...]](), [*edges[start]]
        while waiting:
            one = waiting.pop()
            if one not in reached:
                reached.add(one)
                waiting += edges.get(one, ())
        assert start not in reached, f"{'.'.join(start)} imports itself in a circle"


def test_the_layer_test_can_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every way of writing an import downwards, or around a door, is found, wherever it stands."""
    monkeypatch.setitem(globals(), "SOURCE", tmp_path)
    file = tmp_path / "core" / "bad.py"
    file.parent.mkdir()
    for line in (
        "from ..agents import Agent",
        "from ..agents.base import Agent",
        "import liars_dice.agents.base",
        "from liars_dice.agents import Agent",
        "from liars_dice import agents",
        "def f():\n    from .. import agents",
        'TARGET = "liars_dice.agents.base:Agent"',
    ):
        file.write_text(line)
        with pytest.raises(AssertionError, match="must not"):
            test_imports_only_point_up(file)
    file.write_text("from .config import GameConfig")
    test_imports_only_point_up(file)
    test_rooms_are_entered_through_their_doors(file)
    file = tmp_path / "web" / "bad.py"
    file.parent.mkdir()
    for line in ("from ..core.config import GameConfig", "from ..exact.tables.hands import hand_set"):
        file.write_text(line)
        test_imports_only_point_up(file)
        with pytest.raises(AssertionError, match="around"):
            test_rooms_are_entered_through_their_doors(file)


def test_core_is_pure() -> None:
    """Nothing in core reads a clock, a file or the network, but for rule files and fresh seeds."""
    allowed = {"config.py": {"pathlib"}, "presets.py": {"pathlib"}, "dice.py": {"secrets"}}
    impure = {"os", "time", "datetime", "socket", "subprocess", "threading", "pathlib", "secrets", "asyncio", "sqlite3"}
    for path in (SOURCE / "core").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            used = {name.split(".")[0] for name in names} & impure
            assert used <= allowed.get(path.name, set()), f"{path.name} imports {used}"


def modules() -> list[str]:
    return ["liars_dice", *(m.name for m in pkgutil.walk_packages(liars_dice.__path__, "liars_dice."))]


@pytest.mark.parametrize("name", [name for name in modules() if not name.endswith("__main__")])
def test_modules_and_public_names(name: str) -> None:
    """Every module says what it is; each package's `__all__` is sorted, true, and everything in it is documented."""
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        missing = getattr(error, "package", "") or (error.name or "").partition(".")[0]
        if missing in OPTIONAL:
            pytest.skip(f"{missing} is not installed: the extra `{OPTIONAL[missing]}` has it")
        raise
    assert module.__doc__
    if not hasattr(module, "__path__"):
        return
    public = module.__all__
    assert len(public) == len(set(public))
    assert public == sorted(public, key=sort_group)
    imported = {
        n
        for n in vars(module)
        if not n.startswith("_") and getattr(vars(module)[n], "__module__", "").startswith("liars")
    }
    assert imported <= set(public), "imported into the package's face but not in __all__"
    for attribute in public:
        value = getattr(module, attribute)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert value.__doc__, f"{name}.{attribute} has no docstring"


def sort_group(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def test_every_rule_is_cited_by_a_test() -> None:
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    rules = set(re.findall(r"\*\*(\d+\.\d+)\*\*", text))
    cited: set[str] = set()
    for path in ROOT.joinpath("tests").rglob("test_*.py"):
        for phrase in re.findall(r"[Rr]ules? ([\d., toand]+)", path.read_text(encoding="utf-8")):
            cited |= expand(phrase, rules)
    assert len(rules) > 35
    assert cited >= rules, f"no test cites {sorted(rules - cited)}"
    for field in liars_dice.GameConfig.__struct_fields__:
        assert re.search(rf"`{field}\b", text), f"docs/rules.md says nothing about {field}"
    for path in SOURCE.rglob("*.py"):
        for number in re.findall(r"rules? (\d+\.\d+)", path.read_text(encoding="utf-8")):
            assert number in rules, f"{path.name} cites rule {number}, which does not exist"


def expand(phrase: str, rules: set[str]) -> set[str]:
    """`3.1 to 3.3, 4.1` as the four rules it means."""
    found = set(re.findall(r"\d+\.\d+", phrase))
    for chapter, first, last in re.findall(r"(\d+)\.(\d+) to \1\.(\d+)", phrase):
        found |= {f"{chapter}.{n}" for n in range(int(first), int(last) + 1)}
    return found & rules


def tracked_files() -> list[Path]:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in done.stdout.split("\n") if name and (ROOT / name).is_file()]


HOSTS = [".".join(name) for name in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("npmjs", "com"))]
"""Where packages are downloaded from, in parts: this file is checked, too."""
ELSEWHERE = re.compile(
    r"index[-]url|find[-]links|art[i]factory|jfro[g]|(?<![\w.}~])/(?:root|home|work|tmp/work)/\w|"
    + "|".join(map(re.escape, HOSTS))
)
TEXTS = {"cff", "css", "html", "ipynb", "js", "json", "jsonl", "md", "py", "sh", "svg", "toml", "txt", "yaml", "yml"}
"""The endings of text files. Files without one are read, too."""


def test_no_download_addresses_and_no_machine_paths() -> None:
    read = [path for path in tracked_files() if path.suffix[1:] in TEXTS or not path.suffix]
    assert {path.suffix[1:] for path in read} == TEXTS | {""}
    for path in read:
        found = ELSEWHERE.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path.name}: {found}"
    places = [
        "/".join(("", *parts)) for parts in (("work", "main"), ("tmp", "work", "x"), ("root", "x"), ("home", "x"))
    ]
    for wrong in (*HOSTS, *places, f"see {places[0]}", "-".join(("--index", "url"))):
        assert ELSEWHERE.search(wrong), wrong
    assert not ELSEWHERE.search("docs/work/main, {home}/work/games.db, ~/work/x")


def documented_imports() -> Iterator[tuple[str, str, str]]:
    """What the code blocks of all pages, and the examples, import from us: where it stands, the module, the name."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "examples").glob("*.py"))]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for module, names in re.findall(
            r"^(?:>>> )?from (liars_dice(?:\.[\w.]+)?) import ([\w, ]+)", text, re.MULTILINE
        ):
            yield from ((page.name, module, name.strip()) for name in names.split(","))


def test_documentation_imports_only_what_is_public() -> None:
    """From a package what is in its `__all__` (or a module that has a page of its own); nothing with an underscore."""
    found = list(documented_imports())
    assert len(found) > 30
    for page, module, name in found:
        assert "._" not in module, f"{page} imports from {module}"
        assert not name.startswith("_"), f"{page} imports {name} from {module}"
        imported = importlib.import_module(module)
        if hasattr(imported, "__path__"):
            public = name in imported.__all__ or (Path(imported.__path__[0]) / f"{name}.py").exists()
        else:
            public = getattr(getattr(imported, name), "__module__", module).startswith("liars_dice")
        assert public, f"{page} imports {name}, which is not in {module}.__all__"


def test_version_is_in_one_place_and_in_the_changelog() -> None:
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text()
    assigned = [p for p in SOURCE.rglob("*.py") if re.search(r"^__version__\s*[:=]", p.read_text(), re.MULTILINE)]
    assert assigned == [SOURCE / "__init__.py"]
    literal = re.compile(rf"[\"']{re.escape(liars_dice.__version__)}[\"']")
    assert not [p for p in SOURCE.rglob("*.py") if p not in assigned and literal.search(p.read_text(encoding="utf-8"))]
    assert f"## {liars_dice.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_make_targets() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in ("demo", "test", "test-slow", "check", "play", "serve", "bench", "champion-report"):
        assert re.search(rf"^{target}:.*VENV", makefile, re.MULTILINE), target
