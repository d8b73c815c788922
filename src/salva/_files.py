"""Files that appear complete or not at all: atomic writes, digests, locks, and one-line I/O errors."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import secrets
import shutil
import socket
import stat
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from salva._arguments import argument
from salva.errors import InputError, StorageError

if TYPE_CHECKING:
    from salva._types import PathLike

try:
    import fcntl
except ImportError:  # Windows, where an open file cannot be removed
    fcntl = None  # type: ignore[assignment]

PREFIX = ".tmp-"
_NO_LOCK = -1


class Temporary:
    """A new file of this process, until it is published or discarded."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.complete = False
        self.kept = False  # whether it outlives this process: it has its name, or the next run will give it
        self.path, self._lock = make_temporary(target, lambda path: path.open("xb").close())
        self.stream: BinaryIO = self.path.open("wb")

    def finish(self) -> None:
        """Write what is buffered to the disk, and close the file."""
        self.stream.flush()
        os.fsync(self.stream.fileno())
        self.stream.close()
        self.complete = True

    def close(self) -> None:
        """Let go of the file; remove it unless it is kept."""
        with contextlib.suppress(OSError):
            self.stream.close()
        if not self.kept:
            self.path.unlink(missing_ok=True)
        release(self._lock)


def make_temporary(target: Path, make: Callable[[Path], None]) -> tuple[Path, int]:
    """Make a file or folder next to `target` that no other process removes; return its path and its lock."""
    while True:
        path = target.parent / f"{_prefix(target)}{secrets.token_hex(8)}"
        make(path)
        with contextlib.suppress(BlockingIOError, FileNotFoundError):  # taken for a leftover: make another
            return path, _hold(path)


def release(lock: int) -> None:
    """Give up the lock of a temporary file or folder."""
    if lock != _NO_LOCK:
        os.close(lock)


def clear_leftovers(target: Path) -> None:
    """Remove the temporary files and folders for `target` whose process died."""
    if not _journal(target).exists():
        clear_folder(target.parent, _prefix(target))


def clear_folder(folder: Path, prefix: str = PREFIX) -> None:
    """Remove all temporary files and folders in a folder whose process died."""
    with contextlib.suppress(OSError):
        with os.scandir(folder) as entries:
            left = [Path(entry.path) for entry in entries if entry.name.startswith(prefix)]
        for path in left:
            _remove_unheld(path)


def publish(files: Sequence[Temporary], home: Path) -> None:
    """Rename complete files to their targets; if a crash comes in between, `finish_publication` goes on.

    `home` is the target that has the journal next to it.
    """
    if len(files) < 2:
        _rename(files)
        return
    entries = [
        {
            "temporary": file.path.name,
            "target": _relative(file.target, home),
            "new": not file.target.exists(),
        }
        for file in files
    ]
    journal = _journal(home)
    with contextlib.closing(Temporary(home)) as draft:
        draft.stream.write(json.dumps(entries).encode())
        draft.finish()
        _sync_folders(files)
        finish_publication(home, [file.target for file in files])  # of another process
        _keep(files)  # from now on they are renamed, even if this process dies
        try:
            draft.path.replace(journal)
        except BaseException:
            _keep(files, keep=journal.exists())
            raise
        draft.kept = True  # under its other name, which goes last
        _sync_folders([draft])
        try:
            _rename(files)
        except BaseException as error:
            if isinstance(error, OSError) and files[0].path.exists():  # nothing was renamed
                _keep(files, keep=False)
            else:  # a signal must not leave half of them
                _rename([file for file in files if file.path.exists()])
            journal.unlink(missing_ok=True)
            raise
        journal.unlink(missing_ok=True)


