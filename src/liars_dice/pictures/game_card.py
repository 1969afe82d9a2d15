"""The card of a finished game: a picture of its last reveal, which other sites show beside a link to the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import BadValueError, GameState, say_bid
from .colours import GREY, INK, PURPLE, SEAT_COLOURS, SILVER
from .picture_files import DPI, new_figure, picture_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 1200, 630
"""The size that most sites ask for, in pixels."""
PAPER, FELT = "#f8f7f4", "#eeece6"
MOST_ROWS, MOST_DICE = 6, 10
"""Larger tables show the players with the most dice in the last round, and so many dice of each."""
LONGEST = 16
"""Longer names are cut short."""
PIPS = {
    1: ((0, 0),),
    2: ((-1, 1), (1, -1)),
    3: ((-1, 1), (0, 0), (1, -1)),
    4: ((-1, 1), (1, 1), (-1, -1), (1, -1)),
    5: ((-1, 1), (1, 1), (0, 0), (-1, -1), (1, -1)),
    6: ((-1, 1), (1, 1), (-1, 0), (1, 0), (-1, -1), (1, -1)),
}
"""Where the pips of each face are, as steps from the middle."""


def draw_game_card(state: GameState) -> bytes:
    """A PNG with the players, who won, and the dice and the bid of the last round."""
    public = state.public
    if public.winner is None:
        raise BadValueError("game", public.status, "a finished game: a card shows all dice")
    figure = new_figure(WIDTH / DPI, HEIGHT / DPI, layout=None)
    figure.set_facecolor(PAPER)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(0, HEIGHT))
    axes.axis("off")
    last = public.resolutions[-1]
    bid = last.bids[-1]
    _write(axes, 60, 555, f"{_short(public.names[public.winner])} won", size=25, weight="bold")
    others = [_short(name) for seat, name in enumerate(public.names) if seat != public.winner]
    shown = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
    rounds = f"{len(public.resolutions)} round{'s' * (len(public.resolutions) != 1)}"
    _write(axes, 60, 500, f"against {shown}, {rounds}", size=13, color=GREY)
    _box(axes, 60, 90, 700, 380, FELT, FELT, 30)
    seats = sorted(
        (seat for seat, hand in enumerate(last.dice) if hand), key=lambda seat: (-len(last.dice[seat]), seat)
    )[:MOST_ROWS]
    step = min(90.0, 340 / len(seats))
    top = 280 + step * (len(seats) - 1) / 2
    for row, seat in enumerate(sorted(seats)):
        _hand(axes, public.names[seat], seat, last.dice[seat], top - row * step, min(50.0, step * 0.66))
    found = last.match_count
    _write(axes, 905, 345, str(bid.quantity), size=46, weight="bold", ha="center")
    _write(axes, 965, 345, "×", size=24, color=GREY, ha="center")
    _die(axes, 1040, 345, bid.face, 96)
    _write(
        axes,
        970,
        235,
        f"{last.call.capitalize()}! There {'was' if found == 1 else 'were'} {found}.",
        size=15,
        ha="center",
    )
    _write(axes, 970, 190, f"The last bid: {say_bid(bid)}", size=11, color=GREY, ha="center")
    _write(axes, 60, 45, "Liar’s Dice", size=13, weight="bold", color=PURPLE)
    return picture_bytes(figure, dpi=DPI, facecolor=PAPER)


def _hand(axes: Axes, name: str, seat: int, hand: tuple[int, ...], y: float, size: float) -> None:
    colour = SEAT_COLOURS[seat % len(SEAT_COLOURS)]
    _box(axes, 90, y - 13, 26, 26, colour, INK, 13)
    _write(axes, 130, y, _short(name), size=12)
    gap = min(size * 1.22, 380 / max(len(hand[:MOST_DICE]), 1))
    for n, face in enumerate(hand[:MOST_DICE]):
        _die(axes, 375 + n * gap, y, face, min(size, gap * 0.9))


def _die(axes: Axes, x: float, y: float, face: int, size: float) -> None:
    from matplotlib.patches import Circle

    _box(axes, x - size / 2, y - size / 2, size, size, "white", SILVER if size < 60 else INK, size * 0.18)
    if face not in PIPS:
        _write(axes, x, y, str(face), size=size / 4, weight="bold", ha="center")
        return
    for right, up in PIPS[face]:
        axes.add_patch(Circle((x + right * size * 0.26, y + up * size * 0.26), size * 0.09, color=INK))


def _box(axes: Axes, x: float, y: float, width: float, height: float, fill: str, edge: str, radius: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    style = f"round,pad=0,rounding_size={radius}"
    axes.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=style, facecolor=fill, edgecolor=edge, linewidth=1.2))


def _write(axes: Axes, x: float, y: float, words: str, *, color: str = INK, **style: Any) -> None:
    axes.text(x, y, words, va="center", color=color, parse_math=False, **style)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
