"""The command line. Commands are loaded when they are called, so that the bare command answers at once."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from .. import __version__

COMMANDS = {
    "demo": "A tournament of the built-in bots: start here.",
    "watch": "Watch bots play a full game.",
    "play": "Play against bots in the terminal.",
    "serve": "Play, watch and review in the browser.",
    "matchup": "Measure one bot against another, exactly if possible.",
    "tournament": "Play everybody against everybody.",
    "simulate": "Draw random tables, and count who wins.",
    "train": "Learn by reinforcement, measured against the optimum.",
    "exploit": "Measure how much a perfect adversary wins against a bot.",
    "solve": "Compute perfect play of one round, certified.",
    "explain": "Show what an equilibrium does at one point of a round, and why.",
    "rules": "Show a rule set, check it, or list the named ones.",
    "agents": "List the bots that can be named.",
    "check-bot": "Check a bot of your own.",
    "games": "List recorded games, and who wins how often.",
    "replay": "Show a recorded game again, or verify it.",
    "review": "Judge every decision of a recorded game.",
    "export": "Write recorded games to a file for other programs.",
    "bench": "Measure how fast this machine is.",
    "import": "Bring games from files into the store.",
}
"""Every command with its one-line help. The command `x` is `x_command` in the module `x_command` beside this one."""


class _LazyGroup(click.Group):
    """A group that imports a command when it is needed, and turns our own errors into one clear line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command called so, imported now."""
        if cmd_name not in COMMANDS:
            return None
        name = f"{cmd_name.replace('-', '_')}_command"
        command = getattr(import_module(f"{__name__}.{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error of ours becomes one line and a non-zero exit code, and so does Ctrl-C."""
        import warnings

        from ..core import LiarsDiceError

        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = _show_warning
            try:
                return super().invoke(ctx)
            except LiarsDiceError as error:
                raise click.ClickException(str(error)) from error
            except KeyboardInterrupt:
                click.echo("Stopped before the end.", err=True)
                raise SystemExit(130) from None


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """A warning as one line, not as Python shows it."""
    click.echo(f"Warning: {message}", err=True)


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: liars-dice demo",
)
@click.version_option(__version__, prog_name="liars-dice")
def main() -> None:
    """Liar's Dice: an exact rules engine, bots, and a place to play."""


__all__ = ["COMMANDS", "main"]
