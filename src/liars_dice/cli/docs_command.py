"""`liars-dice docs`: the documentation, from this installation."""

from __future__ import annotations

from pathlib import Path

import click

from .options import json_option
from .output import print_json

FRONT_PAGE = Path(__file__).parent.parent / "offline_docs" / "index.html"


@click.command("docs", epilog="Example: liars-dice docs --print")
@click.option("--print", "only_print", is_flag=True, help="Print the address of the front page; open no browser.")
@json_option
def docs_command(only_print: bool, as_json: bool) -> None:
    """Open the documentation in the browser.

    The pages are part of the installation: they need no network, and describe this version.
    """
    import webbrowser

    if not FRONT_PAGE.is_file():
        raise click.ClickException(
            "This installation has no documentation pages. In a clone, `make docs` builds them; the text is in docs/."
        )
    address = FRONT_PAGE.as_uri()
    if as_json:
        print_json({"address": address})
        return
    click.echo(address)
    if not only_print and not webbrowser.open(address):
        click.echo("No browser could be started: open this address yourself.", err=True)
