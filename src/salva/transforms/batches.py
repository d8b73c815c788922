"""Record batches in, record batches out: what files, folders and all engines share."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from salva._arguments import argument, check_severity, check_whole
from salva._types import PathLike
from salva.edits.chunk import Draw
from salva.errors import UsageError
from salva.rows.columns import (
    column_index,
    find_column,
    hidden_index,
    load_spans,
    merge_spans,
    span_places,
)
from salva.rows.texts import TOKENS
from salva.transforms.presets import as_transform
from salva.transforms.spans import SpanCounts, project_column
from salva.transforms.transform import Transform
from salva.transforms.twins import Summary, Twins


def transform_batches(
    batches: Iterable[pa.RecordBatch],
    *,
    preset: PathLike | Transform,
    text_column: str = "text",
    seed: int = 0,
    severity: float | None = None,
    replicate: int = 0,
    keep_original: bool = False,
    threads: int | None = None,
    **settings: Any,
) -> Iterator[pa.RecordBatch]:
    """Yield the batches with one column of texts transformed; all other columns stay as they are.

    `preset` is a name, a TOML file or a transform; a transform keeps what it has looked up from one call to
    the next. What a text becomes depends neither on the batch nor on the process, so an engine may distribute
    the batches as it likes.

    >>> batch = pa.RecordBatch.from_pydict({"id": [7], "text": ["great"]})
    >>> next(transform_batches([batch], preset="typos", severity=0)).to_pylist()
    [{'id': 7, 'text': 'great'}]
    """
    transform = as_transform(preset, settings)
    draw = Draw(
        check_whole("seed", seed),
        transform.severity if severity is None else check_severity(severity),
        check_whole("replicate", replicate),
    )

    def rewrite(batch: pa.RecordBatch) -> pa.RecordBatch:
        find_column("batch", batch.schema.names, text_column)
        return transform_batch(
            batch, transform, draw, text_column, keep_original=keep_original, threads=threads
        ).batch

    return map(rewrite, batches)


class TransformedBatch(NamedTuple):
    """A batch with transformed texts, the twins with their edits, and the counts of both and of the spans."""

    batch: pa.RecordBatch
    twins: Twins
    summary: Summary


def transform_batch(
    batch: pa.RecordBatch,
    transform: Transform,
    draw: Draw,
    text_column: str,
    *,
    keep_original: bool,
    spans: SpanColumn | None = None,
    threads: int | None = 1,
) -> TransformedBatch:
    """Transform one column of a batch; spans of its texts move with the edits."""
    place = column_index(batch, text_column)
    before = batch.column(place)
    protected = None if spans is None else spans.find_protected(batch)
    twins = transform.transform(before, **draw._asdict(), protected=protected, threads=threads)
    after, summary = replace_texts(batch, place, twins.transformed), twins.summary
    if spans is not None:
        after, counts = spans.project(after, twins)
        summary = dataclasses.replace(summary, spans=counts)
    if keep_original:
        after = _with_original(after, f"{text_column}_original", before)
    return TransformedBatch(after, twins, summary)


class SpanColumn(NamedTuple):
    """The column with spans of the texts, and whether they are protected from edits."""

    name: str
    protect: bool = False

    def find_protected(self, batch: pa.RecordBatch) -> list[list[tuple[int, int]]] | None:
        """Return what must not be edited in each row."""
        if not self.protect:
            return None
        values = load_spans(batch.column(column_index(batch, self.name)))
        return [merge_spans(span_places(row)) for row in values]

    def project(self, batch: pa.RecordBatch, twins: Twins) -> tuple[pa.RecordBatch, SpanCounts]:
        """Return the batch of the twins with their spans, and what became of these."""
        place, tokens = column_index(batch, self.name), hidden_index(batch, TOKENS)
        new, counts = project_column(batch.column(place), twins.column, twins.alignment)
        batch = batch.set_column(place, batch.schema.field(place), new)
        if tokens is not None:
            moved, _ = project_column(batch.column(tokens), twins.column, twins.alignment)
            batch = batch.set_column(tokens, batch.schema.field(tokens), moved)
        return batch, counts


def replace_texts(batch: pa.RecordBatch, place: int, texts: pa.Array) -> pa.RecordBatch:
    """Return the batch with another column of texts in one place."""
    return batch.set_column(place, batch.schema.field(place).with_type(texts.type), texts)


def _with_original(batch: pa.RecordBatch, name: str, original: pa.Array) -> pa.RecordBatch:
    if name in batch.schema.names:
        raise UsageError(
            f"column {name!r} already exists; rename it, or leave out {argument('keep_original')}"
        )
    return batch.append_column(pa.field(name, original.type), original)
