"""The plan of `natural`: words and phrases become others where a rule of pairs applies.

All edits are planned first, from left to right; the threshold `keep` then chooses among them. The spelling
variants of a row are kept together, so that it does not mix two spellings. A phrase is one edit, and so is
a word with the article before it, if the article must change too.
"""

import cython
from cython import bint, cclass, cfunc, final, inline, nogil
from cython.dataclasses import dataclass

if not cython.compiled:
    from salva._kernels.characters import CAPITAL, SMALL, bytes_in
    from salva._kernels.constants import *
    from salva._kernels.plans import EditsOut, Tokens, WordLists, add_edit_at, has_room
    from salva._kernels.rng import below, bounded, draw
    from salva._kernels.strings import copy_bytes, find_byte
    from salva._kernels.surface import write_curly

# A word that touches one of these is part of something longer.
TOUCHING = cython.declare(u8[256])
TOUCHING = bytes_in("-/_&@#\\=+~^%$*0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")


@final
@dataclass(repr=False, eq=False)
@cclass
class Conditions:
    """Conditions of all rules: what each looks at, where, which set decides, and whether it is negated.

    Set `s` has the words `words[set_starts[s]:set_starts[s + 1]]`; `tags[s]` has one bit per tag. `bits[s]`
    has a bit for each of its words, which few others share: finding rules took 47, not 60 ns per token.
    """

    looks_at: const_i8[::1]
    places: const_i8[::1]
    sets: const_i32[::1]
    negated: const_u8[::1]
    set_starts: const_i32[::1]
    words: const_i32[::1]
    bits: const_u64[::1]
    tags: const_u64[::1]


@final
@dataclass(repr=False, eq=False)
@cclass
class PairRules:
    """Rules by the first word of their source: those of word `w` are `firsts[w]` to `firsts[w + 1]`.

    Rule `singles[w]` is the first whose source is that word alone. `seconds[w]` has a bit for the second word
    of each phrase: most tokens that could begin one are followed by something else, so that the rules before
    `singles[w]` are left out, and the plan is a third faster.

    A rule has the tags of its first token (one bit each), the number of its name in the edit table, the
    further words of its source, its conditions and its targets, each from one start to the next. A `checked`
    rule neither makes nor breaks a repetition.
    """

    firsts: const_i64[::1]
    singles: const_i64[::1]
    seconds: const_u64[::1]
    tags: const_u64[::1]
    names: const_u8[::1]
    checked: const_u8[::1]
    more_starts: const_i64[::1]
    more: const_i32[::1]
    condition_starts: const_i64[::1]
    conditions: Conditions
    target_starts: const_i64[::1]
    targets: WordLists
    target_words: const_i32[::1]  # the first word of a target, -1 if it is short
    vowels: const_u8[::1]  # whether a target begins with a vowel, as spoken
    apostrophes: const_u8[::1]  # whether a target has one


@final
@dataclass(repr=False, eq=False)
@cclass
class SpecialWords:
    """Numbers of the words that the plan knows by name; which words end a sentence, which are contracted."""

    a: i64
    an: i64
    i: i64
    edge: i64  # stands for what is before the first and after the last token
    opening: i64
    closing: i64
    curly_opening: i64
    curly_closing: i64
    stops: const_u8[::1]
    contracted: const_u8[::1]


@final
@dataclass(repr=False, eq=False)
@cclass
class WordsOfRows:
    """Every token as the rules see it: number of its word (-1 if no rule names it), tag, part of speech."""

    numbers: const_i32[::1]
    tags: const_i16[::1]
    parts: const_u8[::1]


@final
@dataclass(repr=False, eq=False)
@cclass
class RowState:
    """What is known of one row: which tokens are quoted, and the word planned for each (-1: none).

    Its tokens are `first` to `last`, its bytes `start` to `stop`. Only a `casual` row, which has
    contractions of its own, gets new ones; if it has `curly` apostrophes, with these.
    """

    quoted: u8[::1]
    planned: i32[::1]
    first: i64 = 0
    last: i64 = 0
    start: i64 = 0
    stop: i64 = 0
    casual: bint = False
    curly: bint = False


@cfunc
@inline
@nogil
def has_bit(bits: u64, number: i64) -> bint:
    """Return whether the bit of a number, which others share, is set."""
    return (bits >> (number & 63)) & 1 != 0


@cfunc
@inline
@nogil
def source_size(rules: PairRules, rule: i64) -> i64:
    """Return how many tokens the source of a rule has."""
    return rules.more_starts[rule + 1] - rules.more_starts[rule] + 1


@cfunc
@inline
@nogil
def first_rule(rules: PairRules, words: WordsOfRows, row: RowState, token: i64) -> i64:
    """Return the first rule for a token that its word and the next one do not rule out."""
    word = words.numbers[token]
    following = words.numbers[token + 1] if token + 1 < row.last else -1
    if following >= 0 and has_bit(rules.seconds[word], following):
        return rules.firsts[word]
    return rules.singles[word]


