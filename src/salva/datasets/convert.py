"""Convert a data set to another format, leaving the texts unchanged."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from salva._files import refuse_existing, storage_errors
from salva._types import PathLike
from salva.datasets.manifest import Manifest, manifest_path
from salva.datasets.options import ReadOptions
from salva.datasets.output import Output, open_output
from salva.datasets.rows import open_rows
from salva.datasets.writing import output_format
from salva.errors import InputError


def convert(
    source: PathLike,
    target: PathLike,
    options: ReadOptions | None = None,
    *,
    output_as: str | None = None,
    overwrite: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Manifest:
    """Read `source`, check it, and write it to `target`, with a manifest next to it.

    `-` is standard input or output. `output_as` is the format if the file name does not show it; standard
    output defaults to the input's format. `progress` is called with the number of rows written so far.
    """
    if os.fspath(target) != "-":
        output_format(target, output_as)
        check_target(source, target, overwrite=overwrite)
    output = Output(format=output_as, overwrite=overwrite)
    with open_rows(source, options) as rows, open_output(rows, target, output) as out:
        for batch in rows:
            out.write(batch)
            if progress is not None:
                progress(out.count)
    return out.manifest()


def check_target(source: PathLike, target: PathLike, *, overwrite: bool) -> None:
    """Refuse an output or manifest that exists already, is the input, or whose folder does not exist."""
    for path in (Path(target), manifest_path(target)):
        with storage_errors(path):
            if os.fspath(source) != "-" and path.exists() and Path(source).exists() and path.samefile(source):
                raise InputError.at(path, None, "is the input itself; choose another name")
            if not path.parent.is_dir():
                raise InputError.at(path, None, f"there is no folder {str(path.parent)!r}; create it first")
            refuse_existing(path, overwrite=overwrite)
