r"""Files of lines in the format of PCFG SET, and folders of them that are written all at once.

A file holds one row per line, in UTF-8. Reading normalises it: `\r\n` ends a line like `\n`, the last line
may lack its end, empty lines at the end are dropped, white space between tokens becomes single spaces, and
white space around them is dropped. Writing ends every line with `\n`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from salva._arguments import argument
from salva._files import clear_leftovers, make_temporary, read_text, release, storage_errors, write_atomically
from salva._show import number_of
from salva._types import PathLike
from salva._version import __version__
from salva.errors import InputError

MANIFEST = "manifest.json"
PAIR_FILES = ("test.src", "test.tgt", "test_twin.src", "test_twin.tgt")
PairRole = Literal["twins", "control", "shuffled"]
_NOTES = ("alphabet", "names", "pairs")  # parts of a manifest that are used when a folder is read
_UNPLAIN = re.compile(r"^ | $|  |[^\S\n ]", re.MULTILINE)


def read_lines(path: PathLike) -> list[str]:
    """Return the lines of a file, normalised."""
    text = read_text(path)
    if _UNPLAIN.search(text):
        text = "\n".join(" ".join(line.split()) for line in text.split("\n"))
    lines = text.rstrip("\n").split("\n")
    if lines == [""]:
        raise InputError.at(path, None, "is empty; expected one row per line")
    return lines


def same_count(path: PathLike, lines: Sequence[str], other: PathLike, others: Sequence[str]) -> None:
    """Refuse two files that should have the same number of lines but do not."""
    if len(lines) != len(others):
        short, fewer = (path, len(lines)) if len(lines) < len(others) else (other, len(others))
        longer, more = (other, len(others)) if short == path else (path, len(lines))
        raise InputError.at(
            short,
            fewer,
            f"ends after line {fewer:,}, but {longer} has {number_of(more, 'line')}; both need as many",
        )


def check_targets(path: Path, right: Sequence[str]) -> None:
    """Check a file of targets against the values of its lines; a missing file is accepted."""
    if not path.exists():
        return
    lines = read_lines(path)
    same_count(path, lines, path.with_suffix(".src"), right)
    for number, (line, value) in enumerate(zip(lines, right, strict=True), 1):
        if line != value:
            target = f"{line!r:.80}" if line else "empty"
            problem = f"the target is {target}, but line {number:,} of {path.stem}.src means {value!r:.80}"
            remedy = f"correct one of them, or remove {path.name}: targets are computed from the lines"
            raise InputError.at(path, number, f"{problem}; {remedy}")


@contextlib.contextmanager
def whole_folder(
    folder: PathLike, *, parts: Sequence[str] = ("",), overwrite: bool = False
) -> Iterator[Path]:
    """Yield a temporary folder to write into, which is renamed to `folder` if the block succeeds.

    An existing folder keeps its files that have other names; its manifest is replaced last. If only some of
    its subfolders are written, `parts` names them, and others may exist already.
    """
    target = Path(folder)
    with storage_errors(target):
        for place in (target, *(target / part for part in parts)):
            if place.exists() and not place.is_dir():
                raise InputError.at(place, None, "is a file; name a folder")
        for place in (target / part for part in parts):
            if place.is_dir() and any(place.iterdir()) and not overwrite:
                remedy = f"pass {argument('overwrite', True)}, or choose another name"
                raise InputError.at(place, None, f"exists; {remedy}")
        target.parent.mkdir(parents=True, exist_ok=True)
        clear_leftovers(target)
        temporary, lock = make_temporary(target, Path.mkdir)
    try:
        yield temporary
        with storage_errors(target):
            if target.is_dir():
                _move_into(temporary, target)
            else:
                temporary.replace(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        release(lock)


def _move_into(source: Path, target: Path) -> None:
    files = sorted(source.rglob("*"), key=lambda path: (path.name == MANIFEST, path))
    for path in (path for path in files if path.is_file()):
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)


def write_lines(path: Path, lines: Sequence[str]) -> dict[str, Any]:
    """Write lines; return their count and the digest of the file, for the manifest."""
    content = "".join(f"{line}\n" for line in lines).encode()
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, content)
    return {"lines": len(lines), "digest": f"sha256:{hashlib.sha256(content).hexdigest()}"}


def write_manifest(folder: Path, made_by: str, content: dict[str, Any]) -> None:
    """Write how a folder was made; nothing in the manifest depends on the time or the machine."""
    text = json.dumps(
        {"manifest": 1, "salva": __version__, "made_by": made_by} | content,
        indent=2,
        ensure_ascii=True,
        allow_nan=False,
    )
    write_atomically(folder / MANIFEST, f"{text}\n".encode())


def read_notes(folder: Path) -> dict[str, Any]:
    """Return the manifest of a folder; an empty dict if there is none."""
    path = folder / MANIFEST
    if not path.is_file():
        return {}
    try:
        notes = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError.at(path, None, f"broken JSON: {error}") from None
    if not isinstance(notes, dict) or not all(_is_known(notes.get(name), name) for name in _NOTES):
        raise InputError.at(path, None, "is not a manifest written by Salva; move it elsewhere")
    return notes


def _is_known(note: Any, name: str) -> bool:
    """Return whether a note is missing or has the expected type."""
    if note is None or name == "pairs":
        return note in (None, *get_args(PairRole))
    words = [*note, *note.values()] if name == "names" and isinstance(note, dict) else note
    return isinstance(words, list) and all(isinstance(word, str) for word in words)
