"""The errors of this package: a question too large to answer, or a file that does not hold what it should."""

from __future__ import annotations

from ..core import LiarsDiceError


class OutOfReachError(LiarsDiceError):
    """A question the exact method cannot answer; the message says what can."""

    code = "out_of_reach"


class DataError(LiarsDiceError):
    """A file of computed strategies that is missing, damaged, of another version or for another round."""

    code = "bad_data"
