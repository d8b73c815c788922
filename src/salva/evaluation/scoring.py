"""From answers to numbers: conditions, curves and comparisons of a run."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from salva._types import Ints64
from salva.evaluation.answers import AnswerTable
from salva.evaluation.exchange import Exchange
from salva.evaluation.results import Comparison, ConditionResult, PresetResult
from salva.evaluation.settings import Condition, EvaluationSettings
from salva.pairs import (
    MetricChange,
    PairScore,
    ReplyScore,
    compare,
    curve,
    metric_change,
    score,
    score_replies,
)
from salva.pairs.metric import Metric
from salva.stats import Estimate, with_holm


def score_conditions(
    exchange: Exchange, settings: EvaluationSettings, metric: Metric | None
) -> tuple[ConditionResult, ...]:
    """Return the numbers of every condition; p-values are corrected over all of them."""
    answers, draws = exchange.answers, {"seed": settings.seed, "resamples": settings.resamples}
    clusters, limit = exchange.facts.clusters, settings.effective_over
    scores = with_holm(
        [
            score(answers.labels, answers.clean, after, clusters=clusters, effective_over=limit, **draws)
            for after in answers.after
        ]
    )
    return tuple(
        ConditionResult(
            name=condition.name,
            preset=condition.preset,
            severity=condition.severity,
            replicate=condition.replicate,
            score=_without_classes(scores[k]) if not answers.codes.has_classes else scores[k],
            edit_rate=None if summary.rate is None else 100 * summary.rate,
            edits=summary.edits,
            truncated=answers.truncated[k],
            metric=_measure(metric, answers, k, clusters, settings) if metric else None,
            family=condition.transform.family,
            validity=_rate_edits(condition),
            replies=_score_replies(exchange, k, settings),
        )
        for k, (condition, summary) in enumerate(zip(exchange.conditions, exchange.summaries, strict=True))
    )


def _without_classes(score: PairScore) -> PairScore:
    """Return a score without what only classes have."""
    return replace(score, macro_f1_before=None, macro_f1_after=None)


def draw_curves(exchange: Exchange, settings: EvaluationSettings) -> tuple[PresetResult, ...]:
    """Return one curve per preset."""
    answers, results = exchange.answers, []
    for preset, transform in settings.transforms.items():
        afters = {
            severity: [
                after
                for condition, after in zip(exchange.conditions, answers.after, strict=True)
                if condition.preset == preset and condition.severity == severity
            ]
            for severity in settings.severities
        }
        drops = curve(
            answers.labels,
            answers.clean,
            afters,
            clusters=exchange.facts.clusters,
            seed=settings.seed,
            resamples=settings.resamples,
        )
        about = transform.family, str(transform.version), transform.validity
        results.append(PresetResult(preset, drops, *about))
    return tuple(results)


def compare_presets(exchange: Exchange, settings: EvaluationSettings) -> tuple[Comparison, ...]:
    """Compare every two presets at every severity, using their first replicates."""
    answers = exchange.answers
    after = {
        (condition.preset, condition.severity): codes
        for condition, codes in zip(exchange.conditions, answers.after, strict=True)
        if condition.replicate == 0
    }
    compared = [(a, b, s) for s in settings.severities for a, b in combinations(settings.transforms, 2)]
    differences = with_holm(
        [
            compare(
                answers.labels,
                answers.clean,
                after[a, severity],
                answers.clean,
                after[b, severity],
                clusters=exchange.facts.clusters,
                seed=settings.seed,
                resamples=settings.resamples,
            )
            for a, b, severity in compared
        ]
    )
    return tuple(
        Comparison(*names, difference) for names, difference in zip(compared, differences, strict=True)
    )


def _rate_edits(condition: Condition) -> Estimate | None:
    """Return the share of a condition's edits that keep the meaning, if it has edits and readers."""
    validity = condition.transform.validity
    if condition.severity is None or validity is None or validity.edits is None:
        return None
    return validity.edits.rate


def _score_replies(exchange: Exchange, k: int, settings: EvaluationSettings) -> ReplyScore | None:
    answers = exchange.answers
    if settings.task is None:
        return None
    return score_replies(
        answers.clean,
        answers.after[k],
        scores_before=answers.clean_scores,
        scores_after=answers.scores[k],
        clusters=exchange.facts.clusters,
        seed=settings.seed,
    )


def _measure(
    metric: Metric, answers: AnswerTable, k: int, clusters: Ints64, settings: EvaluationSettings
) -> MetricChange:
    columns = map(answers.codes.decode, (answers.labels, answers.clean, answers.after[k]))
    return metric_change(metric, *columns, clusters=clusters, seed=settings.seed)
