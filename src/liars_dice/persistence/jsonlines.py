"""A store in a text file with one event per line: readable by any program, safe to append from several processes."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec

from ..core import GameState, LiarsDiceError
from .claims import LockFile, check_claims
from .codec import LineReader, decode_state, encode_line, encode_state
from .envelope import RecordedEvent
from .errors import UNREADABLE, CorruptEventError, StoreError, VersionConflictError
from .recorder import GameRecorder, GameSummary, by_game, check_event, summarise

if sys.platform != "win32":
    import fcntl

PRIVATE = 0o600
"""The mode of new stores: they hold seeds and hidden dice."""


class JSONLinesRecorder(GameRecorder):
    """A file of JSON lines; an open recorder keeps its games in memory.

    A batch is one write under a lock (not on Windows), and a write that fails is undone. If the program is killed
    in the middle of a write, the file may hold the first part of the batch, in order; none of it was acknowledged.
    With `durable`, every flush waits for the disk, so that what was acknowledged survives a power failure too.
    """

    def __init__(self, path: str | Path, *, durable: bool = False) -> None:
        super().__init__()
        self.path = Path(path)
        self.durable = durable
        self._claims: dict[str, int] = {}
        self._locks: list[LockFile] = []
        self._games: dict[str, list[RecordedEvent]] = {}
        self._reader = LineReader()
        self._read_to = 0
        self._lines_read = 0
        self._unended = False
        self._warned_at = -1
        self._foreign: StoreError | None = None
        self._damage: list[str] = []
        self._snapshots: dict[str, dict[int, tuple[int, bytes]]] = {}
        self._snapshots_read_to = 0
        with self._trouble("opened"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._open()
        try:
            with self._locked():
                self._catch_up()
        except BaseException:
            os.close(self._file)
            raise

    def _release(self) -> None:
        os.close(self._file)
        for lock in self._locks:
            lock.release()

    def claim(self, name: str) -> None:
        """Become the only one to write under a name; the number of each claim is in a small file next to the games."""
        if name in self._claims:
            return
        lock = LockFile(self.path, name)
        try:
            with self._locked(), self._trouble("written"):
                stored = self._stored_claims()
                check_claims(self._claims, stored, self.path)
                stored[name] = stored.get(name, 0) + 1
                write_anew(self._claims_file(), msgspec.json.encode(stored), self._as_private, durable=self.durable)
        except BaseException:
            lock.release()
            raise
        self._locks.append(lock)
        self._claims[name] = stored[name]

    def check_claims(self) -> None:
        """Raise `ClaimLostError` if a claim has been lost. A writer calls it under the lock."""
        if self._claims:
            with self._trouble("read"):
                check_claims(self._claims, self._stored_claims(), self.path)

    def _stored_claims(self) -> dict[str, int]:
        beside = self._claims_file()
        try:
            return msgspec.json.decode(beside.read_bytes(), type=dict[str, int]) if beside.exists() else {}
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StoreError(f"{beside}: this file is damaged ({error}); stop all programs and remove it") from error

    def _claims_file(self) -> Path:
        return self.path.with_name(f"{self.path.stem}.claims.json")

    def _version(self, game_id: str) -> int:
        with self._locked():
            self._catch_up()
        self._check_intact(game_id)
        return len(self._games.get(game_id, ()))

    def _check_intact(self, game_id: str) -> None:
        if game_id in self._damaged:
            raise self._damaged[game_id]

    def _append(self, batch: list[RecordedEvent]) -> None:
        games = by_game(batch)
        with self._locked():
            self._catch_up()
            for game_id, events in games.items():
                self._check_intact(game_id)
                stored = len(self._games.get(game_id, ()))
                if events[0].version != stored:
                    raise VersionConflictError(game_id, stored, events[0].version)
            self.check_claims()
            data = b"".join(encode_line(event) + b"\n" for event in batch)
            self._write_whole(b"\n" + data if self._unended else data)
            self._lines_read += len(batch)
        for game_id, events in games.items():
            self._games.setdefault(game_id, []).extend(events)

    def _read(self, game_id: str, start: int, stop: int) -> list[RecordedEvent]:
        with self._locked():
            self._catch_up()
        self._check_intact(game_id)
        return self._games.get(game_id, [])[start:stop]

    def _summaries(self, since: datetime | None = None, until: datetime | None = None) -> Iterator[GameSummary]:
        with self._locked():
            self._catch_up()
        games = [summarise(events) for game_id, events in self._games.items() if game_id not in self._damaged]
        yield from sorted(games, key=lambda game: (game.created_utc, game.game_id), reverse=True)

    def save_snapshot(self, game_id: str, version: int, state: GameState) -> None:
        """Store a state in a file next to the games. A line that was cut short there is skipped later."""
        with self._locked():
            self._catch_up()
            self.check_claims()
            snapshot = (game_id, version, self._mark(game_id, version), encode_state(state))
            with self._trouble("written"), open(self._snapshots_file(), "a+b", opener=self._as_private) as file:
                ended = file.tell() == 0 or os.pread(file.fileno(), 1, file.tell() - 1) == b"\n"
                file.write((b"" if ended else b"\n") + msgspec.json.encode(snapshot) + b"\n")

    def load_snapshot(self, game_id: str, version: int) -> tuple[int, GameState] | None:
        """The latest snapshot at or before `version`; None if there is none, or if it is not of these events."""
        with self._locked():
            self._catch_up()
            self._read_snapshots()
        kept = self._snapshots.get(game_id, {})
        at = max((v for v in kept if v <= version and kept[v][0] == self._mark(game_id, v)), default=None)
        state = None if at is None else decode_state(kept[at][1])
        return None if at is None or state is None else (at, state)

    def _mark(self, game_id: str, version: int) -> int:
        """Tells a game's first `version` events from any others: a crash may have lost some that a snapshot knew."""
        game = self._games.get(game_id, [])
        if not 0 < version <= len(game):
            return -1
        return zlib.crc32(encode_line(game[0]) + encode_line(game[version - 1]))

    def _read_snapshots(self) -> None:
        """Read the snapshots written since the last time. The caller holds the lock."""
        path = self._snapshots_file()
        with self._trouble("read"):
            if not path.exists():
                return
            with path.open("rb") as file:
                file.seek(self._snapshots_read_to)
                whole, newline, _ = file.read().rpartition(b"\n")
        self._snapshots_read_to += len(whole) + len(newline)
        for line in whole.split(b"\n") if newline else ():
            with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # it can be made again
                game_id, version, mark, data = msgspec.json.decode(line, type=tuple[str, int, int, bytes])
                self._snapshots.setdefault(game_id, {})[version] = mark, data

    def _snapshots_file(self) -> Path:
        return self.path.with_name(f"{self.path.stem}.snapshots.jsonl")

    def save_documents(self, kind: str, documents: Mapping[str, str]) -> None:
        """Store texts in a second file next to the games; a later line replaces an earlier one."""
        lines = [msgspec.json.encode([kind, name, text]) + b"\n" for name, text in documents.items()]
        with self._locked(), self._trouble("written"):
            self.check_claims()
            beside = self._documents_file()
            kept = beside.read_bytes() if beside.exists() else b""
            whole = kept[: kept.rfind(b"\n") + 1]  # drops a line that was cut short
            write_anew(beside, whole + b"".join(lines), self._as_private, durable=self.durable)

    def documents(self, kind: str, beginning: str = "") -> dict[str, str]:
        """Texts by name."""
        with self._locked(), self._trouble("read"):
            beside = self._documents_file()
            lines = beside.read_bytes().rstrip(b"\n").split(b"\n") if beside.exists() else []
        named: dict[str, str] = {}
        for number, line in enumerate(lines, 1):
            try:
                one, name, text = msgspec.json.decode(line, type=tuple[str, str, str])
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                self.warn_once(f"{beside}, line {number}: not a document ({error}); it is left out")
                continue
            if one == kind and name.startswith(beginning):
                named[name] = text
        return dict(sorted(named.items()))

    def _documents_file(self) -> Path:
        return self.path.with_name(f"{self.path.stem}.documents.jsonl")

    def _as_private(self, path: str, flags: int) -> int:
        """Open a file next to the games; a new one can be read by those who can read the games."""
        return os.open(path, flags, os.fstat(self._file).st_mode & 0o666)

    def _open(self) -> int:
        try:
            return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, PRIVATE)
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
            return os.open(self.path, os.O_RDONLY)  # it can still be read

    # -- the file ----------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _trouble(self, doing: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be {doing} ({error.strerror})") from error

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        if sys.platform != "win32":
            with self._trouble("locked"):
                fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            if sys.platform != "win32":
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def _catch_up(self) -> None:
        """Read what this or another process has written since the last time. The caller holds the lock."""
        with self._trouble("read"):
            status = os.fstat(self._file)
            data = os.pread(self._file, status.st_size - self._read_to, self._read_to)
        if status.st_nlink == 0:
            raise StoreError(f"{self.path}: the file has been removed")
        whole, newline, rest = data.rpartition(b"\n")
        for line in whole.split(b"\n") if newline else ():
            self._take(line)
            self._read_to += len(line) + 1
            self._unended = False
        if rest and not is_cut_short(rest):  # complete except for its newline
            self._take(rest)
            self._read_to += len(rest)
            self._unended = True
            rest = b""
        self._take_older_games()
        if self._foreign is not None and not self._games:
            raise self._foreign
        self._warn_of_damage()
        if rest:
            check_is_ours(rest, self.path, self._lines_read)
            if self._read_to != self._warned_at:
                self._warned_at = self._read_to
                warn_of_cut(self.path, self._lines_read + 1)

    def _take_older_games(self) -> None:
        for game_id, found in self._reader.older_games().items():
            try:
                if isinstance(found, StoreError):
                    raise found
                for game in found:
                    check_event(game[0])
                    self._games[game[0].game_id] = game
            except StoreError as error:
                self._quarantine(game_id, CorruptEventError(f"{self.path}: {error}"))

    def _take(self, line: bytes) -> None:
        """Take in one line. A line that cannot be read stays in the file, and only its game cannot be read."""
        self._lines_read += 1
        try:
            events = decode_at(self._reader, line, self.path, self._lines_read)
        except UNREADABLE as error:
            self._foreign = self._foreign or error
            named = _GAME_ID.match(line)
            self._quarantine("" if named is None else named[1].decode("utf-8", "replace"), error)
            return
        for event in events:
            if event.game_id in self._damaged:
                continue
            game = self._games.get(event.game_id, [])
            try:
                if event.version != len(game):
                    raise VersionConflictError(event.game_id, len(game), event.version)
                check_event(event)
            except StoreError as error:
                at_line = CorruptEventError(f"{self.path}, line {self._lines_read}: {error}")
                self._quarantine(event.game_id, at_line)
                continue
            game.append(event)
            self._games[event.game_id] = game

    def _quarantine(self, game_id: str, error: StoreError) -> None:
        """Refuse to read or extend a game from now on, and say why. Without an id it is not known which game."""
        if game_id:
            self._damaged.setdefault(game_id, error)
        self._damage.append(f"{error}; {'its game' if game_id else 'the line'} is left out")

    def _warn_of_damage(self) -> None:
        """Warn of what was found damaged: the first cases, and the number of others."""
        found, self._damage = self._damage, []
        for line in found[:MOST_WARNINGS]:
            self.warn_once(line)
        if len(found) > MOST_WARNINGS:
            self.warn_once(f"{self.path}: {len(found) - MOST_WARNINGS} more lines or games are damaged and left out")

    def _write_whole(self, data: bytes) -> None:
        """Write all of it or nothing, after removing what a crash left behind the last complete line."""
        try:
            if os.fstat(self._file).st_size > self._read_to:
                os.ftruncate(self._file, self._read_to)
            written = os.write(self._file, data)
            while written < len(data):
                written += os.write(self._file, data[written:])
            if self.durable:
                os.fsync(self._file)
        except OSError as error:
            with contextlib.suppress(OSError):  # if it cannot be truncated now, the next writer does it
                os.ftruncate(self._file, self._read_to)
            raise StoreError(f"{self.path}: cannot be written ({error.strerror}); nothing was stored") from error
        self._read_to += len(data)
        self._unended = False


