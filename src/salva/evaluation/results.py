"""The results of a run: one object, from which the report, the terminal table and the JSON are made.

Rates are in percent, drops in percentage points, p-values from 0 to 1; None means not measurable.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

from salva._show import number_of
from salva.pairs import Curve, Difference, MetricChange, PairScore
from salva.pairs.statistics import Nested, Statistic
from salva.runs import Failure, Noise
from salva.stats import Estimate


def _show_edits(condition: ConditionResult) -> str:
    return number_of(condition.edits, "edit")


@dataclass(frozen=True, slots=True)
class ConditionResult:
    """The numbers of one condition, such as `typos@0.5`."""

    name: Annotated[str, Statistic("the condition", "condition", "condition", column="condition")]
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


@dataclass(frozen=True, slots=True)
class PresetResult:
    """A preset's drop over its severities."""

    preset: str
    curve: Curve


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
class Blame:
    """How many flips were examined, how many the edits or the render alone explain, and the calls made."""

    rows: int
    explained: int
    by_render: int
    most_calls_a_row: int
    calls: int
    table: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """A span of a transformed text in code points, the original there, and whether the edit is to blame."""

    start: int
    end: int
    old: str
    new: str
    rule: str
    blamed: bool


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
    noise: Noise
    failures: tuple[Failure, ...]
    conditions: tuple[ConditionResult, ...]
    presets: tuple[PresetResult, ...]
    comparisons: tuple[Comparison, ...]
    blame: Blame | None

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)
