"""The output of a pass over rows: batches written to a file, and finally the manifest next to it."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from salva._types import PathLike
from salva.datasets.manifest import Manifest, manifest_path, with_output
from salva.datasets.rows import Rows
from salva.datasets.writing import Writer, open_writer, output_format


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """How rows are written: the format, if the name does not show it, and whether to replace a file."""

    format: str | None = None
    overwrite: bool = False


class RowsOut:
    """Writes batches and counts rows; `open_output` makes it."""

    def __init__(self, rows: Rows, target: PathLike, kind: str, about: Callable[[], Any]) -> None:
        self.format = kind
        self.count = 0
        self._rows, self._target, self._about = rows, target, about
        self._written: Manifest | None = None
        self.writer: Writer

    def write(self, batch: pa.RecordBatch) -> None:
        """Write a batch."""
        self.writer.write(batch)
        self.count += batch.num_rows

    def manifest(self) -> Manifest:
        """Return the manifest written next to the output; for standard output, what it would have been."""
        if self._written is not None:
            return self._written
        manifest = Manifest.of(self._rows, output_format=self.format, transform=self._about())
        rows_in = self.count + self._rows.bad.rejected
        return dataclasses.replace(manifest, rows_in=rows_in, rows_out=self.count)

    def describe(self, content: Path) -> None:
        """Write the manifest of the finished file, just before it is renamed."""
        self._written = with_output(self.manifest(), self._target, content)
        self._written.write(manifest_path(self._target), overwrite=True)


@contextlib.contextmanager
def open_output(
    rows: Rows, target: PathLike, output: Output, about: Callable[[], Any] = lambda: None
) -> Iterator[RowsOut]:
    """Open an output for rows; when the block ends without an error, it gets its name and its manifest.

    `-` is standard output, in the input's format by default. `about` is called at the end and returns what
    was done to the texts.
    """
    wanted = output.format
    if os.fspath(target) == "-" and wanted is None:
        wanted = "csv" if rows.format == "folder" else rows.format
    out = RowsOut(rows, target, output_format(target, wanted)[0], about)
    with open_writer(
        target,
        text_column=rows.columns.text[0],
        format=wanted,
        overwrite=output.overwrite,
        finished=out.describe,
    ) as out.writer:
        yield out
