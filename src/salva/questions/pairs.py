"""Questions about pairs: a line and its twin, each with a right answer, in a folder or as JSON lines.

A folder is that of PCFG SET: test.src, test.tgt, test_twin.src and test_twin.tgt. A file has one pair per
line, as `salva twins pair --synonyms` writes it.
"""

from __future__ import annotations

import bisect
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from salva._arguments import argument, check_whole
from salva._arrow import as_numbers
from salva.errors import UsageError
from salva.questions.items import choose_rows
from salva.questions.table import (
    CLEAN,
    MEASURE,
    STAY,
    Condition,
    DataInfo,
    keys_of,
    make_block,
)
from salva.twins.pair import TwinPair, read_pair_lines
from salva.twins.pcfg.pairing import read_pairs

TWIN, FAMILY = "twin", "twins"
KIND, WORDS, TARGETS = "kind", "words", "targets"  # what results are sliced by
DIFFER = "differ"
"""The slice of pairs with two targets, whose answers should not be equal."""

_LENGTHS = (10, 20, 30, 40, 60, 100, 200)  # upper bounds, in words
_MOST_PAIRS = 4096  # of a group
_PIECE = re.compile(r"\s+|\S+")


class PairMaker:
    """Makes both questions about every pair, group by group.

    `sample` takes random pairs, the same share of every kind, which a larger sample contains too.
    """

    conditions = (Condition(name=CLEAN), Condition(name=TWIN, family=FAMILY))

    def __init__(
        self, path: Path, limit: int | None = None, sample: int | None = None, seed: int = 0
    ) -> None:
        self._path = path
        pairs = read_pair_lines(path) if path.is_file() else read_pairs(path)
        self._chosen = _choose(pairs, limit, sample, seed)
        self.pairs: Sequence[TwinPair] = [pairs[k] for k in self._chosen]
        self.facts = {
            KIND: [pair.kind_name for pair in self.pairs],
            WORDS: list(map(_name_length, self.pairs)),
        }
        if any(map(_has_two_targets, self.pairs)):
            self.facts[TARGETS] = [DIFFER if _has_two_targets(pair) else "equal" for pair in self.pairs]

    def make(self, skip: int = 0) -> Iterator[tuple[int, pa.Table]]:
        """Yield the questions about pairs, with the number of pairs."""
        for first in range(skip, len(self.pairs), _MOST_PAIRS):
            places = range(first, min(first + _MOST_PAIRS, len(self.pairs)))
            pairs = [self.pairs[k] for k in places]
            facts = [[(name, values[k]) for name, values in self.facts.items()] for k in places]
            characters = [len(pair.source) for pair in pairs]
            clean = self._ask(places, CLEAN, facts=facts, characters=characters)
            twins = self._ask(places, TWIN, edits=list(map(_find_edits, pairs)))
            yield len(pairs), pa.concat_tables([clean, twins])

    def _ask(self, places: range, condition: str, **columns: Sequence[Any]) -> pa.Table:
        """Return the questions about one side of some pairs, with more columns."""
        pairs = [self.pairs[k] for k in places]
        sides = [(p.source, p.target) if condition == CLEAN else (p.twin, p.twin_target) for p in pairs]
        texts = [text for text, _ in sides]
        return make_block(
            len(places),
            **columns,
            key=keys_of(texts),
            item=as_numbers(np.array(places, np.int64)),
            id=[str(self._chosen[k]) for k in places],
            condition=condition,
            purpose=MEASURE,
            must=STAY,
            parts=[[text] for text in texts],
            expected=[[" ".join(target.split())] if target.strip() else None for _, target in sides],
        )

    def info(self) -> DataInfo:
        """Return what is known about the pairs."""
        fields = ("source", "twin", "target", "twin_target", "kind")
        content = json.dumps([[getattr(pair, name) for name in fields] for pair in self.pairs])
        return DataInfo(
            name=self._path.name,
            digest=f"sha256:{hashlib.sha256(content.encode()).hexdigest()}",
            rows=len(self.pairs),
            unlabelled=sum(not (p.target.strip() and p.twin_target.strip()) for p in self.pairs),
            labels={},
            text_columns=("source",),
            label_column="target",
            id_column=None,
        )


def _choose(pairs: Sequence[TwinPair], limit: int | None, sample: int | None, seed: int) -> Sequence[int]:
    """Return the numbers of the pairs that are asked about: all, the first, or random ones."""
    if sample is None:
        return range(len(pairs))[:limit]
    if limit is not None:
        raise UsageError(f"{argument('limit')} and {argument('sample')} exclude each other; give one of them")
    return choose_rows([pair.kind_name for pair in pairs], check_whole("sample", sample, 1), seed)


def _has_two_targets(pair: TwinPair) -> bool:
    return pair.target.split() != pair.twin_target.split()


def _find_edits(pair: TwinPair) -> list[Mapping[str, Any]]:
    """Return where a twin differs from its source: word by word if as many words differ, or as one edit."""
    old, new = (_PIECE.findall(text) for text in (pair.source, pair.twin))
    first = _count_equal(old, new)
    last = _count_equal(old[first:][::-1], new[first:][::-1])
    differing = old[first : len(old) - last], new[first : len(new) - last]
    if len(differing[0]) != len(differing[1]):
        differing = ["".join(differing[0])], ["".join(differing[1])]
    old_start = start = len("".join(old[:first]))
    edits: list[Mapping[str, Any]] = []
    for before, after in zip(*differing, strict=True):
        if before != after:
            place = {"part": 0, "start": start, "end": start + len(after), "old_start": old_start}
            edits.append({**place, "old": before, "new": after, "rule": pair.kind_name})
        old_start, start = old_start + len(before), start + len(after)
    return edits


def _count_equal(a: Sequence[str], b: Sequence[str]) -> int:
    """Return how many entries are equal from the beginning on."""
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(a, b, strict=False)))


def _name_length(pair: TwinPair) -> str:
    """Return how long a line is, as the name of a slice."""
    place = bisect.bisect_left(_LENGTHS, len(pair.source.split()))
    low = 1 + (0, *_LENGTHS)[place]
    return f"{low} to {_LENGTHS[place]} words" if place < len(_LENGTHS) else f"{low} words or more"
