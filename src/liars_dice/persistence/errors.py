"""The errors of stores and replays, one class per kind."""

from __future__ import annotations

from ..core import LiarsDiceError


class StoreError(LiarsDiceError):
    """A store that cannot be read or written now; what was flushed before is still there."""

    code = "store"


class VersionConflictError(StoreError):
    """An event that does not follow the last one stored: one was lost or doubled, or another writer was faster."""

    code = "version_conflict"

    def __init__(self, game_id: str, expected: int, found: int) -> None:
        super().__init__(game_id, expected, found)
        self.game_id = game_id
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        return f"game {self.game_id}: expected an event with version {self.expected}, got version {self.found}"


class ClaimTakenError(StoreError):
    """A name under which another program is writing: a second studio, or a second program that resumes a tournament."""

    code = "claim_taken"


class ClaimLostError(StoreError):
    """A write by a program whose claim another one has taken over in the meantime; nothing was stored."""

    code = "claim_lost"


class CorruptEventError(StoreError):
    """Stored data that cannot be read, and where it is."""

    code = "corrupt_event"


class UnknownSchemaError(StoreError):
    """A store of another program, or of a later version of this one."""

    code = "unknown_schema"


UNREADABLE = (CorruptEventError, UnknownSchemaError)
"""The errors that concern one game or document: others in the same store can be read."""


class ReplayError(LiarsDiceError):
    """A recorded game that breaks the rules, and the first event that does."""

    code = "replay"
