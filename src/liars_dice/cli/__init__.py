"""The command line. A command's module is imported when it is called, so that `liars-dice --help` is fast."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .. import __version__

try:
    import click
except ModuleNotFoundError as missing:  # only the engine is installed
    raise SystemExit(f"liars-dice needs {missing.name}: pip install liars-dice") from None

COMMANDS = {
    "demo": "Run a tournament of the built-in bots. Start here.",
    "tutorial": "Learn the game in five minutes, and play a guided game.",
    "watch": "Watch bots play a full game.",
    "play": "Play against bots in the terminal.",
    "serve": "Play, watch and review games in the browser.",
    "mcp": "Let language models play, through MCP.",
    "matchup": "Measure one bot against another, exactly if possible.",
    "tournament": "Rank bots in a round robin or a league.",
    "leaderboard": "Rank bots over all recorded tournaments of the same rules.",
    "simulate": "Play many games at random tables and count the wins.",
    "train": "Train a bot by reinforcement learning.",
    "exploit": "Measure how much a perfect adversary wins against a bot.",
    "solve": "Compute perfect play for one round, with a certified error.",
    "explain": "Show what perfect play does at one point of a round, and why.",
    "rules": "Show or check a rule set, or list the named ones.",
    "agents": "List the available bots.",
    "new-bot": "Write the first version of your own bot, with tests.",
    "check-bot": "Check that your own bot plays by the rules.",
    "debug": "Ask your bot again at the turns of a recorded game.",
    "games": "List recorded games, or show win rates.",
    "replay": "Replay a recorded game, or verify it.",
    "verify-fair": "Check that a game's dice were settled before it began.",
    "review": "Review every decision of a recorded game.",
    "leaks": "Show which habits cost a player most, over many games.",
    "scout": "Show what a player does, and what it gives away.",
    "stats": "Show your results, accuracy and typical mistakes.",
    "export": "Export recorded games as JSON lines, CSV or Parquet.",
    "bench-llm": "Measure a language model, or any bot, against exact answers.",
    "positions": "Write the positions of bench-llm as JSON lines, with prompts.",
    "trajectories": "Write games among experts as training data.",
    "docs": "Open the documentation in the browser, offline.",
    "bench": "Measure how fast this machine is.",
    "import": "Import games from files into the store.",
}
"""Every command with its one-line help. The command `x` is the function `x_command` in the module `x_command.py`."""


class _LazyGroup(click.Group):
    """A group that imports commands on demand and prints our own errors as one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        if cmd_name not in COMMANDS:
            return None
        name = f"{cmd_name.replace('-', '_')}_command"
        command = getattr(import_module(f"{__name__}.{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was asked for; an unknown name gets a suggestion."""
        from ..core import did_you_mean

        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and (near := did_you_mean(name, COMMANDS)):
            ctx.fail(f"No such command {name!r}; {near}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line; nothing that it prints can command the terminal."""
        from .output import safe_output

        with safe_output():
            return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Our own errors and Ctrl-C become one line and a non-zero exit code."""
        import warnings

        from ..core import LiarsDiceError, one_line, plain_install_for
        from .runtime import sigterm_as_ctrl_c

        with warnings.catch_warnings(), sigterm_as_ctrl_c():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = _show_warning
            try:
                with plain_install_for("liars-dice"):
                    return super().invoke(ctx)
            except click.NoSuchOption as error:
                raise _with_hint(error) from error
            except LiarsDiceError as error:
                raise click.ClickException(one_line(error)) from error
            except KeyboardInterrupt:
                click.echo("Stopped before the end.", err=True)
                raise SystemExit(130) from None


def _with_hint(error: click.NoSuchOption) -> click.NoSuchOption:
    """The error for an unknown option; if it is a rule or the old name of something, with what to write instead."""
    from ..core import OLD_NAMES, GameConfig

    name = error.option_name.lstrip("-").replace("-", "_")
    today = OLD_NAMES.get(name)
    here = [] if error.ctx is None else [option for param in error.ctx.command.params for option in param.opts]
    passed = {"--rules": "--rules NAME,FIELD=VALUE", "--set": "--set FIELD=VALUE"}
    how = next((passed[place] for place in here if place in passed), None)
    if today is not None and today.option in here and today.option != "--rules":
        hint = f"Use {today.option}."
    elif how is not None and (name in GameConfig.__struct_fields__ if today is None else today.is_rule):
        hint = f"Use {how.replace('FIELD', name)}." if today is None else f"Use {how} with {today.in_python}."
    else:
        return error
    return click.NoSuchOption(error.option_name, f"{error.message} {hint}", ctx=error.ctx)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning as one line, without Python's file name and line number."""
    from ..core import one_line

    click.echo(f"Warning: {one_line(message)}", err=True)


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: liars-dice demo. For the options of a command: liars-dice COMMAND --help",
)
@click.version_option(__version__, prog_name="liars-dice")
def main() -> None:
    """Liar's Dice: play it, write bots for it, and measure how good they are."""


__all__ = ["COMMANDS", "main"]
