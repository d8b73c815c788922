"""Checks of the file itself: encoding, line ends, white space, number of lines, name.

A check's docstring is its message.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

from salva._show import UNSHOWN, escape, number_of
from salva.outliers.drafts import SIZE, UNDETERMINED, Entry, plain, stripped
from salva.outliers.subjects import Checks, Place, Subject

_JOINERS = "\u200c\u200d"  # Persian and Indic spelling needs these


def not_utf8(one: Subject) -> Iterator[Place]:
    """The file is not UTF-8."""
    try:
        one.draft.raw.decode()
    except UnicodeDecodeError as error:
        line = one.draft.raw.count(b"\n", 0, error.start) + 1
        yield Place(line, None, f"byte {error.start} is {one.draft.raw[error.start]:#04x}")


def byte_order_mark(one: Subject) -> Iterator[Place]:
    """The file starts with a byte-order mark, which other programs read as part of the first word."""
    if one.draft.raw.startswith(codecs.BOM_UTF8):
        yield Place(1, None, "U+FEFF")


def line_ends(one: Subject) -> Iterator[Place]:
    """Lines end with a carriage return, which other programs read as part of the word."""
    text = one.draft.text or ""
    ended = text.count("\r\n") or (text.count("\r") if "\n" not in text else 0)
    if ended:
        yield Place(1, None, number_of(ended, "line"))


def final_newline(one: Subject) -> Iterator[Place]:
    """The last line does not end with a newline."""
    if one.draft.text and not one.draft.text.endswith(("\n", "\r")):
        yield Place(len(one.draft.lines()), None, repr(one.draft.lines()[-1]))


def around(one: Subject) -> Iterator[Place]:
    """There is white space around a word or in a line that should be empty."""
    for number, line in enumerate(one.draft.lines(), 1):
        if line != stripped(line):
            yield Place(number, plain(line) or None, repr(line))


def not_nfc(one: Subject) -> Iterator[Place]:
    """A word is not in Unicode's composed form (NFC)."""
    for entry in one.draft.entries:
        if entry.bare != entry.word:
            yield Place(entry.line, entry.word, ascii(entry.text))


def empty_lines(one: Subject) -> Iterator[Place]:
    """Exactly one empty line must separate the inliers from the outliers."""
    lines = one.draft.lines()
    empty = [number for number, line in enumerate(lines, 1) if not stripped(line)]
    if len(one.draft.entries) > SIZE and not any(
        one.draft.inliers[-1].line < number < one.draft.outliers[0].line for number in empty
    ):
        yield Place(one.draft.outliers[0].line, None, f"none after the {SIZE} inliers")
    parting = one.draft.inliers[-1].line + 1 if one.draft.inliers else 1
    yield from (Place(number, None, "this one is extra") for number in empty if number != parting)


def inliers(one: Subject) -> Iterator[Place]:
    """A set must have eight inliers."""
    if one.draft.text is not None and len(one.draft.inliers) != SIZE:
        yield _count(one.draft.inliers, 1)


def outliers(one: Subject) -> Iterator[Place]:
    """A set must have eight outliers."""
    if one.draft.text is not None and len(one.draft.outliers) != SIZE:
        yield _count(one.draft.outliers, max(len(one.draft.lines()), 1))


def name(one: Subject) -> Iterator[Place]:
    """The file is not named LANG-Topic.txt, with the language in capitals."""
    if one.language == UNDETERMINED:
        yield Place(None, None, repr(Path(one.draft.path).name))


def folder(one: Subject) -> Iterator[Place]:
    """The file is in the folder of another topic."""
    parent = Path(one.draft.path).parent.name
    if one.nested and one.language != UNDETERMINED and parent != one.draft.topic:
        yield Place(None, None, f"{parent!r}, not {one.draft.topic!r}")


def hidden(one: Subject) -> Iterator[Place]:
    """A word contains a control character or an invisible character."""
    for entry in one.draft.entries:
        found = UNSHOWN.search(entry.word.translate(dict.fromkeys(map(ord, _JOINERS))))
        if found:
            yield Place(entry.line, entry.word, escape(found[0]))


def numbered(one: Subject) -> Iterator[Place]:
    """The lines are numbered, like the lists in the guidelines."""
    entries = [entry for entry in one.draft.entries if entry.number is not None]
    if entries:
        yield Place(
            entries[0].line, None, f"{number_of(len(entries), 'line')}, such as {stripped(entries[0].text)!r}"
        )


def _count(entries: tuple[Entry, ...], line: int) -> Place:
    return Place(entries[-1].line if entries else line, None, f"found {len(entries)}")


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
