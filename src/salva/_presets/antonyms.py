"""The preset `antonyms`: one word of each text becomes its opposite."""

from __future__ import annotations

from dataclasses import dataclass

from salva._presets.contrasts import PairContrastPlanner, TaggedContrastSettings, make_pair_planner
from salva._presets.natural import open_pairs, pair_files
from salva._presets.preset import Preset
from salva._presets.shared import shared
from salva.edits.chunk import Rule


@dataclass(frozen=True, kw_only=True)
class AntonymSettings(TaggedContrastSettings):
    """One word of each text becomes its opposite, in the same form; everything else stays."""

    antonyms: str | tuple[str, ...] = pair_files("Words and their opposites")


@shared
def make_planner(settings: AntonymSettings) -> PairContrastPlanner:
    """Return the planner for some settings."""
    pairs = open_pairs("antonyms", settings.antonyms, keep_polarity=False)
    return make_pair_planner(settings, {Rule.ANTONYM: pairs})


ANTONYMS = Preset(
    name="antonyms",
    version=1,
    family="contrast",
    settings=AntonymSettings,
    make_planner=make_planner,
    tokenizer="nltk",
    tagged=True,
)
