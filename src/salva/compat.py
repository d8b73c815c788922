"""The names in the specifications of `hybrid` and `corrupt`, for code that already uses them.

| name | what it maps to |
|---|---|
| `custom_transform(example)` | `salva.preset("hybrid", groups=SYNONYM_GROUP_SETS)`, for `example["text"]` |
| `get_synonym_from_group(word)` | one of `SYNONYM_GROUPS[word]` |
| `get_wordnet_synonyms(word, pos_tag)` | the words that `hybrid` may take from WordNet |
| `introduce_typo(word)` | the typo of `salva.preset("hybrid")` |
| `preserve_capitalization(original, replacement)` | `salva.text.casing` |
| `SYNONYM_GROUP_SETS`, `SYNONYM_GROUPS` | `salva.lexicon.load_groups()`; the second is made from the first |
| `TextCorruptor`, `CorruptionWeights` | `salva.TextCorruptor`, over `salva.preset("corrupt")` |

`SYNONYM_GROUP_SETS` may be edited or replaced: the functions read it on every call.
Functions that draw take a keyword `seed`, 0 by default; the same word and seed give the same result.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from salva._arguments import check_whole
from salva._arrow import as_strings
from salva._kernels import bounded, draw, row_keys
from salva._kernels.constants import GROUP_CHOICE
from salva._presets import Planner
from salva._presets.resources import freeze_groups
from salva.edits.chunk import Chunk, Draw
from salva.edits.protect import Protection
from salva.edits.render import render
from salva.edits.sources import WordTable
from salva.edits.wordnet import Synonyms
from salva.errors import InputError, UsageError
from salva.lexicon import Group, Groups, load_groups, offensive_words
from salva.text import casing
from salva.text.tokens import TOKENIZERS
from salva.transforms.columns import as_column
from salva.transforms.corruptor import CorruptionWeights, TextCorruptor
from salva.transforms.presets import preset
from salva.transforms.transform import Transform

__all__ = [
    "SYNONYM_GROUPS",
    "SYNONYM_GROUP_SETS",
    "CorruptionWeights",
    "TextCorruptor",
    "custom_transform",
    "get_synonym_from_group",
    "get_wordnet_synonyms",
    "introduce_typo",
    "preserve_capitalization",
]

SYNONYM_GROUP_SETS: list[set[str]] = [set(group.words) for group in load_groups()]
SYNONYM_GROUPS: Mapping[str, list[str]]


def __getattr__(name: str) -> Any:
    if name == "SYNONYM_GROUPS":
        groups = _groups()
        return MappingProxyType({word: groups.synonyms(word) for word in groups.by_word})
    raise AttributeError(f"module 'salva.compat' has no attribute {name!r}")


def custom_transform(example: dict[str, Any], *, seed: int = 0) -> dict[str, Any]:
    """Return the example with its "text" transformed as by the preset `hybrid`; nothing else changes.

    >>> custom_transform({"text": "A terrible film.", "label": 0})["label"]
    0
    """
    if not isinstance(example, Mapping) or not isinstance(example.get("text"), str):
        raise InputError(f"an example needs a text under 'text'; {example!r:.60} has none")
    hybrid = _hybrid(freeze_groups("SYNONYM_GROUP_SETS", SYNONYM_GROUP_SETS))
    return {**example, "text": hybrid.transform(example["text"], seed=seed).transformed}


def get_synonym_from_group(word: str, *, seed: int = 0) -> str | None:
    """Return another word from the domain groups of a word, in its case; None if it is in no group.

    >>> get_synonym_from_group("Movies") in {"Films", "Pictures", "Flicks"}
    True
    """
    synonyms = WordTable({word: _groups().synonyms(word)}, offensive_words()).of(word)
    if not synonyms:
        return None
    number = _draw(word, seed, len(synonyms))
    return preserve_capitalization(word, synonyms[number])


def get_wordnet_synonyms(word: str, pos_tag: Literal["n", "v", "a", "r"] | None = None) -> list[str]:
    """Return the words that share a synset with a word and have letters only, as WordNet spells them.

    >>> get_wordnet_synonyms("awful", "r")
    ['terribly', 'awfully', 'frightfully']
    """
    if pos_tag not in ("n", "v", "a", "r", None):
        raise UsageError(f"pos_tag={pos_tag!r} is unknown; use one of n, v, a, r")
    return _synonyms(by_part=pos_tag is not None).of(word, pos_tag)


def introduce_typo(word: str, *, seed: int = 0) -> str:
    """Return the word with one inner letter replaced by a neighbouring key, if the letter has any.

    >>> introduce_typo("xyz")
    'xyz'
    """
    draw = Draw(check_whole("seed", seed), 1.0, 0)
    chunk = Chunk.of(as_column(word), TOKENIZERS["space"].cut, draw, Protection())
    return render(chunk, _typist().plan(chunk, 1.0), "splice").data.tobytes().decode()


def preserve_capitalization(original: str, replacement: str) -> str:
    """Return the replacement in the case of the original, with its own capitals; as it is for mixed case.

    >>> preserve_capitalization("GREAT", "superb"), preserve_capitalization("Great", "superb")
    ('SUPERB', 'Superb')
    """
    return casing.apply(casing.detect(original), replacement, keep_capitals=True)


@lru_cache(maxsize=4)
def _hybrid(groups: tuple[tuple[str, ...], ...]) -> Transform:
    return preset("hybrid", groups=groups)


def _groups() -> Groups:
    groups = freeze_groups("SYNONYM_GROUP_SETS", SYNONYM_GROUP_SETS)
    return Groups("SYNONYM_GROUP_SETS", tuple(map(Group, groups)))


@cache
def _typist() -> Planner:
    rates = dict.fromkeys(("p_synonym_adj", "p_synonym_adv", "p_synonym_noun", "p_synonym_verb"), 0.0)
    return preset("hybrid", p_typo=1.0, max_typos_per_example=1, **rates).planner


@cache
def _synonyms(*, by_part: bool) -> Synonyms:
    return Synonyms(by_part=by_part, letters_only=True, exclude=offensive_words())


def _draw(word: str, seed: int, size: int) -> int:
    column, key = as_strings([word]), np.empty(1, np.uint64)
    row_keys(column.data, column.offsets, np.uint64(check_whole("seed", seed)), np.uint64(0), key)
    return int(bounded(np.uint64(draw(key[0], 0, GROUP_CHOICE)), size))
