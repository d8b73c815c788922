"""Checks of part of speech, lemma, gender and named entity.

English words are looked up in the bundled WordNet; for other languages there are word endings and form
dictionaries, without which (the extra `lemmas`) some checks find nothing. No lexicon knows every word, so
nothing here is an error. A check's docstring is its message.
"""

from __future__ import annotations

from collections.abc import Iterator

from salva.outliers.checks.collection import Checks, Problem, SetFile
from salva.outliers.drafts import ENGLISH, Entry
from salva.outliers.words.english import (
    PLURALIA_TANTUM,
    as_one_word,
    is_closed_class,
    is_entity,
    is_known,
    is_plural,
    lemma,
)
from salva.outliers.words.forms import Dictionary


def closed_class(file: SetFile) -> Iterator[Problem]:
    """A word is a function word; sets are about meaning, not grammar."""
    yield from (Problem.at(entry) for entry in _english(file) if is_closed_class(entry.word))


def plural(file: SetFile) -> Iterator[Problem]:
    """A noun is plural although it has a singular."""
    if file.pos == "noun":
        for entry in _english(file):
            if is_plural(entry.word):
                yield Problem.at(entry, f"; the lemma is {lemma(entry.word, 'noun')!r}")


def inflected(file: SetFile) -> Iterator[Problem]:
    """A verb or adjective is not in its base form."""
    if file.pos in ("verb", "adjective"):
        for entry in _english(file):
            base = lemma(entry.word, file.pos)
            if base is not None:
                yield Problem.at(entry, f"; the lemma is {base!r}")


def part_of_speech(file: SetFile) -> Iterator[Problem]:
    """A word seems to have a different part of speech from the rest."""
    for entry in _english(file):
        if not file.fits(entry.word) and not is_closed_class(entry.word):
            yield Problem.at(entry, f" in a set of {file.pos}s")


def entity(file: SetFile) -> Iterator[Problem]:
    """A word is the name of a single thing, person or place."""
    yield from (Problem.at(entry) for entry in _english(file) if is_entity(entry.word))


def unlisted(file: SetFile) -> Iterator[Problem]:
    """WordNet does not know the word, which may be rare, new or mistyped."""
    for entry in _english(file):
        if "_" not in entry.word and not is_known(entry.word):
            yield Problem.at(entry)


def infinitive(file: SetFile) -> Iterator[Problem]:
    """A verb does not look like an infinitive."""
    if file.pos == "verb" and file.grammar.infinitives:
        for entry in file.draft.entries:
            if not file.grammar.is_infinitive(entry.word):
                yield Problem.at(entry)


def gender(file: SetFile) -> Iterator[Problem]:
    """An adjective does not look like a masculine singular."""
    if file.pos == "adjective":
        for entry in file.draft.entries:
            if "_" not in entry.word and not file.grammar.is_base_adjective(entry.word):
                yield Problem.at(entry)


def form(file: SetFile) -> Iterator[Problem]:
    """A word seems to be an inflected form of another word, its lemma."""
    dictionary = file.dictionary
    if dictionary is None or file.pos == "verb":
        return
    english = {entry.line: source.word for source, entry in file.pair_with_english()}
    for entry in file.draft.entries:
        source = english.get(entry.line, "")
        base = _base_form(file, dictionary, entry)
        if base is not None and source.lower() not in PLURALIA_TANTUM and source != entry.word:
            yield Problem.at(entry, f"; the lemma may be {base!r}")


def other_part(file: SetFile) -> Iterator[Problem]:
    """The forms of a word suggest a different part of speech from the rest."""
    for entry in file.draft.entries:
        part = _other_part(file, entry.word)
        if part is not None:
            yield Problem.at(entry, f" looks like {part} in a set of {file.pos}s")


def one_word(file: SetFile) -> Iterator[Problem]:
    """A term should be written as one word."""
    for entry in _english(file):
        joined = as_one_word(entry.word)
        if joined is not None:
            yield Problem.at(entry, f"; write {joined!r}")


def _english(file: SetFile) -> tuple[Entry, ...]:
    return file.draft.entries if file.language == ENGLISH else ()


def _base_form(file: SetFile, dictionary: Dictionary, entry: Entry) -> str | None:
    grammar = file.grammar
    word = grammar.head(entry.word)
    base = dictionary.lemma(word)
    if base is None or word in (*grammar.only_plural, *grammar.invariable) or grammar.is_infinitive(base):
        return None
    return base if file.pos == "adjective" or grammar.is_plural_of(word, base) else None


def _other_part(file: SetFile, word: str) -> str | None:
    dictionary = file.dictionary
    if dictionary is None or "_" in word or file.pos is None:
        return None
    if file.pos == "verb":
        return "a noun" if file.grammar.is_infinitive(word) and dictionary.is_noun(word) else None
    if dictionary.is_verb(word):
        return "a verb"
    if file.pos == "adjective" and dictionary.is_adjective(word) is False and dictionary.is_noun(word):
        return "a noun"
    return None


LEMMAS: Checks = {
    "L1": ("warning", closed_class),
    "L2": ("warning", plural),
    "L3": ("warning", inflected),
    "L4": ("warning", part_of_speech),
    "L5": ("warning", entity),
    "L6": ("hint", unlisted),
    "L7": ("hint", infinitive),
    "L8": ("hint", gender),
    "L9": ("hint", form),
    "L10": ("hint", other_part),
    "L11": ("hint", one_word),
}
