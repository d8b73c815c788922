"""Compare runs over the same rows: which model is more robust, and which texts only one of them loses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from salva._arguments import check_whole
from salva._files import write_atomically
from salva._types import PathLike
from salva._version import __version__
from salva.asking.run_folder import FORMAT
from salva.evaluation.alignment import AlignedRuns, align_runs
from salva.evaluation.compared_axes import compare_axes
from salva.evaluation.comparison import (
    CLEAN,
    ComparedCondition,
    ComparedModel,
    ComparedRuns,
    ConditionApart,
    ModelDifference,
    ModelScore,
    ModelSensitivity,
    RankAgreement,
    Ranking,
    name_more_robust,
)
from salva.evaluation.comparison_headline import write_comparison_headline
from salva.evaluation.comparison_page import comparison_page
from salva.evaluation.lost_texts import find_lost_texts
from salva.evaluation.run import Run
from salva.numbers import Estimate, SeveralScores, kendall_tau_b, rank, score, score_several, with_holm


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
        texts=find_lost_texts(aligned, scores),
        sensitivities=tuple(_list_sensitivities(aligned)),
        axes=compare_axes(aligned),
    )


def _list_sensitivities(aligned: AlignedRuns) -> Iterator[ModelSensitivity]:
    """Yield the models under every contrast that all runs have, each over its own rows."""
    found = [{one.name: one.score for one in run.results.contrasts} for run in aligned.runs]
    for name in found[0]:
        if all(name in own for own in found):
            for model, own in zip(aligned.names, found, strict=True):
                one = own[name]
                yield ModelSensitivity(name, model, one.n, one.sensitivity, one.on_target)


def _describe_models(aligned: AlignedRuns) -> tuple[ComparedModel, ...]:
    """Return the models with their clean accuracy, over the rows that all of them answered."""
    labels, clean = aligned.labels, aligned.answers[CLEAN]
    whole = (labels >= 0) & (clean >= 0).all(axis=0)
    clusters = None if aligned.clusters is None else aligned.clusters[whole]
    scores = [score(labels[whole], one[whole], one[whole], clusters=clusters) for one in clean]
    accuracies = [one.accuracy_before for one in scores]
    ranks = _rank(accuracies)
    return tuple(
        ComparedModel(
            name,
            run.results.model.name,
            run.results.model.digest,
            None if run.folder is None else str(run.folder),
            accuracies[k],
            ranks[k],
        )
        for k, (name, run) in enumerate(zip(aligned.names, aligned.runs, strict=True))
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
    by_all = int(found.lost_by_all().sum())
    return ComparedCondition(name, families[name], found.n, left_out, scores, by_all)


def _rank(accuracies: Sequence[Estimate]) -> tuple[int | None, ...]:
    values = [one.value for one in accuracies if one.value is not None]
    return rank(values) if len(values) == len(accuracies) else (None,) * len(accuracies)


def _leave_out(aligned: AlignedRuns) -> tuple[ConditionApart, ...]:
    owners: dict[str, list[str]] = {}
    for model, run in zip(aligned.names, aligned.runs, strict=True):
        for condition in run.results.conditions:
            owners.setdefault(condition.name, []).append(model)
    apart = {name: models for name, models in owners.items() if len(models) < len(aligned.runs)}
    return tuple(ConditionApart(name, tuple(models)) for name, models in apart.items())


def _rank_models(
    models: Sequence[ComparedModel], conditions: Sequence[ComparedCondition]
) -> Iterator[Ranking]:
    orders = {CLEAN: {one.name: one.rank for one in models}}
    orders |= {
        condition.name: {one.model: one.rank_after for one in condition.scores} for condition in conditions
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
