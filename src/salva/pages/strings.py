r"""Strings of unknown origin: control and hidden characters are shown as escapes, long strings are cut.

This module does not deal with HTML: the environment escapes everything that templates print.
"""

from __future__ import annotations

from dataclasses import dataclass

from salva._show import UNSHOWN, escape, printable


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a string: plain text, escapes of characters that would be invisible, or what was left out."""

    text: str = ""
    escaped: bool = False
    left_out: int = 0


def pieces(text: str, most: int | None = None) -> list[Piece]:
    r"""Return a text in pieces, at most `most` characters of it.

    >>> [piece.text for piece in pieces("a\x00b")]
    ['a', '\\x00', 'b']
    """
    kept = text if most is None or len(text) <= most else text[:most]
    found, last = [], 0
    for match in UNSHOWN.finditer(kept):
        found += [Piece(kept[last : match.start()])] if match.start() > last else []
        found.append(Piece(escape(match[0]), escaped=True))
        last = match.end()
    found += [Piece(kept[last:])] if last < len(kept) else []
    return found + ([Piece(left_out=len(text) - len(kept))] if len(kept) < len(text) else [])


def short(text: str, most: int = 80) -> str:
    """Return a text for a place with room for one line, such as a title.

    >>> short("a fine film", 7)
    'a fine …'
    """
    line = " ".join(text[: most + 1].split())
    return printable(line if len(text) <= most else f"{line[:most].rstrip()} …")
