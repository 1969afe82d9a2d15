"""`liars-dice serve`: play, watch and review games in the browser."""

from __future__ import annotations

import os
import stat

import click

from .options import RenamedOption, db_option, json_option
from .output import print_json

ANYWHERE = {"0.0.0.0": "0.0.0.0", "::": "[::]"}
"""Hosts that mean "every address of this machine", as they appear in a URL. A browser cannot open them."""


@click.command("serve", epilog="Example: liars-dice serve --open")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="H",
    help="Address to listen on; 0.0.0.0 also accepts other machines.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    metavar="P",
    help="Port to listen on; 0 picks a free one.",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the page in your browser.")
@click.option(
    "--public-name",
    "public_names",
    multiple=True,
    metavar="NAME",
    help="Another host name of this server: of a proxy in front of it, or in your network. May be repeated.",
)
@click.option("--behind-proxy", is_flag=True, help="Trust X-Forwarded-* headers from a proxy on this machine.")
@click.option(
    "--bot",
    "agents",
    cls=RenamedOption,
    formerly=("--agents",),
    multiple=True,
    metavar="BOT",
    help="Also offer this bot; it runs in a box. May be repeated.",
)
@click.option(
    "--folder",
    "folders",
    multiple=True,
    metavar="DIR",
    help="Also offer the bots in this folder, in boxes. May be repeated.",
)
@click.option(
    "--player-cards/--no-player-cards",
    default=True,
    show_default=True,
    help="Show anyone what finished games say about a player, by name.",
)
@db_option
@json_option
def serve_command(
    host: str,
    port: int,
    open_browser: bool,
    public_names: tuple[str, ...],
    behind_proxy: bool,
    agents: tuple[str, ...],
    folders: tuple[str, ...],
    player_cards: bool,
    db: str | None,
    as_json: bool,
) -> None:
    """Play, watch and review games in the browser.

    By default only this machine can connect (see --host). Games and rooms are kept in the store: after a restart of the
    server, players continue where they left off.
    """
    from ..tournament import agents_in_folder
    from ..web import serve
    from .runtime import say_what_boxes_lack

    agents = tuple(dict.fromkeys((*agents, *(bot for folder in folders for bot in agents_in_folder(folder)))))
    if agents:
        say_what_boxes_lack()

    def ready(address: str, *, local: bool) -> None:
        _warn_if_readable(db)
        if as_json:
            print_json({"address": address, "local": local})
            return
        if local or host not in ANYWHERE:
            click.echo(f"Liar's Dice is at {address} (press Ctrl-C to stop)")
        else:
            there = address.replace(f"//{ANYWHERE[host]}:", f"//{_own_address()}:")
            click.echo(f"Liar's Dice is at {there} (press Ctrl-C to stop)")
            click.echo("Use this address yourself too, so that the invite links you send work for others.")
        if not local:
            click.echo("Anyone who can reach this machine can play.")

    serve(
        host,
        port,
        db,
        ready,
        agents=agents,
        open_browser=open_browser,
        public_names=public_names,
        behind_proxy=behind_proxy,
        player_cards=player_cards,
    )


def _warn_if_readable(db: str | None) -> None:
    """Warn if every user of this machine can read the store, and with it the dice of games under way."""
    from pathlib import Path

    from ..persistence import default_store

    store = Path(db or default_store())
    if os.name == "posix" and store.is_file() and store.stat().st_mode & stat.S_IROTH:
        click.echo(f"Warning: every user of this machine can read {store}, and so all dice: chmod 600", err=True)


def _own_address() -> str:
    """This machine's address on the local network, as far as it can tell. Nothing is sent."""
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("192.0.2.1", 9))  # a documentation address: only the route is looked up
            found: str = asking.getsockname()[0]
        except OSError:
            return "127.0.0.1"
    return found
