"""`liars-dice mcp`: the game as tools for language models."""

from __future__ import annotations

import signal
import sys

import click

from .options import db_option, json_option, seed_option
from .output import print_json


@click.command(
    "mcp",
    epilog="Example: liars-dice mcp --http --port 8100. In the settings of a client that starts programs, the command "
    "is liars-dice mcp.",
)
@click.option("--http", is_flag=True, help="Serve over streamable HTTP instead of standard input and output.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, metavar="H", help="With --http: the address to listen on."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8100,
    show_default=True,
    metavar="P",
    help="With --http: the port to listen on; 0 picks a free one.",
)
@click.option(
    "--public-name",
    "public_names",
    multiple=True,
    metavar="NAME",
    help="With --http: another host name of this server. May be repeated.",
)
@click.option(
    "--studio",
    "studios",
    multiple=True,
    metavar="HOST",
    help="A studio whose rooms may be joined. May be repeated. [default: any; with --http, only on this machine]",
)
@seed_option
@db_option
@json_option
def mcp_command(
    http: bool,
    host: str,
    port: int,
    public_names: tuple[str, ...],
    studios: tuple[str, ...],
    seed: int | None,
    db: str | None,
    as_json: bool,
) -> None:
    """Let language models play, through the tools of the Model Context Protocol (needs the extra `mcp`).

    The tools are new_game, join_room (a seat in a room of the studio, by its link), look, bid, call_liar, call_exact,
    odds, explain and review; the resources are the rules and finished games. A client sees its own dice alone.

    Without --http, a client starts this command and speaks to it through standard input and output. Finished games are
    kept in the store. With --seed, the dice of the server's games are the same each time.
    """
    if as_json and not http:
        raise click.UsageError("--json goes with --http: without it, the output is the protocol.")
    from ..core import check_extra

    check_extra("liars-dice mcp", "mcp", "mcp")
    from ..bridges.finished_games import FinishedGames
    from ..bridges.mcp_run import serve_http, serve_stdio
    from ..bridges.mcp_server import Tables
    from ..bridges.studio_seat import LOOPBACK

    allowed = studios or (LOOPBACK if http else None)
    tables = Tables(FinishedGames(db), seed=seed, studios=allowed)
    if not http:
        if sys.stdin.isatty():  # a person started it
            click.echo(
                "This speaks the Model Context Protocol to a program that starts it, not to a terminal. "
                "Press Ctrl-D to stop; add --http for a server with an address.",
                err=True,
            )
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a client that ends it may keep standard input open
        serve_stdio(tables)
        return

    def ready(address: str) -> None:
        if as_json:
            print_json({"address": address})
            return
        click.echo(f"The MCP server is at {address} (press Ctrl-C to stop)")
        if host not in LOOPBACK:
            click.echo("Anyone who can reach this machine can play.")

    serve_http(tables, host, port, ready, public_names=public_names)
