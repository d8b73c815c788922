"""Tags, entities, addresses and names with `re`, and whole characters with `regex`: one text at a time.

A stretch is known by one character that all of its kind have; an address may begin before that character, but
not inside the stretch before it. Markup is white space for those who cut, and a token afterwards.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import regex

from salva.text import tokenize

Spans = Sequence[tuple[int, int]]

LONGEST_TAG, LONGEST_ENTITY = 4096, 32  # in bytes

TAG = re.compile(r"<(?:[/!?]?(?=[A-Za-z])|!(?=--))[^<>]*>")
ENTITY = re.compile(r"&(?:#[xX][0-9a-fA-F]+|#[0-9]+|[A-Za-z0-9]+);")
MAIL_NAME, MAIL_HOST = re.compile(r"[A-Za-z0-9._%+-]*\Z"), re.compile(r"@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
SCHEME, URL = re.compile(r"[A-Za-z0-9+.-]*\Z"), re.compile(r'://[^\s<>"]*')
WWW = re.compile(r'[wW]{3}\.(?=.)[^\s<>"]*', re.DOTALL)
NAME = re.compile(r"[@#]\w+")
WORD = re.compile(r"\w")


class Token(NamedTuple):
    """A token as it is written out, and how it hangs on the one before."""

    start: int
    stop: int
    word: str
    blocked: bool = False
    glued: bool = False
    continues: bool = False
    opaque: bool = False


def tokens(
    text: str, by: str, *, markup: bool = False, names: bool = False, matches: Spans = ()
) -> list[Token]:
    """Return the tokens of a text, those of markup among them."""
    found = stretches(text, markup=markup, names=names)
    tags = [span for span in found if markup and _markup(text, span[0]) == span]
    cut = _cut(text, by, tags) + [Token(*span, text[slice(*span)], True, opaque=True) for span in tags]
    row = sorted(cut)
    for k, (one, two) in enumerate(itertools.pairwise(row), 1):
        row[k] = two._replace(glued=one.stop == two.start and (one.opaque or two.opaque))
    for start, stop in [span for span in found if span not in tags] + sorted(matches):
        _tie(text, row, [k for k, token in enumerate(row) if token.start < stop and start < token.stop])
    return row


def _cut(text: str, by: str, tags: Spans) -> list[Token]:
    hidden = text
    for start, stop in tags:
        kept = re.match(r'"(?!\w)', text[stop:]) is not None
        hidden = hidden[:start] + " " * (stop - start - kept) + hidden[stop - kept :]
    spans = tokenize([hidden], by=by)
    found = []
    for start, stop, word in zip(
        spans.starts[0].as_py(), spans.ends[0].as_py(), spans.to_pylist()[0], strict=True
    ):
        first = max([start, *(end for begin, end in tags if begin < stop)])
        if first < stop:
            found.append(Token(first, stop, word if first == start else text[first:stop]))
    return found


def _tie(text: str, row: list[Token], touched: list[int]) -> None:
    """Make the tokens that a stretch touches one, which comes out as it is."""
    for k in touched:
        raw = text[row[k].start : row[k].stop]
        opaque = len(touched) > 1 or sum(raw.count(quote) for quote in "'\"`") > 1
        row[k] = row[k]._replace(
            word=raw,
            blocked=True,
            glued=row[k].glued and k == touched[0],
            continues=row[k].continues or k > touched[0],
            opaque=row[k].opaque or opaque,
        )


def stretches(text: str, *, markup: bool, names: bool) -> list[tuple[int, int]]:
    """Return where protected stretches begin and end, in code points."""
    found, free = [], 0
    for i in range(len(text)):
        if i < free:
            continue
        span = (_markup(text, i) if markup else None) or (_name(text, i, free) if names else None)
        if span:
            found.append(span)
            free = span[1]
    return found


def _markup(text: str, i: int) -> tuple[int, int] | None:
    for kind, longest in ((TAG, LONGEST_TAG), (ENTITY, LONGEST_ENTITY)):
        match = kind.match(text, i)
        if match and len(match[0].encode()) <= longest:
            return match.span()
    return None


def _name(text: str, i: int, free: int) -> tuple[int, int] | None:
    for before, after in ((MAIL_NAME, MAIL_HOST), (SCHEME, URL)):
        start, match = free + before.search(text[free:i]).start(), after.match(text, i)
        if match and start < i:
            return start, match.end()
    if i > free and WORD.match(text[i - 1]):
        return None
    match = NAME.match(text, i) or WWW.match(text, i)
    return match.span() if match else None


def touched(spans: list[tuple[int, int]], stretches: list[tuple[int, int]]) -> list[bool]:
    """Tell which spans share a character with a stretch."""
    return [any(start < end and first < stop for first, end in stretches) for start, stop in spans]


def inside_characters(text: str, spans: list[tuple[int, int]]) -> list[bool]:
    """Tell which spans begin or end inside what a reader takes for one character."""
    edges = [0, *(match.end() for match in regex.finditer(r"\X", text))]
    return [not (_is_in(edges, start) and _is_in(edges, stop)) for start, stop in spans]


def _is_in(edges: list[int], place: int) -> bool:
    found = bisect_left(edges, place)
    return found < len(edges) and edges[found] == place
