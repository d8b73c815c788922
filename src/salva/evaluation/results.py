"""The results of a run: one object, from which the report, the terminal table and the JSON are made.

Rates are in percent, drops in percentage points, p-values from 0 to 1; None means not measurable.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Protocol, TypeVar

from salva._results import brief
from salva._show import interval, number, number_of
from salva.evaluation.details import ClassCount, ConditionClasses, ConfidenceShift, Duplicates, Slicing
from salva.pairs import AuditedScore, Curve, Difference, MetricChange, PairScore, ReplyScore
from salva.pairs.statistics import Nested, Statistic
from salva.runs import Failure, Noise
from salva.stats import Estimate
from salva.transforms import FAMILIES, Family, Validity


def _show_validity(condition: ConditionResult) -> str:
    if condition.severity is None:
        return ""  # without an edit
    rate = condition.validity
    return "validity not measured" if rate is None else f"{number(rate.value, 0)} % valid {interval(rate, 0)}"


def _show_edits(condition: ConditionResult) -> str:
    return number_of(condition.edits, "edit")


@dataclass(frozen=True, slots=True, repr=False)
class ConditionResult:
    """The numbers of one condition, such as `typos@0.5`."""

    name: Annotated[
        str,
        Statistic("the condition", "condition", "condition", column="condition", below=_show_validity),
    ]
    preset: str
    severity: float | None
    replicate: int
    score: Annotated[PairScore, Nested()]
    edit_rate: Annotated[
        float | None,
        Statistic(
            "edited words, out of those that the preset could have edited",
            "edit|rate",
            digits=1,
            below=_show_edits,
        ),
    ]
    edits: Annotated[int, Statistic("edited words")]
    truncated: Annotated[int, Statistic("texts too long for the model")]
    metric: Annotated[MetricChange | None, Nested("metric_")]
    # The presets of runs that were made before there were families are all corruptions.
    family: Annotated[str, Statistic("whether the preset is made to keep the meaning")] = "corruption"
    validity: Annotated[
        Estimate | None,
        Statistic("edits of the preset that readers judged to keep the meaning", short="valid"),
    ] = None
    replies: Annotated[ReplyScore | None, Nested("replies_")] = None  # of a task
    audited: Annotated[AuditedScore | None, Nested("audited_")] = None  # set by `salva.audit.correct`

    def __repr__(self) -> str:
        """Return the drop and the consistency on one line."""
        score = self.score
        drop = f"drop {number(score.drop.value)} points {interval(score.drop)}".rstrip()
        return f"<{self.name}: {drop}, {number(score.consistency.value)} % consistent, {score.n:,} pairs>"


@brief
@dataclass(frozen=True, slots=True)
class PresetResult:
    """A preset: its drop over its severities, its family, and how many of its edits keep the meaning."""

    preset: str
    curve: Curve
    family: str = "corruption"
    version: str | None = None
    validity: Validity | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two presets at one severity: how much more `b` drops than `a`."""

    a: str
    b: str
    severity: float
    difference: Difference


@dataclass(frozen=True, slots=True)
class Replacement:
    """A word, its replacement, how often this occurred in a flip and how often it was to blame."""

    old: str
    new: str
    rule: str
    seen: int
    blamed: int
    rate: Estimate


@dataclass(frozen=True, slots=True)
class BlamedWord:
    """An original word in lower case, whatever it became: how often it was edited in a flip and to blame.

    `alone`, `together` and `either` add up to `blamed`; they are explained at `Blame`.
    """

    word: str
    became: tuple[str, ...]  # most frequent first
    rules: tuple[str, ...]
    seen: int
    blamed: int
    alone: int
    together: int
    either: int
    rate: Estimate


@brief
@dataclass(frozen=True, slots=True)
class Blame:
    """How many flips were examined, how many the edits or the render alone explain, and the calls made.

    Of the explained flips, `alone` have one edit to blame. `together` have several, and to undo any one of
    them brings the answer back: it changed only with all of them. `either` have several that must all be
    undone: any one of them is enough to change the answer.
    """

    rows: int
    explained: int
    by_render: int
    most_calls_a_row: int
    calls: int
    table: tuple[Replacement, ...]
    words: tuple[BlamedWord, ...] = ()
    alone: int | None = None
    together: int | None = None
    either: int | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """A span of a transformed text in code points, the original there, and whether the edit is to blame."""

    start: int
    end: int
    old: str
    new: str
    rule: str
    blamed: bool

    def moved(self, by: int) -> Edit:
        """Return the edit as many characters further on."""
        return replace(self, start=self.start + by, end=self.end + by)


@brief
@dataclass(frozen=True, slots=True)
class Flip:
    """A row whose answer changed under a condition."""

    row: int
    id: str
    condition: str
    label: str | None
    before: str
    after: str
    text: str
    edits: tuple[Edit, ...]
    cause: str | None = None  # alone, together or either, as in `Blame`; render; None if it was not found


@dataclass(frozen=True, slots=True)
class Clusters:
    """Rows that are not independent: those with the same text, or with the same value in a column.

    `design_effect` is how many times larger clusters make the variance of the drop, the largest of all
    conditions. It is None if every row is a cluster of its own.
    """

    column: str | None  # None: the text
    number: int
    largest: int
    repeated_rows: int  # in clusters of two or more
    design_effect: float | None


@dataclass(frozen=True, slots=True)
class FailedText:
    """A text without an answer: its row, its condition ("clean" before rewriting), and the reason."""

    id: str
    condition: str
    error: str


@dataclass(frozen=True, slots=True)
class FailedTexts:
    """How many texts have no answer, counted once per row and condition, in how many rows; and the first."""

    texts: int
    rows: int
    listed: tuple[FailedText, ...]


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The model, and the data label for each of its labels."""

    name: str
    digest: str
    labels: dict[str, str]


@dataclass(frozen=True, slots=True)
class DataInfo:
    """The data, its rows per label, and the columns that were read."""

    name: str
    digest: str
    rows: int
    unlabelled: int
    labels: dict[str, int]
    text_columns: tuple[str, ...]
    label_column: str | None
    id_column: str | None


@brief
@dataclass(frozen=True, slots=True)
class Results:
    """Everything that a run found; nothing in it depends on the time or the machine."""

    format: int
    salva: str
    status: str
    signature: str
    model: ModelInfo
    data: DataInfo
    settings: dict[str, Any]
    distinct_texts: int
    truncated_clean: int
    noise: Noise | None  # None if the answers were made elsewhere
    failures: tuple[Failure, ...]
    conditions: tuple[ConditionResult, ...]
    presets: tuple[PresetResult, ...]
    comparisons: tuple[Comparison, ...]
    blame: Blame | None
    failed: FailedTexts | None = None
    clusters: Clusters | None = None
    duplicates: Duplicates | None = None
    classes: tuple[ClassCount, ...] = ()
    by_class: tuple[ConditionClasses, ...] = ()
    slices: tuple[Slicing, ...] = ()
    confidence: tuple[ConfidenceShift, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


class InFamily(Protocol):
    """What belongs to a family of presets."""

    @property
    def family(self) -> str:
        """A key of `FAMILIES`."""
        ...


T = TypeVar("T", bound=InFamily)


def group_by_family(items: Iterable[T]) -> dict[Family, list[T]]:
    """Return items by family, those that keep the meaning first; an unknown family counts as corruption."""
    grouped: dict[Family, list[T]] = {family: [] for family in FAMILIES}
    for item in items:
        grouped["meaning" if item.family == "meaning" else "corruption"].append(item)
    return {family: some for family, some in grouped.items() if some}
