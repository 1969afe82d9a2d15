"""Games in a text file, one event a line: readable by anything, safe to append from several processes."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from .codec import LineReader, encode_line
from .envelope import RecordedEvent
from .errors import CorruptEventError, StoreError, UnknownSchemaError, VersionConflictError
from .recorder import GameRecorder, GameSummary, by_game, summarise

if sys.platform != "win32":
    import fcntl


class JSONLinesRecorder(GameRecorder):
    """One file of lines, which an open recorder keeps in memory.

    A batch is one write under a lock (not on Windows), and a write cut short is taken back.
    `durable` waits for the disk at every flush, so that what was acknowledged survives a power cut as well.
    """

    def __init__(self, path: str | Path, *, durable: bool = False) -> None:
        super().__init__()
        self.path = Path(path)
        self.durable = durable
        self._games: dict[str, list[RecordedEvent]] = {}
        self._reader = LineReader()
        self._read_to = 0
        self._lines_read = 0
        with self._trouble("opened"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            with self._locked():
                self._catch_up()
        except BaseException:
            os.close(self._file)
            raise

    def close(self) -> None:
        """Flush, and close the file."""
        super().close()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _version(self, game_id: str) -> int:
        with self._locked():
            self._catch_up()
        return len(self._games.get(game_id, ()))

    def _append(self, batch: list[RecordedEvent]) -> None:
        games = by_game(batch)
        with self._locked():
            self._catch_up()
            for game_id, events in games.items():
                stored = len(self._games.get(game_id, ()))
                if events[0].version != stored:
                    raise VersionConflictError(game_id, stored, events[0].version)
            data = b"".join(encode_line(event) + b"\n" for event in batch)
            self._write_whole(data)
            self._read_to += len(data)
            self._lines_read += len(batch)
        for game_id, events in games.items():
            self._games.setdefault(game_id, []).extend(events)

    def _read(self, game_id: str, start: int, stop: int) -> list[RecordedEvent]:
        with self._locked():
            self._catch_up()
        return self._games.get(game_id, [])[start:stop]

    def _summaries(self) -> Iterator[GameSummary]:
        with self._locked():
            self._catch_up()
        games = [summarise(events) for events in self._games.values()]
        yield from sorted(games, key=lambda game: (game.created_utc, game.game_id), reverse=True)

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
        """Read what has been written since the last look, by us or by others.

        We hold the lock, so a last line without its end was left by a writer that died: it is mended.
        """
        with self._trouble("read"):
            size = os.fstat(self._file).st_size
            data = os.pread(self._file, size - self._read_to, self._read_to)
        whole, newline, rest = data.rpartition(b"\n")
        for line in whole.split(b"\n") if newline else ():
            self._take(line)
            self._read_to += len(line) + 1
        if rest:
            self._mend(rest)

    def _take(self, line: bytes) -> None:
        self._lines_read += 1
        for event in decode_at(self._reader, line, self.path, self._lines_read):
            game = self._games.setdefault(event.game_id, [])
            if event.version != len(game):
                problem = VersionConflictError(event.game_id, len(game), event.version)
                raise CorruptEventError(f"{self.path}, line {self._lines_read}: {problem}")
            game.append(event)

    def _mend(self, rest: bytes) -> None:
        """A last line without its end: whole if it reads as an event, lost if it does not."""
        if is_cut_short(rest):
            with self._trouble("mended"):
                os.ftruncate(self._file, self._read_to)
            warn_of_cut(self.path, self._lines_read + 1)
        else:
            with self._trouble("mended"):
                os.write(self._file, b"\n")
            self._catch_up()

    def _write_whole(self, data: bytes) -> None:
        """Write all of it, or nothing."""
        try:
            written = os.write(self._file, data)
            while written < len(data):
                written += os.write(self._file, data[written:])
            if self.durable:
                os.fsync(self._file)
        except OSError as error:
            with self._trouble("cut back after a failed write"):
                os.ftruncate(self._file, self._read_to)
            raise StoreError(f"{self.path}: cannot be written ({error.strerror}); nothing was stored") from error


def read_lines(path: str | Path) -> Iterator[RecordedEvent]:
    """The events of a file that is only read, one after another."""
    path = Path(path)
    reader = LineReader()
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n") and is_cut_short(line):
                    warn_of_cut(path, number)
                    return
                yield from decode_at(reader, line, path, number)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error


def decode_at(reader: LineReader, line: bytes, path: Path, number: int) -> list[RecordedEvent]:
    """The events in a line; an error says which line it is."""
    if not line.strip():
        return []
    try:
        return reader.decode(line)
    except (CorruptEventError, UnknownSchemaError) as error:
        raise type(error)(f"{path}, line {number}: {error}") from error


def is_cut_short(line: bytes) -> bool:
    """Whether a last line without its end has lost more than that."""
    try:
        LineReader().decode(line)
    except CorruptEventError:
        return True
    except UnknownSchemaError:
        return False
    return False


def warn_of_cut(path: Path, number: int) -> None:
    """Tell that a line was lost."""
    warnings.warn(f"{path}, line {number}: cut short, and lost; all before it is there", stacklevel=3)
