"""The presets, one module each: settings, sources of words, planner, rules, tokenizer, version.

A new preset is one module, and its name in `registry.PRESETS`. The name has an underscore because
`salva.presets` is the function that lists them.
"""

from salva._presets.preset import FAMILIES, Family, Planner, Preset
from salva._presets.registry import BUNDLES, PRESETS, find_preset
from salva._presets.settings import Settings
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
    "find_preset",
]
