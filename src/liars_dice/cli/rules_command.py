"""`liars-dice rules`: show, check and list rule sets."""

from __future__ import annotations

import click

from .options import dice_option, json_option, players_option
from .output import print_json, program


@click.command("rules", epilog="Example: liars-dice rules perudo > my.toml; liars-dice rules my.toml --check")
@click.argument("name_or_file", required=False)
@players_option
@dice_option
@click.option("--explain", is_flag=True, help="Tell the rules in plain sentences instead of TOML.")
@click.option("--check", is_flag=True, help="Check the rules by playing 100 random games.")
@json_option
def rules_command(
    name_or_file: str | None, players: int | None, dice: int | None, explain: bool, check: bool, as_json: bool
) -> None:
    """Show a rule set as TOML, tell it in plain sentences (--explain), check it, or list the named ones.

    Save the output as a .toml file, edit it, and use it as --rules FILE.
    """
    from ..core import PRESETS, load_rules, rules_in_short

    if name_or_file is None:
        if check or explain or players or dice:
            raise click.UsageError("Name the rules: liars-dice rules NAME_OR_FILE")
        if as_json:
            print_json({"rules": {name: config.to_dict() for name, config in PRESETS.items()}})
            return
        for name, config in PRESETS.items():
            click.echo(f"{name:{max(map(len, PRESETS))}}  dice {config.dice}, {rules_in_short(config)}")
        click.echo(f"\nTo see one in full: {program()} rules perudo")
        return
    config = load_rules(name_or_file, players=players, dice=dice)
    if check:
        from ..core import check_rules

        check_rules(config)
    if as_json:
        print_json({"rules": name_or_file, "config": config.to_dict(), "rungs": len(config.ladder()), "checked": check})
        return
    if explain:
        from ..core import rules_in_words

        click.echo("\n".join(rules_in_words(config)))
        return
    click.echo(config.to_toml(), nl=False)
    click.echo(f"# the first round has {len(config.ladder())} possible bids" + ("; all checks passed" if check else ""))
