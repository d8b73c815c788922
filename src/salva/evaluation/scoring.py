"""From answers to numbers: conditions, curves and comparisons of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from salva.evaluation.answered import Answered
from salva.evaluation.results import Comparison, Condition, PresetResult
from salva.evaluation.settings import EvaluationSettings
from salva.evaluation.tasks import Task
from salva.pairs import MetricChange, compare, curve, metric_change, score
from salva.stats import with_holm

Metric = Callable[[list[str], list[str]], float]
_METRIC_RESAMPLES = 1_000


def conditions_of(
    tasks: Sequence[Task], answered: Answered, settings: EvaluationSettings, metric: Metric | None
) -> tuple[Condition, ...]:
    """Return the numbers of every condition; p-values are corrected over all of them."""
    draws = {"seed": settings.seed, "resamples": settings.resamples}
    scores = with_holm(
        [
            score(answered.labels, answered.clean, after, effective_over=settings.effective_over, **draws)
            for after in answered.after
        ]
    )
    return tuple(
        Condition(
            name=task.name,
            preset=task.preset,
            severity=task.severity,
            replicate=task.replicate,
            score=scores[k],
            edit_rate=None if (rate := answered.edits[k].rate) is None else 100 * rate,
            edits=answered.edits[k].edits,
            truncated=answered.truncated[k],
            metric=_metric(metric, answered, k, settings) if metric else None,
        )
        for k, task in enumerate(tasks)
    )


def curves_of(
    tasks: Sequence[Task], answered: Answered, settings: EvaluationSettings
) -> tuple[PresetResult, ...]:
    """Return one curve per preset."""
    results = []
    for preset in settings.transforms:
        afters = {
            severity: [
                answered.after[k]
                for k, task in enumerate(tasks)
                if task.preset == preset and task.severity == severity
            ]
            for severity in settings.severities
        }
        drawn = curve(
            answered.labels, answered.clean, afters, seed=settings.seed, resamples=settings.resamples
        )
        results.append(PresetResult(preset, drawn))
    return tuple(results)


def comparisons_of(
    tasks: Sequence[Task], answered: Answered, settings: EvaluationSettings
) -> tuple[Comparison, ...]:
    """Compare every two presets at every severity, using their first replicates."""
    place = {(task.preset, task.severity): k for k, task in enumerate(tasks) if task.replicate == 0}
    compared = [(a, b, s) for s in settings.severities for a, b in combinations(settings.transforms, 2)]
    differences = with_holm(
        [
            compare(
                answered.labels,
                answered.clean,
                answered.after[place[a, severity]],
                answered.clean,
                answered.after[place[b, severity]],
                seed=settings.seed,
                resamples=settings.resamples,
            )
            for a, b, severity in compared
        ]
    )
    return tuple(Comparison(*names, found) for names, found in zip(compared, differences, strict=True))


def _metric(metric: Metric, answered: Answered, k: int, settings: EvaluationSettings) -> MetricChange:
    names = [*answered.classes.names, None]
    columns = [
        [names[code] for code in codes.tolist()]
        for codes in (answered.labels, answered.clean, answered.after[k])
    ]
    return metric_change(metric, *columns, seed=settings.seed, resamples=_METRIC_RESAMPLES)
