"""Ends before it is ready."""

raise SystemExit(3)
