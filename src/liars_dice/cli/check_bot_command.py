"""`liars-dice check-bot`: whether a bot is fit to play."""

from __future__ import annotations

import click

from .options import command_line, json_option, print_json


@click.command("check-bot", epilog="Example: liars-dice check-bot mybot.py")
@click.argument("bot")
@json_option
def check_bot_command(bot: str, as_json: bool) -> None:
    """Check a bot of your own: legal, quick, repeatable, honest about itself.

    BOT is a file (mybot.py, or mybot.py:Class), module:Class, or any name a bot has.
    """
    from ..referee import check_bot

    checks = []
    for check in check_bot(bot):
        checks.append(check)
        if not as_json:
            click.echo(f"{'ok  ' if check.ok else 'FAIL'}  {check.name}: {check.detail}")
            if not check.ok:
                click.echo(f"      How to fix it: {check.fix}")
    passed = all(check.ok for check in checks)
    if as_json:
        listed = [{"name": c.name, "ok": c.ok, "detail": c.detail, "fix": "" if c.ok else c.fix} for c in checks]
        print_json({"bot": bot, "ok": passed, "checks": listed})
    elif passed:
        click.echo(f"\n{bot} is fit to play. Watch it: {command_line('watch', bot, 'optimal')}")
    raise SystemExit(0 if passed else 1)
