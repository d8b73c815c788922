"""Compare runs over the same rows: which model is more robust, and which texts only one of them loses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from salva._arguments import check_whole
from salva._files import write_atomically
from salva._results import choose_evenly
from salva._types import PathLike
from salva._version import __version__
from salva.asking.run_folder import FORMAT
from salva.evaluation.alignment import AlignedRuns, align_runs
from salva.evaluation.comparison import (
    CLEAN,
    PRESETS,
    AxisApart,
    AxisDifference,
    AxisScore,
    ComparedAxes,
    ComparedCondition,
    ComparedModel,
    ComparedRuns,
    ConditionApart,
    LostText,
    ModelDifference,
    ModelScore,
    ModelSensitivity,
    RankAgreement,
    Ranking,
    name_more_robust,
)
from salva.evaluation.comparison_headline import write_comparison_headline
from salva.evaluation.comparison_page import comparison_page
from salva.evaluation.flips import show_question
from salva.evaluation.results import Flip, Results
from salva.evaluation.run import Run
from salva.numbers import (
    Estimate,
    SeveralScores,
    kendall_tau_b,
    rank,
    score,
    score_several,
    score_several_variants,
    with_holm,
)
from salva.tasks import restore_task

_MOST_LOST = 10  # texts per model, and as many that all models lose


@dataclass(frozen=True, slots=True, repr=False)
class RunComparison(ComparedRuns):
    """Runs over the same data, compared; see `ComparedRuns` for what is in it."""

    def report(self, path: PathLike, *, overwrite: bool = False) -> None:
        """Write the page."""
        write_atomically(path, comparison_page(self).encode(), overwrite=overwrite)

    def __repr__(self) -> str:
        """Return the headline."""
        return "\n".join(map(str, write_comparison_headline(self)))


def compare(
    *runs: PathLike | Run, names: Sequence[str] | None = None, seed: int | None = None
) -> RunComparison:
    """Compare two or more runs, given by their folders or as `Run`; no model is asked.

    All must have the same data, seed and settings of presets. Rows are matched by id, and conditions that
    only some runs have are left out. `names` are those of the models, one per run; `seed` is that of the
    intervals, by default the seed of the runs.
    """
    aligned = align_runs(runs, names)
    settings = aligned.runs[0].results.settings
    draws: dict[str, Any] = {
        "clusters": aligned.clusters,
        "seed": settings["seed"] if seed is None else check_whole("seed", seed),
        "resamples": settings["resamples"],
    }
    clean = list(aligned.answers[CLEAN])
    scores = {
        name: score_several(aligned.labels, clean, list(aligned.answers[name]), **draws)
        for name in aligned.conditions
    }
    conditions = tuple(_describe_condition(aligned, name, found) for name, found in scores.items())
    models = _describe_models(aligned)
    differences = _compare_models(aligned, scores)
    return RunComparison(
        format=FORMAT,
        salva=__version__,
        data=aligned.runs[0].results.data.name,
        rows=len(aligned.labels),
        rows_apart=aligned.rows_apart,
        models=models,
        conditions=conditions,
        conditions_apart=_leave_out(aligned),
        rankings=tuple(_rank_models(models, conditions)),
        agreements=tuple(_compare_ranks(conditions)),
        comparisons=sum(one.difference.p is not None for one in differences),
        differences=differences,
        texts=_find_lost_texts(aligned, scores),
        sensitivities=_list_sensitivities(aligned),
        axes=_compare_axes(aligned),
    )


def _list_sensitivities(aligned: AlignedRuns) -> tuple[ModelSensitivity, ...]:
    """Return the models under every contrast that all runs have, each over its own rows."""
    found = [{one.name: one.score for one in run.results.contrasts} for run in aligned.runs]
    return tuple(
        ModelSensitivity(name, model, own[name].n, own[name].sensitivity, own[name].on_target)
        for name in found[0]
        if all(name in own for own in found)
        for model, own in zip(aligned.names, found, strict=True)
    )


def _describe_models(aligned: AlignedRuns) -> tuple[ComparedModel, ...]:
    """Return the models with their clean accuracy, over the rows that all of them answered."""
    labels, clean = aligned.labels, aligned.answers[CLEAN]
    whole = (labels >= 0) & (clean >= 0).all(axis=0)
    clusters = None if aligned.clusters is None else aligned.clusters[whole]
    scores = [score(labels[whole], one[whole], one[whole], clusters=clusters) for one in clean]
    accuracies = [one.accuracy_before for one in scores]
    return tuple(
        ComparedModel(
            name,
            run.results.model.name,
            run.results.model.digest,
            None if run.folder is None else str(run.folder),
            accuracy,
            place,
        )
        for name, run, accuracy, place in zip(
            aligned.names, aligned.runs, accuracies, _rank(accuracies), strict=True
        )
    )


def _describe_condition(aligned: AlignedRuns, name: str, found: SeveralScores) -> ComparedCondition:
    before = _rank([one.accuracy_before for one in found.scores])
    after = _rank([one.accuracy_after for one in found.scores])
    families = {one.name: one.family for one in aligned.runs[0].results.conditions}
    scores = tuple(
        ModelScore(
            condition=name,
            model=model,
            n=one.n,
            accuracy_before=one.accuracy_before,
            accuracy_after=one.accuracy_after,
            drop=one.drop,
            lost=one.right_to_wrong,
            lost_alone=int(found.lost_alone(k).sum()),
            rank_before=before[k],
            rank_after=after[k],
        )
        for k, (model, one) in enumerate(zip(aligned.names, found.scores, strict=True))
    )
    left_out = int(aligned.asked[name].sum()) - found.n
    return ComparedCondition(name, families[name], found.n, left_out, scores, int(found.lost_by_all().sum()))


def _rank(accuracies: Sequence[Estimate]) -> tuple[int | None, ...]:
    values = [one.value for one in accuracies if one.value is not None]
    return rank(values) if len(values) == len(accuracies) else (None,) * len(accuracies)


def _leave_out(aligned: AlignedRuns) -> tuple[ConditionApart, ...]:
    own = {
        model: [one.name for one in run.results.conditions]
        for model, run in zip(aligned.names, aligned.runs, strict=True)
    }
    return tuple(
        ConditionApart(name, tuple(model for model, known in own.items() if name in known))
        for name in dict.fromkeys(name for known in own.values() for name in known)
        if name not in aligned.answers
    )


def _rank_models(
    models: Sequence[ComparedModel], conditions: Sequence[ComparedCondition]
) -> Iterator[Ranking]:
    orders = {
        CLEAN: {one.name: one.rank for one in models},
        **{one.name: {score.model: score.rank_after for score in one.scores} for one in conditions},
    }
    for on, ranks in orders.items():
        known = sorted((place, model) for model, place in ranks.items() if place is not None)
        if known:
            yield Ranking(on, tuple(model for _, model in known), tuple(place for place, _ in known))


def _compare_ranks(conditions: Sequence[ComparedCondition]) -> Iterator[RankAgreement]:
    """Yield how far the order after agrees with that before on the same rows, and with other conditions."""
    measured = [condition for condition in conditions if condition.n]
    orders = {one.name: [score.accuracy_after.value or 0.0 for score in one.scores] for one in measured}
    for one in measured:
        before = [score.accuracy_before.value or 0.0 for score in one.scores]
        yield RankAgreement(CLEAN, one.name, len(before), kendall_tau_b(before, orders[one.name]))
    for a, b in combinations(orders, 2):
        yield RankAgreement(a, b, len(orders[a]), kendall_tau_b(orders[a], orders[b]))


def _compare_models(aligned: AlignedRuns, scores: Mapping[str, SeveralScores]) -> tuple[ModelDifference, ...]:
    """Return the difference of every two models under every condition; p is corrected over all of them."""
    compared = [(name, a, b) for name in scores for a, b in combinations(aligned.names, 2)]
    differences = with_holm([one for found in scores.values() for one in found.differences])
    return tuple(
        ModelDifference(name, a, b, one, name_more_robust(a, b, one))
        for (name, a, b), one in zip(compared, differences, strict=True)
    )


def _compare_axes(aligned: AlignedRuns) -> ComparedAxes:
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
    scores, differences = _score_axes(aligned, shared)
    return ComparedAxes(tuple(scores), tuple(differences), tuple(apart))


def _list_ways(results: Results) -> dict[str, tuple[str, ...]]:
    """Return the conditions of every axis, and of the presets that keep the meaning, as a run scores them."""
    ways = {one.axis: one.ways[1:] for one in results.axes}
    if results.robust is not None:
        plain = [one for one in results.conditions if one.variant is None and one.severity is not None]
        ways[PRESETS] = tuple(one.name for one in plain if one.family == "meaning")
    return ways


def _score_axes(
    aligned: AlignedRuns, ways: Mapping[str, Sequence[str]]
) -> tuple[list[AxisScore], list[AxisDifference]]:
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


class _Place(NamedTuple):
    """A row lost under a condition, by one model or, if that is None, by all; and the flip that was kept."""

    model: int | None
    condition: str
    row: int
    flip: Flip | None


def _find_lost_texts(aligned: AlignedRuns, scores: Mapping[str, SeveralScores]) -> tuple[LostText, ...]:
    """Return some texts per model that it alone loses, then some that all lose, over all conditions.

    Rows whose twin was kept come first: they show what was edited.
    """
    flips = [{(flip.condition, flip.id): flip for flip in run.flips} for run in aligned.runs]

    def choose(model: int | None) -> list[_Place]:
        groups = []
        for name, found in scores.items():
            rows = found.lost_by_all() if model is None else found.lost_alone(model)
            own = flips[model or 0]  # of the first run if all lose the row
            places = [
                _Place(model, name, row, own.get((name, aligned.ids[row])))
                for row in np.flatnonzero(rows).tolist()
            ]
            groups.append([place for place in places if place.flip is not None] or places)
        chosen = [place for some in choose_evenly(groups, _MOST_LOST) for place in some]
        return sorted(chosen, key=lambda place: ([*scores].index(place.condition), place.row))

    def answer(name: str, row: int) -> dict[str, str]:
        codes = aligned.answers[name][:, row]
        return {model: aligned.vocabulary[code] for model, code in zip(aligned.names, codes, strict=True)}

    places = [place for model in (*range(len(aligned.runs)), None) for place in choose(model)]
    texts = _read_texts(aligned, sorted({place.row for place in places}))
    return tuple(
        LostText(
            model=None if model is None else aligned.names[model],
            condition=condition,
            id=aligned.ids[row],
            label=aligned.vocabulary[aligned.labels[row]],
            text=texts.get(row),
            before=answer(CLEAN, row),
            after=answer(condition, row),
            twin=flip.text if flip else None,
            edits=flip.edits if flip else (),
        )
        for model, condition, row, flip in places
    )


def _read_texts(aligned: AlignedRuns, rows: Sequence[int]) -> dict[int, str]:
    """Return the texts of rows by number, if the first run has a folder."""
    if not rows or aligned.runs[0].folder is None:
        return {}
    questions = aligned.runs[0].questions
    clean = questions.about.condition(CLEAN)
    numbers = {int(aligned.places[0][row]): row for row in rows}
    found = questions.take(dict.fromkeys(numbers, (CLEAN,)), ["item", "parts", "options", "edits"])
    return {numbers[one["item"]]: show_question(questions.about, clean, one)[0] for one in found}
