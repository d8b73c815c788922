"""What a run found out: one object, from which the page, the terminal's table and the JSON are made.

Rates are percent, drops are percent points, p values are between 0 and 1; None is what could not be measured.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from salva.pairs import Curve, Difference, MetricChange, Noise, PairScore
from salva.stats import Estimate

__all__ = [
    "Blame",
    "Comparison",
    "Condition",
    "DataInfo",
    "Edit",
    "Failure",
    "Flip",
    "ModelInfo",
    "Noise",
    "PresetResult",
    "Replacement",
    "Results",
]


@dataclass(frozen=True, slots=True)
class Condition:
    """One preset at one severity, one replicate: `typos@0.5`, `typos@0.5#1`; or `typos/render`, no edit."""

    name: str
    preset: str
    severity: float | None
    replicate: int
    score: PairScore
    edit_rate: float | None
    edits: int
    truncated: int
    metric: MetricChange | None


@dataclass(frozen=True, slots=True)
class PresetResult:
    """A preset's drop over its severities."""

    preset: str
    curve: Curve


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two presets at one severity: by how much `b` drops more than `a`."""

    a: str
    b: str
    severity: float
    difference: Difference


@dataclass(frozen=True, slots=True)
class Replacement:
    """A word, what it became, how often that was seen in a flip and how often it was to blame."""

    old: str
    new: str
    rule: str
    seen: int
    blamed: int
    rate: Estimate


@dataclass(frozen=True, slots=True)
class Blame:
    """Flips that were examined, those explained by edits or by the render alone, and what it cost."""

    rows: int
    explained: int
    by_render: int
    most_calls_a_row: int
    calls: int
    table: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """A span of a transformed text in code points, what stood there, and whether it is to blame."""

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
class Failure:
    """A reason for which the model gave no answer, and how often."""

    error: str
    times: int


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The model, and the data's label for every label that it gives."""

    name: str
    digest: str
    labels: dict[str, str]


@dataclass(frozen=True, slots=True)
class DataInfo:
    """The data, the rows a label has, and the columns that were read."""

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
    """Everything that a run found out; nothing in it depends on the time or the machine."""

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
    conditions: tuple[Condition, ...]
    presets: tuple[PresetResult, ...]
    comparisons: tuple[Comparison, ...]
    blame: Blame | None

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)
