"""What the studio refuses to do. Each error has a line for people, a stable code for programs, and an HTTP status."""

from __future__ import annotations


class RoomError(Exception):
    """A request that is not possible here or now."""

    status = 409
    code = "conflict"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class NotFoundError(RoomError):
    """No room, game or tournament has this name."""

    status = 404
    code = "not_found"


class ForbiddenError(RoomError):
    """The token belongs to no seat of this room, or the host does not allow it."""

    status = 403
    code = "wrong_token"


class FullError(RoomError):
    """A limit of the server is reached."""

    status = 429
    code = "too_many"


class BusyError(RoomError):
    """The server has too much to do for anything but moves."""

    status = 503
    code = "busy"

    def __init__(self) -> None:
        super().__init__("the server is busy, and moves go first; try again in a moment")
