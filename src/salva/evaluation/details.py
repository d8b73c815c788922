"""Results in more detail: duplicates, classes, slices of the rows, and how sure the model is.

Rates are in percent, drops and changes in points; None means not measurable.
"""

from __future__ import annotations

from dataclasses import dataclass

from salva.numbers import Estimate, VariantScore


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Texts that occur in several rows, and these rows; contradictory ones have different labels."""

    texts: int
    rows: int
    contradictory_texts: int
    contradictory_rows: int


@dataclass(frozen=True, slots=True)
class ClassCount:
    """A class: its label in the data, its rows, and the labels of the model that stand for it."""

    label: str
    rows: int
    model_labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClassScore:
    """A class under a condition.

    Recall is the share of the `n` pairs with this label that get it as their answer: the accuracy of the
    class, whose drop is `drop`. Precision is the share of right answers among pairs that get this answer.
    """

    label: str
    n: int
    recall_before: Estimate
    recall_after: Estimate
    drop: Estimate
    precision_before: Estimate
    precision_after: Estimate


@dataclass(frozen=True, slots=True)
class Confusion:
    """How many pairs with a label got an answer, before and after."""

    label: str
    answer: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class ConditionClasses:
    """The classes under a condition, in the order of the data, and which are confused with which."""

    condition: str
    classes: tuple[ClassScore, ...]
    confusions: tuple[Confusion, ...]


@dataclass(frozen=True, slots=True)
class AxisResult:
    """An axis as a whole: its ways of asking, the clean one first, and the numbers over all of them."""

    axis: str
    ways: tuple[str, ...]
    score: VariantScore


@dataclass(frozen=True, slots=True)
class SliceScore:
    """A slice under a condition; `n` are its pairs with a label and two answers.

    Consistency needs no label: it is over all pairs with two answers.
    """

    condition: str
    n: int
    accuracy_before: Estimate
    accuracy_after: Estimate
    drop: Estimate
    consistency: Estimate


@dataclass(frozen=True, slots=True)
class Slice:
    """Some rows; `kind` is value, range (from `low` to `high`), other (rare values) or missing."""

    name: str
    kind: str
    rows: int
    low: float | None
    high: float | None
    scores: tuple[SliceScore, ...]


@dataclass(frozen=True, slots=True)
class Slicing:
    """All rows in slices: by a column, or by the length of the text in characters if it is None."""

    column: str | None
    slices: tuple[Slice, ...]


@dataclass(frozen=True, slots=True)
class ConfidenceShift:
    """The mean probability of the model's own answers under a condition, over pairs that have both.

    `label_before` and so on are the probability of the right answer, over `label_n` pairs with a label; they
    are measured for models with two classes, whose other probability is known.
    """

    condition: str
    n: int
    before: Estimate
    after: Estimate
    change: Estimate
    label_n: int
    label_before: Estimate
    label_after: Estimate
    label_change: Estimate
