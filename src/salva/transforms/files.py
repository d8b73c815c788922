"""Files in, files out: a data set transformed batch by batch, with its edits and a manifest next to it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from salva._ahead import work_ahead
from salva._arguments import argument, check_severity, check_whole
from salva._files import finish_publishing
from salva._progress import ProgressOption, Tracker, tracking
from salva._types import PathLike
from salva.edits.chunk import Draw
from salva.errors import InputError, UsageError
from salva.rows.columns import ReadOptions, column_index, select_columns
from salva.rows.columns import text_column as text_column_of
from salva.rows.read import FORMATS, Rows, open_rows
from salva.rows.write import Manifest, RowWriter, WriteOptions, check_target, manifest_path, open_output
from salva.text.columns import TYPED_BYTES, row_chunks, thread_count
from salva.transforms.batches import SpanColumn, replace_texts, transform_batch
from salva.transforms.editfiles import EditReader, EditWriter, check_edits_name
from salva.transforms.presets import NONE, as_transform
from salva.transforms.transform import Transform, nothing_to_fit
from salva.transforms.twins import Summary, revert_column
from salva.transforms.vocabulary import FitOn, count_words


def transform_file(
    source: PathLike,
    target: PathLike,
    *,
    preset: PathLike | Transform,
    seed: int = 0,
    severity: float | None = None,
    replicate: int = 0,
    fit: FitOn | None = None,
    edits: PathLike | None = None,
    keep_original: bool = False,
    spans: str | None = None,
    protect_spans: bool = False,
    limit: int | None = None,
    threads: int | None = None,
    text_column: str | None = None,
    options: ReadOptions | None = None,
    output: WriteOptions | None = None,
    progress: ProgressOption = False,
    **settings: Any,
) -> Manifest:
    """Transform the text column of `source` and write `target`, with a manifest next to it.

    `preset` is a name, a TOML file or a transform; "none" rewrites nothing, and rows are only checked and
    written; `fit` is one or more files from whose words `corrupt` makes its vocabulary ("self" is `source`);
    `edits` is a .parquet or .arrow file for the edits; `limit` is
    how many rows to read at most; `text_column` names a text column with an unusual name. All other columns,
    and the order of the rows, stay as they are. Spans of the texts, in the column `spans`, move with the
    edits, or are protected from them with `protect_spans`.
    `progress` is as for `salva.evaluate`.
    """
    options, output = select_columns(options, text_column, spans=spans), output or WriteOptions()
    check_whole("limit", limit or 0)
    if preset == NONE:
        asked: dict[str, Any] = {
            "edits": edits,
            "fit": fit,
            "keep_original": keep_original,
            "spans": options.spans_column,
        }
        asked |= {"protect_spans": protect_spans, "severity": severity, "replicate": replicate}
        _refuse_with_none(asked | settings)
        return _pass_through(source, target, options, output, limit=limit, progress=progress)
    transform = as_transform(preset, settings)
    draw = Draw(
        check_whole("seed", seed),
        transform.severity if severity is None else check_severity(severity),
        check_whole("replicate", replicate),
    )
    if edits is not None:
        check_edits_name(edits)
    output = check_target(source, target, output, also_written=() if edits is None else [edits])
    if fit is not None:
        [transform] = fit_files([transform], fit, source=source, options=options, threads=threads)
    about = transform.as_dict() | {"digest": transform.digest} | draw._asdict()
    done = Summary()
    edit_writer: EditWriter | None = None
    with contextlib.ExitStack() as stack:
        tracker = stack.enter_context(tracking(progress))
        tracker.begin("transforming", "rows")
        rows = stack.enter_context(open_rows(source, options))
        text, labelled = _text_column(rows), _span_column(rows, protect=protect_spans)
        about |= {} if labelled is None else {"spans": labelled._asdict()}
        out = stack.enter_context(
            open_output(rows, target, output, lambda: about | {"limit": limit, "summary": done.as_dict()})
        )
        _check_room(out, transform, keep_original=keep_original)
        if edits is not None:
            edit_writer = stack.enter_context(
                EditWriter.open(edits, about, overwrite=output.overwrite, unit=out.unit)
            )
        how: dict[str, Any] = {"text_column": text, "keep_original": keep_original, "spans": labelled}
        rewrite = partial(transform_batch, transform=transform, draw=draw, **how)
        ahead = work_ahead(_parts(rows, text, limit), rewrite, threads=_threads_ahead(rows, threads))
        for batch, twins, summary in stack.enter_context(contextlib.closing(ahead)):
            if edit_writer is not None:
                edit_writer.write(twins.edits, done.rows)
            done += summary
            out.write(batch)
            _advance(tracker, rows, batch.num_rows, limit)
    return out.manifest


def _refuse_with_none(asked: dict[str, Any]) -> None:
    """Refuse what only a rewritten text has."""
    given = next((name for name, value in asked.items() if value), None)
    if given is not None:
        raise UsageError(f"preset {NONE!r} rewrites nothing; leave out {argument(given)}")


def _pass_through(
    source: PathLike,
    target: PathLike,
    options: ReadOptions,
    output: WriteOptions,
    *,
    limit: int | None,
    progress: ProgressOption,
) -> Manifest:
    """Read `source`, check it, and write it to `target`; it needs no text column."""
    output = check_target(source, target, output)
    about = {"preset": NONE, "limit": limit}
    with (
        tracking(progress) as tracker,
        open_rows(source, options, needs_text=False) as rows,
        open_output(rows, target, output, lambda: about) as out,
        contextlib.closing(
            work_ahead(_limit_rows(rows, limit), lambda batch: batch, threads=rows.threads_ahead(1))
        ) as ahead,
    ):
        tracker.begin("writing", "rows")
        for batch in ahead:
            out.write(batch)
            _advance(tracker, rows, batch.num_rows, limit)
    return out.manifest


def revert_file(
    source: PathLike,
    target: PathLike,
    *,
    edits: PathLike,
    text_column: str | None = None,
    options: ReadOptions | None = None,
    output: WriteOptions | None = None,
    progress: ProgressOption = False,
) -> Manifest:
    """Undo the edits in a file that `transform_file` wrote with render splice, and write `target`."""
    options, output = select_columns(options, text_column), output or WriteOptions()
    finish_publishing(source, manifest_path(source), edits)
    output = check_target(source, target, output, also_read=[edits])
    with contextlib.ExitStack() as stack:
        tracker = stack.enter_context(tracking(progress))
        tracker.begin("reverting", "rows")
        reader = stack.enter_context(EditReader.open(edits))
        rows = stack.enter_context(open_rows(source, options))
        text = _text_column(rows)
        about = {"reverted": Path(edits).name, "edits_digest": reader.digest}
        out = stack.enter_context(open_output(rows, target, output, lambda: about))
        for batch in rows:
            texts = text_column_of(batch, text)
            table = reader.take(out.count, out.count + len(texts))
            with _name_errors(rows.name):
                reverted = revert_column(texts, table)
                out.write(replace_texts(batch, column_index(batch, text), reverted))
            _advance(tracker, rows, batch.num_rows)
        reader.finish(rows.name, out.count)
    return out.manifest


def fit_files(
    transforms: Iterable[Transform],
    fit: FitOn,
    *,
    source: PathLike | pa.Table | None = None,
    options: ReadOptions | None = None,
    threads: int | None = None,
) -> list[Transform]:
    """Return the transforms; those with a vocabulary get the common words of one or more data sets.

    "self" stands for `source`. At least one transform must have a vocabulary.
    """
    transforms = list(transforms)
    if not any(transform.can_fit for transform in transforms):
        raise nothing_to_fit(transform.name for transform in transforms)
    counts = count_words(fit, source, options or ReadOptions(), threads)
    return [
        transform.with_vocabulary(counts.common(transform.dictionary_size))
        if transform.can_fit
        else transform
        for transform in transforms
    ]


def _text_column(rows: Rows) -> str:
    if len(rows.columns.text) > 1:
        raise UsageError(f"text columns {', '.join(map(repr, rows.columns.text))}: name only one at a time")
    return rows.columns.text[0]


def _span_column(rows: Rows, *, protect: bool) -> SpanColumn | None:
    if rows.columns.spans is not None:
        return SpanColumn(rows.columns.spans, protect)
    if protect:
        raise UsageError(f"{argument('protect_spans', True)} needs {argument('spans', 'COLUMN')}")
    return None


def _check_room(out: RowWriter, transform: Transform, *, keep_original: bool) -> None:
    has_tokens = FORMATS[out.format].spans_column is not None
    if keep_original and (out.format == "txt" or has_tokens):
        line = f"{out.format} holds one {'token' if has_tokens else 'text'} per line"
        raise UsageError(f"{line} and cannot keep the original; write jsonl, csv or parquet")
    if has_tokens and transform.render != "splice":
        problem = f"render {transform.render!r} joins tokens, and {out.format} has a line for each"
        raise UsageError(f"{problem}; pass {argument('render', 'splice')}")


def _limit_rows(rows: Rows, limit: int | None) -> Iterator[pa.RecordBatch]:
    """Yield batches up to a limit of rows."""
    count = 0
    for batch in rows:
        yield batch if limit is None else batch.slice(0, limit - count)
        count += batch.num_rows
        if limit is not None and count >= limit:
            return


def _parts(rows: Rows, text: str, limit: int | None) -> Iterator[pa.RecordBatch]:
    """Yield the rows in parts of about a megabyte of text, as much as one thread works on at a time."""
    for batch in _limit_rows(rows, limit):
        for start, stop in row_chunks(text_column_of(batch, text).offsets, TYPED_BYTES):
            yield batch.slice(start, stop - start)


def _threads_ahead(rows: Rows, threads: int | None) -> int:
    count = thread_count(threads)
    return rows.threads_ahead(count) if count > 1 else 0


def _advance(tracker: Tracker, rows: Rows, count: int, limit: int | None = None) -> None:
    total = rows.estimate()
    if total is not None and limit is not None:
        total = min(total, limit)
    tracker.advance(count, total=total, about=True)


@contextlib.contextmanager
def _name_errors(name: str) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise InputError.at(name, None, str(error)) from None
