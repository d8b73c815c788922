"""JSON lines: the text is decoded, everything else in a line is kept as it is.

A batch holds the texts, label and id as columns. Hidden columns hold the lines themselves and the positions
of the texts in them, so that the rest of a line is written back byte for byte. Each line is parsed with the
scanner of Python's `json`, which raises an error on deep nesting; pyarrow's reader crashes the process at
20,000 levels.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

import pyarrow as pa

from salva.datasets.badrows import BadRows
from salva.datasets.fields import hidden_field, json_field, text_field
from salva.datasets.lines import Block, text_blocks
from salva.datasets.options import ReadOptions
from salva.datasets.source import Source
from salva.errors import InputError

LINE = "line"
SURROGATE = re.compile("[\ud800-\udfff]")
_OPENING = re.compile(r"[ \t\r]*\{(?:[ \t\r]*(\}))?")
_PLAIN_KEY = re.compile(r'[ \t\r]*"([^"\\\x00-\x1f]*)"[ \t\r]*:[ \t\r]*')
_COLON = re.compile(r"[ \t\r]*:[ \t\r]*")
_FOLLOWING = re.compile(r"[ \t\r]*([,}])")


class Span(NamedTuple):
    """Where a value is in its line."""

    start: int
    stop: int


class _Row(NamedTuple):
    number: int
    line: str
    spans: dict[str, Span]
    problem: str | None


def span_of(text: str) -> tuple[str, str]:
    """Return the roles of the hidden columns that hold where a text begins and ends in its line."""
    return f"start of {text}", f"stop of {text}"


class JsonlReader:
    """Rows of a JSON lines file."""

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows) -> None:
        self._bad = bad
        self._blocks = text_blocks(source, max_line_bytes=options.max_line_bytes)
        self._rows: list[_Row] = []
        for block in self._blocks:
            if block.first == 1 and block.text.lstrip()[:1] == "[":
                problem = "is a JSON array, not JSON lines; convert it: jq -c '.[]'"
                raise InputError.at(source.name, None, problem)
            self._rows = list(self._parsed(block))
            if self._rows:
                break
        else:
            rejected = f"all {bad.rejected} were rejected" if bad.rejected else "the file is empty"
            raise InputError.at(source.name, None, f"no rows; {rejected}")
        self.names = tuple(dict.fromkeys(key for row in self._rows for key in row.spans))

    def batches(self, text: Sequence[str], also: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield one batch per block of lines."""
        first, self._rows = self._rows, []
        for rows in itertools.chain([first], (list(self._parsed(block)) for block in self._blocks)):
            yield self._batch(rows, text, [name for name in also if name not in text])

    def _parsed(self, block: Block) -> Iterator[_Row]:
        for number, line in enumerate(block.text.split("\n"), block.first):
            if not line.strip(" \t\r"):
                continue
            try:
                yield _Row(number, line, split_object(line), block.bad.get(number))
            except ValueError as error:
                self._bad.keeps(number, f"broken JSON: {error}")
            except RecursionError:
                self._bad.keeps(number, "broken JSON: nested too deeply")

    def _batch(self, rows: list[_Row], text: Sequence[str], also: Sequence[str]) -> pa.RecordBatch:
        texts: list[list[str | None]] = []
        kept: list[_Row] = []
        for row in rows:
            values = self._texts(row, text)
            if values is not None:
                texts.append(values)
                kept.append(row)
        fields = [*map(text_field, text), *map(json_field, also), hidden_field(LINE)]
        columns = [pa.array([values[i] for values in texts], pa.large_string()) for i in range(len(text))]
        columns += [pa.array([_raw(row, name) for row in kept], pa.large_string()) for name in also]
        columns.append(pa.array([row.line for row in kept], pa.large_string()))
        for name in text:
            fields += [hidden_field(role, pa.int64()) for role in span_of(name)]
            columns += [pa.array([row.spans[name][end] for row in kept], pa.int64()) for end in (0, 1)]
        return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))

    def _texts(self, row: _Row, text: Sequence[str]) -> list[str | None] | None:
        """Return the decoded texts of a row, or None if it is rejected."""
        problems = [row.problem] if row.problem else []
        values: list[str | None] = []
        for name in text:
            raw = _raw(row, name)
            value = None if raw is None else json.loads(raw)
            if raw is None or (value is not None and not isinstance(value, str)):
                self._bad.keeps(
                    row.number, f"no {name!r}" if raw is None else f"{name!r} is {raw:.40}, not a string"
                )
                return None
            if value and SURROGATE.search(value):
                problems.append(f"{name!r} has half a surrogate pair, which is not a character")
                value = SURROGATE.sub("\ufffd", value)
            values.append(value)
        if problems and not self._bad.keeps(row.number, "; ".join(problems), mendable=True):
            return None
        return values


def _raw(row: _Row, name: str) -> str | None:
    span = row.spans.get(name)
    return None if span is None else row.line[span.start : span.stop]


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


_scan: Any = json.JSONDecoder(parse_constant=_refuse_constant).scan_once  # type: ignore[attr-defined]


def split_object(line: str) -> dict[str, Span]:
    """Return the position of every value of a JSON object, by key.

    >>> split_object('{"a": 1.50, "b": [1, 2]}')
    {'a': Span(start=6, stop=10), 'b': Span(start=17, stop=23)}
    """
    spans: dict[str, Span] = {}
    opening = _OPENING.match(line)
    if opening is None:
        raise ValueError(f"expected an object, found {line.lstrip()[:20]!r}")
    place, more = opening.end(), opening[1] is None
    while more:
        plain_key = _PLAIN_KEY.match(line, place)
        key, start = (plain_key[1], plain_key.end()) if plain_key else _any_key(line, place)
        try:
            _, place = _scan(line, start)
        except StopIteration:
            raise ValueError(f"no value at column {start + 1}") from None
        if key in spans:
            raise ValueError(f"key {key!r} occurs twice")
        spans[key] = Span(start, place)
        following = _FOLLOWING.match(line, place)
        if following is None:
            raise ValueError(f"expected ',' or '}}' at column {place + 1}")
        place, more = following.end(), following[1] == ","
    if line[place:].strip(" \t\r"):
        raise ValueError(f"more than one value; extra text at column {place + 1}")
    return spans


def _any_key(line: str, place: int) -> tuple[str, int]:
    """Return a key that may contain escapes, and where its value begins."""
    start = len(line) - len(line[place:].lstrip(" \t\r"))
    if not line.startswith('"', start):
        raise ValueError(f"expected a key in quotes at column {start + 1}")
    key, place = scanstring(line, start + 1, True)
    if SURROGATE.search(key):
        raise ValueError(f"key {key!r} has half a surrogate pair")
    colon = _COLON.match(line, place)
    if colon is None:
        raise ValueError(f"expected ':' at column {place + 1}")
    return key, colon.end()
