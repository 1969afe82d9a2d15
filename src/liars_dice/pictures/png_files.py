"""How every picture begins and ends: where PNG files may go, an empty figure, the bytes of a figure."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core import BadValueError
from ..persistence import check_output_file, writing_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 150


def check_png(option: str, path: Path) -> None:
    """Raise `BadValueError` before any work is done if no picture can be written to `path`, the value of `option`."""
    if path.suffix != ".png":
        raise BadValueError(option, str(path), "a file whose name ends in .png")
    check_output_file(option, path)


def new_figure(width: float = 1, height: float = 1, *, layout: str | None = "constrained") -> Figure:
    """An empty figure of this size in inches; it needs no screen.

    Without a layout, a figure of one inch by one has axes that are placed in inches (see `png_bytes`).
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    settings: dict[str, Any] = {} if layout is None else {"layout": layout}
    figure = Figure(figsize=(width, height), dpi=DPI, **settings)
    FigureCanvasAgg(figure)
    return figure


def hide_frame(axes: Axes) -> None:
    """Leave only the left and bottom edges of a chart."""
    axes.spines[["top", "right"]].set_visible(False)


def png_bytes(figure: Figure, **settings: Any) -> bytes:
    """The figure as PNG; the same figure gives the same bytes. `settings` go to `Figure.savefig`."""
    file = BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None}, **settings)
    return file.getvalue()


def write_png(option: str, path: Path, figure: Figure) -> None:
    """Write the figure to `path`; `BadValueError` names `option` if that fails."""
    data = png_bytes(figure)
    with writing_whole(option, path) as file:
        file.write_bytes(data)
