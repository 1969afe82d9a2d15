"""Fails while it is loaded."""

raise RuntimeError("not today")
