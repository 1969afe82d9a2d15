"""`liars-dice train`: train a bot by reinforcement learning, and measure it exactly."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .options import agent_name, fixed_seed_option, json_option
from .output import command_line, percent, print_json
from .progress import show_compiling, show_progress
from .runtime import bot_output_to_stderr

if TYPE_CHECKING:
    from ..learn import Model, TrainingReport


class _Algorithm(click.Choice):  # type: ignore[type-arg]
    """A choice whose absence is reported in one line."""

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """What the choices are."""
        return f"Expected {' or '.join(self.choices)}."


@click.command("train", epilog="Example: liars-dice train q --dice 2 --games 1000000 --out q.npz --curve curve.png")
@click.argument("algorithm", type=_Algorithm(["q", "pg"]), metavar="q|pg")
@click.option("--dice", type=click.IntRange(1, 5), default=2, show_default=True, metavar="N", help="Dice per player.")
@click.option(
    "--games",
    type=click.IntRange(1),
    default=1_000_000,
    show_default=True,
    metavar="M",
    help="Number of training games.",
)
@click.option(
    "--basis", default="crossed", show_default=True, metavar="NAME", help="Features the learner sees: crossed or plain."
)
@click.option(
    "--opponent",
    type=agent_name,
    default="truthful",
    show_default=True,
    metavar="AGENT",
    help="Opponent: any agent, or self for self-play.",
)
@click.option(
    "--alpha", nargs=2, type=click.FloatRange(0), metavar="START END", help="Learning rate at the start and at the end."
)
@click.option(
    "--epsilon",
    nargs=2,
    type=click.FloatRange(0, 1),
    metavar="START END",
    help="Exploration rate (q) at the start and at the end.",
)
@click.option(
    "--gamma",
    type=click.FloatRange(0, 1),
    default=1.0,
    show_default=True,
    metavar="G",
    help="Discount factor for later rewards.",
)
@click.option("--batch", type=click.IntRange(1), metavar="N", help="Games per update (pg).")
@fixed_seed_option(0)
@click.option(
    "--evaluation-games",
    type=click.IntRange(0, 10**12),
    metavar="M",
    help="Games for the sampled estimate of W. [default: 100000; 1000 for an opponent with a memory]",
)
@click.option("--out", metavar="FILE", help="File for the model; it also serves as a checkpoint.")
@click.option("--resume", is_flag=True, help="Continue training the model in --out.")
@click.option("--curve", metavar="FILE", help="Draw the learning curve as a PNG file.")
@click.option(
    "--beside", multiple=True, metavar="MODEL", help="Add the curve of this model to --curve. May be repeated."
)
@json_option
def train_command(as_json: bool, **given: Any) -> None:
    """Train a bot by Q-learning (q) or policy gradient (pg), against a fixed opponent or itself.

    The learner opens a round with --dice each. W is its chance to win with the greedy policy, computed exactly; W* is
    the best possible. Use the model in other commands as q:FILE or pg:FILE.
    """
    from ..learn import Model, Trainer, sampled_wins
    from ..pictures import check_comparable, check_png, draw_curve
    from ..referee import BotLimits, tables_guard
    from ..tournament import wilson_ci

    for option, algorithm in (("epsilon", "q"), ("batch", "pg")):
        if given[option] is not None and given["algorithm"] != algorithm:
            raise click.UsageError(f"--{option} is only for {algorithm}.")
    start = time.perf_counter()
    out = None if given["out"] is None else Path(given["out"])
    if given["curve"] is not None:
        check_png("curve", Path(given["curve"]))
    elif given["beside"]:
        raise click.UsageError("--beside needs --curve FILE.")
    others = [Model.load(one) for one in given["beside"]]
    with bot_output_to_stderr():
        model = _model(given, out)
        check_comparable(model, others)
        if out is not None:
            model.save(out)
        trainer = Trainer(model, tables_guard(BotLimits()))
        with show_compiling(quiet=as_json):
            trainer.warm_up()
    compile_s = time.perf_counter() - start
    start = time.perf_counter()
    with show_progress("games", quiet=as_json) as progress, bot_output_to_stderr():
        report = trainer.run(
            out, None if progress is None else lambda done, total, w: progress(done, total, f"W {percent(w)}")
        )
        games = given["evaluation_games"]
        games = (1_000 if trainer.opponent is None else 100_000) if games is None else games
        wins = sampled_wins(trainer, games)
        is_exact = trainer.is_exact()
    elapsed_s = time.perf_counter() - start
    if out is not None:
        report.model.save(out)
    if given["curve"]:
        draw_curve([*others, report.model], report.optimum, Path(given["curve"]))
    sample = Sample(wins, games, wilson_ci(wins, games)) if games else None
    if as_json:
        times = {"elapsed_s": elapsed_s, "compile_s": compile_s}
        files = {"out": given["out"], "curve": given["curve"]}
        print_json(_as_json(report, is_exact, sample) | times | {"run": files})
    else:
        _show(report, is_exact, sample, elapsed_s)
        if out is not None:
            algorithm, dice = given["algorithm"], given["dice"]
            exploit = command_line("exploit", f"{algorithm}:{out}", "--dice", str(dice), str(dice))
            click.echo(f"\nsaved: {out}. Measure it: {exploit}")
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


def _as_json(report: TrainingReport, is_exact: bool, sample: Sample | None) -> dict[str, object]:
    """The result as JSON; other programs rely on these keys."""
    training = report.model.training
    return {
        "algorithm": training.algorithm,
        "dice": training.rules().dice[0],
        "games": report.model.games,
        "basis": training.basis,
        "opponent": training.opponent,
        "against": report.against,
        "win_rate": report.win_rate if is_exact else None,
        "win_rate_sampled": None if sample is None else sample.wins / sample.games,
        "ci95": None if sample is None else sample.ci95,
        "optimum": report.optimum,
        "seed": training.seed,
        "complete": report.complete,
    }


def _show(report: TrainingReport, is_exact: bool, sample: Sample | None, elapsed_s: float) -> None:
    """Print the result for people."""
    training = report.model.training
    click.echo(
        f"{report.model.games:,} games of {training.algorithm} with the {training.basis} basis ({elapsed_s:.1f} s)"
    )
    how = "exact" if is_exact else "every pair of hands once (the opponent is random)"
    click.echo(f"W  {percent(report.win_rate)}  {how}, the greedy policy against {report.against}")
    if sample is not None:
        low, high = sample.ci95
        rate = percent(sample.wins / sample.games)
        click.echo(f"   {rate}  in {sample.games:,} games (95%: {percent(low)} to {percent(high)})")
    if report.optimum is not None:
        click.echo(f"W* {percent(report.optimum)}  the best possible")


def _model(given: dict[str, Any], out: Path | None) -> Model:
    """The model to train: a new one, or with --resume the one in the file, if its training has the same settings."""
    import msgspec

    from ..core import BadValueError, preset
    from ..learn import Model, PolicyGradient, QLearning, Schedule, Training, default_settings, new_model

    settings = default_settings(given["algorithm"], given["basis"])
    changes: dict[str, Any] = {"gamma": given["gamma"]}
    if given["alpha"]:
        changes["alpha"] = Schedule(*given["alpha"])
    if given["algorithm"] == "q" and given["epsilon"]:
        changes["epsilon"] = Schedule(*given["epsilon"])
    if given["algorithm"] == "pg" and given["batch"]:
        changes["batch"] = given["batch"]
    settings = msgspec.structs.replace(settings, **changes)
    training = Training(
        algorithm=given["algorithm"],
        config=preset("classic", dice=given["dice"]).to_dict(),
        basis=given["basis"],
        opponent=given["opponent"],
        games=given["games"],
        seed=given["seed"],
        q=settings if isinstance(settings, QLearning) else None,
        pg=settings if isinstance(settings, PolicyGradient) else None,
    )
    if not given["resume"]:
        return new_model(training)
    if out is None:
        raise BadValueError("resume", True, "--out FILE as well, the model to continue")
    model = Model.load(out)
    known, asked = msgspec.to_builtins(model.training), msgspec.to_builtins(training)
    differing = [f"{name} was {known[name]!r}, now {asked[name]!r}" for name in asked if known[name] != asked[name]]
    if differing:
        raise BadValueError("model", str(out), f"the settings its training was started with: {'; '.join(differing)}")
    return model
