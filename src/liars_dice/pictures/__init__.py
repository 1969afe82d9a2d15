"""Everything drawn into files: charts as PNG, and the tournament report."""

from .colours import SEAT_COLOURS
from .explanation_chart import draw_explanation
from .learning_curve import check_comparable, draw_curve
from .png_files import check_png
from .review_chart import draw_review
from .tournament_report import check_writable, write_report

__all__ = [
    "SEAT_COLOURS",
    "check_comparable",
    "check_png",
    "check_writable",
    "draw_curve",
    "draw_explanation",
    "draw_review",
    "write_report",
]
