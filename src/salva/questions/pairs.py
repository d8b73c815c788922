"""Questions about pairs: a line and its twin, each with a right answer, in a folder or as JSON lines.

A folder is that of PCFG SET: test.src, test.tgt, test_twin.src and test_twin.tgt.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from salva._arrow import as_numbers, as_strings
from salva.questions.table import (
    CLEAN,
    MEASURE,
    STAY,
    Condition,
    DataInfo,
    as_column,
    as_keys,
    keys_of,
    make_block,
)
from salva.twins.pair import TwinPair, read_pair_lines
from salva.twins.pcfg.files import PAIR_FILES
from salva.twins.pcfg.pairing import read_pairs

TWIN = "twin"
CONDITIONS = (Condition(name=CLEAN), Condition(name=TWIN, family="meaning"))
FACTS = ("kind", "words")
_LENGTHS = (10, 20, 30, 40, 60, 100, 200)  # upper bounds, in words
_MOST_PAIRS = 4096  # of a group


def is_pairs(source: Any) -> bool:
    """Return whether a source is a folder of pairs, or a file of them."""
    if not isinstance(source, str | Path):
        return False
    path = Path(source)
    if path.is_dir():
        return (path / PAIR_FILES[2]).is_file()
    return path.name.endswith(".pairs.jsonl") and path.is_file()


class PairMaker:
    """Makes both questions about every pair, group by group."""

    conditions = CONDITIONS

    def __init__(self, path: Path, limit: int | None = None) -> None:
        self._path = path
        pairs = read_pair_lines(path) if path.is_file() else read_pairs(path)
        self.pairs: Sequence[TwinPair] = pairs[:limit]

    def make(self, skip: int = 0) -> Iterator[tuple[int, pa.Table]]:
        """Yield the questions about pairs, with the number of pairs."""
        for first in range(skip, len(self.pairs), _MOST_PAIRS):
            some = self.pairs[first : first + _MOST_PAIRS]
            clean = _block(first, CLEAN, [pair.source for pair in some], [pair.target for pair in some])
            twins = _block(first, TWIN, [pair.twin for pair in some], [pair.twin_target for pair in some])
            facts = [list(zip(FACTS, (pair.kind_name, _name_length(pair)), strict=True)) for pair in some]
            place = clean.schema.get_field_index("facts")
            field = clean.schema.field(place)
            yield (
                len(some),
                pa.concat_tables([clean.set_column(place, field, as_column(facts, field.type)), twins]),
            )

    def info(self) -> DataInfo:
        """Return what is known about the pairs."""
        fields = ("source", "twin", "target", "twin_target", "kind")
        content = json.dumps([[getattr(pair, name) for name in fields] for pair in self.pairs])
        return DataInfo(
            name=self._path.name,
            digest=f"sha256:{hashlib.sha256(content.encode()).hexdigest()}",
            rows=len(self.pairs),
            unlabelled=sum(not pair.target for pair in self.pairs),
            labels={},
            text_columns=("source",),
            label_column="target",
            id_column=None,
        )


def _block(first: int, condition: str, texts: list[str], targets: list[str]) -> pa.Table:
    size = len(texts)
    numbers = np.arange(first, first + size)
    offsets = as_numbers(np.arange(size + 1).astype(np.int32))
    return make_block(
        size,
        key=as_keys(keys_of(texts)),
        item=as_numbers(numbers),
        id=list(map(str, numbers.tolist())),
        condition=condition,
        purpose=MEASURE,
        must=STAY,
        parts=pa.ListArray.from_arrays(offsets, as_strings(texts).array),
        expected=[[target] if target.strip() else None for target in targets],
        characters=[len(text) for text in texts] if condition == CLEAN else None,
    )


def _name_length(pair: TwinPair) -> str:
    """Return how long a line is, as the name of a slice."""
    words = len(pair.source.split())
    low = 1
    for most in _LENGTHS:
        if words <= most:
            return f"{low} to {most} words"
        low = most + 1
    return f"over {low - 1} words"
