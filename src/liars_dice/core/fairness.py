"""Dice that no one chooses alone: a commitment before the first roll, added entropy, and a secret revealed at the end.

The one who rolls draws a secret and shows its hash, the commitment. Then each player may add a text. The secret and
these texts together give the seed. Both hashes are plain SHA-256, so that anyone can recompute them.
"""

from __future__ import annotations

import json
from hashlib import sha256

import msgspec

from .dice import fresh_secret
from .errors import BadValueError

ENTROPY_LENGTH = 100
"""The most characters that a player can add."""


class Fairness(msgspec.Struct, frozen=True, gc=False):
    """What binds the dice of a game. Players must not see the secret before the game is over."""

    commitment: str
    """`commitment_to(secret)`, known to the players before they add anything and before the first roll."""
    entropy: tuple[str, ...]
    """The text that each seat added; an empty one for those who added none."""
    secret: str | None = None
    """64 hexadecimal digits; None where it is not shown yet."""
    first_round: int = 0
    """The first round whose dice follow from this seed. Earlier ones were dealt in the game that this one continues."""

    @property
    def sealed(self) -> Fairness:
        """The same as players may see it before the end."""
        return msgspec.structs.replace(self, secret=None)

    @property
    def seed(self) -> int:
        """The seed that the secret and the players' texts give."""
        if self.secret is None:
            raise BadValueError("secret", None, "the secret, which is revealed when the game is over")
        return seed_from(self.secret, self.entropy)

    @property
    def keeps_its_word(self) -> bool:
        """Whether the secret is the one that was committed to."""
        return self.secret is not None and commitment_to(self.secret) == self.commitment


def new_commitment(entropy: tuple[str, ...] = ()) -> Fairness:
    """A new secret that cannot be guessed, and the commitment to it."""
    secret = fresh_secret()
    return Fairness(commitment_to(secret), entropy, secret)


def commitment_to(secret: str) -> str:
    """The SHA-256 of the text `liars-dice:SECRET`.

    >>> commitment_to("00" * 32)[:16]
    'e6afe2a6551c6721'
    """
    return sha256(f"liars-dice:{secret}".encode()).hexdigest()


def seed_from(secret: str, entropy: tuple[str, ...]) -> int:
    """The first 63 bits of the SHA-256 of the JSON list `["SECRET","TEXT OF SEAT 0",...]`, in ASCII without spaces.

    >>> seed_from("00" * 32, ("ann's dog", ""))
    3551035600129975046
    """
    text = json.dumps([secret, *entropy], separators=(",", ":"))
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") >> 1


def checked_entropy(text: str) -> str:
    """The text a player adds, as it was given; `BadValueError` if it is too long or not printable."""
    if len(text) > ENTROPY_LENGTH or not text.isprintable():
        raise BadValueError("entropy", text[:40], f"at most {ENTROPY_LENGTH} printable characters on one line")
    return text
