"""The results of a run: one object, from which the report, the terminal table and the JSON are made.

Rates are in percent, drops in percentage points, p-values from 0 to 1; None means not measurable.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Protocol, TypeVar

from salva._results import brief
from salva._show import interval, number, number_of
from salva.asking.asker import Failure
from salva.evaluation.details import (
    AxisResult,
    ClassCount,
    ConditionClasses,
    ConfidenceShift,
    Duplicates,
    Slicing,
)
from salva.evaluation.grading import Noise
from salva.numbers import (
    AuditedScore,
    ContrastScore,
    Curve,
    Difference,
    EntityScore,
    Estimate,
    JudgedScore,
    MetricChange,
    Nested,
    PairScore,
    ReplyScore,
    Statistic,
    VariantScore,
    WordsScore,
    list_columns,
)
from salva.questions.pairs import FAMILY as TWINS
from salva.questions.table import DataInfo
from salva.transforms import FAMILIES, Validity


def _show_validity(result: ConditionResult | ContrastResult) -> str:
    if result.severity is None:
        return ""  # without an edit
    rate = result.validity
    return "validity not measured" if rate is None else f"{number(rate.value, 0)} % valid {interval(rate, 0)}"


@dataclass(frozen=True, slots=True, repr=False)
class ContrastResult:
    """The numbers of one contrast, such as `negation@1`."""

    name: Annotated[
        str, Statistic("the contrast", "contrast", "contrast", column="condition", below=_show_validity)
    ]
    preset: str
    severity: float
    replicate: int
    score: Annotated[ContrastScore, Nested()]
    edits: Annotated[int, Statistic("edited words")]
    validity: Annotated[
        Estimate | None,
        Statistic("edits of the preset that readers judged to change the meaning and to read well"),
    ] = None
    version: str | None = None
    family: str = "contrast"

    @property
    def group(self) -> str:
        """The contrasts that belong together: those of a preset."""
        return self.preset

    def __repr__(self) -> str:
        """Return the sensitivity on one line."""
        rate = self.score.sensitivity
        return f"<{self.name}: {number(rate.value)} % changed {interval(rate)}, {self.score.n:,} pairs>"


CONTRAST_COLUMNS = list(list_columns(ContrastResult))
"""Everything that tables, pages and terminals know about a contrast."""


def find_least_sensitive(contrasts: tuple[ContrastResult, ...]) -> ContrastResult | None:
    """Return the contrast under which the fewest answers changed."""
    measured = [one for one in contrasts if one.score.sensitivity.value is not None]
    return min(measured, key=lambda one: one.score.sensitivity.value or 0.0, default=None)


def _show_edits(condition: ConditionResult) -> str:
    return number_of(condition.edits, "edit")


AXIS_FAMILY = "axis"
"""The family of conditions that ask in another way, in place of that of a preset."""


@dataclass(frozen=True, slots=True, repr=False)
class ConditionResult:
    """The numbers of one condition, such as `typos@0.5`; without a preset, nothing was rewritten."""

    name: Annotated[
        str,
        Statistic("the condition", "condition", "condition", column="condition", below=_show_validity),
    ]
    preset: str | None
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
    judged: Annotated[JudgedScore | None, Nested("judged_")] = None  # if a judge grades replies
    audited: Annotated[AuditedScore | None, Nested("audited_")] = None  # set by `salva.audit.correct`
    entities: Annotated[EntityScore | None, Nested("entities_")] = None  # of a task with spans
    words: Annotated[WordsScore | None, Nested("words_")] = None  # of pairs, if answers are words
    variant: str | None = None  # such as `prompts=terse`
    statuses: dict[str, int] = field(default_factory=dict)  # what became of its questions, such as answered

    @property
    def axis(self) -> str | None:
        """The axis of its variant."""
        return None if self.variant is None else self.variant.partition("=")[0]

    @property
    def group(self) -> str:
        """The conditions that belong together: those of an axis, or else of a preset."""
        return self.axis or self.preset or ""

    def __repr__(self) -> str:
        """Return the drop and the consistency on one line."""
        score = self.score
        drop = f"drop {number(score.drop.value)} points {interval(score.drop)}".rstrip()
        return f"<{self.name}: {drop}, {number(score.consistency.value)} % consistent, {score.n:,} pairs>"


@dataclass(frozen=True, slots=True)
class LabelEntities:
    """The entities with one label under a condition."""

    condition: str
    label: str
    score: EntityScore


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

    `by_variant` are those that another way to ask alone explains, if it was combined with a preset.

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
    by_variant: int = 0


@dataclass(frozen=True, slots=True)
class Edit:
    """A span of a transformed text in code points, the original there, and whether the edit is to blame."""

    start: int
    end: int
    old: str
    new: str
    rule: str
    blamed: bool


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
    original: str | None = None  # the clean text, if it was asked about in another way
    label_after: str | None = None  # the right answer under the condition, if it is another one


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
class JudgeResult:
    """The model that judges replies, its verdicts, and how often it contradicts itself.

    Replies are counted once per row and condition: by verdict, those whose verdict is unparsed, and those on
    which the judge failed. `noise` counts replies that were judged again; of these, `turned` became right or
    wrong only the second time, a share of `turned_rate` percent.
    """

    name: str
    digest: str
    verdicts: dict[str, int]
    unparsed: int
    failed: int
    failures: tuple[Failure, ...]
    noise: Noise | None
    turned: int
    turned_rate: Estimate


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
    axes: tuple[AxisResult, ...] = ()
    robust: VariantScore | None = None  # over the clean texts and all presets that keep the meaning
    contrasts: tuple[ContrastResult, ...] = ()
    judge: JudgeResult | None = None
    entities: tuple[LabelEntities, ...] = ()

    @property
    def has_pairs(self) -> bool:
        """Whether the items are pairs, which bring their twins along; no preset made them."""
        return any(one.family == TWINS for one in self.conditions)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


GROUPS: dict[str, str] = {**dict(FAMILIES.items()), AXIS_FAMILY: "Other ways to ask", TWINS: "Twins"}
"""The headings under which conditions are shown: families of presets, axes, and twins of pairs."""


class InFamily(Protocol):
    """What belongs to a family of presets, to an axis, or to pairs."""

    @property
    def family(self) -> str:
        """A key of `GROUPS`."""
        ...


T = TypeVar("T", bound=InFamily)


def group_by_family(items: Iterable[T]) -> dict[str, list[T]]:
    """Return items by family, in the order of `GROUPS`; an unknown family counts as corruption."""
    grouped: dict[str, list[T]] = {family: [] for family in GROUPS}
    for item in items:
        grouped[item.family if item.family in GROUPS else "corruption"].append(item)
    return {family: some for family, some in grouped.items() if some}
