"""Options that several commands share, each spelled and explained once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import click

from ..core import DICE_PER_SEAT, FACES, PLAYERS, SEEDS, BidOrdering, Wild

if TYPE_CHECKING:
    from ..core import GameConfig

Command = TypeVar("Command", bound=Callable[..., Any])


class RenamedOption(click.Option):
    """An option that had other names: they still work, but `--help` shows today's name alone."""

    def __init__(self, *declarations: Any, formerly: tuple[str, ...], **settings: Any) -> None:
        super().__init__(*declarations, **settings)
        self.formerly = formerly
        """The other names."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Let the parser know all names."""
        today, self.opts = self.opts, [*self.opts, *self.formerly]
        super().add_to_parser(parser, ctx)
        self.opts = today


def agent_name(given: str) -> str:
    """The type of arguments that name a bot: another spelling of a listed name becomes the listed one.

    Somebody who left out the extension of a bot's file is told so. The studio's visitors are not: it would tell them
    which files there are.
    """
    from ..agents import AGENTS, AgentNameError, listed_name, place_of

    name = listed_name(given)
    if name.isidentifier() and name not in (*AGENTS, "human") and Path(f"{name}.py").is_file():
        try:
            place_of(name)
        except AgentNameError:
            raise AgentNameError(name, "unknown_name", f"the name of a bot, or its file: {name}.py") from None
    return name


AS_SEATED = "Number of players. [default: as many as you name, else as the rules say]"
"""How many play where each named bot gets a seat."""
AS_THE_RULES_SAY = "Number of players. [default: as the rules say]"
"""How many play where no one is seated by name. The rule is the same: who is named plays, else the rules decide."""


def players_option(about: str = AS_THE_RULES_SAY) -> Callable[[Command], Command]:
    """`--players`: how many play."""
    return click.option("--players", type=click.IntRange(PLAYERS[0], PLAYERS[-1]), metavar="N", help=about)


dice_option = click.option(
    "--dice",
    type=click.IntRange(DICE_PER_SEAT[0], DICE_PER_SEAT[-1]),
    metavar="N",
    help="Dice per player. [default: as the rules say]",
)


RULES = "Rule set: a name (see `liars-dice rules`) or a .toml or .json file, and changes: perudo,palifico,faces=8."
"""What `--rules` takes, in every command."""


def rules_options(
    default: str, players: str = AS_THE_RULES_SAY, *, shown: str | None = None
) -> Callable[[Command], Command]:
    """`--rules`, `--players` and `--dice`, which together choose the game."""

    def decorate(command: Command) -> Command:
        command = dice_option(players_option(players)(command))
        return rules_option(default, shown=shown)(command)

    return decorate


def rules_option(default: str, *, shown: str | None = None) -> Callable[[Command], Command]:
    """`--rules`: a named rule set or a file, with changes. Help shows the default, or what is `shown` in its place."""
    return click.option("--rules", default=default, metavar="NAME|FILE", help=f"{RULES} [default: {shown or default}]")


def round_dice_option(*, required: bool = True, default: str = "") -> Callable[[Command], Command]:
    """`--dice N0 N1`: the dice of the two players of a round; `default` says what it is without."""
    return click.option(
        "--dice",
        nargs=2,
        type=click.IntRange(DICE_PER_SEAT[0], DICE_PER_SEAT[-1]),
        required=required,
        metavar="N0 N1",
        help="Number of dice of the player who opens, and of the other player."
        + (f" [default: {default}]" if default else ""),
    )


def round_options(command: Command) -> Command:
    """`--rules`, `--faces`, `--wild` and `--ordering`: the rules of one round between two players (`round_config`)."""
    rules = click.option("--rules", metavar="NAME|FILE", help=f"{RULES} [default: classic]")
    faces = click.option(
        "--faces",
        type=click.IntRange(FACES[0], FACES[-1]),
        metavar="F",
        help="Faces of each die. [default: as the rules say]",
    )
    wild = click.option(
        "--wild",
        type=click.Choice(get_args(Wild)),
        help="The wild face: none, ones, or the highest face. [default: as the rules say]",
    )
    ordering = click.option(
        "--ordering",
        type=click.Choice(get_args(BidOrdering)),
        help="Which bids are higher than others (see docs/rules.md). [default: as the rules say]",
    )
    return rules(faces(wild(ordering(command))))


