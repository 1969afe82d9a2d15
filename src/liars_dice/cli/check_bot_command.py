"""`liars-dice check-bot`: check that a bot is ready to play."""

from __future__ import annotations

import click

from .options import (
    RULES,
    NumberRange,
    agent_name,
    json_option,
    players_option,
    rules_for,
    time_limit_option,
    traceback_option,
)
from .output import command_line, print_json


@click.command("check-bot", epilog="Example: liars-dice check-bot mybot.py")
@click.argument("bot", type=agent_name)
@click.option(
    "--rules",
    metavar="NAME|FILE",
    help=f"{RULES} [default: every named rule set]",
)
@players_option("Number of players, with --rules. [default: as the rules say]")
@time_limit_option
@click.option(
    "--within",
    type=NumberRange(1, 86_400),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long all checks together may take, roughly: a slow bot is checked in fewer games.",
)
@traceback_option
@json_option
def check_bot_command(
    bot: str,
    rules: str | None,
    players: int | None,
    time_limit: float | None,
    within: float,
    tracebacks: bool,
    as_json: bool,
) -> None:
    """Check your own bot: that its moves are legal, fast and repeatable, and that it is what it claims to be.

    BOT is a file (mybot.py, or mybot.py:Class), module:Class, cmd:PROGRAM, or a name that `liars-dice agents` lists.
    The first check that fails is the last. What the bot prints is counted, not shown.
    """
    from ..agents import asks_network
    from ..core import BadValueError, one_line
    from ..referee import check_bot_apart, limits_for
    from .runtime import say_what_boxes_lack

    if players is not None and rules is None:
        raise click.UsageError("--players needs --rules: by default, bots are checked at tables of several sizes.")
    if asks_network(bot):
        ask = command_line("bench-llm", bot, "--positions", "1", "--games", "0")
        raise BadValueError("bot", bot, f"a bot that decides on its own; a language model is tried by {ask}")
    say_what_boxes_lack()
    only = None if rules is None else {rules: rules_for(rules, players, None)}
    checks = []
    for check in check_bot_apart(bot, limits_for(time_limit), rules=only, seconds=within):
        checks.append(check)
        if not as_json:
            click.echo(f"{'ok  ' if check.ok else 'FAIL'}  {check.name}: {one_line(check.detail)}")
            if not check.ok:
                for line in check.traceback.splitlines() if tracebacks else ():
                    click.echo(f"      {line}")
                click.echo(f"      How to fix it: {check.fix}")
    passed = all(check.ok for check in checks)
    if as_json:
        listed = [
            {
                "name": check.name,
                "ok": check.ok,
                "detail": check.detail,
                "fix": "" if check.ok else check.fix,
                "traceback": check.traceback,
            }
            for check in checks
        ]
        print_json({"bot": bot, "ok": passed, "checks": listed})
    elif passed:
        click.echo(f"\n{bot} is fit to play. Watch it: {command_line('watch', bot, 'optimal')}")
    raise SystemExit(0 if passed else 1)
