"""The presets by name, alone or composed."""

from __future__ import annotations

from salva._arguments import did_you_mean
from salva._presets.antonyms import ANTONYMS
from salva._presets.case import CASE
from salva._presets.composed import compose
from salva._presets.contractions import CONTRACTIONS
from salva._presets.corrupt import CORRUPT
from salva._presets.hybrid import HYBRID
from salva._presets.misspellings import MISSPELLINGS
from salva._presets.names import NAMES
from salva._presets.natural import NATURAL
from salva._presets.negation import NEGATION
from salva._presets.numbers import NUMBERS
from salva._presets.preset import Preset
from salva._presets.punctuation import PUNCTUATION
from salva._presets.spaces import SPACES
from salva._presets.synonyms import SYNONYMS
from salva._presets.typos import TYPOS
from salva.errors import UsageError

_MEANING = (NATURAL, CONTRACTIONS, MISSPELLINGS, CASE, PUNCTUATION, SPACES)
_CORRUPTION = (HYBRID, SYNONYMS, TYPOS, CORRUPT)
_CONTRAST = (NEGATION, ANTONYMS, NUMBERS, NAMES)
PRESETS = {preset.name: preset for preset in (*_MEANING, *_CORRUPTION, *_CONTRAST)}

BUNDLES = {
    "documents": tuple(preset.name for preset in _CORRUPTION),
    "contrast": tuple(preset.name for preset in _CONTRAST),
}
"""Names that stand for several presets; `documents` are those of the specifications."""


def find_preset(name: str) -> Preset:
    """Return the preset with a name, or the composition of several, such as `natural+typos`.

    >>> [part.name for part in find_preset("natural+typos").parts]
    ['natural', 'typos']
    """
    if name in PRESETS:
        return PRESETS[name]
    parts = name.split("+")
    if len(parts) == 1:
        raise UsageError(f"{name!r} is not a preset; {_nearest(name)}")
    for part in parts:
        if not part:
            raise UsageError(f"{name!r} lacks the name of a preset before or after +; write A+B")
        if part not in PRESETS:
            raise UsageError(f"{name!r}: {part!r} is not a preset; {_nearest(part)}")
        if parts.count(part) > 1:
            raise UsageError(f"{name!r} has {part} twice; name each preset once")
        if PRESETS[part].family == "contrast":
            raise UsageError(f"{name!r}: {part} changes the meaning and stands alone; leave the others out")
    return compose(tuple(PRESETS[part] for part in parts))


def _nearest(name: str) -> str:
    return did_you_mean(name, [*PRESETS, *BUNDLES], otherwise=f"the presets are {', '.join(PRESETS)}")
