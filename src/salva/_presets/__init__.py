"""The presets, one module each: settings, sources of words, planner, rules, tokenizer, version.

A new preset is one module, and its name in `PRESETS`. The name has an underscore because
`salva.presets` is the function that lists them.
"""

from salva._presets.corrupt import CORRUPT
from salva._presets.hybrid import HYBRID
from salva._presets.misspellings import MISSPELLINGS
from salva._presets.natural import NATURAL
from salva._presets.preset import Planner, Preset
from salva._presets.settings import Settings
from salva._presets.synonyms import SYNONYMS
from salva._presets.typos import TYPOS

__all__ = ["PRESETS", "Planner", "Preset", "Settings"]

PRESETS = {preset.name: preset for preset in (NATURAL, MISSPELLINGS, HYBRID, SYNONYMS, TYPOS, CORRUPT)}
