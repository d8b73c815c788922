"""The plan of `natural`: words and phrases become others where a rule of pairs applies.

All edits are planned first, from left to right; `keep` then chooses among them. The spelling variants of a
row are kept together, so that it does not mix two spellings. A phrase is one edit, and so is a word with the
article before it, if the article must change too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import bytes_in
from salva._kernels.choices import EditsOut, Tally, Tokens
from salva._kernels.jit import kernel, step
from salva._kernels.pairs import (
    CAPITAL,
    PairRules,
    Row,
    SpecialWords,
    WordsOfRows,
    applies,
    choose_target,
    first_rule,
    source_size,
)
from salva._kernels.rng import below, draw
from salva._kernels.scanning import find_byte
from salva._kernels.stages import NATURAL_CHOICE, NATURAL_KEEP, NATURAL_TOGETHER
from salva._kernels.strings import copy_bytes
from salva._types import Bools, Bytes, Ints32, Ints64

QUOTED = 30  # the most tokens of a quotation
LOWER = bytes_in("abcdefghijklmnopqrstuvwxyz")
APOSTROPHE, CURLY, CASE_BIT = ord("'"), (0xE2, 0x80, 0x99), 0x20
SPARE = 8  # bytes for an article


class NaturalScratch(NamedTuple):
    """Room for what is known of the tokens of the longest row."""

    quoted: Bools
    planned: Ints32


@step
def is_casual(words: WordsOfRows, special: SpecialWords, first: int, last: int) -> bool:
    """Return whether some tokens have a contraction."""
    casual = False
    for token in range(first, last):
        word = words.numbers[token]
        casual |= word >= 0 and special.contracted[word]
    return casual


@step
def mark_quotations(words: WordsOfRows, special: SpecialWords, row: Row) -> None:
    """Mark the tokens from an opening to the next closing quotation mark, if it is near."""
    row.quoted[: row.last - row.first] = False
    token = row.first
    while token < row.last:
        word = words.numbers[token]
        straight = word == special.opening
        if straight or word == special.curly_opening:
            closing = special.closing if straight else special.curly_closing
            end = token + 1
            while end < row.last and end - token <= QUOTED and words.numbers[end] != closing:
                end += 1
            if end < row.last and words.numbers[end] == closing:
                row.quoted[token - row.first : end + 1 - row.first] = True
                token = end
        token += 1


@step
def has_curly_apostrophe(data: Bytes, start: int, stop: int) -> bool:
    """Return whether a text has a curly apostrophe."""
    i = find_byte(data, start, stop - 2, CURLY[0])
    while i < stop - 2:
        if data[i + 1] == CURLY[1] and data[i + 2] == CURLY[2]:
            return True
        i = find_byte(data, i + 1, stop - 2, CURLY[0])
    return False


@step
def write_curly(data: Bytes, start: int, stop: int, size: int, out: Bytes) -> int:
    """Write bytes with curly apostrophes instead of straight ones; return the end."""
    for i in range(start, stop):
        if data[i] == APOSTROPHE:
            for byte in CURLY:
                out[size] = byte
                size += 1
        else:
            out[size] = data[i]
            size += 1
    return size


@step
def write_article(data: Bytes, start: int, stop: int, to_an: bool, size: int, out: Bytes) -> int:
    """Write the other article, and what is between it and `stop`; return the end."""
    out[size] = data[start]
    size += 1
    if to_an:
        out[size] = ord("n")
        size += 1
    return copy_bytes(data, start + (1 if to_an else 2), stop, size, out)


@step
def write_target(
    rules: PairRules, target: int, data: Bytes, row: Row, start: int, size: int, out: Bytes
) -> int:
    """Write a target like its source, which begins at `start`: its capital, and its row's apostrophes."""
    targets, begin = rules.targets, size
    first, last = targets.offsets[target], targets.offsets[target + 1]
    if rules.apostrophes[target] and row.curly:
        size = write_curly(targets.data, first, last, size, out)
    else:
        size = copy_bytes(targets.data, first, last, size, out)
    if CAPITAL[data[start]] and LOWER[out[begin]]:
        out[begin] -= CASE_BIT
    return size


