"""From joined answers to numbers: of conditions, curves, comparisons, axes, contrasts; by class and slice."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from salva._types import Bools, Floats, Ints32, Ints64
from salva.evaluation.details import (
    AxisResult,
    ClassCount,
    ClassScore,
    ConditionClasses,
    ConfidenceShift,
    Confusion,
    Duplicates,
    Slice,
    SliceScore,
    Slicing,
)
from salva.evaluation.grading import TaskGrader, WordGrader
from salva.evaluation.join import Answered, Joined
from salva.evaluation.results import (
    Clusters,
    Comparison,
    ConditionResult,
    ContrastResult,
    LabelEntities,
    PresetResult,
)
from salva.numbers import (
    EntityScore,
    Estimate,
    MetricChange,
    PairTable,
    ReplyScore,
    VariantScore,
    as_clusters,
    clustered_mean,
    compare,
    curve,
    metric_change,
    score,
    score_contrast,
    score_entities,
    score_judged,
    score_replies,
    score_variants,
    sum_clusters,
    with_holm,
)
from salva.questions.options import Measure
from salva.questions.table import CLEAN, About, Condition
from salva.transforms import Summary, Validity

_MOST_CLASSES = 50
_MOST_CONFUSIONS = 400  # per condition


def count_classes(joined: Joined) -> tuple[ClassCount, ...]:
    """Return the classes that items have, with the labels of the model that stand for them."""
    grader, labels = joined.grader, joined.labels
    if not grader.has_classes:
        return ()
    counts = np.bincount(labels[labels >= 0], minlength=len(grader.names))
    mapped = sorted(grader.aligned.items())
    return tuple(
        ClassCount(name, int(rows), tuple(ours for ours, theirs in mapped if theirs == name))
        for name, rows in zip(grader.names, counts, strict=True)
        if rows
    )


def score_classes(joined: Joined) -> tuple[ConditionClasses, ...]:
    """Return the scores of every class under every condition, of the most frequent if there are very many."""
    names, labels, clean = joined.grader.names, joined.labels, joined.clean.codes
    if not joined.grader.has_classes:
        return ()
    counts = np.bincount(labels[labels >= 0], minlength=len(names))
    frequent = np.argsort(-counts, kind="stable")[:_MOST_CLASSES]
    chosen = [int(code) for code in np.sort(frequent) if counts[code]]
    found = []
    for one in joined.conditions:
        table = list_pairs(joined, one)
        scores = [
            _score_class(
                names[code],
                table.where(labels == code),
                table.where(clean == code),
                table.where(one.codes == code),
            )
            for code in chosen
        ]
        confusions = _confusions(names, labels, clean, one.codes)
        found.append(ConditionClasses(one.condition.name, tuple(scores), tuple(confusions)))
    return tuple(found) if chosen else ()


def list_pairs(joined: Joined, one: Answered) -> PairTable:
    """Return the pairs of answers under a condition."""
    return PairTable.of(
        joined.labels,
        joined.clean.codes,
        one.codes,
        labels_after=one.expected,
        changed=None if one.unchanged is None else ~one.unchanged,
        clusters=as_clusters(joined.clusters, len(joined)),
    )


def _score_class(name: str, labelled: PairTable, before: PairTable, after: PairTable) -> ClassScore:
    """Return the score of a class, from the pairs that have it as label, or as answer before or after."""
    return ClassScore(
        label=name,
        n=labelled.n,
        recall_before=labelled.accuracy_before(),
        recall_after=labelled.accuracy_after(),
        drop=labelled.drop(),
        precision_before=before.accuracy_before(),
        precision_after=after.accuracy_after(),
    )


def _confusions(names: list[str], labels: Ints32, clean: Ints32, after: Ints32) -> Iterator[Confusion]:
    """Yield labels and answers that occur together, before or after, in the order of the classes."""
    whole = (labels >= 0) & (clean >= 0) & (after >= 0)
    sides = (
        Counter(zip(labels[whole].tolist(), some[whole].tolist(), strict=True)) for some in (clean, after)
    )
    before, later = sides
    counts = {pair: (before[pair], later[pair]) for pair in before | later}
    frequent = sorted(counts, key=lambda key: (-sum(counts[key]), key))[:_MOST_CONFUSIONS]
    for label, answer in sorted(frequent):
        yield Confusion(names[label], names[answer], *counts[label, answer])


_MOST_VALUES = 10  # of a column; rarer ones are one slice, and more numbers are put into quartiles
_NUMBER = re.compile(r"\d+")


class _Part(NamedTuple):
    """The rows of a slice."""

    name: str
    kind: str
    rows: Bools
    low: float | None = None
    high: float | None = None


def score_slices(joined: Joined) -> tuple[Slicing, ...]:
    """Return the drop in quartiles of the text's length, and in slices by each column of facts."""
    lengths = np.where(joined.lengths < 0, np.nan, joined.lengths)
    by_length = list(_quartiles(lengths))
    parts: list[tuple[str | None, list[_Part]]] = [(None, by_length)] if len(by_length) > 1 else []
    parts += [(column, split_values(values)) for column, values in joined.facts.items()]
    scores: list[list[list[SliceScore]]] = [[[] for _ in own] for _, own in parts]
    for one in joined.conditions:
        table = list_pairs(joined, one)  # one at a time: it takes 13 bytes per item
        for (_, own), places in zip(parts, scores, strict=True):
            for part, place in zip(own, places, strict=True):
                some, name = table.where(part.rows), one.condition.name
                rates = some.accuracy_before(), some.accuracy_after(), some.drop(), some.consistency()
                place.append(SliceScore(name, some.n, *rates))
    return tuple(
        Slicing(
            column,
            tuple(
                Slice(part.name, part.kind, int(part.rows.sum()), part.low, part.high, tuple(found))
                for part, found in zip(own, places, strict=True)
            ),
        )
        for (column, own), places in zip(parts, scores, strict=True)
    )


