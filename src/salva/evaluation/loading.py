"""Read a finished run from its directory."""

from __future__ import annotations

import dataclasses
import types
import typing
from pathlib import Path
from typing import Any

from salva._types import PathLike
from salva.errors import InputError
from salva.evaluation.flips import read_flips
from salva.evaluation.results import Results
from salva.evaluation.run import Run
from salva.runs.folder import read_json


def load_run(folder: PathLike) -> Run:
    """Return the run in a directory; refuse one that was stopped, which has no results yet."""
    path = Path(folder)
    if not path.is_dir():
        raise InputError.at(path, None, "is not the folder of a run")
    begun = (path / "run.json").is_file()
    if begun and read_json(path / "run.json").get("kind") == "twins":
        raise InputError.at(path, None, "holds a run over pairs; show it with salva twins score")
    if not (path / "results.json").is_file():
        problem = "is not finished; continue it with salva evaluate --resume" if begun else "holds no run"
        raise InputError.at(path, None, problem)
    found = read_json(path / "results.json")
    try:
        results = _built(Results, found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError.at(path / "results.json", None, f"is broken ({error!r:.80})") from None
    flips = tuple(read_flips(path / "flips.parquet"))
    timings = read_json(path / "timings.json").get("seconds", {})
    return Run(results, flips, timings, path)


def _built(kind: Any, value: Any) -> Any:
    """Rebuild dataclasses from their plain values."""
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{name: _built(hints[name], part) for name, part in value.items()})  # type: ignore[operator]
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return (
            None if value is None else _built(next(one for one in arguments if one is not type(None)), value)
        )
    if origin is tuple:
        return tuple(_built(arguments[0], one) for one in value)
    return value
