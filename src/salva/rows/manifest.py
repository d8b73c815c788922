"""The manifest next to every output: what was read, how, with which versions, and what became of the rows."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from salva._files import Unit, write_atomically
from salva._results import brief
from salva._types import PathLike
from salva._version import __version__
from salva.rows.bad_rows import BadRow
from salva.rows.columns import Columns
from salva.rows.rows import Rows

MANIFEST_VERSION = 1
MANIFEST_SUFFIX = ".manifest.json"
_LIBRARIES = ("numpy", "pyarrow")


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

    def with_output(self, name: str, digest: str) -> Manifest:
        """Return the manifest with the final name of the output and its digest."""
        return dataclasses.replace(self, output=name, output_digest=digest)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, with versions."""
        rest = dataclasses.asdict(self)
        return versions() | {
            name: value for name, value in rest.items() if name != "transform" or value is not None
        }

    def write(self, path: PathLike, unit: Unit | None = None) -> None:
        """Write the manifest as JSON, in place of an older one."""
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=True, allow_nan=False)
        write_atomically(path, f"{text}\n".encode(), overwrite=True, unit=unit)


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
