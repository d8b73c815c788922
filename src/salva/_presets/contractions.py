"""The preset `contractions`: contractions made or written out, as `natural` does it, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from salva._presets.hybrid import open_tagger
from salva._presets.natural import NaturalPlanner, PairSettings, open_sources, pair_files
from salva._presets.preset import Preset
from salva._presets.resources import excluded_words
from salva._presets.shared import shared
from salva.edits.pairs import compile_pairs


@dataclass(frozen=True, kw_only=True)
class ContractionSettings(PairSettings):
    """Contractions made or written out where both forms read well; everything else stays."""

    contractions: str | tuple[str, ...] = pair_files("Contractions")


@shared
def make_planner(settings: ContractionSettings) -> NaturalPlanner:
    """Return the planner for some settings."""
    tagger, exclude = open_tagger(settings.tagger), excluded_words(settings)
    return NaturalPlanner(
        compile_pairs(open_sources(settings), tagger.tags, checked=[], exclude=exclude), tagger
    )


CONTRACTIONS = Preset(
    name="contractions",
    version=1,
    family="meaning",
    settings=ContractionSettings,
    make_planner=make_planner,
    tokenizer="nltk",
    tagged=True,
)
