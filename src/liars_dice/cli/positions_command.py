"""`liars-dice positions`: the benchmark's positions as JSON lines, for use without this package."""

from __future__ import annotations

from pathlib import Path

import click

from .options import json_option
from .output import print_json


@click.command("positions", epilog="Example: liars-dice positions --out positions.jsonl")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to this .jsonl file. [default: print]",
)
@click.option(
    "--group",
    type=click.Choice(["no-wilds", "perudo", "multi-player"]),
    help="Only the positions of this group. [default: all]",
)
@json_option
def positions_command(out: Path | None, group: str | None, as_json: bool) -> None:
    """Write the positions that bench-llm asks about, one JSON object per line.

    Each has a prompt for a language model (prompt), the legal moves (legal) and the chance to win after each of them
    (values). Values are exact in the groups no-wilds and perudo; in multi-player, they are the champion's estimates.
    """
    import msgspec

    from ..bridges.positions import POSITIONS_VERSION, load_positions
    from ..core import BadValueError
    from ..persistence import check_output_file, writing_whole

    if out is not None and out.suffix != ".jsonl":
        raise BadValueError("out", str(out), "a file whose name ends in .jsonl")
    chosen = [position for position in load_positions() if group in (None, position.group)]
    lines = b"".join(msgspec.json.encode(position) + b"\n" for position in chosen)
    if out is not None:
        check_output_file("out", out, begins=b"{")
        with writing_whole("out", out) as file:
            file.write_bytes(lines)
    told: dict[str, object] = {
        "positions": len(chosen),
        "version": POSITIONS_VERSION,
        "out": None if out is None else str(out),
    }
    if as_json:
        print_json(told if out is not None else told | {"lines": msgspec.to_builtins(chosen)})
    elif out is None:
        click.echo(lines.decode(), nl=False)
    else:
        click.echo(f"{len(chosen)} positions (version {POSITIONS_VERSION}) written to {out}")
