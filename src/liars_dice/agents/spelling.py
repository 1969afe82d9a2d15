"""The spelling of agents' names: lower-case words with hyphens, however they were written."""

from __future__ import annotations

import re


def hyphenated(name: str) -> str:
    """A name in lower case with hyphens, without `Agent` at its end.

    >>> hyphenated("CALLING_STATION"), hyphenated("CallingStationAgent"), hyphenated("random")
    ('calling-station', 'calling-station', 'random')
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[\s_]+", "-", name.strip())
    return re.sub(r"-?agent$", "", words.lower())
