"""What to say when a package of the `rl` extra is not there."""

from __future__ import annotations


def missing_extra(package: str) -> ImportError:
    """The error for a package that is not installed, with what to do about it."""
    return ImportError(f"{package} is not installed: pip install 'liars-dice[rl]'", name=package)
