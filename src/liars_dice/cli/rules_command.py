"""`liars-dice rules`: show, change, check and list rule sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import dice_option, json_option, players_option, rules_for
from .output import print_json, program

if TYPE_CHECKING:
    from ..core import GameConfig


@click.command(
    "rules",
    epilog="Example: liars-dice rules perudo --set palifico=true --out my.toml; liars-dice rules my.toml --check",
)
@click.argument("name_or_file", required=False, metavar="[NAME|FILE]")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="FIELD=VALUE",
    help="Change a field, for example palifico=true. May be repeated.",
)
@players_option()
@dice_option
@click.option("--explain", is_flag=True, help="Tell the rules in plain sentences instead of TOML.")
@click.option("--check", is_flag=True, help="Check the rules by playing 100 random games.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File to write, .toml or .json. [default: standard output]",
)
@json_option
def rules_command(
    name_or_file: str | None,
    changes: tuple[str, ...],
    players: int | None,
    dice: int | None,
    explain: bool,
    check: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Show a rule set as TOML, tell it in plain sentences (--explain), change it, check it, or list the named ones.

    NAME may be followed by changes, as wherever you give --rules: perudo,palifico is perudo with palifico. Write the
    rules to a file, edit it, and use it as --rules FILE. A file may begin with base = "perudo" and hold only what
    differs.
    """
    from ..core import PRESETS, check_rules, rules_in_short

    if name_or_file is None:
        if check or explain or players or dice or changes or out:
            raise click.UsageError("Name the rules, for example: liars-dice rules perudo --set palifico=true")
        if as_json:
            print_json({"rules": {name: config.to_dict() for name, config in PRESETS.items()}})
            return
        for name, config in PRESETS.items():
            click.echo(f"{name:{max(map(len, PRESETS))}}  dice {config.dice}, {rules_in_short(config)}")
        click.echo(f"\nTo see one in full: {program()} rules perudo")
        return
    rules = ",".join((name_or_file, *changes))
    config = rules_for(rules, players, dice)
    if check:
        check_rules(config)
    if out is not None:
        _write(config, out)
    if as_json:
        written = {} if out is None else {"out": str(out)}
        rungs = len(config.ladder())
        print_json({"rules": rules, "config": config.to_dict(), "rungs": rungs, "checked": check, **written})
        return
    passed = "; all checks passed" if check else ""
    if out is not None:
        click.echo(f"written to {out}{passed}")
        return
    if explain:
        from ..core import rules_in_words

        click.echo("\n".join(rules_in_words(config)))
        return
    click.echo(config.to_toml(), nl=False)
    click.echo(f"# the first round has {len(config.ladder())} possible bids{passed}")


def _write(config: GameConfig, out: Path) -> None:
    """Write the whole file or none."""
    from ..core import ConfigError
    from ..persistence import check_output_file, writing_whole

    if out.suffix not in (".toml", ".json"):
        raise ConfigError("out", str(out), "a name that ends in .toml or .json")
    check_output_file("out", out)
    with writing_whole("out", out, make_folders=False) as partial:
        partial.write_text(config.to_toml() if out.suffix == ".toml" else config.to_json(), encoding="utf-8")
