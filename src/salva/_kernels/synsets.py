"""Synonyms from WordNet for many words at once: base forms, their synsets, and the other words in these."""

from __future__ import annotations

from typing import NamedTuple

from salva._kernels.jit import kernel, step
from salva._kernels.strings import StringTable, find, same
from salva._types import Bools, Bytes, Ints32, Ints64

MOST_BASES = 64  # a form has itself and at most eight more by the rules; irregular forms have up to five


class Endings(NamedTuple):
    """WordNet's rules of detachment: rule `i` turns `old` into `new`; each part of speech has a range."""

    old: Bytes
    old_offsets: Ints64
    new: Bytes
    new_offsets: Ints64
    ranges: Ints64


class Thesaurus(NamedTuple):
    """WordNet as arrays: words, irregular forms, senses per word and part of speech, members per synset.

    An irregular form is looked up followed by the letter of its part of speech. `folds` gives one number to
    words that differ only in case; `folded` finds it. `usable` says which words may be inserted into a text.
    """

    words: StringTable
    irregular: StringTable
    base_starts: Ints64
    bases: Ints32
    endings: Endings
    sense_starts: Ints64
    senses: Ints32
    member_starts: Ints64
    members: Ints32
    folded: StringTable
    folds: Ints32
    usable: Bools


@step
def add_base(thesaurus: Thesaurus, pos: int, word: int, count: int, bases: Ints64) -> int:
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


@step
def find_bases(
    thesaurus: Thesaurus,
    pos: int,
    letter: int,
    data: Bytes,
    start: int,
    stop: int,
    form: Bytes,
    bases: Ints64,
) -> int:
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
    endings = thesaurus.endings
    for rule in range(endings.ranges[pos], endings.ranges[pos + 1]):
        first, last = endings.old_offsets[rule], endings.old_offsets[rule + 1]
        stem = size - (last - first)
        if stem < 0 or not same(endings.old, first, data, start + stem, last - first):
            continue
        end = stem
        for k in range(endings.new_offsets[rule], endings.new_offsets[rule + 1]):
            form[end] = endings.new[k]
            end += 1
        count = add_base(thesaurus, pos, find(thesaurus.words, form, 0, end), count, bases)
        for k in range(stem, min(end, size)):
            form[k] = data[start + k]
    return count


@step
def add_members(thesaurus: Thesaurus, synset: int, own: int, first: int, size: int, out: Ints32) -> int:
    """Add the usable words of a synset, except the word itself and those in the list from `first` on."""
    for k in range(thesaurus.member_starts[synset], thesaurus.member_starts[synset + 1]):
        word = thesaurus.members[k]
        fold = thesaurus.folds[word]
        known = fold == own or not thesaurus.usable[word]
        for i in range(first, size):
            known = known or thesaurus.folds[out[i]] == fold
        if not known and size < len(out):
            out[size] = word
            size += 1
    return size


@kernel
def list_synonyms(
    thesaurus: Thesaurus,
    stopped: StringTable,
    letters: Bytes,
    pos_ranges: Ints64,
    most_synsets: int,
    data: Bytes,
    offsets: Ints64,
    places: Ints64,
    form: Bytes,
    bases: Ints64,
    starts: Ints64,
    out: Ints32,
) -> int:
    """Fill the lists of the words at `places`; return their total length, that of `out` if it was too short.

    A word has one list per range of parts of speech, made from its first `most_synsets` synsets. The lists of
    `stopped` words are empty.
    """
    size = 0
    width = len(pos_ranges) // 2
    for k in range(len(places)):
        start, stop = offsets[places[k]], offsets[places[k] + 1]
        own = find(thesaurus.folded, data, start, stop)
        most = 0 if find(stopped, data, start, stop) >= 0 else most_synsets
        for which in range(width):
            starts[k * width + which] = first = size
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
    starts[len(places) * width] = size
    return size
