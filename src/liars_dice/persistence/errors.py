"""What can go wrong with a store, one class a kind."""

from __future__ import annotations

from ..core import LiarsDiceError


class StoreError(LiarsDiceError):
    """A store that cannot be read or written now; what was committed before is still there."""

    code = "store"


class VersionConflictError(StoreError):
    """An event that does not follow the last one stored: it was lost, doubled, or written by somebody else."""

    code = "version_conflict"

    def __init__(self, game_id: str, expected: int, found: int) -> None:
        super().__init__(game_id, expected, found)
        self.game_id = game_id
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        return f"game {self.game_id}: the next event must have version {self.expected}, this one has {self.found}"


class CorruptEventError(StoreError):
    """Something stored that is not an event any more, and where it is."""

    code = "corrupt_event"


class UnknownSchemaError(StoreError):
    """A file of another program, or of a later version of this one."""

    code = "unknown_schema"


class ReplayError(LiarsDiceError):
    """A recorded game that does not follow from the rules, and where it stops doing so."""

    code = "replay"
