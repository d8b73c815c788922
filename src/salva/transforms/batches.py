"""Record batches in, record batches out: what files, folders and all engines share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from salva._arguments import argument, check_severity, check_whole
from salva._types import PathLike
from salva.datasets.batches import column_index
from salva.datasets.columns import find_column
from salva.edits.chunk import Draw
from salva.errors import UsageError
from salva.transforms.presets import as_transform
from salva.transforms.transform import Transform
from salva.transforms.twins import Twins


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
    each: Callable[[Twins], object] | None = None,
    **settings: Any,
) -> Iterator[pa.RecordBatch]:
    """Yield the batches with one column of texts transformed; all other columns stay as they are.

    `preset` is a name, a TOML file or a transform; a transform keeps what it has looked up from one call to
    the next. `each` is called with the twins of every batch before it is yielded. What a text becomes depends
    neither on the batch nor on the process, so an engine may distribute the batches as it likes.

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
        done = transform_batch(
            batch, transform, draw, text_column, keep_original=keep_original, threads=threads
        )
        if each is not None:
            each(done.twins)
        return done.batch

    return map(rewrite, batches)


class TransformedBatch(NamedTuple):
    """A batch with transformed texts, and the twins with their edits."""

    batch: pa.RecordBatch
    twins: Twins


def transform_batch(
    batch: pa.RecordBatch,
    transform: Transform,
    draw: Draw,
    text_column: str,
    *,
    keep_original: bool,
    threads: int | None = 1,
) -> TransformedBatch:
    """Transform one column of a batch."""
    place = column_index(batch, text_column)
    before = batch.column(place)
    twins = transform.transform(before, **draw._asdict(), threads=threads)
    after = replace_texts(batch, place, twins.transformed)
    if keep_original:
        after = _with_original(after, f"{text_column}_original", before)
    return TransformedBatch(after, twins)


def replace_texts(batch: pa.RecordBatch, place: int, texts: pa.Array) -> pa.RecordBatch:
    """Return the batch with another column of texts in one place."""
    return batch.set_column(place, batch.schema.field(place).with_type(texts.type), texts)


def _with_original(batch: pa.RecordBatch, name: str, original: pa.Array) -> pa.RecordBatch:
    if name in batch.schema.names:
        raise UsageError(
            f"column {name!r} already exists; rename it, or leave out {argument('keep_original')}"
        )
    return batch.append_column(pa.field(name, original.type), original)
