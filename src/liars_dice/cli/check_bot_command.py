"""`liars-dice check-bot`: check that a bot is ready to play."""

from __future__ import annotations

import click

from .options import agent_name, json_option, time_limit_option
from .output import command_line, print_json


@click.command("check-bot", epilog="Example: liars-dice check-bot mybot.py")
@click.argument("bot", type=agent_name)
@time_limit_option
@json_option
def check_bot_command(bot: str, time_limit: float | None, as_json: bool) -> None:
    """Check your own bot: that its moves are legal, fast and repeatable, and that it is what it claims to be.

    BOT is a file (mybot.py, or mybot.py:Class), module:Class, cmd:PROGRAM, or a name that `liars-dice agents` lists.
    """
    from ..core import one_line
    from ..referee import check_bot_apart, limits_for
    from .runtime import say_what_boxes_lack

    say_what_boxes_lack()
    checks = []
    for check in check_bot_apart(bot, limits_for(time_limit)):
        checks.append(check)
        if not as_json:
            click.echo(f"{'ok  ' if check.ok else 'FAIL'}  {check.name}: {one_line(check.detail)}")
            if not check.ok:
                click.echo(f"      How to fix it: {check.fix}")
    passed = all(check.ok for check in checks)
    if as_json:
        listed = [{"name": c.name, "ok": c.ok, "detail": c.detail, "fix": "" if c.ok else c.fix} for c in checks]
        print_json({"bot": bot, "ok": passed, "checks": listed})
    elif passed:
        click.echo(f"\n{bot} is fit to play. Watch it: {command_line('watch', bot, 'optimal')}")
    raise SystemExit(0 if passed else 1)
