"""Print the package's rooms, their sizes, and who imports what from whom; `--svg FILE` draws them.

Sources are read, not imported. The order of the rooms is the one that tests/test_house.py enforces.

    python tools/import_graph.py
    python tools/import_graph.py --svg docs/images/rooms.svg
"""

from __future__ import annotations

import argparse
import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "liars_dice"


@dataclass
class Package:
    """A package: what it is for, how large it is, and what it takes from others."""

    name: str
    summary: str
    files: int = 0
    lines: int = 0
    imports: dict[str, set[str]] = field(default_factory=dict)
    """By package: the names imported from it."""
    loads: set[str] = field(default_factory=set)
    """Packages whose modules are named in strings and loaded when they are needed."""


def layers() -> tuple[str, ...]:
    """The rooms from the first, which imports nothing, to the last."""
    for node in ast.parse((ROOT / "tests" / "test_house.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "LAYERS":
            return tuple(ast.literal_eval(node.value))
    raise SystemExit("tests/test_house.py names no LAYERS")


@cache
def read_packages(source: Path = SOURCE) -> dict[str, Package]:
    """All packages below `source`, by dotted name ("" is the package itself)."""
    found = {}
    for file in sorted(source.rglob("__init__.py")):
        name = ".".join(file.parent.relative_to(source).parts)
        summary = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        found[name] = Package(name, summary.partition("\n")[0])
    for file in sorted(source.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        nodes = list(ast.walk(ast.parse(text)))
        here = found[".".join(file.parent.relative_to(source).parts)]
        here.files += 1
        here.lines += text.count("\n")
        for module, name in _imports(nodes, file.parent.relative_to(source).parts):
            there = _package_of((*module, name), found)
            if there != here.name:
                here.imports.setdefault(there, set()).add(name)
        here.loads |= {_package_of(module, found) for module in _modules_in_strings(nodes)} - {here.name}
    return found


def _imports(nodes: list[ast.AST], package: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The module, as parts behind `liars_dice`, and the name of everything that a file imports from the package."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "liars_dice":
                    *module, name = alias.name.split(".")
                    yield tuple(module[1:]), name
        elif isinstance(node, ast.ImportFrom):
            module_parts = tuple(node.module.split(".")) if node.module else ()
            if node.level:
                module_parts = (*package[: len(package) - node.level + 1], *module_parts)
            elif module_parts[:1] == ("liars_dice",):
                module_parts = module_parts[1:]
            else:
                continue
            yield from ((module_parts, alias.name) for alias in node.names)


def _modules_in_strings(nodes: list[ast.AST]) -> Iterator[tuple[str, ...]]:
    """Modules named in strings such as `"liars_dice.exact.solver.nash:NashAgent"`."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("liars_dice."):
            for module in re.findall(r"^liars_dice((?:\.\w+)+)(?::\w+)?$", node.value):
                yield tuple(module[1:].split("."))


def _package_of(parts: tuple[str, ...], packages: dict[str, Package]) -> str:
    """The innermost package that a module or a name belongs to."""
    return next(name for end in range(len(parts), -1, -1) if (name := ".".join(parts[:end])) in packages)


def rooms_of(packages: dict[str, Package]) -> list[Package]:
    """The rooms in their order, each with its sub-packages taken in."""
    rooms = []
    for layer in layers():
        room = Package(layer, packages[layer].summary)
        for package in packages.values():
            if package.name.split(".")[0] == layer:
                room.files += package.files
                room.lines += package.lines
                for there, names in package.imports.items():
                    if there and there.split(".")[0] != layer:
                        room.imports.setdefault(there.split(".")[0], set()).update(names)
                room.loads |= {there.split(".")[0] for there in package.loads} - {layer, ""}
        rooms.append(room)
    return rooms


def as_text(packages: dict[str, Package]) -> str:
    """A line per package: files, lines, and how many names it imports from each other package."""
    order = layers()
    inside = sorted((name for name in packages if name), key=lambda name: (order.index(name.split(".")[0]), name))
    lines = [f"{'package':<18} files  lines  imports from (names)"]
    for package in (packages[name] for name in inside):
        taken = [f"{there} {len(package.imports[there])}" for there in inside if there in package.imports]
        taken += [f"{there} (by name in a string)" for there in inside if there in package.loads]
        label = "  " * package.name.count(".") + package.name
        lines.append(f"{label:<18} {package.files:>5} {package.lines:>6}  {', '.join(taken)}".rstrip())
    rooms = rooms_of(packages)
    edges, names = (sum(measure(room) for room in rooms) for measure in (_edges, _names))
    files, size = (sum(getattr(room, part) for room in rooms) for part in ("files", "lines"))
    lines.append(f"{len(rooms)} rooms, {files} files, {size:,} lines; {edges} imports between rooms, of {names} names")
    return "\n".join(lines)


def _edges(room: Package) -> int:
    return len(room.imports)


def _names(room: Package) -> int:
    return sum(map(len, room.imports.values()))


# -- the picture -------------------------------------------------------------------------------------------------------

LEFT, TOP, ROW, COLUMN = 500, 118, 46, 38
PAPER, INK, SOFT, LINE, SHADE = "#fbf9f4", "#1d262d", "#4d5a64", "#d9d4c7", "#efebe0"
DOT, RING = "#0072b2", "#b26b00"
FEW, MANY = 5, 15
"""A dot is small below FEW names and large from MANY on."""


def as_svg(packages: dict[str, Package]) -> str:
    """A matrix of rooms: a dot where the room of the row imports from the room of the column."""
    rooms = rooms_of(packages)
    width, bottom = LEFT + COLUMN * len(rooms) + 40, TOP + ROW * len(rooms)
    height = bottom + 74
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="t d" '
        'font-family="system-ui, sans-serif">',
        '<title id="t">The rooms and what they import</title>',
        f'<desc id="d">{escape(_in_words(rooms))}</desc>',
        f'<rect width="{width}" height="{height}" rx="12" fill="{PAPER}"/>',
        _text(24, 40, "this room", 13, SOFT),
        _text(LEFT - 16, 40, "imports from", 13, SOFT, "end"),
    ]
    for i, room in enumerate(rooms):
        x, y = LEFT + COLUMN * i, TOP + ROW * i
        parts += _row(room, y, width)
        parts.append(f'<rect x="{x}" y="{y}" width="{COLUMN}" height="{ROW}" fill="{SHADE}"/>')
        head = f'transform="rotate(-50 {x + 22} {TOP - 10})"'
        parts.append(_text(x + 22, TOP - 10, room.name, 13, INK, more=head))
        parts.append(f'<path d="M{x + COLUMN / 2:g} {TOP}V{bottom}" stroke="{LINE}" stroke-width="0.6"/>')
    for i, room in enumerate(rooms):
        for j, other in enumerate(rooms):
            cx, cy = LEFT + COLUMN * j + COLUMN / 2, TOP + ROW * i + ROW / 2
            if other.name in room.imports:
                parts.append(
                    f'<circle cx="{cx:g}" cy="{cy:g}" r="{_radius(len(room.imports[other.name]))}" fill="{DOT}"/>'
                )
            elif other.name in room.loads:
                parts.append(
                    f'<circle cx="{cx:g}" cy="{cy:g}" r="6" fill="{PAPER}" stroke="{RING}" stroke-width="2.5"/>'
                )
    parts += _legend(bottom + 32)
    return "\n".join([*parts, "</svg>", ""])


def _row(room: Package, y: int, width: int) -> list[str]:
    """A room's name and purpose, left of its row. Its size is left out: the picture would change with the code."""
    purpose = textwrap.wrap(room.summary, 53)[:2]
    return [
        f'<path d="M16 {y}H{width - 16}" stroke="{LINE}"/>',
        _text(24, y + 28, room.name, 15, INK, more='font-weight="600"'),
        *(_text(138, y + (20 if len(purpose) > 1 else 28) + 16 * i, line, 12, SOFT) for i, line in enumerate(purpose)),
    ]


def _legend(y: int) -> list[str]:
    sizes = [(FEW - 1, f"fewer than {FEW} names"), (FEW, f"{FEW} to {MANY - 1}"), (MANY, f"{MANY} or more")]
    parts, x = [], 30
    for names, label in sizes:
        parts.append(f'<circle cx="{x}" cy="{y}" r="{_radius(names)}" fill="{DOT}"/>')
        parts.append(_text(x + 15, y + 4, label, 12, SOFT))
        x += 40 + 7 * len(label)
    parts.append(f'<circle cx="{x}" cy="{y}" r="6" fill="{PAPER}" stroke="{RING}" stroke-width="2.5"/>')
    parts.append(_text(x + 15, y + 4, "named in a string, loaded when needed", 12, SOFT))
    parts.append(_text(24, y + 28, "All dots lie left of the diagonal: imports go one way only.", 12, SOFT))
    return parts


def _text(x: float, y: float, text: str, size: float, colour: str, anchor: str = "start", more: str = "") -> str:
    extra = f" {more}" if more else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}" text-anchor="{anchor}"{extra}>'
        f"{escape(text)}</text>"
    )


def _radius(names: int) -> int:
    return 4 if names < FEW else 7 if names < MANY else 11


def _in_words(rooms: list[Package]) -> str:
    """The picture for people who cannot see it."""
    described = []
    for room in rooms:
        taken = [other.name for other in rooms if other.name in room.imports]
        described.append(f"{room.name} imports from {', '.join(taken) or 'no other room'}.")
    return " ".join(described)


def main(arguments: list[str] | None = None) -> int:
    """Print the graph, or draw it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw the rooms into this file; prints nothing")
    given = parser.parse_args(arguments)
    packages = read_packages()
    if given.svg is None:
        print(as_text(packages))
    else:
        given.svg.write_text(as_svg(packages), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