def split_values(values: Sequence[str | None]) -> list[_Part]:
    """Return the slices of a column: quartiles if it has many numbers, or else its most frequent values."""
    numbers = _as_numbers(values)
    if numbers is not None and len(np.unique(numbers[~np.isnan(numbers)])) > _MOST_VALUES:
        return [*_quartiles(numbers), *_missing(np.isnan(numbers))]
    counts = Counter(value for value in values if value is not None)
    frequent = sorted(counts, key=lambda value: (-counts[value], value))[:_MOST_VALUES]
    if numbers is not None:
        frequent.sort(key=float)
    begins = [found for value in frequent if (found := _NUMBER.match(value))]
    if len(begins) == len(frequent) and numbers is None:  # such as `1 to 10 words`
        frequent = [found.string for found in sorted(begins, key=lambda one: int(one[0]))]
    column = np.array(values, dtype=object)
    parts = [_Part(value, "value", column == value) for value in frequent]
    missing = np.array([value is None for value in values], np.bool_)
    rest = ~np.logical_or.reduce([missing, *(part.rows for part in parts)])
    if rest.any():
        parts.append(_Part(f"{len(counts) - len(frequent):,} other values", "other", rest))
    return [*parts, *_missing(missing)]


def _missing(rows: Bools) -> Iterator[_Part]:
    if rows.any():
        yield _Part("no value", "missing", rows)


def _quartiles(numbers: Floats) -> Iterator[_Part]:
    """Yield the rows in quartiles of their numbers; fewer if many numbers are equal. NaN is in none."""
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return
    ends = np.unique([*np.quantile(known, [0.25, 0.5, 0.75], method="inverted_cdf"), known.max()])
    for low, high in zip([-math.inf, *ends[:-1]], ends, strict=True):
        rows = (numbers > low) & (numbers <= high)
        least, most = float(numbers[rows].min()), float(numbers[rows].max())
        name = f"{least:.10g}" if least == most else f"{least:.10g} to {most:.10g}"
        yield _Part(name, "range", rows, least, most)


def _as_numbers(values: Sequence[str | None]) -> Floats | None:
    """Return the values as numbers, NaN for none; None if they are not all finite numbers."""
    try:
        numbers = [math.nan if value is None else float(value) for value in values]
    except ValueError:
        return None
    finite = all(
        math.isfinite(number) for number, value in zip(numbers, values, strict=True) if value is not None
    )
    return np.array(numbers) if finite else None


