"""Checks of the file itself, encoding, line ends, white space, number of lines, name; and its repair.

A check's docstring is its message.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from salva._files import write_atomically
from salva._show import UNSHOWN, escape, number_of
from salva._types import PathLike
from salva.outliers.checks.collection import Checks, Problem, SetFile
from salva.outliers.drafts import SIZE, UNDETERMINED, Draft, Entry, clean_word, read_draft, strip_word
from salva.outliers.sets import set_files

_JOINERS = "\u200c\u200d"  # Persian and Indic spelling needs these


def not_utf8(file: SetFile) -> Iterator[Problem]:
    """The file is not UTF-8."""
    try:
        file.draft.raw.decode()
    except UnicodeDecodeError as error:
        line = file.draft.raw.count(b"\n", 0, error.start) + 1
        yield Problem(f"byte {error.start} is {file.draft.raw[error.start]:#04x}", line)


def byte_order_mark(file: SetFile) -> Iterator[Problem]:
    """The file starts with a byte-order mark, which other programs read as part of the first word."""
    if file.draft.raw.startswith(codecs.BOM_UTF8):
        yield Problem("U+FEFF", 1)


def line_ends(file: SetFile) -> Iterator[Problem]:
    """Lines end with a carriage return, which other programs read as part of the word."""
    text = file.draft.text or ""
    ended = text.count("\r\n") or (text.count("\r") if "\n" not in text else 0)
    if ended:
        yield Problem(number_of(ended, "line"), 1)


def final_newline(file: SetFile) -> Iterator[Problem]:
    """The last line does not end with a newline."""
    if file.draft.text and not file.draft.text.endswith(("\n", "\r")):
        yield Problem(repr(file.draft.lines()[-1]), len(file.draft.lines()))


def around(file: SetFile) -> Iterator[Problem]:
    """There is white space around a word or in a line that should be empty."""
    for number, line in enumerate(file.draft.lines(), 1):
        if line != strip_word(line):
            yield Problem(repr(line), number, clean_word(line) or None)


def not_nfc(file: SetFile) -> Iterator[Problem]:
    """A word is not in Unicode's composed form (NFC)."""
    for entry in file.draft.entries:
        if entry.bare != entry.word:
            yield Problem(ascii(entry.text), entry.line, entry.word)


def empty_lines(file: SetFile) -> Iterator[Problem]:
    """Exactly one empty line must separate the inliers from the outliers."""
    lines = file.draft.lines()
    empty = [number for number, line in enumerate(lines, 1) if not strip_word(line)]
    if len(file.draft.entries) > SIZE and not any(
        file.draft.inliers[-1].line < number < file.draft.outliers[0].line for number in empty
    ):
        yield Problem(f"none after the {SIZE} inliers", file.draft.outliers[0].line)
    parting = file.draft.inliers[-1].line + 1 if file.draft.inliers else 1
    yield from (Problem("this one is extra", number) for number in empty if number != parting)


def inliers(file: SetFile) -> Iterator[Problem]:
    """A set must have eight inliers."""
    if file.draft.text is not None and len(file.draft.inliers) != SIZE:
        yield _count(file.draft.inliers, 1)


def outliers(file: SetFile) -> Iterator[Problem]:
    """A set must have eight outliers."""
    if file.draft.text is not None and len(file.draft.outliers) != SIZE:
        yield _count(file.draft.outliers, max(len(file.draft.lines()), 1))


def name(file: SetFile) -> Iterator[Problem]:
    """The file is not named LANG-Topic.txt, with the language in capitals."""
    if file.language == UNDETERMINED:
        yield Problem(repr(Path(file.draft.path).name))


def folder(file: SetFile) -> Iterator[Problem]:
    """The file is in the folder of another topic."""
    parent = Path(file.draft.path).parent.name
    if file.nested and file.language != UNDETERMINED and parent != file.draft.topic:
        yield Problem(f"{parent!r}, not {file.draft.topic!r}")


def hidden(file: SetFile) -> Iterator[Problem]:
    """A word contains a control character or an invisible character."""
    for entry in file.draft.entries:
        unshown = UNSHOWN.search(entry.word.translate(dict.fromkeys(map(ord, _JOINERS))))
        if unshown:
            yield Problem(escape(unshown[0]), entry.line, entry.word)


def numbered(file: SetFile) -> Iterator[Problem]:
    """The lines are numbered, like the lists in the guidelines."""
    entries = [entry for entry in file.draft.entries if entry.number is not None]
    if entries:
        example = strip_word(entries[0].text)
        yield Problem(f"{number_of(len(entries), 'line')}, such as {example!r}", entries[0].line)


def _count(entries: tuple[Entry, ...], line: int) -> Problem:
    return Problem(f"found {len(entries)}", entries[-1].line if entries else line)


FORMAT: Checks = {
    "F1": ("error", not_utf8),
    "F2": ("error", byte_order_mark),
    "F3": ("error", line_ends),
    "F4": ("error", final_newline),
    "F5": ("error", around),
    "F6": ("error", not_nfc),
    "F7": ("error", empty_lines),
    "F8": ("error", inliers),
    "F9": ("error", outliers),
    "F10": ("error", name),
    "F11": ("warning", folder),
    "F12": ("error", hidden),
    "F13": ("error", numbered),
}


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
    fixes = []
    for path in set_files(source, languages=languages):
        draft = read_draft(path)
        content, changes = mend(draft)
        if changes:
            write_atomically(path, content, overwrite=True)
            fixes.append(Fix(draft.path, changes))
    return fixes


def mend(draft: Draft) -> tuple[bytes, tuple[str, ...]]:
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
    return content, _list_changes(draft, lines, len(kept)) if content != draft.raw else ()


def _begins_again(draft: Draft) -> bool:
    """Return whether two numbered lists follow each other with nothing between them."""
    first, second = draft.inliers[:1], draft.outliers[:1]
    parted = second and second[0].line > draft.inliers[-1].line + 1
    return bool(second and not parted and second[0].number and second[0].number == first[0].number)


def _list_changes(draft: Draft, lines: list[str], left: int) -> tuple[str, ...]:
    text = draft.text or ""
    around = sum(line != strip_word(line) for line in lines)
    numbers = sum(entry.number is not None for entry in draft.entries)
    composed = sum(entry.bare != entry.word for entry in draft.entries)
    parted = _begins_again(draft)
    emptied = len(lines) - left + parted
    changes = {
        "removed the byte-order mark": draft.raw.startswith(codecs.BOM_UTF8),
        "converted line ends to LF": "\r\n" in text or ("\r" in text and "\n" not in text),
        "added the final newline": not text.endswith(("\n", "\r")),
        f"removed white space ({number_of(around, 'line')})": around,
        f"removed numbers ({number_of(numbers, 'line')})": numbers,
        "separated inliers from outliers": parted,
        f"normalised words to NFC ({number_of(composed, 'line')})": composed,
        f"removed empty lines ({number_of(emptied, 'line')})": emptied,
    }
    named = tuple(change for change, happened in changes.items() if happened)
    return named or ("removed a stray line end",)  # a lone CR after the last LF
