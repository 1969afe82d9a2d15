"""Pictures as PNG files: where they may go, an empty one, and how it is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..core import BadValueError, reason_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def check_png(option: str, path: Path) -> None:
    """Raise `BadValueError` early if no picture can go there; `option` is what asked for it."""
    if path.suffix != ".png" or path.is_dir():
        raise BadValueError(option, str(path), "a file whose name ends in .png")


def blank(width: float, height: float) -> Figure:
    """An empty picture of so many inches, which needs no screen."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def write_png(option: str, path: Path, figure: Figure) -> None:
    """Write it; the same picture gives the same bytes."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Software": None})
    except (OSError, ValueError) as error:
        raise BadValueError(option, str(path), f"a file that can be written ({reason_of(error)})") from error
