"""Repairs that do not touch a word: white space, NFC, line ends, empty lines, list numbers."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from salva._files import write_atomically
from salva._show import number_of
from salva._types import PathLike
from salva.outliers.drafts import Draft, read_draft, stripped
from salva.outliers.sets import set_files


@dataclass(frozen=True, slots=True)
class Fix:
    """A repaired file, and what was changed in it."""

    path: str
    changes: tuple[str, ...]


def fix(source: PathLike | Iterable[PathLike], *, languages: Iterable[str] | None = None) -> list[Fix]:
    """Repair set files, given as files and folders, where that is safe; each is replaced atomically.

    Words stay as they are except for white space and invisible characters around them, Unicode composition
    (NFC), and numbers before them if every line has one. A file that is not UTF-8 is left alone.
    """
    done = []
    for path in set_files(source, languages=languages):
        draft = read_draft(path)
        content, changes = mended(draft)
        if changes:
            write_atomically(path, content, overwrite=True)
            done.append(Fix(draft.path, changes))
    return done


def mended(draft: Draft) -> tuple[bytes, tuple[str, ...]]:
    """Return the content of the repaired file, and the repairs."""
    if draft.text is None:
        return draft.raw, ()
    lines = draft.lines()
    words = {entry.line: entry.word for entry in draft.entries}
    kept = [words.get(number, "") for number in range(1, len(lines) + 1)]
    if _begins_again(draft):
        kept.insert(draft.outliers[0].line - 1, "")
    kept = [line for filled, run in groupby(kept, key=bool) for line in (run if filled else [""])]
    if draft.entries:
        kept = kept[not kept[0] : len(kept) - (not kept[-1])]
    content = "".join(f"{line}\n" for line in kept).encode()
    return content, _changes(draft, lines, len(kept)) if content != draft.raw else ()


def _begins_again(draft: Draft) -> bool:
    """Return whether two numbered lists follow each other with nothing between them."""
    first, second = draft.inliers[:1], draft.outliers[:1]
    parted = second and second[0].line > draft.inliers[-1].line + 1
    return bool(second and not parted and second[0].number and second[0].number == first[0].number)


def _changes(draft: Draft, lines: list[str], left: int) -> tuple[str, ...]:
    text = draft.text or ""
    around = sum(line != stripped(line) for line in lines)
    numbers = sum(entry.number is not None for entry in draft.entries)
    composed = sum(entry.bare != entry.word for entry in draft.entries)
    parted = _begins_again(draft)
    emptied = len(lines) - left + parted
    found = {
        "removed the byte-order mark": draft.raw.startswith(codecs.BOM_UTF8),
        "converted line ends to LF": "\r\n" in text or ("\r" in text and "\n" not in text),
        "added the final newline": not text.endswith(("\n", "\r")),
        f"removed white space ({number_of(around, 'line')})": around,
        f"removed numbers ({number_of(numbers, 'line')})": numbers,
        "separated inliers from outliers": parted,
        f"normalised words to NFC ({number_of(composed, 'line')})": composed,
        f"removed empty lines ({number_of(emptied, 'line')})": emptied,
    }
    named = tuple(what for what, happened in found.items() if happened)
    return named or ("removed a stray line end",)  # a lone CR after the last LF
