"""Rows that pass through unchanged, from one file to another."""

from __future__ import annotations

from typing import Any

from salva import transform_file
from salva._types import PathLike
from salva.rows import Manifest, ReadOptions


def pass_through(
    source: PathLike, target: PathLike, options: ReadOptions | None = None, **more: Any
) -> Manifest:
    """Check the rows of a file, and write them in the format of another."""
    return transform_file(source, target, preset="none", options=options, **more)
