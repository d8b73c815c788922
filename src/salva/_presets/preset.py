"""What a preset consists of, and what plans its edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Protocol, TypeAlias

from salva._arguments import did_you_mean
from salva._docstrings import docstring
from salva._presets.settings import Settings
from salva._presets.validity import Validity, validity_of
from salva.edits.chunk import Chunk, Edits
from salva.errors import UsageError
from salva.text.tokens import TOKENIZERS

Family: TypeAlias = Literal["meaning", "corruption", "contrast"]
FAMILIES: dict[Family, str] = {
    "meaning": "Presets that keep the meaning",
    "corruption": "Corruptions",
    "contrast": "Contrasts, which change the meaning",
}
"""What is promised of a preset's edits, and the heading under which reports show its results."""


class Planner(Protocol):
    """Decides which tokens of a chunk are edited, and into what."""

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Preset:
    """A named way to rewrite texts; its version changes when its results do.

    A composition has `parts`, and their versions: `1+2`; its tokenizer is that of the first.
    `family` is a key of `FAMILIES`: whether the edits are made to keep the meaning, may change it, or must.
    `tokenizer` is a key of `TOKENIZERS`; `tagged` says whether parts of speech matter too. `make_planner`
    reads everything that the settings name. With `leaning`, joined tokens have no space before `.`, `?`, `!`
    and `,`.
    """

    name: str
    version: int | str
    family: Family
    settings: type[Settings]
    make_planner: Callable[[Any], Planner]
    tokenizer: str
    tagged: bool = False
    severity: float = 1.0
    leaning: bool = False
    parts: tuple[Preset, ...] = ()

    @property
    def about(self) -> str:
        """What it does, in one line."""
        return " ".join(part.about for part in self.parts) or docstring(self.settings)

    @property
    def validity(self) -> Validity | None:
        """How many of its edits, with the default settings, keep the meaning; None if not measured."""
        return validity_of(self.name, str(self.version))

    @property
    def tokens(self) -> str:
        """How texts are cut, in a few words."""
        if self.parts:
            return ", ".join(f"{part.tokens} ({part.name})" for part in self.parts)
        return TOKENIZERS[self.tokenizer].about + (" and parts of speech" if self.tagged else "")

    @property
    def has_vocabulary(self) -> bool:
        """Whether it uses common words, which can be fitted."""
        return any(field.name == "vocabulary" for field in fields(self.settings))

    def make_settings(self, values: Mapping[str, Any]) -> Settings:
        """Return settings from the user's values, each checked; an unknown name is refused with a hint.

        >>> from salva._presets import PRESETS
        >>> PRESETS["typos"].make_settings({"prob": 1}).prob
        1.0
        """
        known = {field.name: field for field in fields(self.settings)}
        for name in values:
            if name not in known:
                hint = did_you_mean(name, known, otherwise=f"its settings are {', '.join(known)}")
                raise UsageError(f"preset {self.name} has no setting {name!r}; {hint}")
        checked = {name: known[name].metadata["check"](name, value) for name, value in values.items()}
        return self.settings(**checked)
