"""Writes the pages of the documentation site that are made from the product: commands, Python, schemas, notebooks.

MkDocs calls the functions `on_...` while it builds the site (`make docs`).
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
PROJECT_PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security-policy.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
}
"""Files of the repository that are pages of the site, too."""
SOLVER = "liars_dice.exact.solver"
"""A package inside another, whose constants are for its neighbours."""
FACES = (
    "liars_dice",
    "liars_dice.core",
    "liars_dice.agents",
    "liars_dice.exact",
    SOLVER,
    "liars_dice.simulator",
    "liars_dice.learn",
    "liars_dice.tournament",
    "liars_dice.coach",
    "liars_dice.opponents",
    "liars_dice.persistence",
    "liars_dice.referee",
    "liars_dice.pictures",
    "liars_dice.terminal",
    "liars_dice.web",
)
"""The packages whose public names are described on a page each."""
MODULES = (
    "liars_dice.core.conformance",
    "liars_dice.persistence.conformance",
    "liars_dice.learn.envs.gymnasium_env",
    "liars_dice.learn.envs.liars_dice_v0",
    "liars_dice.learn.envs.openspiel_game",
)
"""Public modules that no package imports, because they need another library or are for tests. A page each, too."""
FILE_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)(?:\.\./)?[\w./-]+\.(?:py|js|yml|toml)\)")
"""A link to a file of the repository that is no page."""
NOTEBOOK_LINK = re.compile(r"\]\((notebooks/[\w-]+)\.ipynb\)")
"""A link to a notebook, which has a page."""
BOUNDS = re.compile(r"([\d.]+)<=x<=([\d.]+)")
"""The least and the most that an option takes, as click writes it."""
ANY_NUMBER = f"0<=x<={2**63 - 1}"
"""The bounds of options that take any number."""
UNUSED = (
    "assets/javascripts/lunr",
    "sitemap.xml",
    "sitemap.xml.gz",
    "404.html",
    "objects.inv",
)
"""What the pages do not need when they are read from a disk."""


# -- what MkDocs calls -------------------------------------------------------------------------------------------------


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    from mkdocs.structure.files import File

    pages = {
        "reference/command-line.md": command_line(),
        "reference/python.md": python_index(),
        "reference/schemas.md": schemas_page(),
    }
    pages |= {f"reference/{face}.md": python_page(face) for face in FACES}
    pages |= {f"reference/{module}.md": module_page(module) for module in MODULES}
    pages |= {f"schemas/{name}.json": schema_text(name) for name in schemas()}
    pages |= {page: (ROOT / name).read_text(encoding="utf-8") for name, page in PROJECT_PAGES.items()}
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        pages[f"notebooks/{path.stem}.md"] = notebook_page(path)
    for place, text in pages.items():
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links to files of the repository at pages of the site, where there is one."""
    if page.file.src_uri in PROJECT_PAGES.values():
        markdown = re.sub(r"\]\(docs/", "](", markdown)
    for name, target in PROJECT_PAGES.items():
        markdown = re.sub(rf"\]\((?:\.\./)?{re.escape(name)}", f"]({target}", markdown)
    return FILE_LINK.sub(r"\1", NOTEBOOK_LINK.sub(r"](\1.md)", markdown))


def on_post_build(config: MkDocsConfig) -> None:
    """Remove what the pages do not need."""
    import shutil

    site = Path(config.site_dir)
    for name in UNUSED:
        place = site / name
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
    for map_file in site.rglob("*.map"):
        map_file.unlink()


# -- the command line --------------------------------------------------------------------------------------------------


def command_line() -> str:
    """Every command with its help and its options."""
    from liars_dice.cli import COMMANDS, main

    parts = ["# The command line\n", "Every command has `--help` with an example, and `--json` for programs.\n"]
    context = click.Context(main, info_name="liars-dice")
    for name in COMMANDS:
        command = main.get_command(context, name)
        assert command is not None
        parts += described(command, context, f"liars-dice {name}", 2)
    return "\n".join(parts)


def described(command: click.Command, parent: click.Context, called: str, level: int) -> Iterator[str]:
    """A command, its options as a table, and its subcommands. What its arguments are is said by its help."""
    context = click.Context(command, parent=parent, info_name=called.rpartition(" ")[2])
    yield f"{'#' * level} `{called}`\n"
    yield f"```text\n{called} {' '.join(command.collect_usage_pieces(context))}\n```\n"
    yield escaped(inspect.cleandoc((command.help or "").replace("\b\n", ""))) + "\n"
    options = [param for param in command.get_params(context) if isinstance(param, click.Option)]
    rows = [record for option in options if (record := option.get_help_record(context))]
    if rows:
        yield "| option | what it does |\n|---|---|"
        yield "\n".join(f"| `{option}` | {in_cell(escaped(readable(text)))} |" for option, text in rows) + "\n"
    if command.epilog:
        yield re.sub(r"liars-dice .*?(?=; |, or |\. [A-Z]|\.?$)", r"`\g<0>`", " ".join(command.epilog.split())) + "\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            sub = command.get_command(context, name)
            if sub is not None:
                yield from described(sub, context, f"{called} {name}", level + 1)


