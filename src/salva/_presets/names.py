"""The preset `names`: one person or place of each text becomes another of the same kind."""

from __future__ import annotations

from dataclasses import dataclass

from salva._kernels.constants import PERSON, PLACE
from salva._presets.contrasts import ContrastSettings, units_of_types
from salva._presets.preset import Preset
from salva._presets.resources import excluded_words
from salva._presets.settings import resource
from salva.edits.chunk import Chunk, Edits, Rule
from salva.edits.contrast import choose_edits
from salva.edits.swaps import CompiledSwaps, Kind, compile_swaps, plan_kinds
from salva.lexicon.names import load_names, read_names

RULES = {"persons": PERSON, "places": PLACE}


@dataclass(frozen=True, kw_only=True)
class NameSettings(ContrastSettings):
    """One first name or place of each text becomes another of the same kind; the rest stays."""

    names: str = resource("builtin", "Names by kind: builtin, or a TOML file with [persons] and [places].")


@dataclass(frozen=True, eq=False)
class NamePlanner:
    """One name replaced with another of the same kind, wherever the text has it."""

    names: CompiledSwaps
    most: int

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        edits = plan_kinds(self.names, chunk, Rule.NAME)
        units = units_of_types(chunk, edits)
        return choose_edits(chunk, edits, units, severity=severity, most=self.most)


def make_planner(settings: NameSettings) -> NamePlanner:
    """Return the planner for some settings."""
    names = load_names() if settings.names == "builtin" else read_names(settings.names)
    kinds = [Kind(own, RULES[table]) for table, lists in names.items() for own in lists.values()]
    return NamePlanner(compile_swaps(kinds, exclude=excluded_words(settings)), settings.most)


NAMES = Preset(
    name="names",
    version=1,
    family="contrast",
    settings=NameSettings,
    make_planner=make_planner,
    tokenizer="nltk",
)
