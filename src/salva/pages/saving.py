"""Tables that a page offers as files: embedded once, at full precision; its script makes the files."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

_ESTIMATE = {"value", "low", "high"}


def tabulate(records: Iterable[Any], *, texts: str = "") -> dict[str, Any] | None:
    """Return records as one table of plain values; None if there are none.

    A record is a mapping or a dataclass; what is nested in it gets columns of its own, and an estimate three:
    `drop`, `drop_low`, `drop_high`. `texts` is the id of the list that shows the texts of these records, in
    their order: the script adds them, so that the page has them once.

    >>> tabulate([{"name": "a", "drop": {"value": 1.5, "low": 0.5, "high": 2.5}}])
    {'columns': ['name', 'drop', 'drop_low', 'drop_high'], 'rows': [['a', 1.5, 0.5, 2.5]]}
    """
    flat = [dict(_flatten(_as_plain(record))) for record in records]
    if not flat:
        return None
    columns = list(dict.fromkeys(name for record in flat for name in record))
    table = {"columns": columns, "rows": [[record.get(name) for name in columns] for record in flat]}
    return {**table, "texts": texts} if texts else table


def _as_plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _flatten(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, given in record.items():
        name, value = f"{prefix}{key}", _as_plain(given)
        if isinstance(value, Mapping) and set(value) == _ESTIMATE:
            yield from zip((name, f"{name}_low", f"{name}_high"), map(_cell, value.values()), strict=True)
        elif isinstance(value, Mapping):
            yield from _flatten(value, f"{name}_")
        else:
            yield name, _cell(value)


def _cell(value: Any) -> Any:
    """Return a value that JSON has; a list becomes a text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else json.dumps(value, ensure_ascii=False)
