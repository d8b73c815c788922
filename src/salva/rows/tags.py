"""Tags of tokens, one entity or none: BIO in its two forms, BIOES and BILOU."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TAG = re.compile(r"([BIESLU])-(.+)")
_BEGINS, _ENDS = frozenset("BSU"), frozenset("ESLU")
# How the last and the only token of an entity are tagged, by a prefix that only one scheme has.
_SCHEMES = {"E": ("E", "S"), "S": ("E", "S"), "L": ("L", "U"), "U": ("L", "U")}


def is_tag(tag: str) -> bool:
    """Return whether a tag is O, or a prefix and a label.

    >>> is_tag("O"), is_tag("B-PER"), is_tag("PER"), is_tag("B-")
    (True, True, False, False)
    """
    return tag == "O" or _TAG.fullmatch(tag) is not None


def label_of(tag: str) -> str:
    """Return the label of a tag that is not O."""
    return tag[2:]


def number_entities(tags: Sequence[str]) -> list[int]:
    """Return which entity each token belongs to, counting from 0; -1 for none.

    As in the CoNLL evaluation, an entity begins with B, S or U, with another label, and after an end.

    >>> number_entities(["B-PER", "I-PER", "O", "I-LOC", "B-LOC", "E-LOC", "I-LOC"])
    [0, 0, -1, 1, 2, 2, 3]
    """
    numbers, count, before = [], -1, "O"
    for tag in tags:
        if tag != "O":
            goes_on = before != "O" and before[0] not in _ENDS and label_of(before) == label_of(tag)
            count += not (goes_on and tag[0] not in _BEGINS)
        numbers.append(-1 if tag == "O" else count)
        before = tag
    return numbers


def join_entities(tags: Sequence[str], places: Sequence[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """Return the start, end and label of every entity, given where the tokens are.

    >>> join_entities(["B-PER", "I-PER", "O", "B-LOC"], [(0, 5), (6, 9), (10, 12), (13, 18)])
    [(0, 9, 'PER'), (13, 18, 'LOC')]
    """
    found: list[tuple[int, int, str]] = []
    for tag, (start, end), number in zip(tags, places, number_entities(tags), strict=True):
        if number == len(found):
            found.append((start, end, label_of(tag)))
        elif number >= 0:
            found[number] = found[number][0], end, found[number][2]
    return found


def spread_tags(tags: Sequence[str], count: int) -> list[str]:
    """Return the tags of one entity for another number of tokens, in its own scheme.

    >>> spread_tags(["B-PER"], 2), spread_tags(["S-PER"], 2), spread_tags(["B-LOC", "L-LOC"], 1)
    (['B-PER', 'I-PER'], ['B-PER', 'E-PER'], ['U-LOC'])
    """
    first, label = tags[0][0], label_of(tags[0])
    last, only = _SCHEMES.get(tags[-1][0]) or _SCHEMES.get(first) or ("I", first)
    prefixes = ["B" if first in "SU" else first, *"I" * (count - 2), last] if count > 1 else [only]
    return [f"{prefix}-{label}" for prefix in prefixes]
