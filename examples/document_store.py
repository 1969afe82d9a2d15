# examples/document_store.py: a store of your own, shaped as for a document database. Check it: pytest examples/document_store.py
"""Games as documents, one per event, with a unique index on (game_id, version): the shape for MongoDB.

`Database` keeps its collections in one JSON file, so that the example runs without a server. With MongoDB, the methods
of `DocumentRecorder` would call pymongo's `insert_many`, `find` and `replace_one` in a transaction of the client. There
is no server to test that with here, so the package has no MongoRecorder. The class at the end runs the suite that every
store must pass.
"""

import contextlib
import fcntl
import json
from pathlib import Path

import msgspec
import pytest

from liars_dice.persistence import GameRecorder, RecordedEvent, StoreError, VersionConflictError, by_game, summarise
from liars_dice.persistence.conformance import RecorderSuite


class DuplicateKeyError(Exception):
    """A document with this key is stored already."""


class Collection:
    """Documents with a unique index."""

    def __init__(self, index, documents=()):
        self.index = index
        self.by_key = {}
        self.insert_many(documents)

    def insert_many(self, documents):
        for document in documents:
            key = tuple(document[field] for field in self.index)
            if key in self.by_key:
                raise DuplicateKeyError(f"{self.index} = {key}")
            self.by_key[key] = document

    def replace_one(self, document):
        self.by_key[tuple(document[field] for field in self.index)] = document

    def find(self, **equal):
        found = (one for one in self.by_key.values() if all(one[field] == value for field, value in equal.items()))
        return sorted(found, key=lambda one: [one[field] for field in self.index])


INDEXES = {"events": ("game_id", "version"), "documents": ("kind", "name")}


class Database:
    """Collections in one file. A transaction sees the newest state, and is stored completely or not at all."""

    def __init__(self, path):
        self.path = Path(path)

    @contextlib.contextmanager
    def transaction(self):
        try:
            with self.path.with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                stored = json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}
                collections = {name: Collection(index, stored.get(name, ())) for name, index in INDEXES.items()}
                yield collections
                changed = {name: list(one.by_key.values()) for name, one in collections.items()}
                if changed != stored:
                    new = self.path.with_suffix(".new")
                    new.write_text(json.dumps(changed), encoding="utf-8")
                    new.replace(self.path)
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror}") from error


class DocumentRecorder(GameRecorder):
    """A store in a document database: the four methods that every store has, and documents for tournaments."""

    def __init__(self, database):
        super().__init__()
        self.database = database

    def _version(self, game_id):
        with self.database.transaction() as collections:
            return len(collections["events"].find(game_id=game_id))

    def _append(self, batch):
        with self.database.transaction() as collections:
            for game_id, events in by_game(batch).items():
                stored = len(collections["events"].find(game_id=game_id))
                if events[0].version != stored:  # a gap; the index alone refuses only doubles
                    raise VersionConflictError(game_id, stored, events[0].version)
                collections["events"].insert_many(msgspec.to_builtins(events))

    def _read(self, game_id, start, stop):
        with self.database.transaction() as collections:
            found = collections["events"].find(game_id=game_id)
        return msgspec.convert([one for one in found if start <= one["version"] < stop], list[RecordedEvent])

    def _summaries(self, since=None, until=None):
        with self.database.transaction() as collections:
            events = msgspec.convert(collections["events"].find(), list[RecordedEvent])
        games = map(summarise, by_game(events).values())
        yield from sorted(games, key=lambda game: (game.created_utc, game.game_id), reverse=True)

    def save_documents(self, kind, documents):
        with self.database.transaction() as collections:
            for name, text in documents.items():
                collections["documents"].replace_one({"kind": kind, "name": name, "text": text})

    def documents(self, kind, beginning=""):
        with self.database.transaction() as collections:
            found = collections["documents"].find(kind=kind)
        return {one["name"]: one["text"] for one in found if one["name"].startswith(beginning)}


class TestDocumentRecorder(RecorderSuite):
    @pytest.fixture(autouse=True)
    def place(self, tmp_path):
        self.path = tmp_path / "games.json"

    def open(self):
        return DocumentRecorder(Database(self.path))
