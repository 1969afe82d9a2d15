"""Ctrl-C at a known moment."""

from __future__ import annotations

from typing import Any

import pytest

from liars_dice.tournament.blocks import Worker


def after_one_block(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Press Ctrl-C when a second block of games begins; returns the blocks played, to clear for another command."""
    played: list[int] = []
    real = Worker.play

    def play(self: Any, block: Any) -> Any:
        if played:
            raise KeyboardInterrupt
        played.append(block.number)
        return real(self, block)

    monkeypatch.setattr(Worker, "play", play)
    return played
