"""Conditions: what is done to a row before the model is asked about it again."""

from __future__ import annotations

from dataclasses import dataclass

from salva._arrow import Strings
from salva.evaluation.axes import Variant
from salva.evaluation.results import AXIS_FAMILY
from salva.transforms import Protected, Transform, Twins


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A preset at one severity and replicate: `typos@0.5`, `typos@0.5#1`; or `typos/render`.

    The latter has no severity: texts are taken apart and reassembled without an edit.
    """

    preset: str
    transform: Transform
    severity: float | None
    replicate: int
    seed: int

    @property
    def name(self) -> str:
        """Its name as a condition."""
        if self.severity is None:
            return f"{self.preset}/render"
        return f"{self.preset}@{self.severity:g}" + (f"#{self.replicate}" if self.replicate else "")

    def make_twins(self, texts: Strings, *, protected: Protected = None, threads: int | None = None) -> Twins:
        """Return the texts and their twins."""
        if self.severity is None:
            return self.transform.put_together(texts, protected=protected, threads=threads)
        return self.transform.transform(
            texts,
            seed=self.seed,
            severity=self.severity,
            replicate=self.replicate,
            protected=protected,
            threads=threads,
        )

    @property
    def spliced(self) -> bool:
        """Whether everything except the edits is unchanged."""
        return self.transform.render == "splice"


@dataclass(frozen=True, slots=True)
class Condition:
    """Rows are rewritten, or asked in another way, or both: `typos@1`, `order=2`, `typos@1 x order=2`."""

    rewriting: Rewriting | None
    variant: Variant | None = None

    @property
    def name(self) -> str:
        """The names of both parts."""
        return " x ".join(part.name for part in (self.rewriting, self.variant) if part is not None)

    @property
    def has_edits(self) -> bool:
        """Whether words change, so that some may be to blame."""
        return self.rewriting is not None and self.rewriting.severity is not None

    @property
    def is_undone_by_edits(self) -> bool:
        """Whether the question without its edits is the clean one."""
        return self.variant is None and self.rewriting is not None and self.rewriting.spliced

    @property
    def family(self) -> str:
        """The family of the preset; conditions with a variant have one of their own."""
        if self.variant is not None or self.rewriting is None:
            return AXIS_FAMILY
        return self.rewriting.transform.family


FLIPPING = ("negation", "antonyms")
"""The presets that turn an answer into its opposite, if the user names opposites."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """A contrast preset at one severity and replicate: `negation@1`. It is not a condition."""

    preset: str
    transform: Transform
    severity: float
    replicate: int
    seed: int

    @property
    def name(self) -> str:
        """Its name, as conditions are named."""
        return Rewriting(self.preset, self.transform, self.severity, self.replicate, self.seed).name

    @property
    def flips_answers(self) -> bool:
        """Whether the right answer becomes its opposite."""
        return self.transform.name in FLIPPING
