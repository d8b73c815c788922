"""Several runs compared: one object, from which the page, the tables of the terminal and the JSON are made.

Rates are in percent, drops in percentage points, p-values from 0 to 1; None means not measurable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Annotated, Any

import pyarrow as pa

from salva.evaluation.results import Edit
from salva.evaluation.tables import make_table
from salva.numbers import Difference, Estimate, Sensitivity, Statistic, list_columns

CLEAN = "clean"
PRESETS = "presets"
"""The presets that keep the meaning, as one axis."""
_LEVEL = 0.05  # of p (Holm), below which a difference is clear


@dataclass(frozen=True, slots=True)
class ComparedModel:
    """A model under the name it has in the comparison, its clean accuracy, and its rank by that."""

    name: str
    model: str
    digest: str
    folder: str | None
    accuracy: Estimate
    rank: int | None


@dataclass(frozen=True, slots=True)
class ModelScore:
    """The numbers of one model under one condition, over the rows that all models answered."""

    condition: Annotated[str, Statistic("the condition", "condition", "condition")]
    model: Annotated[str, Statistic("the model", "model", "model")]
    n: Annotated[int, Statistic("rows with a label and all answers of all models", "n")]
    accuracy_before: Annotated[Estimate, Statistic("for the clean texts", "accuracy|before", "before")]
    accuracy_after: Annotated[Estimate, Statistic("for the twins", "accuracy|after", "after")]
    drop: Annotated[
        Estimate,
        Statistic("accuracy before minus after", "drop", "drop", strong=True, show_interval=True),
    ]
    lost: Annotated[int, Statistic("rows that are right before and wrong after", "rows|lost", "lost")]
    lost_alone: Annotated[
        int, Statistic("rows lost by this model and by none of the others", "lost|alone", "alone")
    ]
    rank_before: Annotated[int | None, Statistic("by accuracy before", "rank|before")]
    rank_after: Annotated[int | None, Statistic("by accuracy after", "rank|after")]


COLUMNS = list(list_columns(ModelScore))
"""The columns of the table of models and conditions."""


@dataclass(frozen=True, slots=True)
class ModelSensitivity:
    """How often the answers of one model change under a contrast, over the rows that its own run has."""

    contrast: Annotated[str, Statistic("the contrast", "contrast", "contrast")]
    model: Annotated[str, Statistic("the model", "model", "model")]
    n: Annotated[int, Statistic("edited pairs with two answers", "n", "n")]
    sensitivity: Sensitivity
    on_target: Annotated[
        Estimate, Statistic("how often it became the new right answer", "right|after", "right after")
    ]


CONTRAST_COLUMNS = list(list_columns(ModelSensitivity))
"""The columns of the table of models and contrasts."""


@dataclass(frozen=True, slots=True)
class AxisScore:
    """An axis as a whole for one model, over the items that all models answered in all their ways.

    The axis `presets` has the clean text and its twins under all presets that keep the meaning; its worst
    case is robust accuracy.
    """

    axis: Annotated[str, Statistic("the axis", "axis", "axis")]
    model: Annotated[str, Statistic("the model", "model", "model")]
    ways: Annotated[int, Statistic("ways of asking, the clean one included", "ways", "ways")]
    n: Annotated[int, Statistic("items with a label and all answers of all models", "items", "items")]
    n_out: Annotated[int, Statistic("items that lack an answer, or have an unparsed one", "left|out")]
    mean: Annotated[Estimate, Statistic("accuracy over all ways", "mean|accuracy", "mean")]
    spread: Annotated[float | None, Statistic("highest accuracy minus lowest", "spread", "spread")]
    worst_case: Annotated[Estimate, Statistic("items right in every way", "worst|case", "worst")]
    consistency_rate: Annotated[
        Estimate,
        Statistic("equal answers among all pairs of ways", "consistency|rate", "consistency", strong=True),
    ]
    prompt_sensitivity: Annotated[
        Estimate,
        Statistic("how much the scores of two ways differ", "prompt|sensitivity", "sensitivity"),
    ]


AXIS_COLUMNS = list(list_columns(AxisScore))
"""The columns of the table of models and axes."""

NUMBERS = {
    "mean": "mean accuracy",
    "spread": "spread",
    "worst_case": "worst case",
    "consistency_rate": "consistency rate",
    "prompt_sensitivity": "prompt sensitivity",
}
"""How the numbers of axes are called where differences are shown."""


@dataclass(frozen=True, slots=True)
class AxisDifference:
    """How many points a number of an axis is higher for `b` than for `a`, over the same `n` items.

    `number` is one of `NUMBERS`. The spread has no interval.
    """

    axis: str
    number: str
    a: str
    b: str
    n: int
    difference: Estimate

    @property
    def is_clear(self) -> bool:
        """Whether its interval is without 0."""
        low, high = self.difference.low, self.difference.high
        return low is not None and high is not None and (low > 0 or high < 0)


@dataclass(frozen=True, slots=True)
class AxisApart:
    """An axis that is left out because the runs do not have the same ways; how many each model has."""

    axis: str
    ways: dict[str, int]

    @property
    def title(self) -> str:
        """What is left out."""
        return "robust accuracy" if self.axis == PRESETS else f"axis {self.axis}"


@dataclass(frozen=True, slots=True)
class ComparedAxes:
    """All axes that the runs have in common, and those they do not."""

    scores: tuple[AxisScore, ...] = ()
    differences: tuple[AxisDifference, ...] = ()
    apart: tuple[AxisApart, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedCondition:
    """One condition: how many rows count, one score per model, and how many rows all models lose.

    `n_out` are rows that are asked about under the condition, but lack a label or an answer of a model.
    """

    name: str
    family: str
    n: int
    n_out: int
    scores: tuple[ModelScore, ...]
    lost_by_all: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """The models by accuracy, the best first, on the clean texts or under a condition; ties share a rank."""

    on: str
    models: tuple[str, ...]
    ranks: tuple[int, ...]

    def show(self, names: Mapping[str, str]) -> str:
        """Return the order in one line, such as `a > b = c`, with other names of the models."""
        parts = [names[self.models[0]]]
        for (rank, _), (next_rank, model) in pairwise(zip(self.ranks, self.models, strict=True)):
            parts += ["=" if next_rank == rank else ">", names[model]]
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """How far two orders of `n` models agree: Kendall's tau-b; None if all are equal on one side."""

    a: str
    b: str
    n: int
    tau_b: float | None