def measure_confidence(joined: Joined) -> tuple[ConfidenceShift, ...]:
    """Return the shift under every condition; nothing if the model gives no probabilities."""
    labels, clusters, found = joined.labels, joined.clusters, []
    for one in joined.conditions:
        if joined.clean.probabilities is None or one.probabilities is None:
            continue
        clean, after = (some.astype(np.float64) for some in (joined.clean.probabilities, one.probabilities))
        both = ~np.isnan(clean) & ~np.isnan(after)
        known = both & (labels >= 0) if joined.grader.is_binary else np.zeros(len(both), np.bool_)
        of_label = (
            np.where(joined.clean.codes == labels, clean, 1 - clean),
            np.where(one.codes == labels, after, 1 - after),
        )
        found.append(
            ConfidenceShift(
                one.condition.name,
                int(both.sum()),
                *_means(clean, after, both, clusters),
                int(known.sum()),
                *_means(*of_label, known, clusters),
            )
        )
    return tuple(found)


def _means(
    before: Floats, after: Floats, among: Bools, clusters: Ints64
) -> tuple[Estimate, Estimate, Estimate]:
    """Return the means before and after, and the mean change, with intervals over clusters."""
    first, second, change = (
        clustered_mean(*sum_clusters(clusters[among], values[among]), least=least, extra=0)
        for values, least in ((before, 0), (after, 0), (after - before, -1))
    )
    return first, second, change


Entities = frozenset[Hashable] | None


def score_found_entities(joined: Joined, one: Answered, seed: int) -> EntityScore | None:
    """Return the numbers of the entities under a condition; None if the answers are not spans."""
    if not joined.grader.finds_spans:
        return None
    columns = (_decode_entities(joined, codes) for codes in (joined.labels, joined.clean.codes, one.codes))
    return score_entities(*columns, clusters=joined.clusters, seed=seed)


def score_entity_labels(joined: Joined, seed: int) -> tuple[LabelEntities, ...]:
    """Return the same for the entities of every label."""
    if not joined.grader.finds_spans:
        return ()
    found = []
    targets, clean = (_decode_entities(joined, codes) for codes in (joined.labels, joined.clean.codes))
    labels = sorted({entity[2] for row in targets if row for entity in row})  # type: ignore[index]
    for one in joined.conditions:
        after = _decode_entities(joined, one.codes)
        for label in labels:
            rows = (
                [row and frozenset(entity for entity in row if entity[2] == label) for row in column]  # type: ignore[index]
                for column in (targets, clean, after)
            )
            score = score_entities(*rows, clusters=joined.clusters, seed=seed)
            found.append(LabelEntities(one.condition.name, label, score))
    return tuple(found)


def _decode_entities(joined: Joined, codes: Ints32) -> list[Entities]:
    read: list[Entities] = [
        frozenset(tuple(span) for span in json.loads(name)) for name in joined.grader.names
    ]
    return [read[code] if code >= 0 else None for code in codes.tolist()]


def describe_clusters(joined: Joined, conditions: Sequence[ConditionResult], column: str | None) -> Clusters:
    """Return how many clusters there are, and how much they widen the intervals of conditions."""
    sizes = np.bincount(joined.clusters)
    effects = [condition.score.design_effect for condition in conditions]
    return Clusters(
        column=column,
        number=int((sizes > 0).sum()),
        largest=int(sizes.max()),
        repeated_rows=int(sizes[sizes > 1].sum()),
        design_effect=max((effect for effect in effects if effect is not None), default=None),
    )


def count_duplicates(joined: Joined) -> Duplicates:
    """Return how many items repeat a text, and how many of them have a text with several labels."""
    texts, labels, known = joined.texts, joined.labels, joined.lengths >= 0
    times = np.bincount(texts[known], minlength=len(texts))
    labelled = known & (labels >= 0)
    pairs = np.unique(np.stack([texts[labelled], labels[labelled]]), axis=1)
    several = np.bincount(pairs[0], minlength=len(times)) > 1
    return Duplicates(
        texts=int((times > 1).sum()),
        rows=int(times[times > 1].sum()),
        contradictory_texts=int(several.sum()),
        contradictory_rows=int(times[several].sum()),
    )


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
