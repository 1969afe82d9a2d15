"""The one palette of every picture and of the terminal; colour-blind people can tell all its colours apart."""

from __future__ import annotations

SEAT_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
"""One colour per seat (Okabe and Ito); a seventh seat begins again."""

PURPLE, LIGHT_ORANGE, ORANGE, GREEN = "#5e3c99", "#fdb863", "#d95f02", "#1b7837"
"""Purple marks what is better or ours, orange what is worse or the other side."""

INK, GREY, SILVER, PALE = "#1f2328", "#6b7280", "#c8ccd2", "#e7e8ea"
"""Text and lines, from the darkest to the faintest."""
