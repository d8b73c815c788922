"""From joined answers to numbers: of every condition, curve, comparison, axis and contrast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from salva.evaluation.breakdowns import score_found_entities
from salva.evaluation.details import AxisResult
from salva.evaluation.grading import TaskGrader, WordGrader
from salva.evaluation.join import Answered, Joined
from salva.evaluation.results import Comparison, ConditionResult, ContrastResult, PresetResult
from salva.numbers import (
    Estimate,
    MetricChange,
    ReplyScore,
    VariantScore,
    compare,
    curve,
    metric_change,
    score,
    score_contrast,
    score_judged,
    score_replies,
    score_variants,
    with_holm,
)
from salva.questions.options import Measure
from salva.questions.table import CLEAN, About, Condition
from salva.transforms import Summary, Validity

PRESETS = "presets"  # the name of all presets that keep the meaning, as one axis


class Scorer:
    """Computes the numbers of a run."""

    def __init__(self, about: About, joined: Joined, measure: Measure, seed: int) -> None:
        self.about, self.joined, self.measure = about, joined, measure
        self.draws: dict[str, Any] = {"seed": seed, "resamples": measure.resamples}
        self.seed = seed
        self.task = joined.grader.task if isinstance(joined.grader, TaskGrader) else None

    def conditions(self) -> tuple[ConditionResult, ...]:
        """Return the numbers of every condition under which answers stay; p values are corrected over all."""
        joined, limit = self.joined, self.measure.drop_limit
        scores = with_holm(
            [
                score(
                    *joined.pairs(one),
                    clusters=one.among(joined.clusters),
                    changed=joined.changed(one),
                    labels_after=one.among(one.expected),
                    effective_over=limit,
                    **self.draws,
                )
                for one in joined.conditions
            ]
        )
        return tuple(self._describe(one, found) for one, found in zip(joined.conditions, scores, strict=True))

    def _describe(self, one: Answered, found: Any) -> ConditionResult:
        joined, condition = self.joined, one.condition
        if not joined.grader.has_classes:
            found = replace(found, macro_f1_before=None, macro_f1_after=None)
        summary = self.summary(condition)
        is_judged = self.task is not None and self.task.answer.needs_judge
        return ConditionResult(
            name=condition.name,
            preset=condition.preset,
            severity=condition.severity,
            replicate=condition.copy,
            score=found,
            edit_rate=None if summary.rate is None else 100 * summary.rate,
            edits=summary.edits,
            truncated=one.truncated,
            metric=self._measure(one),
            family=condition.family,
            validity=self._rate_edits(condition),
            replies=self._score_replies(one),
            judged=score_judged(joined.clean.codes, one.codes) if is_judged else None,
            entities=score_found_entities(joined, one, self.seed),
            variant=condition.variant,
            statuses=dict(sorted(one.statuses.items())),
            empty_twice=self._count_empty(one),
        )

    def _count_empty(self, one: Answered) -> int:
        """Return how many pairs of answers are both empty, if answers are compared as words."""
        grader = self.joined.grader
        if not isinstance(grader, WordGrader) or "" not in grader.names:
            return 0
        _, *sides = self.joined.pairs(one)
        return int(np.all([side == grader.code("") for side in sides], axis=0).sum())

    def summary(self, condition: Condition) -> Summary:
        """Return what was done to the words of a condition."""
        known = self.about.summaries.get(condition.name)
        return Summary() if known is None else Summary.from_dict(known)

    def _rate_edits(self, condition: Condition) -> Estimate | None:
        """Return the share of a condition's edits that keep the meaning, if it has edits and readers."""
        validity = self.validity(condition.preset)
        if not condition.has_edits or validity is None or validity.edits is None:
            return None
        return validity.edits.rate

    def validity(self, preset: str | None) -> Validity | None:
        """Return what readers found about a preset."""
        known = self.about.presets.get(preset or "")
        return None if known is None else known.validity

    def _measure(self, one: Answered) -> MetricChange | None:
        metric = self.measure.metric
        if metric is None:
            return None
        columns = map(self.joined.decode, self.joined.pairs(one))
        own = None if one.expected is None else self.joined.decode(one.among(one.expected))
        clusters = one.among(self.joined.clusters)
        return metric_change(metric, *columns, labels_after=own, clusters=clusters, seed=self.seed)

    def _score_replies(self, one: Answered) -> ReplyScore | None:
        if self.task is None:
            return None
        return score_replies(
            *self.joined.pairs(one)[1:],
            scores_before=one.among(self.joined.clean.scores),
            scores_after=one.among(one.scores),
            clusters=one.among(self.joined.clusters),
            seed=self.seed,
        )

    def curves(self) -> tuple[PresetResult, ...]:
        """Return one curve per preset."""
        found = []
        for preset, about in self.about.presets.items():
            if about.family == "contrast":
                continue
            afters: dict[float, list[Any]] = {}
            for one in self._rewritten():
                if one.condition.preset == preset and one.condition.severity is not None:
                    afters.setdefault(one.condition.severity, []).append(one.codes)
            drops = curve(
                self.joined.labels,
                self.joined.clean.codes,
                afters,
                clusters=self.joined.clusters,
                **self.draws,
            )
            found.append(PresetResult(preset, drops, about.family, about.version, self.validity(preset)))
        return tuple(found)

    def _rewritten(self) -> Iterator[Answered]:
        """Yield the conditions in which items are rewritten and asked as usual."""
        return (one for one in self.joined.conditions if one.condition.preset and not one.condition.axis)

    def comparisons(self) -> tuple[Comparison, ...]:
        """Compare every two presets at every severity, using their first copies."""
        after = {
            (one.condition.preset, one.condition.severity): one.codes
            for one in self._rewritten()
            if one.condition.copy == 0 and one.condition.severity is not None
        }
        severities = sorted({severity for _, severity in after if severity is not None})
        presets = [name for name, about in self.about.presets.items() if about.family != "contrast"]
        compared = [(a, b, s) for s in severities for a, b in combinations(presets, 2)]
        clean = self.joined.clean.codes
        differences = with_holm(
            [
                compare(
                    self.joined.labels,
                    clean,
                    after[a, severity],
                    clean,
                    after[b, severity],
                    clusters=self.joined.clusters,
                    **self.draws,
                )
                for a, b, severity in compared
            ]
        )
        return tuple(
            Comparison(*names, difference) for names, difference in zip(compared, differences, strict=True)
        )

    def axes(self) -> Mapping[str, Any]:
        """Return the fields of results about axes, and robust accuracy."""
        ways: dict[str, list[Answered]] = {}
        for one in self.joined.conditions:
            condition = one.condition
            if condition.axis is not None and condition.preset is None:
                ways.setdefault(condition.axis, []).append(one)
            elif condition.family == "meaning" and condition.has_edits:
                ways.setdefault(PRESETS, []).append(one)
        return {
            "axes": tuple(
                AxisResult(axis, (CLEAN, *(one.condition.name for one in some)), self._score_ways(some))
                for axis, some in ways.items()
                if axis != PRESETS
            ),
            "robust": self._score_ways(ways[PRESETS]) if PRESETS in ways else None,
        }

    def _score_ways(self, ways: Sequence[Answered]) -> VariantScore:
        joined = self.joined
        scores = [joined.clean.scores, *(one.scores for one in ways)]
        return score_variants(
            joined.labels,
            [joined.clean.codes, *(one.codes for one in ways)],
            asked=[None, *(one.asked for one in ways)],
            scores=[None if own is None else own.astype(np.float64) for own in scores],
            clusters=joined.clusters,
        )

    def contrasts(self) -> Iterator[ContrastResult]:
        """Yield the numbers of every contrast."""
        joined = self.joined
        before, labels = joined.clean.codes, joined.labels
        for one in joined.contrasts:
            condition = one.condition
            about = self.about.presets[condition.preset or ""]
            size = len(labels)
            edited = np.ones(size, np.bool_) if one.asked is None else one.asked
            expected = labels if one.expected is None else one.expected
            right = np.zeros(size, np.bool_) if one.right is None else one.right
            yield ContrastResult(
                name=condition.name,
                preset=condition.preset or "",
                severity=condition.severity or 0.0,
                replicate=condition.copy,
                score=score_contrast(
                    before,
                    one.codes,
                    edited=edited,
                    known=(expected >= 0) & edited,
                    right_before=(before == labels) & (labels >= 0),
                    right_after=right,
                    clusters=joined.clusters,
                ),
                edits=self.summary(condition).edits,
                validity=self._rate_edits(condition),
                version=about.version,
            )
