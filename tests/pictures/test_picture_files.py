"""Pictures in every format: what a file's name ends in is what is in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from liars_dice.cli import main
from liars_dice.core import preset
from liars_dice.learn import CurvePoint, Model, Training
from liars_dice.pictures import check_curve_file, write_curve
from liars_dice.pictures.picture_files import check_picture, hide_frame, new_figure, write_picture

BEGINNINGS = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


@pytest.mark.parametrize("ending", BEGINNINGS)
def test_a_picture_is_what_its_name_says_and_always_the_same(ending: str, tmp_path: Path) -> None:
    files = [tmp_path / f"{name}{ending}" for name in ("one", "two")]
    for file in files:
        figure = new_figure(2, 1)
        axes = figure.subplots()
        axes.plot([1, 2], [3, 5], label="a line")
        axes.legend()
        hide_frame(axes)
        check_picture("chart", file)
        write_picture("chart", file, figure)
    assert files[0].read_bytes().startswith(BEGINNINGS[ending])
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("option", ["--chart", "--png"])
def test_commands_draw_in_any_format(option: str, tmp_path: Path) -> None:
    for ending in (".pdf", ".svg"):
        file = tmp_path / f"why{ending}"
        result = CliRunner().invoke(main, ["explain", "--dice", "1", "1", "--hand", "5", option, str(file)])
        assert result.exit_code == 0, result.output
        assert file.read_bytes().startswith(BEGINNINGS[ending])


def test_learning_curves_in_any_format(tmp_path: Path) -> None:
    training = Training(algorithm="q", config=preset("classic", dice=1).to_dict())
    model = Model(training=training, theta=np.zeros(1), curve=[CurvePoint(0, 0.4), CurvePoint(9, 0.8)])
    for ending, beginning in BEGINNINGS.items():
        file = tmp_path / f"curve{ending}"
        check_curve_file(file)
        write_curve([model], 0.83, file)
        assert file.read_bytes().startswith(beginning)


def test_other_formats_are_refused_before_any_work() -> None:
    refused = CliRunner().invoke(main, ["explain", "--dice", "9", "9", "--hand", "5", "--chart", "why.gif"])
    assert refused.exit_code == 1
    assert "why.gif" in refused.output
    assert ".png, .pdf or .svg" in refused.output
