"""Axes of several runs: the numbers over all ways of asking, on the items that all models answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    shared: dict[str, tuple[str, ...]] = {}
    apart = []
    for axis in dict.fromkeys(axis for ways in own for axis in ways):
        found = [ways.get(axis, ()) for ways in own]
        if len(set(map(frozenset, found))) == 1:
            shared[axis] = found[0]
        else:
            counts = [len((CLEAN, *ways)) if ways else 0 for ways in found]
            apart.append(AxisApart(axis, dict(zip(aligned.names, counts, strict=True))))
    scores, differences = _score(aligned, shared)
    return ComparedAxes(tuple(scores), tuple(differences), tuple(apart))


def _list_ways(results: Results) -> dict[str, tuple[str, ...]]:
    """Return the conditions of every axis, and of the presets that keep the meaning, as a run scores them."""
    ways = {one.axis: one.ways[1:] for one in results.axes}
    if results.robust is not None:
        plain = [one for one in results.conditions if one.variant is None and one.severity is not None]
        ways[PRESETS] = tuple(one.name for one in plain if one.family == "meaning")
    return ways


def _score(aligned: AlignedRuns, ways: Ways) -> tuple[list[AxisScore], list[AxisDifference]]:
    """Return the numbers of every axis and model, and the differences of every two models."""
    names, graded = aligned.names, [_is_graded(run.results) for run in aligned.runs]
    # Partial scores that a run lacks are unknown, and right and wrong are not what the run measured.
    has_sensitivity = all(graded) or not graded[0]
    scores: list[AxisScore] = []
    differences: list[AxisDifference] = []
    for axis, others in ways.items():
        own = (CLEAN, *others)
        found = score_several_variants(
            aligned.labels,
            [[aligned.answers[way][k] for way in own] for k in range(len(names))],
            asked=[None if way == CLEAN else aligned.asked[way] for way in own],
            scores=[
                [some[way] if is_graded else None for way in own]
                for some, is_graded in zip(aligned.scores, graded, strict=True)
            ],
            clusters=aligned.clusters,
        )
        scores += (
            AxisScore(
                axis=axis,
                model=name,
                ways=len(own),
                n=one.n,
                n_out=one.n_out,
                mean=one.mean,
                spread=one.spread,
                worst_case=one.worst_case,
                consistency_rate=one.consistency_rate,
                prompt_sensitivity=one.prompt_sensitivity if has_sensitivity else Estimate(),
            )
            for name, one in zip(names, found.scores, strict=True)
        )
        differences += (
            AxisDifference(axis, one.number, names[one.a], names[one.b], one.n, one.value)
            for one in found.differences
            if has_sensitivity or one.number != "prompt_sensitivity"
        )
    return scores, differences


def _is_graded(results: Results) -> bool:
    task = results.settings.get("task")
    return task is not None and restore_task(task).answer.is_graded
