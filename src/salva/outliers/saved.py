"""Scores saved as JSON: written by `--json`, read back for a comparison."""

from __future__ import annotations

from salva._results import load_result, read_json
from salva._types import PathLike
from salva.errors import InputError
from salva.outliers.results import OutlierScore


def read_score(path: PathLike) -> OutlierScore:
    """Return a score that `salva outliers score --json` printed."""
    found = read_json(path)
    if not isinstance(found, dict) or not {"format", "exercises", "policy"} <= found.keys():
        raise InputError.at(path, None, "is not a score; make one with salva outliers score --json")
    if found["format"] != 1:
        raise InputError.at(path, None, f"has format {found['format']!r}, which this Salva does not know")
    return load_result(path, OutlierScore, found)
