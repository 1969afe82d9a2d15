"""Reading documents back: rooms, tournaments and blocks, as text that may be damaged or from a later version."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from .errors import UNREADABLE, CorruptEventError, UnknownSchemaError
from .recorder import GameRecorder

Document = TypeVar("Document")

DOCUMENT_SCHEMA = 1
"""The version of stored documents. A document of a later one is left alone."""


class _Versioned(msgspec.Struct):
    schema: int = DOCUMENT_SCHEMA


def readable_documents(store: GameRecorder, kind: str, decode: Callable[[str, str], Document]) -> list[Document]:
    """All documents of a kind that `decode`, given name and text, can read; the store warns of each other one."""
    found = []
    for name, text in store.documents(kind).items():
        try:
            found.append(decode(name, text))
        except UNREADABLE as error:
            store.warn_once(f"{error}; it is left out")
    return found


def decode_document(text: str, kind: type[Document], what: str) -> Document:
    """The document in a text; `what` names it in errors (`room abc`).

    Raises `CorruptEventError` if it is damaged, `UnknownSchemaError` if a later version wrote it.
    """
    try:
        schema = msgspec.json.decode(text, type=_Versioned).schema
        if schema > DOCUMENT_SCHEMA:
            expected = f"this version reads schemas up to {DOCUMENT_SCHEMA}"
            raise UnknownSchemaError(f"{what}: schema {schema} is unknown: {expected}")
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, ValueError, TypeError, RecursionError) as error:
        raise CorruptEventError(f"{what}: the document is damaged ({error})") from error
