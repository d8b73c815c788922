"""A run against an earlier one over the same rows: by how much each drop has changed."""

from __future__ import annotations

from salva._show import number_of
from salva.errors import InputError
from salva.evaluation.alignment import align_runs
from salva.evaluation.comparison import CLEAN
from salva.evaluation.run import Run
from salva.numbers import Estimate, compare

_REMEDY = "make a baseline with the same data and conditions"


def measure_changes(baseline: Run, run: Run) -> dict[str, Estimate]:
    """Return how many points more each condition drops than in the baseline, with its paired interval.

    Both runs must have the same rows, and the baseline all conditions of the run, with the same settings.
    """
    aligned = align_runs([baseline, run], names=("baseline", "run"))
    if aligned.rows_apart:
        rows = number_of(aligned.rows_apart, "row is", "rows are")
        raise InputError(f"{baseline.folder}: {rows} not in both runs; {_REMEDY}")
    names = [condition.name for condition in run.results.conditions]
    missing = [name for name in names if name not in aligned.answers]
    if missing:
        raise InputError(f"{baseline.folder}: has no condition {missing[0]!r}; {_REMEDY}")
    settings, clean = run.results.settings, aligned.answers[CLEAN]
    return {
        name: compare(
            aligned.labels,
            clean[0],
            aligned.answers[name][0],
            clean[1],
            aligned.answers[name][1],
            clusters=aligned.clusters,
            seed=settings["seed"],
            resamples=settings["resamples"],
        ).value
        for name in names
    }
