"""Colours that colour-blind people can tell apart (Okabe and Ito), one per seat."""

SEAT_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