def round_config(
    dice: tuple[int, ...], rules: str | None, faces: int | None, wild: str | None, ordering: str | None
) -> GameConfig:
    """The rules of a round with these dice, as `round_options` give them."""
    from ..core import GameConfig, load_rules

    given: dict[str, Any] = {"faces": faces, "wild": wild, "bid_ordering": ordering}
    changes = {name: value for name, value in given.items() if value is not None}
    return GameConfig(dice=dice, **changes) if rules is None else load_rules(rules, dice=dice, **changes)


class NumberRange(click.FloatRange):
    """A range of numbers; `nan`, which is neither below nor above anything, is not in it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number."""
        number: float = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value!r} is not a number in the range {self._describe_range()}.", param, ctx)
        return number


def pace_options(command: Command) -> Command:
    """`--step` and `--delay`: how fast a game is shown."""
    step = click.option("--step", is_flag=True, help="Wait for Enter after each event; q quits.")
    delay = click.option(
        "--delay",
        type=NumberRange(0, 60),
        default=0.0,
        show_default=True,
        metavar="SECONDS",
        help="Pause for this long after each event.",
    )
    return step(delay(command))


def fixed_seed_option(seed: int) -> Callable[[Command], Command]:
    """`--seed` of commands that do the same every time by default."""
    return click.option(
        "--seed",
        type=click.IntRange(0, SEEDS[-1]),
        default=seed,
        show_default=True,
        metavar="S",
        help="Random seed. The same seed gives the same result.",
    )


seed_option = click.option(
    "--seed",
    type=click.IntRange(0, SEEDS[-1]),
    metavar="S",
    help="Random seed. The same seed gives the same dice; leave it out with bots you do not trust, which can find a "
    "small one by trying. [default: a new one each time]",
)
db_option = click.option(
    "--db",
    metavar="FILE|URL",
    help="Store of recorded games: a SQLite or .jsonl file, or postgresql://... "
    "[default: $LIARS_DICE_DB, or a file in your data directory]",
)


def _say_what_is_missing(context: click.Context, parameter: click.Parameter, value: bool) -> bool:
    if value:
        from .runtime import say_what_boxes_lack

        say_what_boxes_lack()
    return value


isolate_option = click.option(
    "--isolate",
    is_flag=True,
    callback=_say_what_is_missing,
    help="Run each bot in a box: a sandboxed process of its own, for bots you do not trust (see docs/security.md).",
)


