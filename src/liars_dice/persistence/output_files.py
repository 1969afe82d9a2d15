"""Files that commands write: only plain files, and whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ..core import BadValueError, reason_of

ARCHIVE = b"PK"
"""How a NumPy archive begins: a model, or the solution of a round."""


def check_output_file(option: str, path: Path, *, begins: bytes = b"") -> None:
    """Raise `BadValueError` unless `path`, the value of `option`, is a plain file or can become one.

    A folder, a device, a pipe, a socket and a link to one of these or to nothing are refused; so is a file that does
    not begin as those that are written do (`begins`): somebody gave the name of the wrong file.
    """
    target = _target(option, path)
    try:
        with target.open("rb") as file:
            found = file.read(len(begins))
    except OSError:  # a new file; or one that can be replaced, if not read
        return
    if found and found != begins:
        raise BadValueError(option, str(path), "a new file, or an older one of the same kind; this is another file")


@contextlib.contextmanager
def writing_whole(option: str, path: Path, *, make_folders: bool = True) -> Iterator[Path]:
    """A new file beside `path` to write to. It takes the place of `path` at the end, and is removed after an error.

    Readers see the old file or the new one. What fails is a `BadValueError` of `option`.
    """
    import tempfile

    target = _target(option, path)
    beside: Path | None = None
    try:
        if make_folders:
            target.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
        file, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
        os.close(file)
        beside = Path(name)
        yield beside
        beside.chmod(mode)
        beside.replace(target)
    except OSError as error:
        raise BadValueError(option, str(path), f"a file that can be written ({reason_of(error)})") from error
    finally:
        if beside is not None:
            beside.unlink(missing_ok=True)


def _target(option: str, path: Path) -> Path:
    """The file that a link leads to, if `path` is one."""
    try:
        target = path.resolve() if path.is_symlink() else path
        if path.is_symlink() and not path.exists():
            raise BadValueError(option, str(path), "a plain file; this is a link to nothing")
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            raise BadValueError(option, str(path), f"a plain file; this is {_kind(target)}")
        if not target.name:
            raise BadValueError(option, str(path), "the name of a file")
    except BadValueError:
        raise
    except (OSError, ValueError, RuntimeError) as error:  # a name that no file can have, a circle of links
        raise BadValueError(option, str(path), f"a file that can be written ({reason_of(error)})") from error
    return target


def _kind(path: Path) -> str:
    if path.is_dir():
        return "a folder"
    return "a pipe or socket" if path.is_fifo() or path.is_socket() else "a device"


def _umask() -> int:
    """Which permissions new files lack; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
