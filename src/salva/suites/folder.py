"""The folder of a suite: suite.json, items.jsonl, and one file of twins per condition.

Files are plain JSON lines without compression. They get their names together, the manifest last.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from salva._files import finish_publishing, publishing, refuse_existing, storage_errors
from salva._results import as_json
from salva._show import number_of
from salva._temporaries import PREFIX
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.suites.items import Item, Twin
from salva.suites.lines import checked, read_lines, seal
from salva.suites.manifest import ITEMS, MANIFEST, SuiteManifest, read_manifest, seal_manifest
from salva.tasks import Task, restore_task

_TWINS = "twins."


class FrozenRow(NamedTuple):
    """An item and its twins, one per condition."""

    item: Item
    twins: tuple[Twin, ...]


@dataclass(frozen=True)
class Suite:
    """A frozen suite; made by `open_suite`."""

    path: Path
    manifest: SuiteManifest

    def __len__(self) -> int:
        return self.manifest.items

    def __repr__(self) -> str:
        """Return the name, the size and the digest on one line."""
        return f"<Suite {self.manifest.name}: {self.count()}, {self.digest}>"

    def count(self) -> str:
        """Return how many items, conditions and contrasts there are, in words."""
        contrasts = len(self.manifest.contrasts)
        numbers = {"item": len(self), "condition": len(self.manifest.conditions) - contrasts}
        numbers |= {"contrast": contrasts} if contrasts else {}
        return ", ".join(number_of(number, name) for name, number in numbers.items())

    @property
    def digest(self) -> str:
        """The digest of everything that was frozen."""
        return self.manifest.digest

    @cached_property
    def task(self) -> Task | None:
        """The task whose questions the suite asks; None if it has plain texts."""
        about = self.manifest.task
        try:
            return None if about is None else restore_task(about)
        except (KeyError, TypeError, AttributeError, UsageError) as error:
            problem = f"its task cannot be read ({error!s:.80}); get the suite again, or use a newer Salva"
            raise InputError.at(self.path, None, problem) from None

    def __iter__(self) -> Iterator[FrozenRow]:
        """Yield the items with their twins; refuse a line that is not as it was written."""
        names = [ITEMS, *(condition.file for condition in self.manifest.conditions)]
        with contextlib.ExitStack() as stack:
            readers = [stack.enter_context(_records(self.path / name)) for name in names]
            for number, records in enumerate(_in_step(self.path, readers), 1):
                yield _read_row(self.path / names[0], number, records)


def is_suite(source: Any) -> bool:
    """Return whether a source is the folder of a suite."""
    return isinstance(source, str | Path) and (Path(source) / MANIFEST).is_file()


def open_suite(path: PathLike) -> Suite:
    """Open the suite in a folder; its items are read, and checked, when they are needed."""
    folder = Path(path)
    return Suite(folder, read_manifest(folder)[0])


@contextlib.contextmanager
def _records(path: Path) -> Iterator[Iterator[dict[str, Any]]]:
    with storage_errors(path), open_part(path) as stream:
        yield (checked(path, line) for line in read_lines(stream, hashlib.sha256()))


def open_part(path: Path) -> BinaryIO:
    """Open a file of a suite; refuse one that is missing, or a link to somewhere else."""
    if path.is_symlink() or not path.is_file():
        raise InputError.at(path, None, "is missing; get the suite again")
    return path.open("rb")


def _in_step(folder: Path, readers: Sequence[Iterator[Any]]) -> Iterator[tuple[Any, ...]]:
    try:
        yield from zip(*readers, strict=True)
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError.at(folder, None, "its files differ in length; run salva suite verify") from None


def _read_row(path: Path, number: int, records: Sequence[dict[str, Any]]) -> FrozenRow:
    try:
        row = FrozenRow(Item.from_record(records[0]), tuple(map(Twin.from_record, records[1:])))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError.at(path, number, f"an item or its twin is broken ({error!r:.60})") from None
    if any(twin.id != row.item.id for twin in row.twins):
        raise InputError.at(path, number, f"item {row.item.id!r}: a file of twins has another item here")
    return row


def name_files(conditions: Iterable[str]) -> dict[str, str]:
    """Return the name of the file of every condition.

    >>> name_files(["typos/render", "typos@0.5#1"])
    {'typos/render': 'twins.typos_render.jsonl', 'typos@0.5#1': 'twins.typos@0.5#1.jsonl'}
    """
    named: dict[str, str] = {}
    for name in conditions:
        plain, number = re.sub(r"[^\w.@#+=-]", "_", name), 1
        while f"{_TWINS}{plain}.jsonl" in named.values():
            number += 1
            plain = f"{plain}-{number}"
        named[name] = f"{_TWINS}{plain}.jsonl"
    return named


class SuiteWriter:
    """Writes the rows of a suite, and its manifest at the end; made by `writing_suite`."""

    def __init__(self, streams: Mapping[str, BinaryIO], folder: Path) -> None:
        self._streams, self._folder = streams, folder
        self._hashes = {name: hashlib.sha256() for name in streams}
        self._lines = 0
        self.manifest: SuiteManifest | None = None
        self.content = b""

    def write(self, row: FrozenRow) -> None:
        """Write an item and its twins."""
        for (name, stream), part in zip(self._streams.items(), (row.item, *row.twins), strict=True):
            line = seal(part.as_record())
            self._hashes[name].update(line)
            with storage_errors(self._folder / name):
                stream.write(line)
        self._lines += 1

    def finish(self, sections: Mapping[str, Any]) -> None:
        """Make the manifest, from all its sections but `files`."""
        files = {
            name: {"digest": f"sha256:{own.hexdigest()}", "lines": self._lines}
            for name, own in self._hashes.items()
        }
        self.content = as_json(seal_manifest({**sections, "files": files}))


@contextlib.contextmanager
def writing_suite(path: PathLike, conditions: Iterable[str], *, overwrite: bool) -> Iterator[SuiteWriter]:
    """Open a suite for writing; it appears as a whole when the block ends without an error."""
    folder, names = Path(path), [ITEMS, *name_files(conditions).values()]
    made, left = _prepare(folder, names, overwrite=overwrite)
    try:
        with publishing(folder / MANIFEST) as unit, contextlib.ExitStack() as stack:
            streams = {
                name: stack.enter_context(unit.open(folder / name, overwrite=overwrite or left))
                for name in names
            }
            writer = SuiteWriter(streams, folder)
            yield writer
            stack.close()
            place = folder / MANIFEST
            with unit.open(place, overwrite=overwrite or left) as stream, storage_errors(place):
                stream.write(writer.content)
    except BaseException:
        if made:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
    _remove_others(folder, names)


def _prepare(folder: Path, names: Sequence[str], *, overwrite: bool) -> tuple[bool, bool]:
    """Make the folder; return whether it is new, and whether a killed process left files to replace."""
    with storage_errors(folder):
        if folder.exists() and not folder.is_dir():
            raise InputError.at(folder, None, "is a file; give a folder for the suite")
        made = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        left = bool(finish_publishing(folder / MANIFEST, *(folder / name for name in names)))
        refuse_existing(folder / MANIFEST, overwrite=overwrite or left)
        if not (folder / MANIFEST).exists() and any(not _is_scratch(item) for item in folder.iterdir()):
            raise InputError.at(folder, None, "is not empty and holds no suite; give another folder")
    return made, left


def _is_scratch(item: Path) -> bool:
    return item.name.startswith(PREFIX)


def _remove_others(folder: Path, names: Sequence[str]) -> None:
    """Remove the twins of a suite that was replaced."""
    with storage_errors(folder):
        for item in folder.glob(f"{_TWINS}*.jsonl"):
            if item.name not in names:
                item.unlink()
