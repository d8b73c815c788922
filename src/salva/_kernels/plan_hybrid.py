"""The plan of `hybrid`: first domain groups, then WordNet, by part of speech; then a few typos."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import Characters, width
from salva._kernels.choices import Choices, EditsOut, Tally, Tokens, add_edit, add_word, how_many, pick
from salva._kernels.jit import kernel, step
from salva._kernels.letters import NO_KEY, Keyboard, key_at, write_neighbour
from salva._kernels.rng import below, bounded, draw
from salva._kernels.stages import (
    GROUP,
    GROUP_CHOICE,
    HYBRID_KEEP,
    HYBRID_KEY,
    HYBRID_PLACE,
    HYBRID_TYPO,
    WORDNET,
    WORDNET_CHOICE,
)
from salva._kernels.strings import copy_bytes
from salva._kernels.words import TypeTable
from salva._types import Bytes, Uints64


class HybridRules(NamedTuple):
    """The numbers of the rules."""

    group: int
    wordnet: int
    typo: int


class HybridRates(NamedTuple):
    """Thresholds (replacement per part of speech, typos, kept edits), limits, and whether marks count.

    `second_draw` says whether a word of a group that loses its draw also gets WordNet's draw.
    """

    replace: Uints64
    typo: np.uint64
    keep: np.uint64
    min_word_length: int
    max_typos: int
    whole: bool
    second_draw: bool


@step
def place_at(data: Bytes, start: int, characters_before: int) -> int:
    """Return the byte where a character of a word begins."""
    i = start
    for _ in range(characters_before):
        i += width(data[i])
    return i


@step
def has_inner_key(
    characters: Characters, keyboard: Keyboard, data: Bytes, start: int, stop: int, length: int, whole: bool
) -> bool:
    """Return whether a letter between the first and the last has neighbours on the keyboard."""
    i = start
    for place in range(length - 1):
        if place and key_at(characters, keyboard, data, i, stop, whole) != NO_KEY:
            return True
        i += width(data[i])
    return False


@step
def replacement_rule(
    key: np.uint64, place: int, rate: np.uint64, in_group: bool, in_wordnet: bool, rules: HybridRules
) -> int:
    """Return the rule that replaces a word, 0 for none; a word that loses the first draw gets the second."""
    if in_group and below(draw(key, place, GROUP), rate):
        return rules.group
    if in_wordnet and below(draw(key, place, WORDNET), rate):
        return rules.wordnet
    return 0


@step
def typo_byte(
    characters: Characters,
    keyboard: Keyboard,
    rates: HybridRates,
    key: np.uint64,
    place: int,
    data: Bytes,
    start: int,
    stop: int,
    length: int,
) -> int:
    """Return the byte of a word to mistype, never the first or last letter; -1 if there is none."""
    if length <= 2 or not below(draw(key, place, HYBRID_TYPO), rates.typo):
        return -1
    i = place_at(data, start, 1 + bounded(draw(key, place, HYBRID_PLACE), length - 2))
    return i if key_at(characters, keyboard, data, i, stop, rates.whole) != NO_KEY else -1


@step
def write_typo(
    characters: Characters,
    keyboard: Keyboard,
    data: Bytes,
    start: int,
    i: int,
    stop: int,
    bits: np.uint64,
    size: int,
    out: Bytes,
) -> int:
    """Write a word with the letter at byte `i` mistyped; return the end, or -1 if there is no room."""
    if size + stop - start + keyboard.widest > len(out):
        return -1
    letter = key_at(characters, keyboard, data, i, stop, False)
    size = copy_bytes(data, start, i, size, out)
    size = write_neighbour(characters, keyboard, letter, bits, data, i, size, out)
    return copy_bytes(data, i + width(data[i]), stop, size, out)


@kernel
def plan_hybrid(
    characters: Characters,
    keyboard: Keyboard,
    tokens: Tokens,
    types: TypeTable,
    parts: Bytes,
    groups: Choices,
    wordnet: Choices,
    rates: HybridRates,
    rules: HybridRules,
    tally: Tally,
    out: EditsOut,
) -> int:
    """Fill the edits; return how many there are, or -1 if there was no room.

    The whole plan is made first, including the limit on typos; `keep` then chooses among its edits.
    """
    edits = size = 0
    data, new = tokens.data, out.new
    other = len(rates.replace)
    for row in range(len(tokens.rows) - 1):
        typos = 0
        first, key = tokens.rows[row], tokens.keys[row]
        for token in range(first, tokens.rows[row + 1]):
            word_type, part, place = types.numbers[token], parts[token], token - first
            start, stop, length = tokens.starts[token], tokens.stops[token], types.lengths[word_type]
            tally.parts[part, 0] += 1
            if length < rates.min_word_length or tokens.blocked[token]:
                continue
            in_group = part < other and how_many(groups, word_type, 0) > 0
            in_wordnet = part < other and how_many(wordnet, word_type, part) > 0
            rate = rates.replace[part] if part < other else np.uint64(0)
            fallback = in_wordnet and (rates.second_draw or not in_group)
            rule = replacement_rule(key, place, rate, in_group, fallback, rules)
            i = -1
            if rule == 0 and typos < rates.max_typos:
                i = typo_byte(characters, keyboard, rates, key, place, data, start, stop, length)
                if i >= 0:
                    rule = rules.typo
                    typos += 1
            able = rule != 0 or in_group or in_wordnet
            if not able and not has_inner_key(characters, keyboard, data, start, stop, length, rates.whole):
                continue
            tally.eligible[row] += 1
            tally.parts[part, 1] += 1
            if rule == 0 or not below(draw(key, place, HYBRID_KEEP), rates.keep):
                continue
            if rule == rules.typo:
                bits = draw(key, place, HYBRID_KEY)
                size = write_typo(characters, keyboard, data, start, i, stop, bits, size, new)
            elif rule == rules.group:
                word = pick(groups, word_type, 0, draw(key, place, GROUP_CHOICE))
                size = add_word(groups.lists, word, size, new)
            else:
                word = pick(wordnet, word_type, part, draw(key, place, WORDNET_CHOICE))
                size = add_word(wordnet.lists, word, size, new)
            if size < 0:
                return -1
            out.parts[edits] = part
            edits = add_edit(out, edits, tokens, token, rule, size)
    return edits
