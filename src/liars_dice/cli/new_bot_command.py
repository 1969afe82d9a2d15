"""`liars-dice new-bot`: write the first version of a bot, to be changed."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path

import click

from .options import json_option
from .output import command_line, print_json

TEMPLATES = Path(__file__).parent / "new_bot"
"""The files, for a bot called `mybot` with a class `MyBot`."""
FILES = {
    None: {"mybot.py.txt": ".py", "test_mybot.py.txt": ".py"},
    "js": {"mybot.js.txt": ".js"},
    "python": {"protocol_mybot.py.txt": ".py"},
}
"""For each protocol, the templates and the endings of the files that they become."""
RUN_BY = {"js": "node", "python": "python3"}


@click.command("new-bot", epilog="Example: liars-dice new-bot mybot")
@click.argument("name")
@click.option(
    "--protocol",
    type=click.Choice(["js", "python"]),
    help="Write a program that speaks the bot protocol, in JavaScript or in plain Python, instead of a Python class.",
)
@json_option
def new_bot_command(name: str, protocol: str | None, as_json: bool) -> None:
    """Write a bot that works, with comments, for you to change: NAME.py, and test_NAME.py with tests of it.

    With --protocol js it is the program NAME.js, with --protocol python NAME.py. Files that exist are never changed.
    """
    from ..core import BadValueError, reason_of

    stem = name.replace("-", "_")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,39}", stem):
        raise BadValueError("name", name, "a name of letters, digits and hyphens that begins with a letter: mybot")
    words = [word for word in stem.split("_") if word]
    class_name = "".join(word[:1].upper() + word[1:] for word in words)
    for word in (stem, class_name):
        if iskeyword(word):
            raise BadValueError("name", name, f"another name: {word} is a word of Python's own")
    taken = stem == "pytest" or find_spec(stem) is not None
    if stem in sys.stdlib_module_names or (taken and not Path(f"{stem}.py").exists()):
        raise BadValueError("name", name, f"another name: {stem} is a Python module, which the file would replace")
    called = {"mybot": stem, "MyBot": class_name}
    files: dict[Path, str] = {}
    for template, ending in FILES[protocol].items():
        prefix = "test_" if template.startswith("test_") else ""
        text = (TEMPLATES / template).read_text(encoding="utf-8")
        files[Path(f"{prefix}{stem}{ending}")] = re.sub("mybot|MyBot", lambda found: called[found[0]], text)
    for file in files:
        if file.exists():
            raise BadValueError("name", name, f"a name for new files: {file} is there already")
    for file, text in files.items():
        try:
            with file.open("x", encoding="utf-8") as new:
                new.write(text)
        except OSError as error:
            raise BadValueError("name", name, f"a file that can be written ({file}: {reason_of(error)})") from error
    written = [str(file) for file in files]
    bot = written[0] if protocol is None else f"cmd:{RUN_BY[protocol]} {written[0]}"
    if as_json:
        print_json({"name": class_name, "bot": bot, "files": written})
        return
    click.echo(f"{class_name} is in {written[0]}{f', its tests are in {written[1]}' if len(written) > 1 else ''}.")
    click.echo("\nWhat next?")
    click.echo(f"  check it    {command_line('check-bot', bot)}")
    if protocol is None:
        click.echo(f"  test it     python {written[1]}")
    click.echo(f"  watch it    {command_line('watch', bot, 'optimal')}")
    click.echo(f"  measure it  {command_line('matchup', bot, 'optimal', '--games', '200')}")
