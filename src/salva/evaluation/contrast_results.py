"""The numbers of contrasts, whose edits must change the answer: apart from those of all other conditions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from salva._show import interval, number
from salva.numbers import ContrastScore, Estimate, Nested, Statistic, list_columns


def _show_validity(contrast: ContrastResult) -> str:
    rate = contrast.validity
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


COLUMNS = list(list_columns(ContrastResult))
"""Everything that tables, pages and terminals know about a contrast."""


def find_least_sensitive(contrasts: tuple[ContrastResult, ...]) -> ContrastResult | None:
    """Return the contrast under which the fewest answers changed."""
    measured = [one for one in contrasts if one.score.sensitivity.value is not None]
    return min(measured, key=lambda one: one.score.sensitivity.value or 0.0, default=None)
