"""Write rows to a file that appears under its name only when it is complete, with its manifest next to it."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import io
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from salva._arguments import argument
from salva._files import (
    Unit,
    finish_publishing,
    publishing,
    refuse_clashes,
    refuse_existing,
    replacing,
    storage_errors,
    write_atomically,
)
from salva._results import brief
from salva._types import PathLike
from salva._version import __version__
from salva.errors import InputError, UsageError
from salva.rows.columns import Columns, Writer, empty_batch
from salva.rows.read import FORMATS, Rows, find_output_format, parse_name
from salva.rows.source import BadRow, Layout
from salva.rows.texts import LABELS

MANIFEST_VERSION = 1
MANIFEST_SUFFIX = ".manifest.json"
_LIBRARIES = ("numpy", "pyarrow")


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """How rows are written: the format, if the name does not show it, and whether to replace a file."""

    format: str | None = None
    overwrite: bool = False


@brief
@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Provenance of one output; nothing in it depends on the time or the machine."""

    input: str
    input_format: str
    input_digest: str
    columns: Columns
    row_key: str
    rows_in: int
    rows_out: int
    rows_repaired: int
    rows_rejected: int
    bad_rows: tuple[BadRow, ...]
    output: str | None = None
    output_format: str
    output_digest: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    transform: dict[str, Any] | None = None

    @classmethod
    def of_rows(
        cls, rows: Rows, count: int, output_format: str, transform: dict[str, Any] | None
    ) -> Manifest:
        """Return the manifest for rows of which `count` were written."""
        return cls(
            input=Path(rows.name).name,
            input_format=rows.format,
            input_digest=rows.digest or "",
            columns=rows.columns,
            row_key="row number" if rows.columns.id is None else f"column {rows.columns.id!r}",
            rows_in=count + rows.bad.rejected,
            rows_out=count,
            rows_repaired=rows.bad.repaired,
            rows_rejected=rows.bad.rejected,
            bad_rows=tuple(rows.bad.listed),
            output_format=output_format,
            settings=dataclasses.asdict(rows.options),
            transform=transform,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, with versions."""
        rest = dataclasses.asdict(self)
        return versions() | {
            name: value for name, value in rest.items() if name != "transform" or value is not None
        }


def versions() -> dict[str, Any]:
    """Return how every manifest begins: its own version, and those of what made the output."""
    libraries = {"python": platform.python_version()} | {name: version(name) for name in _LIBRARIES}
    return {"manifest": MANIFEST_VERSION, "salva": __version__, "libraries": libraries}


def manifest_path(output: PathLike) -> Path:
    """Return the path of an output's manifest.

    >>> manifest_path("out/a.csv").name
    'a.csv.manifest.json'
    """
    return Path(f"{os.fspath(output)}{MANIFEST_SUFFIX}")


def check_target(
    source: PathLike,
    target: PathLike,
    output: WriteOptions,
    *,
    also_read: Sequence[PathLike] = (),
    also_written: Sequence[PathLike] = (),
) -> WriteOptions:
    """Refuse an output of unknown format, or that exists already, is an input, or has no folder.

    Return how to write it: what a run left that was killed as it renamed its files may be replaced.
    """
    paths = list(map(Path, also_written))
    if os.fspath(target) != "-":
        find_output_format(target, output.format)
        paths = [Path(target), manifest_path(target), *paths]
    texts = [Path(source) / label / path.name for label in LABELS for path in paths]
    refuse_clashes([source, *texts, *also_read], paths)
    left = finish_publishing(target, *paths)
    for path in paths:
        with storage_errors(path):
            if not path.parent.is_dir():
                raise InputError.at(path, None, f"there is no folder {str(path.parent)!r}; create it first")
            refuse_existing(path, overwrite=output.overwrite or path.resolve() in left)
    return dataclasses.replace(output, overwrite=output.overwrite or bool(left))


class _Sink(io.RawIOBase):
    """A stream that Arrow can close without closing the underlying file, which must still be synced.

    Bytes are digested on their way, so that a large output is not read again.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self._raw, self.hash = raw, hashlib.sha256()
        self.abandoned = False

    def write(self, data: Any, /) -> int:
        if self.abandoned:
            return len(data)
        self.hash.update(data)
        return self._raw.write(data)

    def writable(self) -> bool:
        return True


class RowWriter:
    """Writes batches to one output, counts and digests them, and begins errors with its name."""

    manifest: Manifest

    def __init__(
        self, path: PathLike, format_name: str, writer: Writer, sink: _Sink, unit: Unit | None
    ) -> None:
        self.format = format_name
        self.unit = unit  # the output, its manifest, and what else belongs to them
        self.count = 0
        self._path, self._writer, self._sink = path, writer, sink

    @property
    def digest(self) -> str:
        """`sha256:` and the digest of all bytes so far."""
        return f"sha256:{self._sink.hash.hexdigest()}"

    def write(self, batch: pa.RecordBatch) -> None:
        """Write a batch."""
        with self.named_errors():
            self._writer.write(batch)
        self.count += batch.num_rows

    @contextlib.contextmanager
    def named_errors(self) -> Iterator[None]:
        """Begin errors of the format and of the disk with the name of the output."""
        try:
            with storage_errors(self._path):
                yield
        except InputError as error:
            raise InputError.at(self._path, None, str(error)) from None
        except pa.ArrowException as error:
            reason = str(error).partition("\n")[0]
            problem = f"a column cannot be written as {self.format} ({reason:.200})"
            raise InputError.at(self._path, None, problem) from None


@contextlib.contextmanager
def open_output(
    rows: Rows, target: PathLike, output: WriteOptions, describe: Callable[[], Any] = lambda: None
) -> Iterator[RowWriter]:
    """Open an output for rows; when the block ends without an error, it and its manifest get their names.

    So do other files that were written as part of its unit. `-` is standard output, in the input's format by
    default; it and devices have no manifest in a file. `describe` is called at the end and returns what was
    done to the texts.
    """
    wanted = output.format
    if os.fspath(target) == "-" and wanted is None:
        wanted = "csv" if rows.format == "folder" else rows.format
    with publishing(target) as unit:
        format_name = find_output_format(target, wanted)
        if not rows.columns.text and not FORMATS[format_name].has_columns:
            problem = f"no text column, and {format_name} holds only texts; pass {argument('text_column')}"
            raise InputError.at(rows.name, None, problem)
        with open_writer(
            target,
            text_column="".join(rows.columns.text[:1]),
            format=wanted,
            overwrite=output.overwrite,
            unit=unit,
            layout=rows.layout,
        ) as out:
            yield out
        out.manifest = Manifest.of_rows(rows, out.count, format_name, describe())
        if unit.content(target) is not None:
            name = Path(target).name
            out.manifest = dataclasses.replace(out.manifest, output=name, output_digest=out.digest)
            text = json.dumps(out.manifest.as_dict(), indent=2, ensure_ascii=True, allow_nan=False)
            write_atomically(manifest_path(target), f"{text}\n".encode(), overwrite=True, unit=unit)


def write_table(path: PathLike, table: pa.Table, *, text_column: str, overwrite: bool = False) -> None:
    """Write a whole table in the format that the name shows."""
    with open_writer(path, text_column=text_column, overwrite=overwrite) as writer:
        for batch in table.combine_chunks().to_batches() or [empty_batch(table.schema)]:
            writer.write(batch)


@contextlib.contextmanager
def open_writer(
    path: PathLike,
    *,
    text_column: str,
    format: str | None = None,  # noqa: A002
    overwrite: bool = False,
    unit: Unit | None = None,
    layout: Layout | None = None,
) -> Iterator[RowWriter]:
    """Open an output; it gets its name when the block ends without an error, or together with its unit."""
    format_name, codec = find_output_format(path, format), parse_name(path, format).codec
    if os.fspath(path) != "-":
        place: Any = replacing(path, overwrite=overwrite, unit=unit)
    elif sys.stdout is None:
        raise UsageError("standard output is closed; pass a file")
    else:
        place = contextlib.nullcontext(sys.stdout.buffer)
    with place as raw:
        sink = _Sink(raw)
        # Arrow's own stream copies all bytes first, so it is there only for its codecs.
        stream: Any = pa.CompressedOutputStream(pa.PythonFile(sink, mode="w"), codec) if codec else sink
        opened = FORMATS[format_name].open_writer(stream, text_column, layout or Layout())
        writer = RowWriter(path, format_name, opened, sink, unit)
        try:
            yield writer
            with writer.named_errors():
                opened.close()
            with storage_errors(path):
                stream.close()
        except BaseException:
            # Arrow's writers also write when they are garbage-collected; by then the file is gone.
            sink.abandoned = True
            with contextlib.suppress(Exception):
                opened.close()
                stream.close()
            raise