def readable(text: str) -> str:
    """The text of an option, with its bounds in words."""
    text = text.replace(f" [{ANY_NUMBER}]", "").replace(f"; {ANY_NUMBER}]", "]")
    return BOUNDS.sub(r"\1 to \2", text).replace("x>=", "at least ")


def in_cell(text: str) -> str:
    """Text that fits in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def escaped(text: str) -> str:
    """Text whose angle brackets and brackets are not markup."""
    return text.replace("<", "&lt;").replace("[", "\\[").replace("*", "\\*")


# -- Python ------------------------------------------------------------------------------------------------------------


def python_index() -> str:
    """The packages with public names."""
    from importlib import import_module

    stable = "[five-tasks.md](../five-tasks.md#what-is-stable) says what is stable, and for how long"
    about = f"The names on these pages are public; {stable}."
    lines = ["# Python\n", f"{about}\n", "| package | |", "|---|---|"]
    said = {face: import_module(face).__doc__ or "" for face in FACES} | {name: docstring(name) for name in MODULES}
    lines += [f"| [`{name}`]({name}.md) | {text.splitlines()[0]} |" for name, text in said.items()]
    return "\n".join(lines) + "\n"


def python_page(face: str) -> str:
    """The public names of a package."""
    from importlib import import_module

    module = import_module(face)
    names = [name for name in module.__all__ if not name.startswith("_")]
    shown = [name for name in names if not isinstance(getattr(module, name), type(module))]
    if face == SOLVER:
        shown = [name for name in shown if not name.isupper()]
    about = (module.__doc__ or "").partition("\n\n")[0]
    parts = [f"# `{face}`\n", f"{about}\n"]
    parts += [f"::: {face}.{name}\n    options:\n      heading_level: 2\n" for name in shown]
    return "\n".join(parts)


def docstring(module: str) -> str:
    """What a module says about itself, read without importing what it needs."""
    source = ROOT.joinpath("src", *module.split(".")).with_suffix(".py")
    return ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""


def module_page(module: str) -> str:
    """The public names of a module."""
    return f"# `{module}`\n\n::: {module}\n    options:\n      show_root_heading: false\n"


# -- JSON schemas ------------------------------------------------------------------------------------------------------


DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, tuple[str, Any]]:
    """What is written as JSON, by name: what it is, and its type."""
    from liars_dice.core import Action, Event, GameConfig, GameView
    from liars_dice.persistence import RecordedEvent
    from liars_dice.tournament import TournamentResult

    return {
        "rules": ("a rule set: rules files in TOML have the same fields", GameConfig),
        "action": ("a move", Action),
        "event": ("an event of a game, as bots and spectators hear it", Event),
        "recorded-event": ("a line of a recorded game (JSON lines)", RecordedEvent),
        "view": ("what a player may know", GameView),
        "tournament-result": ("`result` in the `result.json` of a report", TournamentResult),
    }


def schema_text(name: str) -> str:
    """The JSON Schema of a kind of values, by its name."""
    about, kind = schemas()[name]
    head = {"$schema": DIALECT, "title": f"Liar's Dice: {name}", "description": f"The JSON of {about}."}
    return json.dumps(head | msgspec.json.schema(kind, schema_hook=_anything), indent=1) + "\n"


def _anything(kind: type) -> dict[str, Any]:
    """The schema of `object`: any JSON value."""
    if kind is object:
        return {"description": "any JSON value"}
    raise NotImplementedError(kind)


def schemas_page() -> str:
    """All schemas, with their files."""
    parts = ["# JSON schemas\n", "Written from the types that read and write these values.\n"]
    for name, (about, _) in schemas().items():
        parts.append(f"## {name}\n\nThe JSON of {about}: [`{name}.json`](../schemas/{name}.json).\n")
        parts.append(f"```json\n{schema_text(name)}```\n")
    return "\n".join(parts)


# -- notebooks ---------------------------------------------------------------------------------------------------------


def notebook_page(path: Path) -> str:
    """A notebook as a page: its text, its code, and what the code printed."""
    parts = [f"*This page is a notebook: [download it]({path.name}) and run it in Jupyter.*\n"]
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        parts.append(f"{source}\n" if cell["cell_type"] == "markdown" else f"```python\n{source}\n```\n")
        printed = "".join("".join(output.get("text", ())) for output in cell.get("outputs", ()))
        if printed:
            parts.append(f"```text\n{printed.rstrip()}\n```\n")
    title = next(place for place, part in enumerate(parts) if part.startswith("# "))
    return "\n".join([parts[title], *parts[:title], *parts[title + 1 :]])
