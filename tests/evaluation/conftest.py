"""What tests of evaluation share: small results made by hand and the same full of hostile text."""

from __future__ import annotations

import dataclasses

import pytest

from salva._presets.validity import Reading, Share, Validity
from salva.asking.asker import Failure
from salva.evaluation.details import (
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
from salva.evaluation.grading import Noise
from salva.evaluation.results import (
    Blame,
    BlamedWord,
    Comparison,
    ConditionResult,
    Edit,
    Flip,
    ModelInfo,
    PresetResult,
    Replacement,
    Results,
)
from salva.numbers import (
    AuditedScore,
    Estimate,
    MetricChange,
    compare,
    curve,
    score,
    score_audited,
    score_variants,
    wilson,
    with_holm,
)
from salva.questions.table import DataInfo

LABELS = [0, 1] * 100
BEFORE = [0, 1] * 90 + [1, 0] * 10


def worse(first: int) -> list[int]:
    """Return the answers with the first so many turned round; the last one failed."""
    return [1 - answer for answer in BEFORE[:first]] + BEFORE[first:-1] + [-1]


AFTER = {("synonyms", 0.5): worse(2), ("synonyms", 1.0): worse(9)}
AFTER |= {("typos", 0.5): worse(11), ("typos", 1.0): worse(40)}


def conditions() -> list[ConditionResult]:
    scores = with_holm([score(LABELS, BEFORE, after, resamples=500) for after in AFTER.values()])
    made = [
        ConditionResult(f"{preset}@{severity:g}", preset, severity, 0, one, 40 * severity, 321, 2, None)
        for (preset, severity), one in zip(AFTER, scores, strict=True)
    ]
    made[3] = dataclasses.replace(made[3], audited=audited(AFTER["typos", 1.0]))
    metric = MetricChange(0.5, 0.25, Estimate(-0.25, -0.5, None))
    render = score(LABELS, BEFORE, BEFORE, resamples=500)
    return [*made, ConditionResult("typos/render", "typos", None, 0, render, None, 0, 0, metric)]


def audited(after: list[int]) -> AuditedScore:
    """Return the numbers of valid twins, if readers read every other twin and reject every fifth of those."""
    verdicts = [0 if row % 10 == 0 else 1 - 2 * (row % 2) for row in range(len(after))]
    changed = [1] * len(after)
    return score_audited(LABELS, BEFORE, after, changed, verdicts, readers=2, resamples=500)


def flip(condition: str, row: int, *, label: str | None = "positive") -> Flip:
    text = f"A film number {row} that I likked, and a goood story."
    first, second = text.index("likked"), text.index("goood")
    edits = (
        Edit(first, first + 6, "liked", "likked", "typo", True),
        Edit(second, second + 5, "good", "goood", "typo", False),
    )
    return Flip(row, f"id-{row}", condition, label, "positive", "negative", text, edits)


def details() -> dict[str, object]:
    """Return classes, slices and confidence of one condition, and a text with two labels."""
    rate, drop = wilson(90, 100), Estimate(4.5, -1.25, 10.25)
    scores = [ClassScore(name, 100, rate, rate, drop, rate, rate) for name in ("negative", "positive")]
    confused = (Confusion("negative", "negative", 90, 85), Confusion("negative", "positive", 10, 14))
    score_of_slice = SliceScore("typos@1", 49, rate, rate, drop, rate)
    long = Slice("42 to 192", "range", 50, 42.0, 192.0, (score_of_slice,))
    ways = score_variants(LABELS, [BEFORE, worse(9)])
    return {
        "robust": ways,
        "duplicates": Duplicates(3, 7, 1, 2),
        "classes": (ClassCount("negative", 100, ("0",)), ClassCount("positive", 100, ())),
        "by_class": (ConditionClasses("typos@1", tuple(scores), confused),),
        "slices": (Slicing(None, (long,)), Slicing("genre", (dataclasses.replace(long, name="drama"),))),
        "confidence": (ConfidenceShift("typos@1", 99, rate, rate, drop, 98, rate, rate, drop),),
    }


@pytest.fixture(scope="session")
def results() -> Results:
    before, after = [BEFORE] * 2, [AFTER["synonyms", 1.0], AFTER["typos", 1.0]]
    difference = compare(LABELS, before[0], after[0], before[1], after[1], resamples=500)
    curves = {
        name: curve(LABELS, BEFORE, {s: [a] for (p, s), a in AFTER.items() if p == name}, resamples=500)
        for name in ("synonyms", "typos")
    }
    table = (Replacement("liked", "likked", "typo", 9, 6, wilson(6, 9)),)
    words = (BlamedWord("liked", ("likked",), ("typo",), 9, 6, 3, 2, 1, wilson(6, 9)),)
    return Results(
        format=1,
        salva="0.1.0",
        status="success",
        signature="data:reviews|model:m|seed:0",
        model=ModelInfo("builtin:reviews", "sha256:12", {"0": "negative", "1": "positive"}),
        data=DataInfo(
            name="reviews.csv",
            digest="sha256:34",
            rows=200,
            unlabelled=0,
            labels={"negative": 100, "positive": 100},
            text_columns=("text",),
            label_column="label",
            id_column=None,
        ),
        settings={"seed": 0, "presets": ["synonyms", "typos"], "model": {"timeout": None}},
        distinct_texts=987,
        truncated_clean=1,
        noise=Noise(50, 1, wilson(1, 50), 10, 0),
        failures=(Failure("ValueError: no text", 4),),
        conditions=tuple(conditions()),
        presets=tuple(PresetResult(name, one) for name, one in curves.items()),
        comparisons=(Comparison("synonyms", "typos", 1.0, difference),),
        blame=Blame(60, 40, 5, 16, 480, table, words, alone=30, together=7, either=3),
        **details(),
    )


def of_both_families(results: Results) -> Results:
    """Return the results with `synonyms` made to keep the meaning, as readers judged six of its 12 edits."""
    share = Share(6, 12, "1", wilson(6, 12))
    reading = Reading("1", "a.jsonl", "reviews", "2026-11-16", "one reader", {"a": 6, "c": 6})
    conditions = [
        dataclasses.replace(one, family="meaning", validity=share.rate) if one.preset == "synonyms" else one
        for one in results.conditions
    ]
    first, *others = results.presets
    kept = dataclasses.replace(
        first, family="meaning", version="1", validity=Validity(share, None, (reading,))
    )
    return dataclasses.replace(results, conditions=tuple(conditions), presets=(kept, *others))


@pytest.fixture(scope="session")
def flips() -> list[Flip]:
    made = [flip("typos@1", row) for row in range(40)] + [flip("typos@0.5", row) for row in range(11)]
    synonym = (Edit(2, 9, "film", "picture", "group", False),)
    others = [dataclasses.replace(flip("synonyms@1", 3), edits=synonym, text="A picture show of note.")]
    return made + others


def poisoned(value: object, payload: str) -> object:
    """Return results with a payload at the end of every string in them, keys included."""
    if isinstance(value, str):
        return value + payload
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value) if field.name != "reached"]
        return dataclasses.replace(value, **{name: poisoned(getattr(value, name), payload) for name in names})
    if isinstance(value, dict):
        return {poisoned(key, payload): poisoned(item, payload) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(poisoned(item, payload) for item in value)
    return value
