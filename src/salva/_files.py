"""Files that appear complete or not at all: atomic writes, digests, locks, and one-line I/O errors."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import socket
import stat
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import platformdirs
from filelock import FileLock, Timeout

from salva._arguments import argument
from salva.errors import InputError, StorageError

if TYPE_CHECKING:
    from salva._types import PathLike

_MOST_TEXT = 64 << 20
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}


@contextlib.contextmanager
def storage_errors(path: PathLike) -> Iterator[None]:
    """Turn an `OSError` in the block into a `StorageError` that names `path`."""
    try:
        yield
    except StorageError:
        raise
    except BrokenPipeError:
        raise
    except OSError as error:
        hint = "; free some space and run again" if error.errno in _NO_SPACE else ""
        reason = (error.strerror or str(error)).lower()
        raise StorageError(f"{os.fspath(path)}: {reason}{hint}") from error


def open_regular(path: PathLike) -> BinaryIO:
    """Open a file for reading; refuse anything else, such as a pipe that would block or a device."""
    with storage_errors(path):
        try:
            mode = Path(path).stat().st_mode
            if stat.S_ISDIR(mode):
                raise InputError.at(path, None, "is a folder; pass a file")
            if stat.S_ISFIFO(mode):
                raise InputError.at(path, None, f"is a pipe; use - and {argument('format')}")
            if not stat.S_ISREG(mode):
                raise InputError.at(path, None, "is not a regular file; pass a file")
            return Path(path).open("rb")
        except FileNotFoundError:
            raise InputError.at(path, None, "no such file") from None
        except PermissionError:
            raise InputError.at(path, None, "cannot be read (permission denied)") from None


def read_whole(path: PathLike, most_bytes: int) -> bytes:
    """Return the bytes of a file; refuse a file longer than `most_bytes`."""
    with open_regular(path) as stream, storage_errors(path):
        raw = stream.read(most_bytes + 1)
    if len(raw) > most_bytes:
        raise InputError.at(path, None, f"is longer than {most_bytes >> 20} MB, the limit for such files")
    return raw


def read_text(path: PathLike) -> str:
    """Return the text of a hand-written file, such as settings or a list of words."""
    try:
        return read_whole(path, _MOST_TEXT).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError.at(path, None, f"byte {error.start} is not UTF-8") from None


def parse_toml(path: PathLike, text: str) -> dict[str, Any]:
    """Parse the text of a TOML file; an error names the line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem = str(error)
        place = re.search(r" \(at line (\d+), column (\d+)\)$", problem)
        if place is None:
            raise InputError.at(path, len(text.splitlines()), f"broken TOML: {problem}") from None
        problem = f"broken TOML: {problem[: place.start()]} (column {place[2]})"
        raise InputError.at(path, int(place[1]), problem) from None
    except (ValueError, RecursionError) as error:
        raise InputError.at(path, None, f"broken TOML: {error}") from None


@contextlib.contextmanager
def replacing(
    path: PathLike, *, overwrite: bool = False, finished: Callable[[Path], None] | None = None
) -> Iterator[BinaryIO]:
    """Open a file that is renamed to `path` if the block ends without an error, else leaves no trace.

    Devices and pipes are written directly. An existing file is replaced only with `overwrite`. `finished` is
    called with the complete file just before it is renamed.
    """
    with storage_errors(path):
        refuse_existing(Path(path), overwrite=overwrite)
        target = Path(os.path.realpath(path))
        in_place = target.exists() and not target.is_file()
        temporary = target.parent / f".tmp-{secrets.token_hex(8)}"
        stream = target.open("wb") if in_place else temporary.open("xb")
    try:
        yield stream
        with storage_errors(path):
            stream.flush()
            if not in_place:
                os.fsync(stream.fileno())
                stream.close()
                _publish(temporary, target, overwrite=overwrite, finished=finished)
    finally:
        with contextlib.suppress(OSError):
            stream.close()
        temporary.unlink(missing_ok=True)


def _publish(
    temporary: Path, target: Path, *, overwrite: bool, finished: Callable[[Path], None] | None
) -> None:
    refuse_existing(target, overwrite=overwrite)  # another process may have been faster
    if finished is not None:
        finished(temporary)
    temporary.replace(target)
    _sync_folder(target.parent)


def refuse_existing(path: Path, *, overwrite: bool) -> None:
    """Raise if `path` exists and must not be replaced."""
    if path.is_dir():
        raise InputError.at(path, None, "is a folder; pass a file")
    if not overwrite and path.is_file():
        remedy = f"pass {argument('overwrite', True)}, or choose another name"
        raise InputError.at(path, None, f"exists; {remedy}")


def write_atomically(path: PathLike, content: bytes, *, overwrite: bool = False) -> None:
    """Write a small file atomically."""
    with replacing(path, overwrite=overwrite) as stream, storage_errors(path):
        stream.write(content)


def user_cache() -> Path:
    """Return the folder for what Salva keeps between runs; `SALVA_CACHE_DIR` moves it.

    Not on Windows: there only the user's own profile is known to be private.
    """
    own = os.environ.get("SALVA_CACHE_DIR") if os.name == "posix" else None
    return Path(own or platformdirs.user_cache_dir("salva", appauthor=False))


def digest(path: PathLike) -> str:
    """Return `sha256:` and the hexadecimal digest of a file.

    >>> digest(os.devnull)[:15]
    'sha256:e3b0c442'
    """
    with storage_errors(path), Path(path).open("rb") as stream:
        if stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            return f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"
        return f"sha256:{hashlib.sha256(stream.read()).hexdigest()}"


@contextlib.contextmanager
def locked(folder: PathLike) -> Iterator[None]:
    """Lock the folder for this process; a second process gets an error that names the first."""
    lock = FileLock(Path(folder) / ".lock")
    owner = Path(folder) / ".lock-owner"
    with storage_errors(folder):
        try:
            lock.acquire(timeout=0)
        except Timeout:
            holder = owner.read_text("utf-8") if owner.is_file() else "another process"
            raise StorageError(f"{os.fspath(folder)}: in use by {holder}; wait for it or stop it") from None
        owner.write_text(f"process {os.getpid()} on {socket.gethostname()}", "utf-8")
    try:
        yield
    finally:
        owner.unlink(missing_ok=True)
        lock.release()


def _sync_folder(folder: Path) -> None:
    """Make a rename durable; on file systems that cannot, the rename is still done."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
