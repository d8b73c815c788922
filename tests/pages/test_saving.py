"""Tables that a page offers as files are flat and plain."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from salva.pages import tabulate


@dataclass
class Rate:
    value: float | None
    low: float | None
    high: float | None


@dataclass
class Record:
    name: str
    rate: Rate
    words: tuple[str, ...]


def test_what_is_nested_gets_columns_of_its_own():
    table = tabulate([Record("a", Rate(1.0, None, math.inf), ("x", "y")), {"name": "b", "more": {"n": 3}}])
    assert table == {
        "columns": ["name", "rate", "rate_low", "rate_high", "words", "more_n"],
        "rows": [["a", 1.0, None, None, '["x", "y"]', None], ["b", None, None, None, None, 3]],
    }
    assert json.loads(json.dumps(table, allow_nan=False)) == table


def test_nothing_is_no_table_and_texts_are_those_of_a_list():
    assert tabulate([]) is None
    assert tabulate([{"a": True}], texts="list") == {"columns": ["a"], "rows": [[True]], "texts": "list"}
