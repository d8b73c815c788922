"""From answers to numbers: conditions, curves and comparisons of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

from salva._types import Ints32, Ints64
from salva.evaluation.answers import AnswerTable
from salva.evaluation.conditions import Condition, Rewriting
from salva.evaluation.entities import score_condition
from salva.evaluation.exchange import Exchange
from salva.evaluation.results import Comparison, ConditionResult, PresetResult
from salva.evaluation.settings import EvaluationSettings
from salva.numbers import (
    Estimate,
    Metric,
    MetricChange,
    PairScore,
    ReplyScore,
    compare,
    curve,
    metric_change,
    score,
    score_judged,
    score_replies,
    with_holm,
)


def score_conditions(
    exchange: Exchange, settings: EvaluationSettings, metric: Metric | None
) -> tuple[ConditionResult, ...]:
    """Return the numbers of every condition; p-values are corrected over all of them."""
    answers, draws = exchange.answers, {"seed": settings.seed, "resamples": settings.resamples}
    clusters, limit = exchange.facts.clusters, settings.effective_over
    is_judged = settings.task is not None and settings.task.answer.needs_judge
    scores = with_holm(
        [
            score(*answers.pairs(k), clusters=answers.among(k, clusters), effective_over=limit, **draws)
            for k in range(len(exchange.conditions))
        ]
    )
    return tuple(
        ConditionResult(
            name=condition.name,
            **_name_parts(condition),
            score=_without_classes(scores[k]) if not answers.codes.has_classes else scores[k],
            edit_rate=None if summary.rate is None else 100 * summary.rate,
            edits=summary.edits,
            truncated=answers.truncated[k],
            metric=_measure(metric, answers, k, clusters, settings) if metric else None,
            family=condition.family,
            validity=_rate_edits(condition),
            replies=_score_replies(exchange, k, settings),
            entities=score_condition(exchange, k, settings),
            judged=score_judged(answers.clean, answers.after[k]) if is_judged else None,
        )
        for k, (condition, summary) in enumerate(zip(exchange.conditions, exchange.summaries, strict=True))
    )


def _name_parts(condition: Condition) -> dict[str, Any]:
    """Return the preset, its severity and replicate, and the variant of a condition."""
    rewriting, variant = condition.rewriting, condition.variant
    return {
        "preset": None if rewriting is None else rewriting.preset,
        "severity": None if rewriting is None else rewriting.severity,
        "replicate": 0 if rewriting is None else rewriting.replicate,
        "variant": None if variant is None else variant.name,
    }


def _without_classes(score: PairScore) -> PairScore:
    """Return a score without what only classes have."""
    return replace(score, macro_f1_before=None, macro_f1_after=None)


def draw_curves(exchange: Exchange, settings: EvaluationSettings) -> tuple[PresetResult, ...]:
    """Return one curve per preset."""
    answers, results = exchange.answers, []
    for preset, transform in settings.kept_transforms.items():
        afters = {
            severity: [
                after
                for one, after in _list_rewritings(exchange)
                if one.preset == preset and one.severity == severity
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


def _list_rewritings(exchange: Exchange) -> Iterator[tuple[Rewriting, Ints32]]:
    """Yield the conditions in which rows are rewritten and asked as usual, with their answers."""
    for condition, after in zip(exchange.conditions, exchange.answers.after, strict=True):
        if condition.rewriting is not None and condition.variant is None:
            yield condition.rewriting, after


def compare_presets(exchange: Exchange, settings: EvaluationSettings) -> tuple[Comparison, ...]:
    """Compare every two presets at every severity, using their first replicates."""
    answers = exchange.answers
    after = {
        (one.preset, one.severity): codes for one, codes in _list_rewritings(exchange) if one.replicate == 0
    }
    compared = [(a, b, s) for s in settings.severities for a, b in combinations(settings.kept_transforms, 2)]
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
    validity = None if condition.rewriting is None else condition.rewriting.transform.validity
    if not condition.has_edits or validity is None or validity.edits is None:
        return None
    return validity.edits.rate


def _score_replies(exchange: Exchange, k: int, settings: EvaluationSettings) -> ReplyScore | None:
    answers = exchange.answers
    if settings.task is None:
        return None
    return score_replies(
        *answers.pairs(k)[1:],
        scores_before=answers.among(k, answers.clean_scores),
        scores_after=answers.among(k, answers.scores[k]),
        clusters=answers.among(k, exchange.facts.clusters),
        seed=settings.seed,
    )


def _measure(
    metric: Metric, answers: AnswerTable, k: int, clusters: Ints64, settings: EvaluationSettings
) -> MetricChange:
    columns = map(answers.codes.decode, answers.pairs(k))
    return metric_change(metric, *columns, clusters=answers.among(k, clusters), seed=settings.seed)
