"""The command line in this process, called as people and as programs call it."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner, Result

from liars_dice.cli import main

MAY_DIFFER = ("elapsed_s", "compile_s", "run")
"""What need not be the same from the same seed."""


def call(*words: str, stdin: str | None = None, **settings: str) -> Result:
    """What a command prints and how it ends; `settings` are variables of its environment."""
    return CliRunner().invoke(main, words, input=stdin, env=settings)


def told(*words: str) -> dict[str, Any]:
    """The one JSON object of a command that succeeds."""
    result = call(*words, "--json")
    assert result.exit_code == 0, result.output
    assert result.stdout.count("\n") == 1
    value: dict[str, Any] = json.loads(result.stdout)
    return value


def answer(*words: str) -> dict[str, Any]:
    """The same without what may differ from run to run."""
    return {key: value for key, value in told(*words).items() if key not in MAY_DIFFER}
