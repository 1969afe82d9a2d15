"""What cannot be done in the studio, each in one plain line with the status of its answer."""

from __future__ import annotations


class RoomError(Exception):
    """Something that cannot be done here and now, in one plain line."""

    status = 409


class NotFoundError(RoomError):
    """There is no such thing."""

    status = 404


class ForbiddenError(RoomError):
    """Not with this token."""

    status = 403


class FullError(RoomError):
    """There is no room for more."""

    status = 429
