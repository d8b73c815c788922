"""Checks of the file itself: encoding, line ends, white space, number of lines, name.

A check's docstring is its message.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

from salva._show import UNSHOWN, escape, number_of
from salva.outliers.checks.collection import Checks, Problem, SetFile
from salva.outliers.drafts import SIZE, UNDETERMINED, Entry, clean_word, strip_word

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
