"""The presets as other libraries name them in the ids of environments."""

from __future__ import annotations

from ...core import PRESETS


def title_of(preset: str) -> str:
    """The name of a preset without hyphens, in capitals.

    >>> title_of("perudo-tournament")
    'PerudoTournament'
    """
    return "".join(word.capitalize() for word in preset.split("-"))


PRESET_TITLES = {title_of(name): name for name in PRESETS}
"""Each preset's name, by its title."""
