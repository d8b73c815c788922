"""Axes of several runs: the numbers over all ways of asking, on the items that all models answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from salva.evaluation.alignment import AlignedRuns
from salva.evaluation.comparison import (
    CLEAN,
    PRESETS,
    AxisApart,
    AxisDifference,
    AxisScore,
    ComparedAxes,
)
from salva.evaluation.results import Results
from salva.numbers import Estimate, score_several_variants
from salva.tasks import restore_task

Ways = Mapping[str, Sequence[str]]


def compare_axes(aligned: AlignedRuns) -> ComparedAxes:
    """Return the numbers of every axis that all runs ask in the same ways, and of presets as a whole."""
    own = [_list_ways(run.results) for run in aligned.runs]
    names = dict.fromkeys(axis for ways in own for axis in ways)
    shared = {axis: own[0][axis] for axis in names if all(_are_same(own[0], ways, axis) for ways in own)}
    apart = tuple(
        AxisApart(axis, {name: _count(ways, axis) for name, ways in zip(aligned.names, own, strict=True)})
        for axis in names
        if axis not in shared
    )
    return ComparedAxes(*_Axes(aligned).score(shared), apart)


def _list_ways(results: Results) -> dict[str, tuple[str, ...]]:
    """Return the conditions of every axis, and of the presets that keep the meaning, as a run scores them."""
    ways = {one.axis: one.ways[1:] for one in results.axes}
    if results.robust is not None:
        plain = [one for one in results.conditions if one.variant is None and one.severity is not None]
        ways[PRESETS] = tuple(one.name for one in plain if one.family == "meaning")
    return ways


def _are_same(a: Ways, b: Ways, axis: str) -> bool:
    return axis in a and axis in b and set(a[axis]) == set(b[axis])


def _count(ways: Ways, axis: str) -> int:
    return 1 + len(ways[axis]) if axis in ways else 0


class _Axes:
    """Scores the ways of aligned runs."""

    def __init__(self, aligned: AlignedRuns) -> None:
        self._aligned = aligned
        self._scores = [
            own if _is_graded(run.results) else None
            for run, own in zip(aligned.runs, aligned.scores, strict=True)
        ]
        # Partial scores that a run lacks are unknown, and right and wrong are not what the run measured.
        self._has_sensitivity = None not in self._scores or not _is_graded(aligned.runs[0].results)

    def score(self, ways: Ways) -> tuple[tuple[AxisScore, ...], tuple[AxisDifference, ...]]:
        """Return the numbers of every axis and model, and the differences of every two models."""
        scores: list[AxisScore] = []
        differences: list[AxisDifference] = []
        for axis, names in ways.items():
            mine, less = self._score(axis, (CLEAN, *names))
            scores += mine
            differences += less
        return tuple(scores), tuple(differences)

    def _score(self, axis: str, ways: Sequence[str]) -> tuple[list[AxisScore], list[AxisDifference]]:
        aligned, names = self._aligned, self._aligned.names
        found = score_several_variants(
            aligned.labels,
            [[aligned.answers[way][k] for way in ways] for k in range(len(names))],
            asked=[None if way == CLEAN else aligned.asked[way] for way in ways],
            scores=[[None if own is None else own[way] for way in ways] for own in self._scores],
            clusters=aligned.clusters,
        )
        scores = [
            AxisScore(
                axis=axis,
                model=name,
                ways=len(ways),
                n=one.n,
                n_out=one.n_out,
                mean=one.mean,
                spread=one.spread,
                worst_case=one.worst_case,
                consistency_rate=one.consistency_rate,
                prompt_sensitivity=one.prompt_sensitivity,
            )
            for name, one in zip(names, found.scores, strict=True)
        ]
        less = [
            AxisDifference(axis, one.number, names[one.a], names[one.b], one.n, one.value)
            for one in found.differences
        ]
        if self._has_sensitivity:
            return scores, less
        kept = [one for one in less if one.number != "prompt_sensitivity"]
        return [replace(one, prompt_sensitivity=Estimate()) for one in scores], kept


def _is_graded(results: Results) -> bool:
    task = results.settings.get("task")
    return task is not None and restore_task(task).answer.is_graded