_GAME_ID = re.compile(rb'\{"game_id":"([^"\\]{1,200})"')
"""How a line begins that may be damaged later on."""


def write_anew(path: Path, data: bytes, opener: Callable[[str, int], int], *, durable: bool) -> None:
    """Replace a file in one step: a reader sees the old content or the new, never a part."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(beside, "wb", opener=opener) as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


MOST_WARNINGS = 5
"""Damaged lines that are named one by one."""
LONGEST_LINE = 1 << 24
"""Bytes in a line of a file to import; ours have a few hundred."""


def read_lines(path: str | Path, refused: Callable[[LiarsDiceError], None] | None = None) -> Iterator[RecordedEvent]:
    """The events of a file, one by one; the file is only read.

    With `refused`, a line that cannot be read is passed to it as an error, and the others follow.
    """
    path = Path(path)
    reader = LineReader()
    try:
        with path.open("rb") as file:
            for number, line in enumerate(iter(partial(file.readline, LONGEST_LINE + 1), b""), 1):
                if len(line) > LONGEST_LINE:
                    raise CorruptEventError(f"{path}, line {number}: longer than {LONGEST_LINE:,} bytes")
                if not line.endswith(b"\n") and is_cut_short(line):
                    check_is_ours(line, path, number - 1)
                    warn_of_cut(path, number)
                    break
                try:
                    events = decode_at(reader, line, path, number)
                except UNREADABLE as error:
                    if refused is None:
                        raise
                    refused(error)
                    continue
                yield from events
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error
    for found in reader.older_games().values():
        if isinstance(found, StoreError):
            if refused is None:
                raise found
            refused(found)
            continue
        for game in found:
            yield from game


def decode_at(reader: LineReader, line: bytes, path: Path, number: int) -> list[RecordedEvent]:
    """The events in a line; an error names the file and the line."""
    if not line.strip():
        return []
    try:
        return reader.decode(line)
    except UNREADABLE as error:
        raise type(error)(f"{path}, line {number}: {error}") from error


def is_cut_short(line: bytes) -> bool:
    """Whether a last line without a newline is incomplete: the beginning of a JSON object is never valid JSON."""
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return True
    return False


def check_is_ours(rest: bytes, path: Path, lines_before: int) -> None:
    """Refuse a file of another program, rather than treating all of it as one incomplete line."""
    beginning = b'{"game_id":"'
    if lines_before == 0 and not (rest.startswith(beginning) or beginning.startswith(rest)):
        raise CorruptEventError(f"{path}, line 1: not an event of Liar's Dice")


def warn_of_cut(path: Path, number: int) -> None:
    """Warn that an incomplete line was ignored."""
    warnings.warn(
        f"{path}, line {number}: this line was cut short and is ignored; all lines before it are intact", stacklevel=3
    )