@dataclass(frozen=True, slots=True)
class ModelDifference:
    """How much more `b` drops than `a` under a condition; `more_robust` is None if that may be chance."""

    condition: str
    a: str
    b: str
    difference: Difference
    more_robust: str | None


@dataclass(frozen=True, slots=True)
class LostText:
    """A row that is lost by `model` alone, or by all models if that is None.

    `text` is the clean text, if the first run has a folder; `twin` and `edits` are those of the condition, if
    the run of a model that lost the row has kept them.
    """

    model: str | None
    condition: str
    id: str
    label: str
    text: str | None
    before: dict[str, str]
    after: dict[str, str]
    twin: str | None
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class ConditionApart:
    """A condition that is left out, and the models whose runs have it."""

    name: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class ComparedRuns:
    """Runs over the same data: every model under every condition that all runs have.

    `rows` is the number of rows that all runs have, matched by id; `rows_apart` counts the others.
    `comparisons` is the number of tests over which Holm's correction was made.
    """

    format: int
    salva: str
    data: str
    rows: int
    rows_apart: int
    models: tuple[ComparedModel, ...]
    conditions: tuple[ComparedCondition, ...]
    conditions_apart: tuple[ConditionApart, ...]
    rankings: tuple[Ranking, ...]
    agreements: tuple[RankAgreement, ...]
    comparisons: int
    differences: tuple[ModelDifference, ...]
    texts: tuple[LostText, ...]
    sensitivities: tuple[ModelSensitivity, ...] = ()
    axes: ComparedAxes = ComparedAxes()

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)

    def table(self) -> pa.Table:
        """Return one row per condition and model; an estimate has three columns."""
        return make_table(COLUMNS, [score for condition in self.conditions for score in condition.scores])

    def agreement(self, a: str, b: str) -> float | None:
        """Return Kendall's tau-b between two orders: `clean`, or names of conditions."""
        return next((one.tau_b for one in self.agreements if {one.a, one.b} == {a, b}), None)

    @property
    def clear_differences(self) -> tuple[ModelDifference, ...]:
        """The differences that are clear after correction."""
        return tuple(one for one in self.differences if one.more_robust is not None)


def name_more_robust(a: str, b: str, difference: Difference) -> str | None:
    """Return the model that drops clearly less; None if chance may explain the difference."""
    if difference.p_holm is None or difference.p_holm >= _LEVEL or not difference.value.value:
        return None
    return a if difference.value.value > 0 else b
