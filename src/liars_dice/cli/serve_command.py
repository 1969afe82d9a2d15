"""`liars-dice serve`: the studio in the browser."""

from __future__ import annotations

import click

from .options import db_option, json_option, print_json

ANYWHERE = {"0.0.0.0": "0.0.0.0", "::": "[::]"}
"""Hosts that mean every address of this machine, and how they stand in an address: nobody can go there."""


@click.command("serve", epilog="Example: liars-dice serve --open")
@click.option("--host", default="127.0.0.1", show_default=True, metavar="H", help="0.0.0.0 lets others in.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, metavar="P", help="0: any.")
@click.option("--open", "open_browser", is_flag=True, help="Open the page in your browser.")
@click.option("--public-name", "public_names", multiple=True, metavar="NAME", help="A proxy's name, as dice.example.")
@click.option("--behind-proxy", is_flag=True, help="Believe a proxy on this machine who its clients are.")
@click.option("--agents", multiple=True, metavar="BOT", help="Offer this bot, too (isolated). May be repeated.")
@db_option
@json_option
def serve_command(
    host: str,
    port: int,
    open_browser: bool,
    public_names: tuple[str, ...],
    behind_proxy: bool,
    agents: tuple[str, ...],
    db: str | None,
    as_json: bool,
) -> None:
    """Play, watch and review in the browser.

    Only this machine is let in unless --host says otherwise. Games and rooms live in the store: stop the server and
    start it again, and everybody plays on.
    """
    from ..web import serve

    def ready(address: str, *, local: bool) -> None:
        if as_json:
            print_json({"address": address, "local": local})
            return
        if local or host not in ANYWHERE:
            click.echo(f"Liar's Dice is at {address} (Ctrl-C stops it)")
        else:
            there = address.replace(f"//{ANYWHERE[host]}:", f"//{_own_address()}:")
            click.echo(f"Liar's Dice is at {there} (Ctrl-C stops it)")
            click.echo("Open it there yourself, too: then the links you send to others work for them.")
        if not local:
            click.echo("Everybody who can reach this machine can play.")

    serve(
        host,
        port,
        db,
        ready,
        agents=agents,
        open_browser=open_browser,
        public_names=public_names,
        behind_proxy=behind_proxy,
    )


def _own_address() -> str:
    """Where others on the network find this machine, as far as it knows itself. Nothing is sent."""
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))  # an address for examples: only the way there is looked up
            found: str = asking.getsockname()[0]
        except OSError:
            return "127.0.0.1"
    return found
