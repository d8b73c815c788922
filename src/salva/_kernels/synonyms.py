"""Words for others: WordNet's lists of synonyms, and the plans of `synonyms` and `hybrid`.

`hybrid` takes first domain groups, then WordNet, by part of speech; then it makes a few typos.
"""

import cython
from cython import bint, cclass, cfunc, final, inline, nogil
from cython.dataclasses import dataclass

if not cython.compiled:
    from salva._kernels.characters import Characters, TypeTable, width
    from salva._kernels.constants import *
    from salva._kernels.plans import (
        Choices,
        EditsOut,
        Rates,
        Tokens,
        add_edit,
        add_word,
        has_room,
        has_words,
        how_many,
        is_kept,
        pick,
    )
    from salva._kernels.rng import below, bounded, draw
    from salva._kernels.strings import StringTable, copy_bytes, find, same
    from salva._kernels.typos import Keyboard, key_at, write_neighbour


@final
@dataclass(repr=False, eq=False)
@cclass
class Endings:
    """WordNet's rules of detachment: rule `i` turns `old` into `new`; each part of speech has a range."""

    old: const_u8[::1]
    old_offsets: const_i64[::1]
    new: const_u8[::1]
    new_offsets: const_i64[::1]
    ranges: const_i64[::1]


@final
@dataclass(repr=False, eq=False)
@cclass
class Thesaurus:
    """WordNet as arrays: words, irregular forms, senses per word and part of speech, members per synset.

    An irregular form is looked up followed by the letter of its part of speech. `folds` gives one number to
    words that differ only in case; `folded` finds it. `usable` says which words may be inserted into a text.
    """

    words: StringTable
    irregular: StringTable
    base_starts: const_i64[::1]
    bases: const_i32[::1]
    endings: Endings
    sense_starts: const_i64[::1]
    senses: const_i32[::1]
    member_starts: const_i64[::1]
    members: const_i32[::1]
    folded: StringTable
    folds: const_i32[::1]
    usable: const_u8[::1]


@cfunc
@inline
@nogil
def add_base(thesaurus: Thesaurus, pos: i64, word: i64, count: i64, bases: i64[::1]) -> i64:
    """Add a word if it has senses and is new; return how many there are."""
    if word < 0 or count == len(bases):
        return count
    first = pos * len(thesaurus.folds) + word
    if thesaurus.sense_starts[first] == thesaurus.sense_starts[first + 1]:
        return count
    for k in range(count):
        if bases[k] == word:
            return count
    bases[count] = word
    return count + 1


@cfunc
@inline
@nogil
def detach(endings: Endings, rule: i64, data: const_u8[::1], start: i64, size: i64) -> i64:
    """Return how many bytes of a word are before the ending that a rule detaches; -1 if it has another."""
    first = endings.old_offsets[rule]
    length = endings.old_offsets[rule + 1] - first
    stem = size - length
    if stem < 0 or not same(endings.old, first, data, start + stem, length):
        return -1
    return stem


@cfunc
@nogil
def find_bases(
    thesaurus: Thesaurus,
    pos: i64,
    letter: i64,
    data: const_u8[::1],
    start: i64,
    stop: i64,
    form: u8[::1],
    bases: i64[::1],
) -> i64:
    """Fill the base forms of a word that are in WordNet, the word itself first; return how many."""
    count = add_base(thesaurus, pos, find(thesaurus.words, data, start, stop), 0, bases)
    size = stop - start
    for k in range(size):
        form[k] = data[start + k]
    form[size] = letter
    irregular = find(thesaurus.irregular, form, 0, size + 1)
    if irregular >= 0:
        for k in range(thesaurus.base_starts[irregular], thesaurus.base_starts[irregular + 1]):
            count = add_base(thesaurus, pos, thesaurus.bases[k], count, bases)
        return count
    for rule in range(thesaurus.endings.ranges[pos], thesaurus.endings.ranges[pos + 1]):
        stem = detach(thesaurus.endings, rule, data, start, size)
        if stem < 0:
            continue
        end = stem
        for k in range(thesaurus.endings.new_offsets[rule], thesaurus.endings.new_offsets[rule + 1]):
            form[end] = thesaurus.endings.new[k]
            end += 1
        count = add_base(thesaurus, pos, find(thesaurus.words, form, 0, end), count, bases)
        for k in range(stem, min(end, size)):
            form[k] = data[start + k]
    return count