@cfunc
@inline
@nogil
def opens_sentence(words: WordsOfRows, special: SpecialWords, row: RowState, token: i64) -> bint:
    """Return whether a token is the first of a sentence, as far as the token before it shows."""
    if token == row.first:
        return True
    before = words.numbers[token - 1]
    return before >= 0 and special.stops[before]


@cfunc
@inline
@nogil
def has_word(conditions: Conditions, which: i64, word: i64) -> bint:
    """Return whether a word is in a set."""
    if word < 0 or not has_bit(conditions.bits[which], word):
        return False
    found: bint = False
    for i in range(conditions.set_starts[which], conditions.set_starts[which + 1]):
        found |= conditions.words[i] == word
    return found


@cfunc
@inline
@nogil
def has_word_at(
    conditions: Conditions, which: i64, words: WordsOfRows, special: SpecialWords, row: RowState, token: i64
) -> bint:
    """Return whether the word of a token is in a set; outside the row there is the edge."""
    inside: bint = row.first <= token < row.last
    return has_word(conditions, which, words.numbers[token] if inside else special.edge)


@cfunc
@inline
@nogil
def holds(
    conditions: Conditions,
    condition: i64,
    words: WordsOfRows,
    special: SpecialWords,
    row: RowState,
    token: i64,
    size: i64,
) -> bint:
    """Return whether a condition holds for a source of `size` tokens."""
    which, place = conditions.sets[condition], conditions.places[condition]
    at = token + place if place <= 0 else token + size - 1 + place
    met: bint = False
    if conditions.looks_at[condition] == TAG_AT:
        if row.first <= at < row.last:
            met = has_bit(conditions.tags[which], words.tags[at])
    elif conditions.looks_at[condition] == WORDS_NEAR:
        for distance in range(NEIGHBOURS):
            met |= has_word_at(conditions, which, words, special, row, at + distance)
    else:
        met = has_word_at(conditions, which, words, special, row, at)
        if place == -1 and opens_sentence(words, special, row, token):
            met |= has_word(conditions, which, special.edge)
    return met != conditions.negated[condition]


@cfunc
@inline
@nogil
def has_capital(data: const_u8[::1], start: i64, stop: i64) -> bint:
    """Return whether there is a capital letter of ASCII."""
    found: u8 = 0
    for i in range(start, stop):
        found |= CAPITAL[data[i]]
    return found


@cfunc
@inline
@nogil
def begins_title(tokens: Tokens, row: RowState, token: i64) -> bint:
    """Return whether two of the tokens after a capitalised one are capitalised too."""
    capitals: i64 = 0
    for at in range(token + 1, min(row.last, token + 1 + TITLE_WINDOW)):
        capitals += CAPITAL[tokens.data[tokens.starts[at]]]
    return capitals >= 2


@cfunc
@inline
@nogil
def is_plain(
    tokens: Tokens, words: WordsOfRows, special: SpecialWords, row: RowState, token: i64, size: i64
) -> bint:
    """Return whether a source is free and unquoted, with no capitals but that of a sentence or of I."""
    for at in range(token, token + size):
        if tokens.blocked[at] or row.quoted[at - row.first]:
            return False
        if words.numbers[at] == special.i:
            continue
        may_begin: bint = at == token and opens_sentence(words, special, row, token)
        if has_capital(tokens.data, tokens.starts[at] + may_begin, tokens.stops[at]):
            return False
    return not CAPITAL[tokens.data[tokens.starts[token]]] or not begins_title(tokens, row, token)


@cfunc
@inline
@nogil
def stands_alone(tokens: Tokens, row: RowState, token: i64, size: i64) -> bint:
    """Return whether a source touches nothing that it could be part of."""
    start, stop = tokens.starts[token], tokens.stops[token + size - 1]
    if start > row.start and TOUCHING[tokens.data[start - 1]]:
        return False
    return stop == row.stop or not TOUCHING[tokens.data[stop]]


@cfunc
@inline
@nogil
def repeats(words: WordsOfRows, row: RowState, token: i64, size: i64, word: i64) -> bint:
    """Return whether a word is near a source, in the text or among the planned words."""
    if word < 0:
        return False
    for at in range(max(row.first, token - WINDOW), min(row.last, token + size + WINDOW)):
        outside: bint = at < token or at >= token + size
        if outside and (words.numbers[at] == word or row.planned[at - row.first] == word):
            return True
    return False


