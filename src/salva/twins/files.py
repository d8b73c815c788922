r"""Files of lines as PCFG SET has them, and folders of them that appear whole.

A file holds a line a row, in UTF-8. What is normalised when one is read: `\r\n` ends a line as `\n` does, the
last line may lack its end, empty lines at the end are none, and white space before, after and between tokens
becomes single spaces. What is written ends every line with `\n`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from salva._files import read_text, storage_errors, write_atomically
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError, UsageError

__all__ = [
    "MANIFEST",
    "read_lines",
    "refuse_inputs",
    "same_count",
    "whole_folder",
    "write_lines",
    "write_manifest",
]

MANIFEST = "manifest.json"
_UNPLAIN = re.compile(r"^ | $|  |[^\S\n ]", re.MULTILINE)


def read_lines(path: PathLike) -> list[str]:
    """Return the lines of a file, normalised."""
    text = read_text(path)
    if _UNPLAIN.search(text):
        text = "\n".join(" ".join(line.split()) for line in text.split("\n"))
    lines = text.rstrip("\n").split("\n")
    if lines == [""]:
        raise InputError.at(path, None, "is empty; expected a line a row")
    return lines


def same_count(path: PathLike, lines: Sequence[str], other: PathLike, others: Sequence[str]) -> None:
    """Refuse two files that should have a line for each of the other's and do not."""
    if len(lines) != len(others):
        short, fewer = (path, len(lines)) if len(lines) < len(others) else (other, len(others))
        longer, more = (other, len(others)) if short == path else (path, len(lines))
        problem = (
            f"ends after line {fewer:,}, {longer} has {number_of(more, 'line')}; each needs one in the other"
        )
        raise InputError.at(short, fewer, problem)


def refuse_inputs(inputs: Iterable[PathLike], outputs: Iterable[PathLike]) -> None:
    """Refuse to write a file that is read: what was asked for would destroy what it is made from."""
    there = [path for path in map(Path, inputs) if path.exists()]
    for place in map(Path, outputs):
        if place.exists() and any(place.samefile(path) for path in there):
            raise UsageError(f"{place} is read and would be replaced; choose another name for the output")


@contextlib.contextmanager
def whole_folder(
    folder: PathLike, *, parts: Sequence[str] = ("",), overwrite: bool = False
) -> Iterator[Path]:
    """Give a folder to write into, which takes the name `folder` when the block ends well.

    One that stands there keeps the files that have other names; its manifest is replaced last. Where only
    some of its folders are written, `parts` names them, and others may be there already.
    """
    target = Path(folder)
    with storage_errors(target):
        for place in (target, *(target / part for part in parts)):
            if place.exists() and not place.is_dir():
                raise InputError.at(place, None, "is a file; name a folder")
        for place in (target / part for part in parts):
            if place.is_dir() and any(place.iterdir()) and not overwrite:
                raise InputError.at(place, None, "exists; pass --overwrite, or choose another name")
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.parent / f".tmp-{secrets.token_hex(8)}"
        temporary.mkdir()
    try:
        yield temporary
        with storage_errors(target):
            if target.is_dir():
                _move_into(temporary, target)
            else:
                temporary.replace(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _move_into(source: Path, target: Path) -> None:
    files = sorted(source.rglob("*"), key=lambda path: (path.name == MANIFEST, path))
    for path in (path for path in files if path.is_file()):
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)


def write_lines(path: Path, lines: Sequence[str]) -> dict[str, Any]:
    """Write lines; return their number and the digest of the file, for the manifest."""
    content = "".join(f"{line}\n" for line in lines).encode()
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, content)
    return {"lines": len(lines), "digest": f"sha256:{hashlib.sha256(content).hexdigest()}"}


def write_manifest(folder: Path, made: str, content: dict[str, Any]) -> None:
    """Write what a folder was made by; nothing in it depends on the time or the machine."""
    head = {"manifest": 1, "salva": version("salva"), "made_by": made}
    text = json.dumps(head | content, indent=2, ensure_ascii=True, allow_nan=False)
    write_atomically(folder / MANIFEST, f"{text}\n".encode())
