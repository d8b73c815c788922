"""Files in, files out: a data set transformed batch by batch, with its edits and a manifest beside it."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from salva._arrow import as_strings
from salva._files import refuse_existing
from salva._types import PathLike
from salva.datasets.convert import check_target
from salva.datasets.fields import column_index
from salva.datasets.manifest import Manifest, manifest_path, with_output
from salva.datasets.options import ReadOptions
from salva.datasets.rows import Rows, open_rows
from salva.datasets.writing import Writer, open_writer, output_format
from salva.errors import InputError, UsageError
from salva.transforms.editfiles import EditReader, EditWriter, check_edits_name
from salva.transforms.presets import preset as make_preset
from salva.transforms.summary import Summary
from salva.transforms.transform import Transform, check_severity, check_whole
from salva.transforms.twins import revert_column
from salva.transforms.vocabulary import Fit

__all__ = ["Output", "fit_file", "revert_file", "transform_file"]

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """Where rows go: the format where the name does not tell it, and whether to replace what is there."""

    format: str | None = None
    overwrite: bool = False


def transform_file(
    source: PathLike,
    target: PathLike,
    *,
    preset: PathLike | Transform,
    seed: int = 0,
    severity: float | None = None,
    replicate: int = 0,
    fit: PathLike | None = None,
    edits: PathLike | None = None,
    keep_original: bool = False,
    limit: int | None = None,
    threads: int | None = None,
    options: ReadOptions | None = None,
    output: Output | None = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Manifest:
    """Transform the text column of `source`, write it as `target`, and a manifest beside it.

    `preset` is a name, a TOML file or a transform; `fit` a file of whose words `corrupt` makes its
    vocabulary, or "self"; `edits` a .parquet or .arrow file for the edits; `limit` how many rows are read at
    most. All other columns, and the order of the rows, stay as they are.
    """
    options, output = options or ReadOptions(), output or Output()
    transform = _made(preset, settings)
    draw: dict[str, Any] = {
        "seed": check_whole("seed", seed),
        "severity": transform.severity if severity is None else check_severity(severity),
        "replicate": check_whole("replicate", replicate),
    }
    if limit is not None:
        check_whole("limit", limit)
    _check_names(source, target, edits, output)
    if fit is not None:
        corpus = source if os.fspath(fit) == "self" else fit
        transform = transform.with_vocabulary(fit_file(corpus, transform, options, threads=threads))
    about = transform.as_dict() | {"digest": transform.digest} | draw
    done = Summary()
    with contextlib.ExitStack() as stack:
        rows = stack.enter_context(open_rows(source, options))
        writer = stack.enter_context(
            _Writing.open(rows, target, output, lambda: about | {"limit": limit, "summary": done.as_dict()})
        )
        edit_writer = None
        if edits is not None:
            edit_writer = stack.enter_context(EditWriter.open(edits, about, overwrite=output.overwrite))
        for batch, first in _limited(rows, limit):
            texts = batch.column(column_index(batch, writer.text))
            twins = transform.transform(texts, **draw, threads=threads)
            done += twins.summary
            if edit_writer is not None:
                edit_writer.write(twins.edits, first)
            writer.write(batch, twins.column, keep_original=keep_original)
            if progress is not None:
                progress(writer.count)
    return writer.manifest()


def revert_file(
    source: PathLike,
    target: PathLike,
    *,
    edits: PathLike,
    options: ReadOptions | None = None,
    output: Output | None = None,
    progress: Progress | None = None,
) -> Manifest:
    """Undo the edits of a file that `transform_file` wrote with render splice, and write it as `target`."""
    options, output = options or ReadOptions(), output or Output()
    _check_names(source, target, None, output)
    with contextlib.ExitStack() as stack:
        reader = stack.enter_context(EditReader.open(edits))
        rows = stack.enter_context(open_rows(source, options))
        about = {"reverted": Path(edits).name, "edits_digest": reader.digest}
        writer = stack.enter_context(_Writing.open(rows, target, output, lambda: about))
        for batch, first in _limited(rows, None):
            texts = as_strings(batch.column(column_index(batch, writer.text)))
            table = reader.take(first, first + len(texts))
            with _named(rows.name):
                writer.write(batch, revert_column(texts, table), keep_original=False)
            if progress is not None:
                progress(writer.count)
        reader.finish(rows.name, writer.count)
    return writer.manifest()


def fit_file(
    path: PathLike, transform: Transform, options: ReadOptions | None = None, *, threads: int | None = None
) -> tuple[str, ...]:
    """Return the common words of a data set, the most frequent first."""
    size = getattr(transform.settings, "dictionary_size", None)
    if size is None:
        raise UsageError(f"preset {transform.name} has nothing to fit; only corrupt has a vocabulary")
    if os.fspath(path) == "-":
        raise UsageError("standard input cannot be read twice; fit on a file")
    fit = Fit()
    with open_rows(path, options) as rows:
        for batch in rows:
            fit.add(as_strings(batch.column(column_index(batch, rows.columns.text[0]))), threads=threads)
    return fit.common(size)


def _made(preset: PathLike | Transform, settings: dict[str, Any]) -> Transform:
    if not isinstance(preset, Transform):
        return make_preset(preset, **settings)
    if settings:
        raise UsageError(f"{next(iter(settings))} cannot change a finished transform; set it in salva.preset")
    return preset


class _Writing:
    """The output of a run: rows, and at the end the manifest."""

    def __init__(self, rows: Rows, target: PathLike, kind: str, about: Callable[[], dict[str, Any]]) -> None:
        if len(rows.columns.text) > 1:
            raise UsageError(
                f"one text column at a time: {', '.join(map(repr, rows.columns.text))} are several"
            )
        self.text = rows.columns.text[0]
        self.count = 0
        self._rows, self._target, self._kind, self._about = rows, target, kind, about
        self._written: Manifest | None = None
        self._writer: Writer | None = None

    @classmethod
    @contextlib.contextmanager
    def open(
        cls, rows: Rows, target: PathLike, output: Output, about: Callable[[], dict[str, Any]]
    ) -> Iterator[_Writing]:
        """Open the output; it takes its name, and the manifest is written, when the block ends well."""
        wanted = output.format
        if os.fspath(target) == "-" and wanted is None:
            wanted = "csv" if rows.format == "folder" else rows.format
        writing = cls(rows, target, output_format(target, wanted)[0], about)
        with open_writer(
            target,
            text_column=writing.text,
            format=wanted,
            overwrite=output.overwrite,
            finished=writing._describe,
        ) as writing._writer:
            yield writing

    def write(self, batch: pa.RecordBatch, texts: pa.Array, *, keep_original: bool) -> None:
        """Write a batch with other texts."""
        place = column_index(batch, self.text)
        field = batch.schema.field(place)
        original = batch.column(place)
        batch = batch.set_column(place, field, texts)
        if keep_original:
            batch = _with_original(batch, f"{self.text}_original", original, self._kind)
        assert self._writer is not None  # noqa: S101
        self._writer.write(batch)
        self.count += batch.num_rows

    def manifest(self) -> Manifest:
        """Return what was written beside the output; for standard output, what would have been."""
        return self._written or self._manifest()

    def _manifest(self) -> Manifest:
        rows = self._rows
        manifest = Manifest.of(rows, output_format=self._kind, transform=self._about())
        rows_in = self.count + rows.bad.rejected
        return dataclasses.replace(manifest, rows_in=rows_in, rows_out=self.count)

    def _describe(self, content: Path) -> None:
        self._written = with_output(self._manifest(), self._target, content)
        self._written.write(manifest_path(self._target), overwrite=True)


def _with_original(batch: pa.RecordBatch, name: str, original: pa.Array, kind: str) -> pa.RecordBatch:
    if kind == "txt":
        raise UsageError(
            "txt holds one text a line and cannot keep the original; write jsonl, csv or parquet"
        )
    if name in batch.schema.names:
        raise UsageError(f"there is a column {name!r} already; rename it, or leave out --keep-original")
    return batch.append_column(pa.field(name, pa.large_string()), original)


def _limited(rows: Rows, limit: int | None) -> Iterator[tuple[pa.RecordBatch, int]]:
    """Yield batches and how many rows came before each, up to a limit."""
    first = 0
    for batch in rows:
        part = batch if limit is None else batch.slice(0, limit - first)
        yield part, first
        first += part.num_rows
        if limit is not None and first >= limit:
            return


def _check_names(source: PathLike, target: PathLike, edits: PathLike | None, output: Output) -> None:
    if os.fspath(target) != "-":
        output_format(target, output.format)
        check_target(source, target, overwrite=output.overwrite)
    if edits is not None:
        check_edits_name(edits)
        refuse_existing(Path(edits), overwrite=output.overwrite)
        if Path(edits).absolute() in (Path(target).absolute(), Path(source).absolute()):
            raise UsageError(f"--edits {os.fspath(edits)!r} is the input or the output; choose another name")


@contextlib.contextmanager
def _named(name: str) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise InputError.at(name, None, str(error)) from None
