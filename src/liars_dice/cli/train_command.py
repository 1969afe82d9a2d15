"""`liars-dice train`: train a bot by reinforcement learning, and measure it exactly."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .options import NumberRange, RenamedOption, agent_name, fixed_seed_option, json_option, rules_option, was_given
from .output import command_line, percent, print_json
from .progress import show_compiling, show_progress
from .runtime import bot_output_to_stderr, tells_that_it_stops

if TYPE_CHECKING:
    from ..core import GameConfig
    from ..learn import Model, Training, TrainingReport

ALGORITHMS = ("q", "pg")
WITH_OPTIONS_OF_THEIR_OWN = ("champion", "clone")
CLASSIC = "classic"
TOO_MANY = "; too many biddings for an exact result"
"""Why the W of a network is sampled."""


class _OneOrTwo(click.ParamType):  # type: ignore[type-arg]
    """One number, which stays the same during the training, or one for its start and one for its end."""

    name = "one or two numbers"

    def __init__(self, most: float | None = None) -> None:
        self.number = NumberRange(0, most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        """`(start, end)`, from what `_TrainCommand` has joined."""
        if isinstance(value, tuple):
            return value
        numbers = [self.number.convert(part, param, ctx) for part in value.split()]
        return (numbers[0], numbers[-1])


class _TrainCommand(click.Command):
    """A command with options that take one number or two, which click does not offer.

    `train champion` and `train clone` have other options altogether, so they are commands of their own.
    """

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command that is meant."""
        if args[:1] == ["champion"]:
            from .train_champion import train_champion_command

            return train_champion_command.make_context(f"{info_name} champion", args[1:], parent, **extra)
        if args[:1] == ["clone"]:
            from .train_clone import train_clone_command

            return train_clone_command.make_context(f"{info_name} clone", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join the two numbers behind such an option into one argument. A `--resume` without a file goes last."""
        after = dict(enumerate(args[1:]))
        bare = [n for n, word in enumerate(args) if word == "--resume" and _no_file(after.get(n))]
        args = [*(word for n, word in enumerate(args) if n not in bare), *(args[n] for n in bare)]
        options = {name for option in self.params if isinstance(option.type, _OneOrTwo) for name in option.opts}
        joined: list[str] = []
        for word in args:
            before = joined[-2] if len(joined) > 1 else ""
            in_one_word = joined and joined[-1].partition("=")[0] in options and "=" in joined[-1]
            if _is_number(word) and (in_one_word or (before in options and _is_number(joined[-1]))):
                joined[-1] += f" {word}"
            else:
                joined.append(word)
        return super().parse_args(ctx, joined)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _no_file(word: str | None) -> bool:
    """Whether this is no file behind `--resume`, which was once a flag: train q --out q.npz --resume."""
    return word is None or word.startswith("-") or word in ALGORITHMS


class _Algorithm(click.Choice):  # type: ignore[type-arg]
    """A choice that is asked for in one line, together with the commands that have options of their own."""

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """What the choices are."""
        *first, last = (*self.choices, *WITH_OPTIONS_OF_THEIR_OWN)
        return f"Expected {', '.join(first)} or {last}."

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """What was given, and what the choices are."""
        if value in WITH_OPTIONS_OF_THEIR_OWN:
            return f"{value!r} comes first: liars-dice train {value} OPTIONS."
        return f"{value!r} is not one of {', '.join(map(repr, (*self.choices, *WITH_OPTIONS_OF_THEIR_OWN)))}."


@click.command(
    "train",
    cls=_TrainCommand,
    epilog="Example: liars-dice train q --dice 2 --games 1000000 --out q.npz --curve curve.png; "
    "liars-dice train q --alpha 0.1 --epsilon 0.5 0.02; liars-dice train pg --basis network --out net.npz",
)
@click.argument("algorithm", type=_Algorithm(ALGORITHMS), metavar="q|pg|champion|clone")
@rules_option(CLASSIC)
@click.option(
    "--dice",
    type=click.IntRange(1, 5),
    metavar="N",
    help="Dice per player. [default: 2 with classic, else as the rules say]",
)
@click.option(
    "--games",
    type=click.IntRange(1),
    default=1_000_000,
    show_default=True,
    metavar="N",
    help="Number of training games.",
)
@click.option(
    "--basis",
    default="crossed",
    show_default=True,
    metavar="NAME",
    help="What the learner sees: crossed or plain features of its hand and the last bid; or network (pg), a small "
    "network that also sees the whole bidding.",
)
@click.option(
    "--hidden",
    type=click.IntRange(1, 4096),
    metavar="N",
    help="Hidden units of the network. [default: 64]",
)
@click.option(
    "--opponent",
    cls=RenamedOption,
    formerly=("--opponents",),
    type=agent_name,
    default="truthful",
    show_default=True,
    metavar="BOT",
    help="The opponent: any bot, or self for self-play.",
)
@click.option(
    "--alpha",
    type=_OneOrTwo(),
    metavar="START [END]",
    help="Learning rate: one number, or one for the start and one for the end. [default: depends on the basis]",
)
@click.option(
    "--epsilon",
    type=_OneOrTwo(1),
    metavar="START [END]",
    help="Exploration rate (q): one probability, or one for the start and one for the end. [default: 0.5 0.02]",
)
@click.option(
    "--gamma",
    type=NumberRange(0, 1),
    default=1.0,
    show_default=True,
    metavar="G",
    help="Discount factor for later rewards.",
)
@click.option(
    "--batch",
    type=click.IntRange(1),
    metavar="N",
    help="Games per update (pg). [default: 200; 2000 for the network; at most all games]",
)
@fixed_seed_option(0)
@click.option(
    "--evaluation-games",
    type=click.IntRange(0, 10**12),
    metavar="N",
    help="Games for the sampled estimate of W. [default: 100000; 1000 if the opponent is not memoryless]",
)
@click.option(
    "--out",
    metavar="FILE",
    help="File for the model; it also serves as a checkpoint. A model with other settings is not replaced.",
)
@click.option(
    "--resume",
    is_flag=False,
    flag_value="",
    metavar="FILE",
    help="Resume training the model in FILE, with its settings; it is written there, or to --out. --games can be "
    "raised if --alpha and --epsilon stay the same during the training.",
)
@click.option(
    "--greedy",
    is_flag=True,
    help="Show the greedy policy (pg) in the sampled estimate and in --curve, not the softmax policy that was trained.",
)
@click.option(
    "--curve",
    metavar="FILE",
    help="Write the learning curve: a chart if FILE ends in .png, .pdf or .svg, a table if in .csv.",
)
@click.option(
    "--beside", multiple=True, metavar="FILE", help="Add the curve of the model in FILE to --curve. May be repeated."
)
@json_option
@click.pass_context
def train_command(context: click.Context, /, as_json: bool, **given: Any) -> None:
    """Train a bot by Q-learning (q) or policy gradient (pg), against a fixed opponent or itself.

    The learner opens a round for two players by --rules, without exact calls. W is its chance to win, computed
    exactly: that of the softmax policy which policy gradient trains, and that of the greedy policy. J is the expected
    return, discounted by --gamma. W* is the best possible W. In other commands, q:FILE plays the greedy policy of a
    model, pg:FILE the softmax policy, and pg:FILE,greedy the greedy one.

    `train champion` trains a network for whole games of Perudo: see `liars-dice train champion --help`.

    `train clone` copies a player from recorded games: see `liars-dice train clone --help`.
    """
    from ..exact import askable
    from ..learn import Model, Trainer, sampled_wins
    from ..persistence import ARCHIVE, check_output_file
    from ..pictures import check_comparable, check_curve_file, write_curve
    from ..referee import BotLimits, load_agents, tables_guard
    from ..tournament import wilson_ci

    start = time.perf_counter()
    out = Path(given["out"] or given["resume"]) if given["out"] or given["resume"] else None
    begun, source = None, ""
    if given["resume"] is not None:
        if out is None:
            raise click.UsageError("Name the model to continue: --resume FILE.")
        source = given["resume"] or str(out)
        begun = Model.load(source)
        given |= _begun_with(begun.training, context)
    for option, algorithm in (("epsilon", "q"), ("batch", "pg")):
        if given[option] is not None and given["algorithm"] != algorithm:
            raise click.UsageError(f"--{option} is only for {algorithm}.")
    if given["greedy"] and given["algorithm"] != "pg":
        raise click.UsageError("--greedy is only for pg: q always shows and plays the greedy policy.")
    if given["hidden"] is not None and given["basis"] != "network":
        raise click.UsageError("--hidden is only for --basis network.")
    if given["out"] is not None:
        check_output_file("out", Path(given["out"]), begins=ARCHIVE)
    if given["curve"] is not None:
        check_curve_file(Path(given["curve"]))
    elif given["beside"]:
        raise click.UsageError("--beside needs --curve FILE.")
    others = [Model.load(one) for one in given["beside"]]
    with bot_output_to_stderr():
        training = _training(given, _rules(given, begun, typed=was_given(context, "rules")))
        model = _new(training, given["rules"]) if begun is None else _resumed(begun, training, source)
        if out is not None and (begun is None or not _is_same_file(out, Path(source))):
            _check_replaceable(out, training)
        check_comparable(model, others)
        if out is not None:
            model.save(out)
        limits = BotLimits()
        trainer = Trainer(model, tables_guard(limits), lambda name: askable([name], load_agents([name], limits))[0])
        with show_compiling(quiet=as_json):
            trainer.warm_up()
    compile_s = time.perf_counter() - start
    start = time.perf_counter()
    with show_progress("games", quiet=as_json) as progress, bot_output_to_stderr(), tells_that_it_stops():
        report = trainer.run(
            out, None if progress is None else lambda done, total, w: progress(done, total, f"W {percent(w)}")
        )
        games = given["evaluation_games"]
        games = (1_000 if trainer.opponent is None else 100_000) if games is None else games

        def sampled(*, greedy: bool) -> Sample | None:
            wins = sampled_wins(trainer, games, greedy=greedy)
            return Sample(wins, games, wilson_ci(wins, games)) if games else None

        found = Measured(
            report,
            trainer.is_exact(),
            sampled(greedy=True),
            sampled(greedy=False) if given["algorithm"] == "pg" else None,
        )
    elapsed_s = time.perf_counter() - start
    if out is not None:
        report.model.save(out)
    if given["curve"]:
        write_curve([*others, report.model], report.optimum, Path(given["curve"]), greedy=given["greedy"])
    if as_json:
        times = {"elapsed_s": elapsed_s, "compile_s": compile_s}
        files = {"out": None if out is None else str(out), "curve": given["curve"]}
        print_json(_as_json(found) | {"rules": given["rules"]} | times | {"run": files})
    else:
        _show(found, given["greedy"], elapsed_s)
        if out is not None:
            click.echo(f"\nsaved: {out}. Measure it: {_next_command(given, report.model.training.rules().dice)}")
        if given["curve"]:
            click.echo(f"learning curve: {given['curve']}")
    if not report.complete:
        click.echo(
            "Stopped early." + (" To continue, run the same command with --resume." if out is not None else ""),
            err=True,
        )
        raise SystemExit(130)


class Sample(NamedTuple):
    """W estimated by playing."""

    wins: int
    games: int
    ci95: tuple[float, float]

    def __str__(self) -> str:
        low, high = self.ci95
        rate = percent(self.wins / self.games)
        return f"{rate}  in {self.games:,} games (95%: {percent(low)} to {percent(high)})"


class Measured(NamedTuple):
    """A training, and what was measured after it."""

    report: TrainingReport
    is_exact: bool
    """Whether the W of the greedy policy is exact."""
    greedy: Sample | None
    softmax: Sample | None
    """The sampled W of the policy that policy gradient trains."""


def _as_json(found: Measured) -> dict[str, object]:
    """The result as JSON; other programs rely on these keys."""
    import msgspec

    report = found.report
    training = report.model.training
    policy = report.policy if report.policy is not None and report.policy.is_exact else None
    return {
        "algorithm": training.algorithm,
        "dice": training.rules().dice[0],
        "games": report.model.games,
        "basis": training.basis,
        "opponent": training.opponent,
        "against": report.against,
        "win_rate": report.win_rate if found.is_exact else None,
        "win_rate_sampled": None if found.greedy is None else found.greedy.wins / found.greedy.games,
        "ci95": None if found.greedy is None else found.greedy.ci95,
        "policy": "softmax" if training.algorithm == "pg" else "epsilon-greedy",
        "policy_win_rate": None if policy is None else policy.win_rate,
        "policy_win_rate_sampled": None if found.softmax is None else found.softmax.wins / found.softmax.games,
        "policy_ci95": None if found.softmax is None else found.softmax.ci95,
        "objective": None if policy is None else policy.objective,
        "td_error": report.td_error,
        "bellman_error": report.bellman_error,
        "optimum": report.optimum,
        "curve": [msgspec.structs.asdict(point) for point in report.model.curve],
        "seed": training.seed,
        "complete": report.complete,
    }


def _show(found: Measured, greedy: bool, elapsed_s: float) -> None:
    """Print the result for people."""
    report, policy = found.report, found.report.policy
    model, training = report.model, report.model.training
    click.echo(f"{model.games:,} games of {training.algorithm} with the {training.basis} basis ({elapsed_s:.1f} s)")
    if training.algorithm == "pg":
        softmax = f"the softmax policy against {report.against}"
        if policy is not None and policy.is_exact:
            click.echo(f"W  {percent(policy.win_rate)}  exact, {softmax}")
            if found.softmax is not None and not greedy:
                click.echo(f"   {found.softmax}")
            gamma = training.pg.gamma if training.pg is not None else 1.0
            click.echo(f"J  {policy.objective:.4f}  exact, its expected return with gamma = {gamma:g}")
        elif found.softmax is not None:
            click.echo(f"W  {found.softmax}, {softmax}{'' if policy is None else TOO_MANY}")
    is_sampled = training.basis == "network" and policy is not None and not found.is_exact
    if is_sampled and found.greedy is not None:
        click.echo(f"W  {found.greedy}, the greedy policy against {report.against}{TOO_MANY}")
    elif not is_sampled:
        how = "exact" if found.is_exact else "every pair of hands once (the opponent is random)"
        click.echo(f"W  {percent(report.win_rate)}  {how}, the greedy policy against {report.against}")
        if found.greedy is not None and (greedy or training.algorithm == "q"):
            click.echo(f"   {found.greedy}")
    if training.algorithm == "q" and policy is not None:
        click.echo(
            f"   {percent(policy.win_rate)}  exact, the epsilon-greedy policy as it was at the end of the training"
        )
    if report.optimum is not None:
        click.echo(f"W* {percent(report.optimum)}  the best possible")
    if training.algorithm == "q":
        _show_errors(report)


def _show_errors(report: TrainingReport) -> None:
    """Print how far Q-learning is from the Bellman equation."""
    if report.td_error is not None:
        games = [point.games for point in report.model.curve]
        click.echo(f"TD error {report.td_error:.4f}, the mean of |delta| in the last {games[-1] - games[-2]:,} games")
    if report.bellman_error is not None:
        click.echo(
            f"         {report.bellman_error:.4f} without the luck of the dice: 0 if Q satisfies the Bellman equation"
        )


def _next_command(given: dict[str, Any], dice: tuple[int, ...]) -> str:
    """A command that measures the new agent: by its worst adversary, or, if that would take too long, by games."""
    agent = f"{given['algorithm']}:{given['out'] or given['resume']}" + (",greedy" if given["greedy"] else "")
    is_mixed = given["algorithm"] == "pg" and not given["greedy"] and max(dice) > 2
    if is_mixed or given["basis"] == "network":
        each = ("--dice", str(dice[0])) if len(set(dice)) == 1 else ()
        return command_line("matchup", agent, "truthful", "--rules", given["rules"], *each)
    rules = () if given["rules"] == CLASSIC else ("--rules", given["rules"])
    return command_line("exploit", agent, "--dice", *map(str, dice), *rules)


def _begun_with(training: Training, context: click.Context) -> dict[str, Any]:
    """The options with which a training was begun, without those that were typed now."""
    from ..core import rules_text
    from ..learn import default_settings

    begun: dict[str, Any] = {name: getattr(training, name) for name in ("games", "basis", "opponent", "seed")}
    begun["rules"] = rules_text(training.rules())
    if context.params["algorithm"] == training.algorithm:
        settings = training.q or training.pg or default_settings(training.algorithm, training.basis)
        begun["gamma"] = settings.gamma
        for name in ("alpha", "epsilon"):
            if (schedule := getattr(settings, name, None)) is not None:
                begun[name] = (schedule.start, schedule.end)
        begun["batch"] = getattr(settings, "batch", None)
        begun["hidden"] = getattr(settings, "hidden", None) if training.basis == "network" else None
    return {name: value for name, value in begun.items() if not was_given(context, name)}


def _rules(given: dict[str, Any], begun: Model | None, *, typed: bool) -> GameConfig:
    """The rules of the training; `typed` says whether they were named. Else they are those of `begun`."""
    from ..core import load_rules

    dice = given["dice"]
    if begun is None:
        return load_rules(given["rules"], dice=2 if dice is None and given["rules"] == CLASSIC else dice)
    known = begun.training.rules()
    dice = known.dice if dice is None else (dice, dice)
    return load_rules(given["rules"], dice=dice) if typed else known.replace(dice=dice)


def _training(given: dict[str, Any], config: GameConfig) -> Training:
    """The settings of the training."""
    import msgspec

    from ..learn import PolicyGradient, QLearning, Schedule, Training, default_settings

    settings = default_settings(given["algorithm"], given["basis"])
    changes: dict[str, Any] = {"gamma": given["gamma"]}
    if given["alpha"]:
        changes["alpha"] = Schedule(*given["alpha"])
    if given["algorithm"] == "q" and given["epsilon"]:
        changes["epsilon"] = Schedule(*given["epsilon"])
    if given["algorithm"] == "pg":
        changes |= {name: given[name] for name in ("batch", "hidden") if given[name]}
    if isinstance(settings, PolicyGradient) and not given["batch"]:
        changes["batch"] = min(settings.batch, given["games"])
    settings = msgspec.structs.replace(settings, **changes)
    return Training(
        algorithm=given["algorithm"],
        config=config.to_dict(),
        basis=given["basis"],
        opponent=given["opponent"],
        games=given["games"],
        seed=given["seed"],
        q=settings if isinstance(settings, QLearning) else None,
        pg=settings if isinstance(settings, PolicyGradient) else None,
    )


def _new(training: Training, rules: str) -> Model:
    """An untrained model; an error quotes the rules as they were typed."""
    from ..core import ConfigError
    from ..learn import new_model

    try:
        return new_model(training)
    except ConfigError as error:
        raise ConfigError("rules", rules, error.allowed) if error.field == "rules" else error from None


def _is_same_file(one: Path, other: Path) -> bool:
    return one.exists() and one.samefile(other)


def _check_replaceable(out: Path, training: Training) -> None:
    """Raise `BadValueError` if a file at `out` is anything else than a model of this training."""
    from ..core import BadValueError
    from ..learn import Model

    if not out.exists() or not out.stat().st_size:
        return
    try:
        known = Model.load(out).training
    except BadValueError as error:
        raise BadValueError("out", str(out), "a new file, or a model of this training") from error
    if differing := _differences(known, training):
        expected = f"a new file, or a model with these settings; in this one {'; '.join(differing)}"
        raise BadValueError("out", str(out), expected)


def _resumed(begun: Model, training: Training, where: str) -> Model:
    """The model to train further, if its training has these settings; it may be made longer if nothing in it depends on
    how long it is.
    """
    import msgspec

    from ..core import BadValueError
    from ..learn import SELF, Schedule

    known = begun.training
    if differing := _differences(known, msgspec.structs.replace(training, games=known.games)):
        raise BadValueError("model", where, f"the settings its training was started with: {'; '.join(differing)}")
    settings = training.q or training.pg
    schedules = [getattr(settings, name, Schedule(0, 0)) for name in ("alpha", "epsilon")]
    whole_batches = known.games % getattr(settings, "batch", 1) == 0
    lasting = all(one.start == one.end for one in schedules) and training.opponent != SELF and whole_batches
    if training.games < known.games or (training.games > known.games and not lasting):
        expected = (
            f"{known.games}, the games its training was started with: alpha, epsilon, batches or self-play are spread "
            "over all of them. Begin a new training with more; one with --alpha A and --epsilon E, which stay the same "
            "throughout, can be made longer"
        )
        raise BadValueError("games", training.games, expected)
    begun.training = training
    return begun


def _differences(known: Training, asked: Training) -> list[str]:
    """What differs between the settings of two trainings, such as `seed was 1, now 2`."""
    import msgspec

    return _different_fields(*(msgspec.to_builtins(one) | {"config": one.rules().to_dict()} for one in (known, asked)))


def _different_fields(known: dict[str, Any], asked: dict[str, Any]) -> list[str]:
    """What differs in plain data; within rules and a learner, field by field."""
    found: list[str] = []
    for name in asked:
        was, now = known[name], asked[name]
        if isinstance(was, dict) and isinstance(now, dict):
            found += _different_fields(was, now)
        elif was != now and not (was is None and isinstance(now, dict)) and not (now is None and isinstance(was, dict)):
            found.append(f"{name} was {was!r}, now {now!r}")
    return found