@cfunc
@inline
@nogil
def add_members(thesaurus: Thesaurus, synset: i64, own: i64, first: i64, size: i64, out: i32[::1]) -> i64:
    """Add the usable words of a synset, except the word itself and those in the list from `first` on."""
    for k in range(thesaurus.member_starts[synset], thesaurus.member_starts[synset + 1]):
        word = thesaurus.members[k]
        fold = thesaurus.folds[word]
        known: bint = fold == own or not thesaurus.usable[word]
        for i in range(first, size):
            known |= thesaurus.folds[out[i]] == fold
        if not known and size < len(out):
            out[size] = word
            size += 1
    return size


def list_synonyms(
    thesaurus: Thesaurus,
    stopped: StringTable,
    letters: const_u8[::1],
    pos_ranges: const_i64[::1],
    most_synsets: i64,
    data: const_u8[::1],
    offsets: const_i64[::1],
    places: const_i64[::1],
    form: u8[::1],
    bases: i64[::1],
    starts: i64[::1],
    out: i32[::1],
) -> i64:
    """Fill the lists of the words at `places`; return their total length, that of `out` if it was too short.

    A word has one list per range of parts of speech, made from its first `most_synsets` synsets. The lists of
    `stopped` words are empty.
    """
    size: i64 = 0
    lists: i64 = len(pos_ranges) // 2
    with nogil:
        for k in range(len(places)):
            start, stop = offsets[places[k]], offsets[places[k] + 1]
            own = find(thesaurus.folded, data, start, stop)
            most: i64 = 0 if find(stopped, data, start, stop) >= 0 else most_synsets
            for which in range(lists):
                starts[k * lists + which] = first = size
                left = most
                for pos in range(pos_ranges[2 * which], pos_ranges[2 * which + 1]):
                    if left == 0:
                        break
                    count = find_bases(thesaurus, pos, letters[pos], data, start, stop, form, bases)
                    for base in range(count):
                        row = pos * len(thesaurus.folds) + bases[base]
                        for sense in range(thesaurus.sense_starts[row], thesaurus.sense_starts[row + 1]):
                            if left > 0:
                                size = add_members(thesaurus, thesaurus.senses[sense], own, first, size, out)
                                left -= 1
        starts[len(places) * lists] = size
    return size


def plan_synonyms(tokens: Tokens, types: TypeTable, choices: Choices, rates: Rates, out: EditsOut) -> None:
    """Fill the edits: words are chosen at one rate, and each becomes a word of its list."""
    with nogil:
        for row in range(len(tokens.rows) - 1):
            first, key = tokens.rows[row], tokens.keys[row]
            for token in range(first, tokens.rows[row + 1]):
                word_type, place = types.numbers[token], token - first
                if not has_words(choices, word_type) or tokens.blocked[token]:
                    continue
                out.eligible[row] += 1
                if not is_kept(rates, key, place, SYNONYM, SYNONYM_KEEP):
                    continue
                word = pick(choices, word_type, 0, draw(key, place, SYNONYM_CHOICE))
                if not add_word(out, tokens, token, rates.rule, choices.lists, word):
                    break
            if out.full:
                break


@final
@dataclass(repr=False, eq=False)
@cclass
class HybridRates:
    """The numbers of the rules, thresholds (replacement per part of speech, typos, kept edits), and limits.

    With `whole`, letters that carry marks are left alone; with `second_draw`, a word of a group that loses
    its draw gets WordNet's draw too.
    """

    group: i64
    wordnet: i64
    typo: i64
    replace: const_u64[::1]
    mistype: u64
    keep: u64
    min_word_length: i64
    max_typos: i64
    whole: bint
    second_draw: bint


@cfunc
@inline
@nogil
def has_inner_key(
    characters: Characters,
    keyboard: Keyboard,
    data: const_u8[::1],
    start: i64,
    stop: i64,
    length: i64,
    whole: bint,
) -> bint:
    """Return whether a letter between the first and the last has neighbours on the keyboard."""
    for place in range(length - 1):
        if place and key_at(characters, keyboard, data, start, stop, whole) != NO_KEY:
            return True
        start += width(data[start])
    return False


