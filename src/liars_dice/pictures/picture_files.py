"""How every picture begins and ends: where picture files may go, an empty figure, the bytes of a figure."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core import BadValueError, check_extra
from ..persistence import check_output_file, writing_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 150
FORMATS = ("png", "pdf", "svg")
"""The formats of pictures: pixels for a screen, and two that can be enlarged, for papers and pages."""
ENDINGS = tuple(f".{kind}" for kind in FORMATS)
_UNDATED: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
    "svg": {"Date": None},
}
"""What is left out of each format so that the same figure gives the same bytes."""


def check_plots(what: str = "a chart") -> None:
    """Raise `MissingExtraError` if charts cannot be drawn here."""
    check_extra(what, "matplotlib", "plots")


def check_picture(option: str, path: Path) -> None:
    """Raise `BadValueError` before any work is done if no picture can be written to `path`, the value of `option`."""
    if path.suffix not in ENDINGS:
        raise BadValueError(option, str(path), "a file whose name ends in .png, .pdf or .svg")
    check_output_file(option, path)
    check_plots()


def new_figure(width: float = 1, height: float = 1, *, layout: str | None = "constrained") -> Figure:
    """An empty figure of this size in inches; it needs no screen.

    Without a layout, a figure of one inch by one has axes that are placed in inches (see `picture_bytes`).
    """
    check_plots()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    settings: dict[str, Any] = {} if layout is None else {"layout": layout}
    figure = Figure(figsize=(width, height), dpi=DPI, **settings)
    FigureCanvasAgg(figure)
    return figure


def hide_frame(axes: Axes) -> None:
    """Leave only the left and bottom edges of a chart."""
    axes.spines[["top", "right"]].set_visible(False)


def picture_bytes(figure: Figure, kind: str = "png", **settings: Any) -> bytes:
    """The figure in one of `FORMATS`; the same figure gives the same bytes. `settings` go to `Figure.savefig`."""
    from matplotlib import rc_context

    file = BytesIO()
    with rc_context({"svg.hashsalt": "liars-dice", "pdf.fonttype": 42}):  # fonts that journals accept
        figure.savefig(file, format=kind, metadata=_UNDATED[kind], **settings)
    return file.getvalue()


def write_picture(option: str, path: Path, figure: Figure) -> None:
    """Write the figure to `path`, in the format that its name ends in; `BadValueError` names `option` if that fails."""
    data = picture_bytes(figure, path.suffix.removeprefix("."))
    with writing_whole(option, path) as file:
        file.write_bytes(data)
