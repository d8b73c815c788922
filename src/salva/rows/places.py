"""Folders of files: on this machine, or behind a URI that Arrow's file systems read (s3, gs, hdfs, abfs).

Readers and writers work on local files. A remote file is copied to this machine before it is read, and an
output is copied to its place when it is complete, so that memory use does not depend on the size of a file.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from salva._files import (
    PREFIX,
    clear_folder,
    scratch_folder,
    storage_errors,
    sync_folder,
    write_atomically,
)
from salva._types import PathLike
from salva.errors import InputError, StorageError
from salva.rows.texts import LABELS

_COPY_BYTES = 8 << 20
# On these, a file appears when its writer is closed; elsewhere it is written under another name and renamed.
_WHOLE_ON_CLOSE = {"s3", "gcs", "abfs"}


def is_uri(path: PathLike) -> bool:
    """Return whether a path names another file system, as s3://bucket/folder does."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", os.fspath(path)) is not None


def is_folder_of_parts(path: PathLike) -> bool:
    """Return whether a path is a folder of data files; a folder with neg/ and pos/ is one data set."""
    folder = Path(path)
    if is_uri(path) or not folder.is_dir():
        return is_uri(path)
    homes = [folder, *(entry for entry in folder.iterdir() if entry.is_dir())]
    labelled = any((home / label).is_dir() for home in homes for label in LABELS)
    return not labelled and bool(open_place(path).files())


