"""Files that appear complete or not at all: atomic writes, digests, locks, and one-line I/O errors."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shutil
import socket
import stat
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from salva._arguments import argument
from salva._temporaries import (
    Temporary,
    clear_leftovers,
    finish_publication,
    make_temporary,
    publish,
    release,
)
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


class Unit:
    """Files that get their names together; made by `publishing`."""

    def __init__(self, home: PathLike) -> None:
        self._home = home
        self._files: list[tuple[Temporary, bool]] = []

    @contextlib.contextmanager
    def open(self, path: PathLike, *, overwrite: bool) -> Iterator[BinaryIO]:
        """Open a file of the unit for writing; it is complete when the block ends without an error."""
        target = _resolve(path)
        with storage_errors(path):
            clear_leftovers(target)
            file = Temporary(target)
        self._files.append((file, overwrite))
        yield file.stream
        with storage_errors(path):
            file.finish()

    def content(self, path: PathLike) -> Path | None:
        """Return where the content of a complete file is; None if it is not a file of this unit."""
        target = _resolve(path)
        return next((file.path for file, _ in self._files if file.complete and file.target == target), None)

    def publish(self) -> None:
        """Rename all complete files; the one that the unit is named after comes last."""
        with storage_errors(self._home):
            for file, overwrite in self._files:
                refuse_existing(file.target, overwrite=overwrite)  # another process may have been faster
            home = _resolve(self._home)
            files = [file for file, _ in self._files if file.complete]
            publish(sorted(files, key=lambda file: file.target == home), home)

    def close(self) -> None:
        """Remove what was not published."""
        for file, _ in self._files:
            file.close()


@contextlib.contextmanager
def publishing(home: PathLike) -> Iterator[Unit]:
    """Make a unit of files that get their names when the block ends without an error, else leave no trace.

    A crash leaves all old files, or all new ones as soon as `finish_publishing` was called for `home`.
    """
    unit = Unit(home)
    try:
        yield unit
        unit.publish()
    finally:
        unit.close()


def finish_publishing(home: PathLike, *others: PathLike) -> set[Path]:
    """Give the files of a unit their names if a process died while it did so, and remove what else it left.

    Return the real paths of those that did not exist before: the same command may write them again.
    """
    targets = [*map(_resolve, others), _resolve(home)]
    with storage_errors(home):
        fresh = finish_publication(_resolve(home), targets)
        for target in targets:
            clear_leftovers(target)
        return fresh


@contextlib.contextmanager
def replacing(path: PathLike, *, overwrite: bool = False, unit: Unit | None = None) -> Iterator[BinaryIO]:
    """Open a file that is renamed to `path` if the block ends without an error, else leaves no trace.

    Devices and pipes are written directly. An existing file is replaced only with `overwrite`. A file of a
    `unit` is renamed together with the others.
    """
    with storage_errors(path):
        refuse_existing(Path(path), overwrite=overwrite)
        device = Path(path).exists() and not Path(path).is_file()
        direct = Path(path).open("wb") if device else None  # noqa: SIM115
    if direct is None:
        with (
            publishing(path) if unit is None else contextlib.nullcontext(unit) as files,
            files.open(path, overwrite=overwrite) as stream,
        ):
            yield stream
        return
    try:
        yield direct
        with storage_errors(path):
            direct.flush()
    finally:
        with contextlib.suppress(OSError):
            direct.close()


def _resolve(path: PathLike) -> Path:
    return Path(os.path.realpath(path))


def refuse_existing(path: Path, *, overwrite: bool) -> None:
    """Raise if `path` exists and must not be replaced."""
    if path.is_dir():
        raise InputError.at(path, None, "is a folder; pass a file")
    if not overwrite and path.is_file():
        remedy = f"pass {argument('overwrite', True)}, or choose another name"
        raise InputError.at(path, None, f"exists; {remedy}")


def refuse_clashes(inputs: Iterable[PathLike], outputs: Iterable[PathLike]) -> None:
    """Refuse an output that is also an input, or another output, however their paths are spelled."""
    read = {_identify(path) for path in inputs if Path(path).is_file()}
    written = set()
    for path in outputs:
        file = _identify(path)
        if file is None:
            continue
        if file in read:
            raise InputError.at(path, None, "is the input itself; choose another name")
        if file in written:
            raise InputError.at(path, None, "is also another output; choose another name")
        written.add(file)


def _identify(path: PathLike) -> tuple[int, int] | str | None:
    """Return what two paths of the same file have in common; None for a folder, a device or a pipe."""
    try:
        state = Path(path).stat()
    except (OSError, ValueError):  # what does not exist yet
        return os.path.realpath(path)
    return (state.st_dev, state.st_ino) if stat.S_ISREG(state.st_mode) else None


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Provide an empty folder that is removed at the end, or by the next process if this one is killed."""
    target = Path(tempfile.gettempdir()) / "salva"
    with storage_errors(target.parent):
        clear_leftovers(target)
        folder, lock = make_temporary(target, lambda path: path.mkdir(0o700))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        release(lock)


def write_atomically(
    path: PathLike, content: bytes, *, overwrite: bool = False, unit: Unit | None = None
) -> None:
    """Write a small file atomically."""
    with replacing(path, overwrite=overwrite, unit=unit) as stream, storage_errors(path):
        stream.write(content)


def user_cache() -> Path:
    """Return the folder for what Salva keeps between runs; `SALVA_CACHE_DIR` moves it.

    Not on Windows: there only the user's own profile is known to be private.
    """
    import platformdirs

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
    from filelock import FileLock, Timeout

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