def finish_publication(home: Path, targets: Iterable[Path]) -> set[Path]:
    """Rename what a process that died in between had left to rename; return the targets that are new with it.

    Only `targets` are renamed to, whatever the journal says. A process that is still at it is waited for.
    """
    journal, fresh = _journal(home), set()
    try:
        handle = os.open(journal, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return set()
    with os.fdopen(handle, "rb") as stream:
        if fcntl is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(stream, fcntl.LOCK_EX)
        if not _is_same(handle, journal):
            return set()
        entries = _parse_journal(stream.read())
        for target in targets:
            for entry in entries:
                if entry["target"] == _relative(target, home):
                    temporary = target.parent / Path(entry["temporary"]).name
                    if temporary.is_file():
                        temporary.replace(target)
                    if entry["new"]:
                        fresh.add(target)
        journal.unlink(missing_ok=True)
    return fresh


def _keep(files: Iterable[Temporary], *, keep: bool = True) -> None:
    for file in files:
        file.kept = keep


def _rename(files: Sequence[Temporary]) -> None:
    for file in files:
        file.path.replace(file.target)
    _sync_folders(files)


def _parse_journal(content: bytes) -> list[dict[str, Any]]:
    with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):  # no journal of ours
        return [{key: entry[key] for key in ("temporary", "target", "new")} for entry in json.loads(content)]
    return []


def _hold(path: Path) -> int:
    """Lock a file or folder; raise if it is gone, or another process holds it."""
    if fcntl is None:
        return _NO_LOCK
    flags = os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_NONBLOCK
    handle = os.open(path, flags | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _is_same(handle, path):
            raise FileNotFoundError(path)
    except (BlockingIOError, FileNotFoundError):
        os.close(handle)
        raise
    except OSError:  # a file system without locks: nobody can take the file for a leftover
        os.close(handle)
        return _NO_LOCK
    return handle


def _remove_unheld(path: Path) -> None:
    """Remove a leftover of this user; without locks, nobody knows whether it is one."""
    with contextlib.suppress(OSError):
        if fcntl is not None and path.lstat().st_uid != os.getuid():
            return
        lock = _hold(path)
        if fcntl is not None and lock == _NO_LOCK:
            return
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
        release(lock)


def _is_same(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


def _prefix(target: Path) -> str:
    return f"{PREFIX}{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:12]}-"


def _journal(home: Path) -> Path:
    return home.parent / f"{_prefix(home)}journal"


def _relative(target: Path, home: Path) -> str:
    try:
        return os.path.relpath(target, home.parent)
    except ValueError:  # another drive
        return str(target)


def _sync_folders(files: Iterable[Temporary]) -> None:
    """Make renames durable; on file systems that cannot, they are still done."""
    for folder in {file.target.parent for file in files}:
        sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Make the renames in a folder durable."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def storage_errors(path: PathLike) -> Iterator[None]:
    """Turn an `OSError` in the block into a `StorageError` that names `path`."""
    try:
        yield
    except (StorageError, BrokenPipeError):
        raise
    except OSError as error:
        is_full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        hint = "; free some space and run again" if is_full else ""
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


def read_whole(path: PathLike, most_bytes: int = 64 << 20) -> bytes:
    """Return the bytes of a file; refuse a file longer than `most_bytes`."""
    with open_regular(path) as stream, storage_errors(path):
        raw = stream.read(most_bytes + 1)
    if len(raw) > most_bytes:
        raise InputError.at(path, None, f"is longer than {most_bytes >> 20} MB, the limit for such files")
    return raw


def read_text(path: PathLike) -> str:
    """Return the text of a hand-written file, such as settings or a list of words."""
    try:
        return read_whole(path).decode("utf-8-sig")
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
    taken = {_identify(path): "the input itself" for path in inputs if Path(path).is_file()}
    for path in outputs:
        file = _identify(path)
        if file in taken:
            raise InputError.at(path, None, f"is {taken[file]}; choose another name")
        if file is not None:
            taken[file] = "also another output"


def _identify(path: PathLike) -> tuple[int, int] | str | None:
    """Return what two paths of the same file have in common; None for a folder, a device or a pipe."""
    try:
        state = Path(path).stat()
    except (OSError, ValueError):  # what does not exist yet
        return os.path.realpath(path)
    return (state.st_dev, state.st_ino) if stat.S_ISREG(state.st_mode) else None


@contextlib.contextmanager
def scratch_folder(home: Path | None = None) -> Iterator[Path]:
    """Provide an empty folder, in `home` or that of the system for temporary files.

    It is removed at the end, or by the next process if this one is killed.
    """
    target = (home or Path(tempfile.gettempdir())) / "salva"
    with storage_errors(target.parent):
        if home is None:
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
        return f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"


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