class Place:
    """A folder of files; `name` is how messages name it, and `uri` opens it in another process."""

    def __init__(self, folder: Path) -> None:
        self.uri, self.name = os.fspath(folder.absolute()), os.fspath(folder)
        self._folder = folder.absolute()

    def files(self, under: str = "") -> list[str]:
        """Return the files under a folder, sorted, with / in their names, without hidden and marker files."""
        base, found = self._folder / under, []
        for folder, folders, names in os.walk(base):
            folders[:] = filter(_is_data, folders)
            found += [Path(folder, name).relative_to(base).as_posix() for name in filter(_is_data, names)]
        return sorted(found)

    def fetch(self, name: str) -> contextlib.AbstractContextManager[Path]:
        """Provide a file on this machine; raise `FileNotFoundError` if there is none."""
        path = self._folder / name
        path.stat()
        return contextlib.nullcontext(path)

    def scratch(self) -> contextlib.AbstractContextManager[Path]:
        """Provide an empty folder on this machine, from which files can be published."""
        with storage_errors(self.name):
            self._folder.mkdir(parents=True, exist_ok=True)
        return scratch_folder(Path(self.name))

    def publish(self, path: Path, name: str) -> None:
        """Give a complete, synced file in the scratch folder its name, in place of an older one."""
        target = self._folder / name
        with storage_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
            sync_folder(target.parent)

    def write(self, name: str, content: bytes) -> None:
        """Write a small file, whole or not at all, in place of an older one."""
        with storage_errors(self.name):
            (self._folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self._folder / name, content, overwrite=True)

    def remove(self, name: str) -> None:
        """Remove a file, if it exists."""
        with storage_errors(self._folder / name):
            (self._folder / name).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove what killed processes left behind."""
        clear_folder(self._folder)

    def prune(self) -> None:
        """Remove the folder and those in it, as far as they are empty."""
        for folder, _, _ in os.walk(self._folder, topdown=False):
            with contextlib.suppress(OSError):
                Path(folder).rmdir()

    def read(self, name: str) -> bytes | None:
        """Return a small file, or None if there is none."""
        try:
            with self.fetch(name) as path:
                return path.read_bytes()
        except FileNotFoundError:
            return None


class _RemotePlace(Place):
    """The same behind a URI."""

    def __init__(self, uri: str, name: str, system: Any, root: str) -> None:
        self.uri, self.name = uri, name
        self._system, self._root = system, root.rstrip("/")

    def files(self, under: str = "") -> list[str]:
        from pyarrow import fs

        base = self._path(under).rstrip("/")
        with self._errors(under):
            found = self._system.get_file_info(fs.FileSelector(base, recursive=True, allow_not_found=True))
        names = [info.path[len(base) + 1 :] for info in found if info.type == fs.FileType.File]
        return sorted(name for name in names if all(map(_is_data, name.split("/"))))

    @contextlib.contextmanager
    def fetch(self, name: str) -> Iterator[Path]:
        with scratch_folder() as folder:
            path = folder / name.rpartition("/")[2]
            with (
                self._errors(name),
                self._system.open_input_stream(self._path(name)) as stream,
                path.open("wb") as copy,
            ):
                shutil.copyfileobj(stream, copy, _COPY_BYTES)
            yield path

    def scratch(self) -> contextlib.AbstractContextManager[Path]:
        return scratch_folder()

    def publish(self, path: Path, name: str) -> None:
        with path.open("rb") as content, self._replacing(name) as stream:
            shutil.copyfileobj(content, stream, _COPY_BYTES)

    def write(self, name: str, content: bytes) -> None:
        with self._replacing(name) as stream:
            stream.write(content)

    def remove(self, name: str) -> None:
        with self._errors(name):
            try:
                self._system.delete_file(self._path(name))
            except OSError:  # Arrow then marks the folder with an empty file, which some servers refuse
                if self._system.get_file_info(self._path(name)).is_file:
                    raise

    def sweep(self) -> None:
        """Do nothing: what is written for this place is elsewhere until it is complete."""

    def prune(self) -> None:
        """Do nothing: most file stores have no folders."""

    @contextlib.contextmanager
    def _replacing(self, name: str) -> Iterator[Any]:
        """Open a file that gets its name when the block ends without an error."""
        path = self._path(name)
        direct = self._system.type_name in _WHOLE_ON_CLOSE
        folder, _, last = path.rpartition("/")
        written = path if direct else f"{folder}/{PREFIX}{secrets.token_hex(8)}-{last}"
        with self._errors(name):
            if not direct:
                self._system.create_dir(folder, recursive=True)
            stream = self._system.open_output_stream(written)
            try:
                yield stream
                stream.close()
            except BaseException:
                # Closing the stream is the only way to end it, and a cut-off file would appear.
                with contextlib.suppress(OSError):
                    stream.close()
                    self._system.delete_file(written)
                raise
            if not direct:
                self._system.move(written, path)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextlib.contextmanager
    def _errors(self, name: str) -> Iterator[None]:
        try:
            yield
        except (FileNotFoundError, StorageError):
            raise
        except OSError as error:  # Arrow's errors are among them
            raise StorageError(f"{self.name}/{name}: {_first_line(error)}") from None


def open_place(path: PathLike) -> Place:
    """Return the place for a folder or a URI; it need not exist."""
    if not is_uri(path):
        return Place(Path(path))
    from pyarrow import fs

    uri, shown = os.fspath(path), _without_secrets(os.fspath(path))
    if uri.startswith("s3://") and "allow_delayed_open" not in uri:
        # Arrow then writes a small file by one request, which can be repeated.
        uri += f"{'&' if '?' in uri else '?'}allow_delayed_open=true"
    try:
        system, root = fs.FileSystem.from_uri(uri)
    except (OSError, ValueError) as error:  # Arrow's errors are among them
        raise InputError.at(shown, None, f"cannot be opened ({_first_line(error)})") from None
    if isinstance(system, fs.LocalFileSystem):
        return Place(Path(root))
    return _RemotePlace(os.fspath(path), shown, system, root)


def _is_data(name: str) -> bool:
    return not name.startswith((".", "_"))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]


def _without_secrets(uri: str) -> str:
    """Return a URI without user, password and options.

    >>> _without_secrets("s3://key:secret@bucket/a?region=x")
    's3://bucket/a'
    """
    return re.sub(r"//[^/]*@|\?.*", lambda found: "//" if found[0].startswith("//") else "", uri).rstrip("/")
