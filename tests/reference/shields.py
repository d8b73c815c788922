"""Tags, entities, addresses and names with `re`, and whole characters with `regex`: one text at a time.

A stretch is known by one character that all of its kind have; an address may begin before that character, but
not inside the stretch before it.
"""

from __future__ import annotations

import re
from bisect import bisect_left

import regex

LONGEST_TAG, LONGEST_ENTITY = 4096, 32  # in bytes

TAG = re.compile(r"<(?:[/!?]?(?=[A-Za-z])|!(?=--))[^<>]*>")
ENTITY = re.compile(r"&(?:#[xX][0-9a-fA-F]+|#[0-9]+|[A-Za-z0-9]+);")
MAIL_NAME, MAIL_HOST = re.compile(r"[A-Za-z0-9._%+-]*\Z"), re.compile(r"@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
SCHEME, URL = re.compile(r"[A-Za-z0-9+.-]*\Z"), re.compile(r'://[^\s<>"]*')
WWW = re.compile(r'[wW]{3}\.(?=.)[^\s<>"]*', re.DOTALL)
NAME = re.compile(r"[@#]\w+")
WORD = re.compile(r"\w")


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
