"""Directed pairs of words that keep the meaning, in a plain file with one rule per line.

    n movie > film | next! theater,theatre,night; prev! home
    v begin = start | nexttag! VBG
    x in order to > to

A rule names the part of speech (n, v, a, r for noun, verb, adjective, adverb; x for words as written), the
source, `>` (or `=` for both ways) and the targets, separated by blanks, after x by ` / `. A lemma of several
words has `_` between them. Conditions follow `|`, separated by `;`: all of them must hold.

`next`, `prev`, `next2`, `prev2` name the tokens at that place, `near` those within three to the right, `tag`,
`nexttag`, `prevtag` Penn tags; `!` negates. Tokens are NLTK's, in lower case, separated by commas; `COMMA` is
the comma, and `^` the start of a sentence.

A line `- n movie > film` removes targets from the pairs of the files that follow this one in a setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from typing import Literal, NamedTuple

from salva._files import read_text
from salva._types import PathLike
from salva.errors import InputError

PLACES = ("next", "prev", "next2", "prev2", "near", "tag", "nexttag", "prevtag")
PAIR_FILES = ("pairs", "contractions", "spellings", "candidates", "negations", "affirmations", "antonyms")

_RULE = re.compile(r"(-\s+)?([nvarx])\s+(.+?)\s+([>=])\s+(.+)")
_CONDITION = re.compile(rf"({'|'.join(PLACES)})(!?)\s+(\S+)")


@dataclass(frozen=True, slots=True)
class Condition:
    """What must be, or with `negated` must not be, at a place near the source."""

    place: str
    negated: bool
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """A source and what may replace it; `line` says where the rule is in its file.

    A pair that `removes` takes its targets away from the pairs of other files.
    """

    part: Literal["n", "v", "a", "r", "x"]
    source: str
    targets: tuple[str, ...]
    conditions: tuple[Condition, ...] = ()
    line: int = 0
    removes: bool = False


class Fault(NamedTuple):
    """A line of a file that cannot be read, and why."""

    line: int
    message: str


@cache
def load_pairs(name: str) -> tuple[Pair, ...]:
    """Return the shipped rules of one of `PAIR_FILES`."""
    with as_file(files("salva.lexicon").joinpath(f"data/{name}.txt")) as path:
        return read_pairs(path)


def read_pairs(path: PathLike) -> tuple[Pair, ...]:
    """Read a file of pairs; an error names the line."""
    pairs, faults = parse_pairs(read_text(path))
    for fault in faults:
        raise InputError.at(path, fault.line, fault.message)
    return pairs


def parse_pairs(text: str) -> tuple[tuple[Pair, ...], list[Fault]]:
    """Return the pairs of a text, and a fault per line that cannot be read."""
    pairs: list[Pair] = []
    faults: list[Fault] = []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            pairs += parse_rule(line, number)
        except ValueError as error:
            faults.append(Fault(number, str(error)))
    return tuple(pairs), faults


def parse_rule(line: str, number: int = 0) -> list[Pair]:
    """Return the directed pairs of one line: none for a comment, several for `=`.

    >>> [(pair.source, pair.targets) for pair in parse_rule("v begin = start | nexttag! VBG")]
    [('begin', ('start',)), ('start', ('begin',))]
    """
    text = line.partition("#")[0].strip()
    if not text:
        return []
    head, _, tail = text.partition("|")
    match = _RULE.fullmatch(head.strip())
    if match is None:
        raise ValueError(f"{head.strip()!r:.60} must be a part of speech, a source, > or =, and targets")
    minus, part, source, sign, listed = match.groups()
    if minus and tail:
        raise ValueError(f"{text!r:.60} removes a pair, which takes no conditions")
    targets = listed.split(" / ") if part == "x" else listed.split()
    names = [" ".join(name.replace("_", " ").split()) for name in (source, *targets)]
    written = [name.replace(" ,", ",") for name in names]
    conditions = tuple(_parse_conditions(tail))
    pair = Pair(part, names[0], tuple(written[1:]), conditions, number, bool(minus))  # type: ignore[arg-type]
    if sign == ">":
        return [pair]
    return [pair, *(replace(pair, source=name, targets=(written[0],)) for name in names[1:])]


def _parse_conditions(text: str) -> Iterator[Condition]:
    for part in filter(None, map(str.strip, text.split(";"))):
        match = _CONDITION.fullmatch(part)
        if match is None:
            raise ValueError(f"{part!r:.60} is not a condition such as next! night,theater")
        place, negation, values = match.groups()
        names = tuple("," if name == "COMMA" else name for name in values.split(",") if name)
        if not names:
            raise ValueError(f"{part!r:.60} names nothing; write COMMA for the comma")
        yield Condition(place, bool(negation), names)


def merge_pairs(files: Sequence[tuple[str, Sequence[Pair]]]) -> tuple[Pair, ...]:
    """Return the pairs of several named files in order, without those that an earlier file removes."""
    merged: list[Pair] = []
    removed: dict[tuple[str, str, str], tuple[str, int]] = {}
    used: set[tuple[str, str, str]] = set()
    for name, pairs in files:
        own: dict[tuple[str, str, str], tuple[str, int]] = {}
        for pair in pairs:
            keys = {target: (pair.part, pair.source, target) for target in pair.targets}
            if pair.removes:
                own |= dict.fromkeys(keys.values(), (name, pair.line))
                continue
            used |= removed.keys() & keys.values()
            targets = tuple(target for target, key in keys.items() if key not in removed)
            merged += [replace(pair, targets=targets)] if targets else []
        removed |= own
    for (part, source, target), (name, line) in removed.items():
        if (part, source, target) not in used:
            message = f"no file after this one has {part} {source} > {target}, which this line removes"
            raise InputError.at(name, line, message)
    return tuple(merged)
