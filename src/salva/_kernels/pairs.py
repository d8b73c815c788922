"""Rules of pairs: which of them apply to the tokens of a row, and which target is chosen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.characters import bytes_in
from salva._kernels.choices import Tokens, WordLists
from salva._kernels.jit import step
from salva._kernels.rng import bounded
from salva._types import Bools, Bytes, Ints8, Ints16, Ints32, Ints64, Uints64

# What a condition looks at: the word or the tag at a distance, or the words at the three next places.
WORD_AT, TAG_AT, NEAR = range(3)
NEIGHBOURS = 3
WINDOW = 6  # tokens on each side in which an edit neither makes nor breaks a repetition
TITLE = 4  # two capitals among so many tokens show that a capitalised word begins a title
SHORT = 3  # words of so many letters may be repeated
STEM = 5  # words that begin with the same letters echo one another: completely completed

# A word that touches one of these is part of something longer.
TOUCHING = bytes_in("-/_&@#\\=+~^%$*0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
CAPITAL = bytes_in("ABCDEFGHIJKLMNOPQRSTUVWXYZ")

LOWER_BIT, _ONE = np.uint8(0x20), np.uint64(1)


class Conditions(NamedTuple):
    """Conditions of all rules: what each looks at, where, which set decides, and whether it is negated.

    Set `s` has the words `words[set_starts[s]:set_starts[s + 1]]`; `tags[s]` has one bit per tag. `bits[s]`
    has a bit for each of its words, which few others share: finding rules took 47, not 60 ns per token.
    """

    looks_at: Ints8
    places: Ints8
    sets: Ints32
    negated: Bools
    set_starts: Ints32
    words: Ints32
    bits: Uints64
    tags: Uints64


class PairRules(NamedTuple):
    """Rules by the first word of their source: those of word `w` are `firsts[w]` to `firsts[w + 1]`.

    Rule `singles[w]` is the first whose source is that word alone. `seconds[w]` has a bit for the second word
    of each phrase: most tokens that could begin one are followed by something else, so that the rules before
    `singles[w]` are left out, and the plan is a third faster.

    A rule has the tags of its first token (one bit each), the number of its name in the edit table, the
    further words of its source, its conditions and its targets, each from one start to the next. A `checked`
    rule neither makes nor breaks a repetition.
    """

    firsts: Ints64
    singles: Ints64
    seconds: Uints64
    tags: Uints64
    names: Bytes
    checked: Bools
    more_starts: Ints64
    more: Ints32
    condition_starts: Ints64
    conditions: Conditions
    target_starts: Ints64
    targets: WordLists
    target_words: Ints32  # the first word of a target, -1 if it is short
    vowels: Bools  # whether a target begins with a vowel, as spoken
    apostrophes: Bools  # whether a target has one


class SpecialWords(NamedTuple):
    """Numbers of the words that the plan knows by name; which words end a sentence, which are contracted."""

    a: int
    an: int
    i: int
    edge: int  # stands for what is before the first and after the last token
    opening: int
    closing: int
    curly_opening: int
    curly_closing: int
    stops: Bools
    contracted: Bools


class WordsOfRows(NamedTuple):
    """Every token as the rules see it: number of its word (-1 if no rule names it), tag, part of speech."""

    numbers: Ints32
    tags: Ints16
    parts: Bytes


class Row(NamedTuple):
    """The tokens and bytes of one row; which tokens are quoted, and the word planned for each (-1: none).

    Only a `casual` row, which has contractions of its own, gets new ones; if it has `curly` apostrophes, with
    these.
    """

    first: int
    last: int
    start: int
    stop: int
    casual: bool
    curly: bool
    quoted: Bools
    planned: Ints32


@step
def has_bit(bits: np.uint64, number: int) -> bool:
    """Return whether the bit of a number, which others share, is set."""
    return (bits >> np.uint64(number & 63)) & _ONE != 0


@step
def source_size(rules: PairRules, rule: int) -> int:
    """Return how many tokens the source of a rule has."""
    return rules.more_starts[rule + 1] - rules.more_starts[rule] + 1


@step
def first_rule(rules: PairRules, words: WordsOfRows, row: Row, token: int) -> int:
    """Return the first rule for a token that its word and the next one do not rule out."""
    word = words.numbers[token]
    following = words.numbers[token + 1] if token + 1 < row.last else -1
    if following >= 0 and has_bit(rules.seconds[word], following):
        return rules.firsts[word]
    return rules.singles[word]


@step
def begins_sentence(words: WordsOfRows, special: SpecialWords, row: Row, token: int) -> bool:
    """Return whether a token is the first of a sentence, as far as the token before it shows."""
    if token == row.first:
        return True
    before = words.numbers[token - 1]
    return before >= 0 and special.stops[before]


@step
def has_word(conditions: Conditions, which: int, word: int) -> bool:
    """Return whether a word is in a set."""
    if word < 0 or not has_bit(conditions.bits[which], word):
        return False
    found = False
    for i in range(conditions.set_starts[which], conditions.set_starts[which + 1]):
        found |= conditions.words[i] == word
    return found


@step
def has_word_at(
    conditions: Conditions, which: int, words: WordsOfRows, special: SpecialWords, row: Row, token: int
) -> bool:
    """Return whether the word of a token is in a set; outside the row there is the edge."""
    inside = row.first <= token < row.last
    return has_word(conditions, which, words.numbers[token] if inside else special.edge)


@step
def holds(
    conditions: Conditions,
    condition: int,
    words: WordsOfRows,
    special: SpecialWords,
    row: Row,
    token: int,
    size: int,
) -> bool:
    """Return whether a condition holds for a source of `size` tokens."""
    which, place = conditions.sets[condition], conditions.places[condition]
    at = token + place if place <= 0 else token + size - 1 + place
    met = False
    if conditions.looks_at[condition] == TAG_AT:
        if row.first <= at < row.last:
            met = has_bit(conditions.tags[which], words.tags[at])
    elif conditions.looks_at[condition] == NEAR:
        for distance in range(NEIGHBOURS):
            met |= has_word_at(conditions, which, words, special, row, at + distance)
    else:
        met = has_word_at(conditions, which, words, special, row, at)
        if place == -1 and begins_sentence(words, special, row, token):
            met |= has_word(conditions, which, special.edge)
    return met != conditions.negated[condition]


@step
def has_capital(data: Bytes, start: int, stop: int) -> bool:
    """Return whether there is a capital letter of ASCII."""
    found = False
    for i in range(start, stop):
        found |= CAPITAL[data[i]]
    return found


@step
def begins_title(tokens: Tokens, row: Row, token: int) -> bool:
    """Return whether two of the tokens after a capitalised one are capitalised too."""
    capitals = 0
    for at in range(token + 1, min(row.last, token + 1 + TITLE)):
        capitals += CAPITAL[tokens.data[tokens.starts[at]]]
    return capitals >= 2


@step
def is_plain(
    tokens: Tokens, words: WordsOfRows, special: SpecialWords, row: Row, token: int, size: int
) -> bool:
    """Return whether a source is free and unquoted, with no capitals but that of a sentence or of I."""
    for at in range(token, token + size):
        if tokens.blocked[at] or row.quoted[at - row.first]:
            return False
        if words.numbers[at] == special.i:
            continue
        may_begin = at == token and begins_sentence(words, special, row, token)
        if has_capital(tokens.data, tokens.starts[at] + may_begin, tokens.stops[at]):
            return False
    return not CAPITAL[tokens.data[tokens.starts[token]]] or not begins_title(tokens, row, token)


@step
def stands_alone(tokens: Tokens, row: Row, token: int, size: int) -> bool:
    """Return whether a source touches nothing that it could be part of."""
    start, stop = tokens.starts[token], tokens.stops[token + size - 1]
    if start > row.start and TOUCHING[tokens.data[start - 1]]:
        return False
    return stop == row.stop or not TOUCHING[tokens.data[stop]]


@step
def repeats(words: WordsOfRows, row: Row, token: int, size: int, word: int) -> bool:
    """Return whether a word is near a source, in the text or among the planned words."""
    if word < 0:
        return False
    for at in range(max(row.first, token - WINDOW), min(row.last, token + size + WINDOW)):
        outside = at < token or at >= token + size
        if outside and (words.numbers[at] == word or row.planned[at - row.first] == word):
            return True
    return False


@step
def has_source(rules: PairRules, rule: int, words: WordsOfRows, row: Row, token: int) -> bool:
    """Return whether the source of a rule is at a token, whose first word is known to be right."""
    if not has_bit(rules.tags[rule], words.tags[token]):
        return False
    more, size = rules.more_starts[rule], source_size(rules, rule)
    if token + size > row.last:
        return False
    same = True
    for k in range(1, size):
        same &= words.numbers[token + k] == rules.more[more + k - 1]
    return same


@step
def applies(
    rules: PairRules,
    rule: int,
    tokens: Tokens,
    words: WordsOfRows,
    special: SpecialWords,
    row: Row,
    token: int,
) -> bool:
    """Return whether a rule may edit the source that begins at a token."""
    if not has_source(rules, rule, words, row, token):
        return False
    size = source_size(rules, rule)
    for condition in range(rules.condition_starts[rule], rules.condition_starts[rule + 1]):
        if not holds(rules.conditions, condition, words, special, row, token, size):
            return False
    if not is_plain(tokens, words, special, row, token, size) or not stands_alone(tokens, row, token, size):
        return False
    long = tokens.stops[token] - tokens.starts[token] > SHORT
    return not (rules.checked[rule] and long and repeats(words, row, token, size, words.numbers[token]))


@step
def begins_like(rules: PairRules, target: int, tokens: Tokens, token: int) -> bool:
    """Return whether a target and a token begin with the same letters."""
    start, place = rules.targets.offsets[target], tokens.starts[token]
    if rules.targets.offsets[target + 1] - start < STEM or tokens.stops[token] - place < STEM:
        return False
    same = True
    for k in range(STEM):
        same &= rules.targets.data[start + k] == tokens.data[place + k] | LOWER_BIT
    return same


@step
def echoes(
    rules: PairRules, target: int, tokens: Tokens, words: WordsOfRows, row: Row, token: int, size: int
) -> bool:
    """Return whether a target would stand beside a word of its family, or near itself."""
    if token > row.first and begins_like(rules, target, tokens, token - 1):
        return True
    if token + size < row.last and begins_like(rules, target, tokens, token + size):
        return True
    return repeats(words, row, token, size, rules.target_words[target])


@step
def choose_target(
    rules: PairRules, rule: int, tokens: Tokens, words: WordsOfRows, row: Row, token: int, bits: np.uint64
) -> int:
    """Return the target that a draw picks, or the next one that fits the row and echoes nothing; or -1."""
    start, size = rules.target_starts[rule], source_size(rules, rule)
    count = rules.target_starts[rule + 1] - start
    picked = bounded(bits, count)
    for k in range(count):
        target = start + (picked + k) % count
        if rules.apostrophes[target] and not row.casual:
            continue
        if not rules.checked[rule] or not echoes(rules, target, tokens, words, row, token, size):
            return target
    return -1