@cfunc
@inline
@nogil
def has_source(rules: PairRules, rule: i64, words: WordsOfRows, row: RowState, token: i64) -> bint:
    """Return whether the source of a rule is at a token, whose first word is known to be right."""
    if not has_bit(rules.tags[rule], words.tags[token]):
        return False
    more, size = rules.more_starts[rule], source_size(rules, rule)
    if token + size > row.last:
        return False
    same: bint = True
    for k in range(1, size):
        same &= words.numbers[token + k] == rules.more[more + k - 1]
    return same


@cfunc
@inline
@nogil
def applies(
    rules: PairRules,
    rule: i64,
    tokens: Tokens,
    words: WordsOfRows,
    special: SpecialWords,
    row: RowState,
    token: i64,
) -> bint:
    """Return whether a rule may edit the source that begins at a token."""
    if not has_source(rules, rule, words, row, token):
        return False
    size = source_size(rules, rule)
    for condition in range(rules.condition_starts[rule], rules.condition_starts[rule + 1]):
        if not holds(rules.conditions, condition, words, special, row, token, size):
            return False
    if not is_plain(tokens, words, special, row, token, size) or not stands_alone(tokens, row, token, size):
        return False
    long: bint = tokens.stops[token] - tokens.starts[token] > SHORT_WORD
    return not (rules.checked[rule] and long and repeats(words, row, token, size, words.numbers[token]))


@cfunc
@inline
@nogil
def begins_like(rules: PairRules, target: i64, tokens: Tokens, token: i64) -> bint:
    """Return whether a target and a token begin with the same letters."""
    start, place = rules.targets.offsets[target], tokens.starts[token]
    if rules.targets.offsets[target + 1] - start < STEM or tokens.stops[token] - place < STEM:
        return False
    same: bint = True
    for k in range(STEM):
        same &= rules.targets.data[start + k] == tokens.data[place + k] | CASE_BIT
    return same


@cfunc
@inline
@nogil
def echoes(
    rules: PairRules, target: i64, tokens: Tokens, words: WordsOfRows, row: RowState, token: i64, size: i64
) -> bint:
    """Return whether a target would stand beside a word of its family, or near itself."""
    if token > row.first and begins_like(rules, target, tokens, token - 1):
        return True
    if token + size < row.last and begins_like(rules, target, tokens, token + size):
        return True
    return repeats(words, row, token, size, rules.target_words[target])


@cfunc
@inline
@nogil
def choose_target(
    rules: PairRules, rule: i64, tokens: Tokens, words: WordsOfRows, row: RowState, token: i64, bits: u64
) -> i64:
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


@cfunc
@inline
@nogil
def is_casual(words: WordsOfRows, special: SpecialWords, first: i64, last: i64) -> bint:
    """Return whether some tokens have a contraction."""
    for token in range(first, last):
        word = words.numbers[token]
        if word >= 0 and special.contracted[word]:
            return True
    return False


@cfunc
@nogil
def mark_quotations(words: WordsOfRows, special: SpecialWords, row: RowState) -> cython.void:
    """Mark the tokens from an opening to the next closing quotation mark, if it is near."""
    for token in range(row.last - row.first):
        row.quoted[token] = False
    token = row.first
    while token < row.last:
        word = words.numbers[token]
        straight: bint = word == special.opening
        if straight or word == special.curly_opening:
            closing = special.closing if straight else special.curly_closing
            end = token + 1
            while end < row.last and end - token <= LONGEST_QUOTATION and words.numbers[end] != closing:
                end += 1
            if end < row.last and words.numbers[end] == closing:
                for quoted in range(token, end + 1):
                    row.quoted[quoted - row.first] = True
                token = end
        token += 1


@cfunc
@inline
@nogil
def has_curly_apostrophe(data: const_u8[::1], start: i64, stop: i64) -> bint:
    """Return whether a text has a curly apostrophe."""
    i = find_byte(data, start, stop - 2, CURLY_1)
    while i < stop - 2:
        if data[i + 1] == CURLY_2 and data[i + 2] == CURLY_3:
            return True
        i = find_byte(data, i + 1, stop - 2, CURLY_1)
    return False


@cfunc
@nogil
def write_with_curly(data: const_u8[::1], start: i64, stop: i64, size: i64, out: u8[::1]) -> i64:
    """Write bytes with curly apostrophes instead of straight ones; return the end."""
    for i in range(start, stop):
        if data[i] == APOSTROPHE:
            size = write_curly(size, out)
        else:
            out[size] = data[i]
            size += 1
    return size


@cfunc
@inline
@nogil
def write_article(data: const_u8[::1], start: i64, stop: i64, to_an: bint, size: i64, out: u8[::1]) -> i64:
    """Write the other article, and what is between it and `stop`; return the end."""
    out[size] = data[start]
    size += 1
    if to_an:
        out[size] = ord("n")
        size += 1
    return copy_bytes(data, start + (1 if to_an else 2), stop, size, out)


