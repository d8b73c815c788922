"""The presets, one module each: settings, sources of words, planner, rules, tokenizer, version.

A new preset is one module, and its name in `PRESETS`. The name has an underscore because
`salva.presets` is the function that lists them.
"""

from salva._presets.corrupt import CORRUPT
from salva._presets.hybrid import HYBRID
from salva._presets.misspellings import MISSPELLINGS
from salva._presets.natural import NATURAL
from salva._presets.preset import FAMILIES, Family, Planner, Preset
from salva._presets.settings import Settings
from salva._presets.synonyms import SYNONYMS
from salva._presets.typos import TYPOS
from salva._presets.validity import Validity, describe_validity

__all__ = [
    "BUNDLES",
    "FAMILIES",
    "PRESETS",
    "Family",
    "Planner",
    "Preset",
    "Settings",
    "Validity",
    "describe_validity",
]

PRESETS = {preset.name: preset for preset in (NATURAL, MISSPELLINGS, HYBRID, SYNONYMS, TYPOS, CORRUPT)}

BUNDLES = {"documents": ("hybrid", "synonyms", "typos", "corrupt")}
"""Names that stand for several presets; `documents` are those of the specifications."""
