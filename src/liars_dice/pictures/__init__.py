"""Everything drawn into files: charts as PNG, PDF or SVG, and the tournament report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core import lazy_names as _lazy_names
from .colours import SEAT_COLOURS

if TYPE_CHECKING:
    from .champion_curve import write_champion_curve
    from .explanation_chart import draw_explanation
    from .game_card import draw_game_card
    from .learning_curve import check_comparable, check_curve_file, write_curve
    from .picture_files import check_picture
    from .player_chart import draw_player_stats
    from .review_chart import draw_review
    from .scout_chart import draw_dossiers
    from .tournament_report import check_writable, write_report

__getattr__, __dir__ = _lazy_names(
    __name__,
    {
        "check_comparable": "learning_curve",
        "check_curve_file": "learning_curve",
        "check_picture": "picture_files",
        "check_writable": "tournament_report",
        "draw_dossiers": "scout_chart",
        "draw_explanation": "explanation_chart",
        "draw_game_card": "game_card",
        "draw_player_stats": "player_chart",
        "draw_review": "review_chart",
        "write_champion_curve": "champion_curve",
        "write_curve": "learning_curve",
        "write_report": "tournament_report",
    },
)

__all__ = [
    "SEAT_COLOURS",
    "check_comparable",
    "check_curve_file",
    "check_picture",
    "check_writable",
    "draw_dossiers",
    "draw_explanation",
    "draw_game_card",
    "draw_player_stats",
    "draw_review",
    "write_champion_curve",
    "write_curve",
    "write_report",
]
