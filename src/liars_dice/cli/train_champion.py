"""`liars-dice train champion`: train a network for Perudo tables of two to six by self-play."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import NumberRange, fixed_seed_option, json_option, rules_option
from .output import command_line, print_json
from .progress import show_progress
from .runtime import tells_that_it_stops, versions
from .torch_device import check_supported, check_torch, device_option

if TYPE_CHECKING:
    from ..learn.champion.settings import Settings
    from ..learn.champion.train import Trainer


class _Range(click.ParamType):  # type: ignore[type-arg]
    """A number, or two with a dash between them."""

    name = "range"

    def __init__(self, fewest: int, most: int) -> None:
        self.fewest, self.most = fewest, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """`(low, high)`."""
        if isinstance(value, tuple):
            return value
        low, _, high = value.partition("-")
        ends = tuple(int(end) if end.isdecimal() else 0 for end in (low, high or low))
        if not self.fewest <= ends[0] <= ends[1] <= self.most:
            wanted = f"a number from {self.fewest} to {self.most}, or a range such as {self.fewest}-{self.most}"
            self.fail(f"{value!r} is not {wanted}.", param, ctx)
        return ends[0], ends[1]


@click.command(
    "champion",
    epilog="Examples: liars-dice train champion --minutes 20 --device gpu --out model.npz; "
    "liars-dice train champion --players 2 --dice 1-2 --minutes 5 --out small.npz, then "
    "liars-dice matchup champion:small.npz optimal --rules perudo --dice 2",
)
@rules_option("perudo")
@click.option(
    "--players", type=_Range(2, 6), default="2-6", show_default=True, metavar="N-M", help="Players at a table."
)
@click.option(
    "--dice",
    type=_Range(1, 5),
    default="1-5",
    show_default=True,
    metavar="N-M",
    help="Dice per player at the start: some games start with the most in each seat, the others with any number.",
)
@click.option("--variants", is_flag=True, help="Vary the rules: with and without wild ones, exact calls and palifico.")
@click.option(
    "--minutes",
    type=NumberRange(0.01, 10_000),
    metavar="M",
    help="Minutes of training in all, also if they are interrupted: --resume trains for the rest. [default: 20]",
)
@click.option(
    "--updates",
    type=click.IntRange(1),
    metavar="N",
    help="Number of updates in all, however long they take: such a run repeats on the same device.",
)
@device_option
@fixed_seed_option(0)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="File for the model (.npz)."
)
@click.option("--resume", is_flag=True, help="Continue the run that was stopped, with the same options.")
@click.option(
    "--curve",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the learning curve: a chart if FILE ends in .png, .pdf or .svg, a table if in .csv.",
)
@json_option
def train_champion_command(as_json: bool, curve: Path | None, out: Path, **given: Any) -> None:
    """Train a network for Perudo by self-play, against itself and rule bots, and save it as a bot: champion:FILE.

    On the processor a small network learns small games in minutes; the champion in this package took an H200 GPU
    about half an hour. Checkpoints lie in a folder beside FILE, so that --resume continues after Ctrl-C.
    """
    check_torch("train champion", given["device"])
    from ..core import BadValueError
    from ..learn.champion.train import Trainer, train
    from ..persistence import ARCHIVE, check_output_file
    from ..pictures import check_curve_file, write_champion_curve

    if out.suffix != ".npz":
        raise BadValueError("out", str(out), "a file whose name ends in .npz")
    check_output_file("out", out, begins=ARCHIVE)
    if curve is not None:
        check_curve_file(curve)
    settings = _settings(given, out)
    begun = Path(settings.out, "last.pt").exists()
    if begun and not given["resume"]:
        raise BadValueError("out", str(out), f"a new file, or --resume to continue the run in {settings.out}")
    if given["resume"] and not begun:
        raise BadValueError("resume", str(out), f"a run to continue; there is none in {settings.out}")
    if begun:
        _check_same_run(settings)
    start = time.perf_counter()
    trainer = Trainer(settings)
    if begun:
        click.echo(f"Continuing after {_so_far(trainer)}.", err=True)
    with show_progress("training", quiet=as_json) as progress, tells_that_it_stops():
        complete = train(trainer, lambda report: progress and progress(*settings.done(report), _news(report)))
    elapsed_s = time.perf_counter() - start
    _save(trainer, out)
    told = Path(settings.out, "curve.jsonl")
    if not told.exists():  # stopped before the first update
        raise KeyboardInterrupt
    points = [json.loads(line) for line in told.read_text("utf-8").splitlines()]
    if curve is not None:
        write_champion_curve(points, curve)
    if as_json:
        print_json(_as_json(given, trainer, points, out, complete, elapsed_s))
    else:
        _show(trainer, points, out, curve, elapsed_s)
    if not complete:
        click.echo("Stopped early. To continue, run the same command with --resume.", err=True)
        raise SystemExit(130)


def _settings(given: dict[str, Any], out: Path) -> Settings:
    """The settings of the run, which has a folder beside the model."""
    from dataclasses import replace

    from ..core import load_rules
    from ..learn.champion.player import fits
    from ..learn.champion.settings import self_play_settings

    if given["minutes"] is not None and given["updates"] is not None:
        raise click.UsageError("--minutes and --updates exclude each other.")
    players, dice = given["players"], given["dice"]
    config = load_rules(given["rules"], players=players[1], dice=dice[1])
    check_supported("train champion", fits(config))
    folder = out.with_suffix(".run")
    settings = self_play_settings(config, players, dice, given["device"], folder, variants=given["variants"])
    return replace(settings, seed=given["seed"], minutes=given["minutes"] or 20.0, most_updates=given["updates"] or 0)


def _check_same_run(settings: Settings) -> None:
    """Raise unless the run in the folder was begun with these settings; how long it trains may differ."""
    from dataclasses import asdict

    from ..core import BadValueError
    from ..learn.champion.network import read_weights

    begun = read_weights(Path(settings.out, "last.pt"))["settings"]
    if begun["device"] != settings.device:
        raise BadValueError(
            "device", settings.device, f"{begun['device']}, where the run in {settings.out} was started"
        )
    free = {"out", "minutes", "schedule_minutes", "most_updates", "compiled", "report_every", "save_every"}
    changed = [
        f"{name.replace('_', ' ')} was {begun[name]}, now {value}"
        for name, value in asdict(settings).items()
        if name not in free and name in begun and _as_tuple(begun[name]) != _as_tuple(value)
    ]
    if changed:
        expected = f"the settings its training was started with: {'; '.join(changed)}"
        raise BadValueError("resume", settings.out, expected)


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _save(trainer: Trainer, out: Path) -> None:
    """Write the averaged policy as a file that plays."""
    from ..learn.champion.player import save_weights
    from ..persistence import writing_whole

    kept = Path(trainer.settings.out, "model.npz")
    save_weights(trainer.plain().state_dict(), kept)
    with writing_whole("out", out) as file:
        file.write_bytes(kept.read_bytes())


def _so_far(trainer: Trainer) -> str:
    """How much of a training was done before a break."""
    settings = trainer.settings
    if settings.most_updates:
        return f"{trainer.updates:,} of {settings.most_updates:,} updates"
    over = "" if not trainer.is_over else ": a larger --minutes trains for longer"
    return f"{trainer.trained_s / 60:.1f} of {settings.minutes:g} minutes of training{over}"


def _news(report: dict[str, Any]) -> str:
    return f"{report['decisions']:,} decisions, entropy {report['entropy']:.2f}"


def _as_json(
    given: dict[str, Any], trainer: Trainer, points: list[dict[str, Any]], out: Path, complete: bool, elapsed_s: float
) -> dict[str, object]:
    """The result as JSON; other programs rely on these keys."""
    low, high = given["players"]
    return {
        "rules": given["rules"],
        "players": f"{low}-{high}" if low < high else str(low),
        "updates": trainer.updates,
        "decisions": trainer.decisions,
        "exploitability": {name: value for name, value in points[-1].items() if name.startswith("exploit_")},
        "seed": given["seed"],
        "complete": complete,
        "elapsed_s": elapsed_s,
        "run": {
            "device": given["device"],
            "out": str(out),
            "minutes": given["minutes"],
            "trained_s": trainer.trained_s,
            "elapsed_s": elapsed_s,
            **versions(),
        },
    }


def _show(trainer: Trainer, points: list[dict[str, Any]], out: Path, curve: Path | None, elapsed_s: float) -> None:
    """Print the result for people."""
    updates = f"{trainer.updates:,} {'update' if trainer.updates == 1 else 'updates'}"
    click.echo(f"{updates}, {trainer.decisions:,} decisions ({elapsed_s:.0f} s)")
    for name, words in (("exploit_1v1", ""), ("exploit_1v1_exact", ", with exact calls")):
        if name in points[-1]:
            click.echo(f"exploitability with one die each{words}: {points[-1][name]:.3f} (0 is perfect)")
    agent = f"champion:{out}"
    players, dice = trainer.settings.players[1], str(trainer.settings.dice[1])
    measure = command_line("matchup", agent, "optimal", "--rules", "perudo", *(["--dice", dice] if dice != "5" else []))
    click.echo(f"saved: {out}. Measure it: {measure}")
    exploit = command_line("exploit", agent, "--players", str(players), "--train", "5")
    click.echo(f"How much could be won against it? {exploit}")
    if curve is not None:
        click.echo(f"learning curve: {curve}")
