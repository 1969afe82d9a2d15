"""The error for a missing package of the `rl` extra."""

from __future__ import annotations


def missing_extra(package: str) -> ImportError:
    """The error for a package that is not installed, with the command that installs it."""
    return ImportError(f"{package} is not installed: pip install 'liars-dice[rl]'", name=package)