@cfunc
@nogil
def write_target(
    rules: PairRules, target: i64, data: const_u8[::1], row: RowState, start: i64, size: i64, out: u8[::1]
) -> i64:
    """Write a target like its source, which begins at `start`: its capital, and its row's apostrophes."""
    begin = size
    first, last = rules.targets.offsets[target], rules.targets.offsets[target + 1]
    if rules.apostrophes[target] and row.curly:
        size = write_with_curly(rules.targets.data, first, last, size, out)
    else:
        size = copy_bytes(rules.targets.data, first, last, size, out)
    if CAPITAL[data[start]] and SMALL[out[begin]]:
        out[begin] -= CASE_BIT
    return size


@cfunc
@inline
@nogil
def must_change_article(
    rules: PairRules, target: i64, words: WordsOfRows, special: SpecialWords, row: RowState, token: i64
) -> bint:
    """Return whether the article before a token does not fit the target."""
    before = words.numbers[token - 1] if token > row.first else -1
    an: bint = before == special.an
    return (an or before == special.a) and rules.vowels[target] != an


@cfunc
@inline
@nogil
def find_rule(
    rules: PairRules,
    tokens: Tokens,
    words: WordsOfRows,
    special: SpecialWords,
    row: RowState,
    token: i64,
    key: u64,
) -> tuple[i64, i64]:
    """Return the first rule that applies to a token, and its target; -1 for none."""
    word = words.numbers[token]
    if word >= 0:
        for rule in range(first_rule(rules, words, row, token), rules.firsts[word + 1]):
            if applies(rules, rule, tokens, words, special, row, token):
                bits: u64 = draw(key, token - row.first, NATURAL_CHOICE)
                target = choose_target(rules, rule, tokens, words, row, token, bits)
                if target >= 0:
                    return rule, target
    return -1, -1


@cfunc
@nogil
def begin_row(
    tokens: Tokens, number: i64, words: WordsOfRows, special: SpecialWords, row: RowState
) -> cython.void:
    """Fill what is known of a row before it is planned."""
    row.first = tokens.rows[number]
    row.last = tokens.rows[number + 1]
    row.start = tokens.row_starts[number]
    row.stop = tokens.row_starts[number + 1]
    row.casual = is_casual(words, special, row.first, row.last)
    row.curly = row.casual and has_curly_apostrophe(tokens.data, row.start, row.stop)
    mark_quotations(words, special, row)
    for token in range(row.last - row.first):
        row.planned[token] = -1


@cfunc
@nogil
def add_target(
    rules: PairRules,
    rule: i64,
    target: i64,
    tokens: Tokens,
    words: WordsOfRows,
    row: RowState,
    token: i64,
    begin: i64,
    out: EditsOut,
) -> bint:
    """Replace a source, and an article at `begin` before it, with a target; return whether there was room."""
    start, before = tokens.starts[token], tokens.starts[begin]
    length = rules.targets.offsets[target + 1] - rules.targets.offsets[target]
    if not has_room(out, CURLY_SIZE * length + start - before + SPARE):
        return False
    size = out.size
    if begin < token:
        size = write_article(tokens.data, before, start, rules.vowels[target], size, out.new)
    size = write_target(rules, target, tokens.data, row, start, size, out.new)
    out.parts[out.count] = words.parts[token]
    stop = tokens.stops[token + source_size(rules, rule) - 1]
    add_edit_at(out, begin, before, stop, rules.names[rule], size)
    return True


def plan_natural(
    rules: PairRules,
    tokens: Tokens,
    words: WordsOfRows,
    special: SpecialWords,
    together: i64,
    keep: u64,
    row: RowState,
    out: EditsOut,
) -> None:
    """Fill the edits. Those with the name `together` are kept all or not at all, in a row."""
    with nogil:
        for number in range(len(tokens.rows) - 1):
            key = tokens.keys[number]
            begin_row(tokens, number, words, special, row)
            kept_together: bint = below(draw(key, 0, NATURAL_TOGETHER), keep)
            for token in range(row.first, row.last):
                out.totals[words.parts[token], 0] += 1
            token = free = row.first  # the tokens before `free` are part of an edit, or cannot be
            while token < row.last:
                rule, target = find_rule(rules, tokens, words, special, row, token, key)
                begin = token
                if rule >= 0 and must_change_article(rules, target, words, special, row, token):
                    begin -= 1
                if rule < 0 or begin < free or tokens.blocked[begin] or row.quoted[begin - row.first]:
                    token += 1
                    continue
                row.planned[token - row.first] = rules.target_words[target]
                out.eligible[number] += 1
                out.totals[words.parts[token], 1] += 1
                kept: bint = below(draw(key, token - row.first, NATURAL_KEEP), keep)
                if rules.names[rule] == together:
                    kept = kept_together
                if kept and not add_target(rules, rule, target, tokens, words, row, token, begin, out):
                    break
                token = free = token + source_size(rules, rule)
            if out.full:
                break
