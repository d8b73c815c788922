"""Read a finished run from its directory."""

from __future__ import annotations

from pathlib import Path

from salva._results import load_result
from salva._types import PathLike
from salva.errors import InputError
from salva.evaluation.flips import read_flips
from salva.evaluation.results import Results
from salva.evaluation.run import Run
from salva.runs.folder import read_run_file


def load_run(folder: PathLike) -> Run:
    """Return the run in a directory; refuse one that was stopped, which has no results yet."""
    path = Path(folder)
    if not path.is_dir():
        raise InputError.at(path, None, "is not the folder of a run")
    begun = (path / "run.json").is_file()
    if begun and read_run_file(path / "run.json").get("kind") == "twins":
        raise InputError.at(path, None, "holds a run over pairs; show it with salva twins score")
    if not (path / "results.json").is_file():
        problem = "is not finished; continue it with salva evaluate --resume" if begun else "holds no run"
        raise InputError.at(path, None, problem)
    place = path / "results.json"
    results = load_result(place, Results, read_run_file(place))
    flips = tuple(read_flips(path / "flips.parquet"))
    timings = read_run_file(path / "timings.json").get("seconds", {})
    return Run(results, flips, timings, path)
