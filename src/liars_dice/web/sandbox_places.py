"""How many bots from `--agents` may have a sandbox: each is a process with its own memory."""

from __future__ import annotations

from .errors import FullError
from .server_limits import ServerLimits


class SandboxPlaces:
    """The sandboxes that the games in memory use or will use, per room and per address."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._taken: dict[str, tuple[str, int]] = {}

    def take(self, room: str, address: str, wanted: int) -> None:
        """Reserve this many for a room; raises `FullError` if there are not enough."""
        self.give_back(room)
        if not wanted:
            return
        limits = self._limits
        if wanted > limits.sandboxes_per_room:
            line = f"{wanted} bots of others in one room; this server allows {limits.sandboxes_per_room}"
            raise FullError(line, code="too_many_sandboxes")
        of_address = sum(count for where, count in self._taken.values() if where == address)
        total = sum(count for _, count in self._taken.values())
        if of_address + wanted > limits.sandboxes_per_address or total + wanted > limits.sandboxes:
            line = "too many bots of others are playing now; finish a game of yours with them, or try again later"
            raise FullError(line, code="too_many_sandboxes")
        self._taken[room] = (address, wanted)

    def give_back(self, room: str) -> None:
        """This room's bots are gone."""
        self._taken.pop(room, None)