@step
def must_change_article(
    rules: PairRules, target: int, words: WordsOfRows, special: SpecialWords, row: Row, token: int
) -> bool:
    """Return whether the article before a token does not fit the target."""
    before = words.numbers[token - 1] if token > row.first else -1
    an = before == special.an
    return (an or before == special.a) and rules.vowels[target] != an


@step
def find_rule(
    rules: PairRules,
    tokens: Tokens,
    words: WordsOfRows,
    special: SpecialWords,
    row: Row,
    token: int,
    key: np.uint64,
) -> tuple[int, int]:
    """Return the first rule that applies to a token, and its target; -1 for none."""
    word = words.numbers[token]
    if word >= 0:
        for rule in range(first_rule(rules, words, row, token), rules.firsts[word + 1]):
            if applies(rules, rule, tokens, words, special, row, token):
                bits = draw(key, token - row.first, NATURAL_CHOICE)
                target = choose_target(rules, rule, tokens, words, row, token, bits)
                if target >= 0:
                    return rule, target
    return -1, -1


@kernel
def plan_natural(
    rules: PairRules,
    tokens: Tokens,
    row_starts: Ints64,
    words: WordsOfRows,
    special: SpecialWords,
    together: int,
    keep: np.uint64,
    scratch: NaturalScratch,
    tally: Tally,
    out: EditsOut,
) -> int:
    """Fill the edits; return how many there are, or -1 if there was no room.

    Edits with the name `together` are kept all or not at all, in a row.
    """
    edits = size = 0
    data, starts = tokens.data, tokens.starts
    for number in range(len(tokens.rows) - 1):
        first, last, key = tokens.rows[number], tokens.rows[number + 1], tokens.keys[number]
        casual = is_casual(words, special, first, last)
        start, stop = row_starts[number], row_starts[number + 1]
        curly = casual and has_curly_apostrophe(data, start, stop)
        row = Row(first, last, start, stop, casual, curly, scratch.quoted, scratch.planned)
        kept_together = below(draw(key, 0, NATURAL_TOGETHER), keep)
        mark_quotations(words, special, row)
        row.planned[: last - first] = -1
        for token in range(first, last):
            tally.parts[words.parts[token], 0] += 1
        token = free = first  # the tokens before `free` are part of an edit, or cannot be
        while token < last:
            rule, target = find_rule(rules, tokens, words, special, row, token, key)
            article = rule >= 0 and must_change_article(rules, target, words, special, row, token)
            begin = token - 1 if article else token
            if rule < 0 or begin < free or tokens.blocked[begin] or row.quoted[begin - first]:
                token += 1
                continue
            row.planned[token - first] = rules.target_words[target]
            tally.eligible[number] += 1
            tally.parts[words.parts[token], 1] += 1
            free = token + source_size(rules, rule)
            kept_alone = below(draw(key, token - first, NATURAL_KEEP), keep)
            if kept_together if rules.names[rule] == together else kept_alone:
                length = rules.targets.offsets[target + 1] - rules.targets.offsets[target]
                if size + len(CURLY) * length + starts[token] - starts[begin] + SPARE > len(out.new):
                    return -1
                if article:
                    to_an = rules.vowels[target]
                    size = write_article(data, starts[begin], starts[token], to_an, size, out.new)
                size = write_target(rules, target, data, row, starts[token], size, out.new)
                out.tokens[edits], out.rules[edits] = begin, rules.names[rule]
                out.parts[edits] = words.parts[token]
                out.starts[edits], out.stops[edits] = starts[begin], tokens.stops[free - 1]
                edits += 1
                out.offsets[edits] = size
            token = free
    return edits
