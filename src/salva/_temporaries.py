"""Temporary files next to their targets, and the renaming of several as one.

A temporary file is named after its target, and the process that writes it holds a lock on it: one without a
lock was left by a process that died. Errors are plain `OSError`s; `_files` names the file that the user gave.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

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
        _clear(target.parent, _prefix(target))


def clear_folder(folder: Path) -> None:
    """Remove all temporary files and folders in a folder whose process died."""
    _clear(folder, PREFIX)


def _clear(folder: Path, prefix: str) -> None:
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
    with _write_journal(files, home) as journal:
        try:
            _rename(files)
        except BaseException as error:
            if isinstance(error, OSError) and files[0].path.exists():  # nothing was renamed
                _keep(files, keep=False)
            else:
                _rename(
                    [file for file in files if file.path.exists()]
                )  # a signal must not leave half of them
            journal.unlink()
            raise
        journal.unlink()


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


@contextlib.contextmanager
def _write_journal(files: Sequence[Temporary], home: Path) -> Iterator[Path]:
    """Write which files are to be renamed; from then on they are, even if this process dies."""
    entries = [
        {
            "temporary": file.path.name,
            "target": _relative(file.target, home),
            "new": not file.target.exists(),
        }
        for file in files
    ]
    draft, journal = Temporary(home), _journal(home)
    try:
        draft.stream.write(json.dumps(entries).encode())
        draft.finish()
        _sync_folders(files)
        _keep(files)
        try:
            _link(draft.path, journal, lambda: finish_publication(home, [file.target for file in files]))
        except BaseException:
            _keep(files, keep=journal.exists())
            raise
        draft.path.unlink(missing_ok=True)
        draft.kept = True  # under its other name, which goes last
        _sync_folders([draft])
        yield journal
    finally:
        draft.close()


def _link(draft: Path, journal: Path, make_way: Callable[[], object]) -> None:
    """Give a complete journal its name; `make_way` is called while there is another."""
    while True:
        try:
            os.link(draft, journal)
        except FileExistsError:
            make_way()
            continue
        except OSError:  # a file system without links
            draft.replace(journal)
        return


def _keep(files: Iterable[Temporary], *, keep: bool = True) -> None:
    for file in files:
        file.kept = keep


def _rename(files: Sequence[Temporary]) -> None:
    for file in files:
        file.path.replace(file.target)
    _sync_folders(files)


def _parse_journal(content: bytes) -> list[dict[str, Any]]:
    try:
        entries = json.loads(content)
        return [{key: entry[key] for key in ("temporary", "target", "new")} for entry in entries]
    except (ValueError, TypeError, KeyError, RecursionError):
        return []  # no journal of ours


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
    name = hashlib.sha256(os.fsencode(target.name)).hexdigest()
    return f"{PREFIX}{name[:12]}-"


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
