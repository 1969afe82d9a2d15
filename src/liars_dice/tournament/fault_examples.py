"""The faults of a tournament's bots in words: a few of each bot, each with the number of times it happened."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

MOST_EXAMPLES = 5
"""How many different faults are kept per agent."""


class FaultExample(msgspec.Struct, frozen=True, kw_only=True):
    """A fault that an agent committed, and how often, with the same words."""

    agent: str
    verdict: str
    detail: str
    traceback: str = ""
    count: int = 1


def merged(examples: Iterable[FaultExample]) -> list[FaultExample]:
    """The first few different faults of each agent, with all their counts."""
    found: dict[tuple[str, str, str], FaultExample] = {}
    kept: dict[str, int] = {}
    for example in examples:
        key = (example.agent, example.verdict, example.detail)
        if known := found.get(key):
            found[key] = msgspec.structs.replace(known, count=known.count + example.count)
        elif kept.get(example.agent, 0) < MOST_EXAMPLES:
            kept[example.agent] = kept.get(example.agent, 0) + 1
            found[key] = example
    return list(found.values())
