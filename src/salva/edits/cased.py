"""Words in all case patterns, made once: to put one into a text is then to copy it."""

from __future__ import annotations

import numpy as np

from salva._arrow import Strings
from salva._kernels.casing import GROWTH, change_cases
from salva._kernels.choices import PATTERNS
from salva.text.characters import load_casing, load_characters

__all__ = ["in_all_cases"]


def in_all_cases(words: Strings) -> Strings:
    """Return the words in small letters, then as titles, in capitals, and as they are.

    >>> from salva._arrow import as_strings
    >>> in_all_cases(as_strings(["McCoy"])).array.to_pylist()
    ['mccoy', 'Mccoy', 'MCCOY', 'McCoy']
    """
    count = len(words)
    offsets, parts, size = np.zeros(PATTERNS * count + 1, np.int64), [], 0
    for pattern in range(PATTERNS):
        ends, data = np.empty(count + 1, np.int64), np.empty(GROWTH * len(words.data), np.uint8)
        change_cases(load_characters(), load_casing(), pattern, words.data, words.offsets, ends, data)
        offsets[pattern * count : (pattern + 1) * count + 1] = ends + size
        parts.append(data[: ends[-1]])
        size += int(ends[-1])
    return Strings.of(np.concatenate(parts), offsets)