@cfunc
@inline
@nogil
def replacement_rule(
    rates: HybridRates, part: i64, in_group: bint, in_wordnet: bint, key: u64, place: i64
) -> i64:
    """Return the rule that replaces a word, 0 for none."""
    if in_group and below(draw(key, place, GROUP), rates.replace[part]):
        return rates.group
    if in_group and not rates.second_draw:
        return 0
    if in_wordnet and below(draw(key, place, WORDNET), rates.replace[part]):
        return rates.wordnet
    return 0


@cfunc
@inline
@nogil
def typo_byte(
    characters: Characters,
    keyboard: Keyboard,
    rates: HybridRates,
    key: u64,
    place: i64,
    data: const_u8[::1],
    start: i64,
    stop: i64,
    length: i64,
) -> i64:
    """Return the byte of a word to mistype, never the first or last letter; -1 if there is none."""
    if length <= 2 or not below(draw(key, place, HYBRID_TYPO), rates.mistype):
        return -1
    for _ in range(1 + bounded(draw(key, place, HYBRID_PLACE), length - 2)):
        start += width(data[start])
    return start if key_at(characters, keyboard, data, start, stop, rates.whole) != NO_KEY else -1


@cfunc
@inline
@nogil
def add_typo(
    characters: Characters,
    keyboard: Keyboard,
    tokens: Tokens,
    token: i64,
    rule: i64,
    i: i64,
    bits: u64,
    out: EditsOut,
) -> bint:
    """Mistype the letter of a token at byte `i`, if there is room; return whether there was."""
    start, stop = tokens.starts[token], tokens.stops[token]
    if not has_room(out, stop - start + keyboard.widest):
        return False
    letter = key_at(characters, keyboard, tokens.data, i, stop, False)
    size = copy_bytes(tokens.data, start, i, out.size, out.new)
    size = write_neighbour(characters, keyboard, letter, bits, tokens.data, i, size, out.new)
    size = copy_bytes(tokens.data, i + width(tokens.data[i]), stop, size, out.new)
    add_edit(out, tokens, token, rule, size)
    return True


def plan_hybrid(
    characters: Characters,
    keyboard: Keyboard,
    tokens: Tokens,
    types: TypeTable,
    parts: const_u8[::1],
    groups: Choices,
    wordnet: Choices,
    rates: HybridRates,
    out: EditsOut,
) -> None:
    """Fill the edits.

    The whole plan is made first, including the limit on typos; the last threshold then chooses among its
    edits.
    """
    other: i64 = len(rates.replace)
    with nogil:
        for row in range(len(tokens.rows) - 1):
            typos: i64 = 0
            first, key = tokens.rows[row], tokens.keys[row]
            for token in range(first, tokens.rows[row + 1]):
                word_type, part, place = types.numbers[token], parts[token], token - first
                start, stop, length = tokens.starts[token], tokens.stops[token], types.lengths[word_type]
                out.totals[part, 0] += 1
                if length < rates.min_word_length or tokens.blocked[token]:
                    continue
                in_group: bint = part < other and how_many(groups, word_type, 0) > 0
                in_wordnet: bint = part < other and how_many(wordnet, word_type, part) > 0
                rule = replacement_rule(rates, part, in_group, in_wordnet, key, place)
                i: i64 = -1
                if rule == 0 and typos < rates.max_typos:
                    i = typo_byte(characters, keyboard, rates, key, place, tokens.data, start, stop, length)
                    if i >= 0:
                        rule = rates.typo
                        typos += 1
                able: bint = rule != 0 or in_group or in_wordnet
                if not able and not has_inner_key(
                    characters, keyboard, tokens.data, start, stop, length, rates.whole
                ):
                    continue
                out.eligible[row] += 1
                out.totals[part, 1] += 1
                if rule == 0 or not below(draw(key, place, HYBRID_KEEP), rates.keep):
                    continue
                out.parts[out.count] = part
                if rule == rates.typo:
                    bits = draw(key, place, HYBRID_KEY)
                    add_typo(characters, keyboard, tokens, token, rule, i, bits, out)
                elif rule == rates.group:
                    word = pick(groups, word_type, 0, draw(key, place, GROUP_CHOICE))
                    add_word(out, tokens, token, rule, groups.lists, word)
                else:
                    word = pick(wordnet, word_type, part, draw(key, place, WORDNET_CHOICE))
                    add_word(out, tokens, token, rule, wordnet.lists, word)
                if out.full:
                    break
            if out.full:
                break