def _check_time_limit(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    if value is None:
        return None
    from ..core import BadValueError
    from ..referee import limits_for

    try:
        limits_for(value)
    except BadValueError as error:
        raise click.BadParameter(f"{value:g} is not {error.allowed}.") from error
    return value


time_limit_option = click.option(
    "--time-limit",
    type=float,
    callback=_check_time_limit,
    metavar="SECONDS",
    help="How long a bot may take for a decision, for example 0.5; its on_game_end may take twice as long. While a bot "
    "computes, its time on the processor counts, where the system tells. A bot that is late calls liar, or opens with "
    "the lowest bid. Exact and compiled results do not depend on it. [default: 1]",
)
workers_option = click.option(
    "--workers", type=click.IntRange(1, 1024), metavar="N", help="Number of CPU cores to use. [default: all]"
)


def _check_chart(context: click.Context, parameter: click.Parameter, value: Path | None) -> Path | None:
    if value is not None:
        from ..pictures import check_picture

        check_picture("chart", value)
    return value


def chart_option(what: str) -> Callable[[Command], Command]:
    """`--chart`, which draws `what` into a file; `--png` is its older spelling."""
    return click.option(
        "--chart",
        cls=RenamedOption,
        formerly=("--png",),
        type=click.Path(path_type=Path),
        callback=_check_chart,
        metavar="FILE",
        help=f"Also draw {what} into a .png, .pdf or .svg file.",
    )


traceback_option = click.option(
    "--traceback", "tracebacks", is_flag=True, help="Show the whole traceback of each error in a bot's code."
)
ascii_option = click.option("--ascii", "ascii_only", is_flag=True, help="Draw dice and charts in plain ASCII.")
full_option = click.option(
    "--full", is_flag=True, help="Draw all dice also at big tables, where each player otherwise has one line."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")


def backend_options(command: Command) -> Command:
    """`--workers` and `--backend`: where games are played. Results do not depend on them."""
    command = click.option(
        "--backend",
        default="processes",
        show_default=True,
        metavar="NAME",
        help="Where games are played: processes (this machine), ray, or ray://HOST:PORT.",
    )(command)
    return workers_option(command)


def llm_options(command: Command) -> Command:
    """Options for language models (`llm:MODEL`): where they are, and how often they may be asked."""

    @wraps(command)
    def run(
        *positional: Any,
        base_url: str | None,
        max_calls: int | None,
        concurrency: int | None,
        calls_per_minute: float | None,
        answer_time: float | None,
        **given: Any,
    ) -> Any:
        from ..bridges.model_use import ANSWER_SECONDS, ModelUse, key_taken_out, using

        with key_taken_out() as key:
            use = ModelUse(
                base_url,
                max_calls=max_calls,
                calls_per_minute=calls_per_minute,
                answer_seconds=answer_time or ANSWER_SECONDS,
                key=key,
                named_by="--base-url or $OPENAI_BASE_URL",
            )
            with using(use, concurrency):
                return command(*positional, **given)

    options = (
        click.option(
            "--base-url",
            metavar="URL",
            help="Where the models of llm:MODEL are: any OpenAI-compatible endpoint. The key comes from "
            "$OPENAI_API_KEY. [default: $OPENAI_BASE_URL, or OpenAI]",
        ),
        click.option(
            "--max-calls", type=click.IntRange(1), metavar="N", help="Stop once models have been asked this many times."
        ),
        click.option(
            "--concurrency",
            type=click.IntRange(1, 256),
            metavar="N",
            help="How many games with models are played at the same time. [default: 4]",
        ),
        click.option(
            "--calls-per-minute", type=NumberRange(0.01, 1e6), metavar="N", help="Ask models no more often than this."
        ),
        click.option(
            "--answer-time",
            type=NumberRange(0.1, 86_400),
            metavar="SECONDS",
            help="How long a model may take for an answer, in place of --time-limit. [default: 120]",
        ),
    )
    decorated: Any = run
    for option in reversed(options):
        decorated = option(decorated)
    return cast(Command, decorated)


def was_given(context: click.Context, name: str) -> bool:
    """Whether an option was given on the command line, rather than left at its default."""
    return context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT


def seed_for(config: GameConfig, seed: int | None) -> int:
    """The seed given on the command line, else the one in the rules, else a new one."""
    from ..core import fresh_seed

    given = config.seed if seed is None else seed
    return fresh_seed() if given is None else given


GUESSABLE_SEEDS = 2**48
"""A program can try all seeds below this number in reasonable time; its own dice tell it which is the right one."""


def warn_of_guessable_seed(config: GameConfig, seed: int | None, agents: Iterable[str], *, isolate: bool) -> None:
    """Warn if bots that are not trusted, those in boxes, play with a seed that they can find by trying."""
    from ..referee import is_found

    given = config.seed if seed is None else seed
    if given is None or given >= GUESSABLE_SEEDS:
        return
    if isolate or any(name.startswith("cmd:") or is_found(name) for name in agents):
        click.echo(
            f"Warning: a bot can find the seed {given} by trying, and then knows all dice; leave out --seed with bots "
            "you do not trust.",
            err=True,
        )


def rules_for(rules: str, players: int | None, dice: int | None, *, named: int = 0) -> GameConfig:
    """The rules of a game in which `named` players have their seats: that many play unless `players` says otherwise,
    and as many as the rules say if there is neither. Tells people about rules that then cannot matter.
    """
    from ..core import load_rules, without_effect

    config = load_rules(rules, players=players or named or None, dice=dice)
    if note := without_effect(config):
        click.echo(f"Note: {note}", err=True)
    return config


def say_rules(rules: str, config: GameConfig) -> str:
    """The rules as they were named; with the number of players if it is not the one that they are made for."""
    from ..core import load_rules

    usual = load_rules(rules).num_players
    return rules if config.num_players == usual else f"{rules} for {config.num_players} players (usually {usual})"
