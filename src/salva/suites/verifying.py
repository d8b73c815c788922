"""Verify a suite: find every byte that is not as it was frozen, and name its file, line and item."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from salva._files import storage_errors
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError
from salva.suites.folder import Suite, open_part, open_suite
from salva.suites.lines import read_lines
from salva.suites.manifest import (
    ITEMS,
    MANIFEST,
    SuiteManifest,
    find_manifest_fault,
    read_manifest,
    refuse_digest,
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something in a suite that is not as it was frozen; `line` and `item` are None if it is a whole file."""

    path: str
    line: int | None
    item: str | None
    problem: str

    def __str__(self) -> str:
        """Return the fault in one line."""
        return str(self.as_error())

    def as_error(self) -> InputError:
        """Return the fault as an error."""
        about = "" if self.item is None else f"item {self.item!r} "
        return InputError.at(self.path, self.line, f"{about}{self.problem}")


def verify(path: PathLike, *, digest: str | None = None) -> list[Fault]:
    """Return the faults of a suite, none if it is as it was frozen; `digest` is the one that it must have."""
    folder = Path(path)
    manifest, plain = read_manifest(folder)
    if digest is not None:
        refuse_digest(folder, manifest, digest)
    faults = []
    found = find_manifest_fault(folder / MANIFEST, plain)
    if found is not None:
        faults.append(Fault(str(folder / MANIFEST), found[0], None, found[1]))
    ids: list[str] = []
    for name in (ITEMS, *(other for other in manifest.files if other != ITEMS)):
        faults += _check_file(folder, name, manifest, ids)
    faults += [
        Fault(str(item), None, None, "is not a file of this suite; remove it")
        for item in sorted(folder.glob("*.jsonl"))
        if item.name not in manifest.files
    ]
    return faults


def open_whole(path: PathLike) -> Suite:
    """Open a suite; refuse one that is not as it was frozen."""
    for fault in verify(path):
        raise fault.as_error()
    return open_suite(path)


def _check_file(folder: Path, name: str, manifest: SuiteManifest, ids: list[str]) -> Iterator[Fault]:
    """Yield the faults of a file; those of the items fill `ids`, with which the twins are compared."""
    path, wanted, whole = folder / name, manifest.files[name], hashlib.sha256()
    own: list[str] = ids if name == ITEMS else []
    number, faults = 0, 0
    try:
        stream = open_part(path)
    except InputError:
        yield Fault(str(path), None, None, "is missing; get the suite again")
        return
    with storage_errors(path), stream:
        for line in read_lines(stream, whole):
            number = line.number
            here = line.record["id"] if line.record else None
            right = here if name == ITEMS else ids[number - 1] if number <= len(ids) else None
            problem = line.problem
            if problem is None and name != ITEMS and here != right:
                problem = "is not in its place" if right is None else f"is missing here; there is {here!r}"
            own.append(here or "")
            if problem is not None:
                faults += 1
                yield Fault(str(path), number, right or here, problem)
    if number != wanted.lines:
        yield Fault(str(path), None, None, f"has {number_of(number, 'line')}, not {wanted.lines:,}")
    elif not faults and f"sha256:{whole.hexdigest()}" != wanted.digest:
        problem = "was changed: its digest does not match, although those of its lines do"
        yield Fault(str(path), None, None, problem)
