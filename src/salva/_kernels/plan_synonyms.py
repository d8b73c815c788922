"""The plan of `synonyms`: words are chosen at one rate, and each becomes a word of its list."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.choices import Choices, EditsOut, Tally, Tokens, add_edit, add_word, has_words, pick
from salva._kernels.jit import kernel
from salva._kernels.rng import below, draw
from salva._kernels.stages import SYNONYM, SYNONYM_CHOICE, SYNONYM_KEEP
from salva._kernels.words import TypeTable


class SynonymRates(NamedTuple):
    """The rule of the edits, and the thresholds for replacing a word and for keeping an edit."""

    rule: int
    prob: np.uint64
    keep: np.uint64


@kernel
def plan_synonyms(
    tokens: Tokens,
    types: TypeTable,
    choices: Choices,
    rates: SynonymRates,
    tally: Tally,
    out: EditsOut,
) -> int:
    """Fill the edits; return how many there are, or -1 if there was no room."""
    edits = size = 0
    for row in range(len(tokens.rows) - 1):
        eligible = 0
        first, key = tokens.rows[row], tokens.keys[row]
        for token in range(first, tokens.rows[row + 1]):
            word_type, place = types.numbers[token], token - first
            if not has_words(choices, word_type) or tokens.blocked[token]:
                continue
            eligible += 1
            if not below(draw(key, place, SYNONYM), rates.prob):
                continue
            if not below(draw(key, place, SYNONYM_KEEP), rates.keep):
                continue
            word = pick(choices, word_type, 0, draw(key, place, SYNONYM_CHOICE))
            size = add_word(choices.lists, word, size, out.new)
            if size < 0:
                return -1
            edits = add_edit(out, edits, tokens, token, rates.rule, size)
        tally.eligible[row] = eligible
    return edits
