"""One data set written as another: the way of every row, with nothing done to the text."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from salva._files import refuse_existing, storage_errors
from salva._types import PathLike
from salva.datasets.manifest import Manifest, manifest_path, with_output
from salva.datasets.options import ReadOptions
from salva.datasets.rows import open_rows
from salva.datasets.writing import open_writer, output_format
from salva.errors import InputError

__all__ = ["check_target", "convert"]


def convert(
    source: PathLike,
    target: PathLike,
    options: ReadOptions | None = None,
    *,
    output_as: str | None = None,
    overwrite: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Manifest:
    """Read `source`, check it, and write it as `target`, with a manifest beside it.

    `-` is standard input or output; `output_as` is the format where the name does not tell it, for standard
    output that of the input; `progress` is called with the number of rows so far.
    """
    if os.fspath(target) != "-":
        output_format(target, output_as)
        check_target(source, target, overwrite=overwrite)
    with open_rows(source, options) as rows:
        if os.fspath(target) == "-" and output_as is None:
            output_as = "csv" if rows.format == "folder" else rows.format
        kind, _ = output_format(target, output_as)
        manifests: list[Manifest] = []

        def describe(content: Path) -> None:
            manifests.append(with_output(Manifest.of(rows, output_format=kind), target, content))
            manifests[0].write(manifest_path(target), overwrite=True)

        text = rows.columns.text[0]
        with open_writer(
            target, text_column=text, format=output_as, overwrite=overwrite, finished=describe
        ) as writer:
            for batch in rows:
                writer.write(batch)
                if progress is not None:
                    progress(rows.count)
    return manifests[0] if manifests else Manifest.of(rows, output_format=kind)


def check_target(source: PathLike, target: PathLike, *, overwrite: bool) -> None:
    """Refuse an output, or a manifest, that exists, is the input, or lies in a folder that does not."""
    for path in (Path(target), manifest_path(target)):
        with storage_errors(path):
            if os.fspath(source) != "-" and path.exists() and Path(source).exists() and path.samefile(source):
                raise InputError.at(path, None, "is the input itself; choose another name")
            if not path.parent.is_dir():
                raise InputError.at(path, None, f"there is no folder {str(path.parent)!r}; make it first")
            refuse_existing(path, overwrite=overwrite)
