"""Checks of lemma, part of speech and gender beyond English, based on word endings and form dictionaries.

A check's docstring is its message. Checks that need a dictionary find nothing without the extra `lemmas`.
"""

from __future__ import annotations

from collections.abc import Iterator

from salva.outliers.dictionaries import Dictionary
from salva.outliers.drafts import Entry
from salva.outliers.english import PLURALIA_TANTUM, as_one_word
from salva.outliers.subjects import SOURCE, Checks, Place, Subject


def infinitive(one: Subject) -> Iterator[Place]:
    """A verb does not look like an infinitive."""
    if one.pos == "verb" and one.grammar.infinitives:
        for entry in one.draft.entries:
            if not one.grammar.is_infinitive(entry.word):
                yield _place(entry)


def gender(one: Subject) -> Iterator[Place]:
    """An adjective does not look like a masculine singular."""
    if one.pos == "adjective":
        for entry in one.draft.entries:
            if "_" not in entry.word and not one.grammar.is_base_adjective(entry.word):
                yield _place(entry)


def form(one: Subject) -> Iterator[Place]:
    """A word seems to be an inflected form of another word, its lemma."""
    dictionary = one.dictionary
    if dictionary is None or one.pos == "verb":
        return
    english = {entry.line: source.word for source, entry in one.translated()}
    for entry in one.draft.entries:
        source = english.get(entry.line, "")
        base = _base_form(one, dictionary, entry)
        if base is not None and source.lower() not in PLURALIA_TANTUM and source != entry.word:
            yield _place(entry, f"; the lemma may be {base!r}")


def other_part(one: Subject) -> Iterator[Place]:
    """The forms of a word suggest a different part of speech from the rest."""
    dictionary = one.dictionary
    for entry in one.draft.entries if dictionary is not None else ():
        part = _other_part(one, dictionary, entry.word) if dictionary is not None else None
        if part is not None:
            yield _place(entry, f" looks like {part} in a set of {one.pos}s")


def one_word(one: Subject) -> Iterator[Place]:
    """A term should be written as one word."""
    for entry in one.draft.entries if one.language == SOURCE else ():
        joined = as_one_word(entry.word)
        if joined is not None:
            yield _place(entry, f"; write {joined!r}")


def _base_form(one: Subject, dictionary: Dictionary, entry: Entry) -> str | None:
    grammar = one.grammar
    word = grammar.head(entry.word)
    base = dictionary.lemma(word)
    if base is None or word in (*grammar.only_plural, *grammar.invariable) or grammar.is_infinitive(base):
        return None
    return base if one.pos == "adjective" or grammar.is_plural_of(word, base) else None


def _other_part(one: Subject, dictionary: Dictionary, word: str) -> str | None:
    if "_" in word or one.pos is None:
        return None
    if one.pos == "verb":
        return "a noun" if one.grammar.is_infinitive(word) and dictionary.is_noun(word) else None
    if dictionary.is_verb(word):
        return "a verb"
    if one.pos == "adjective" and dictionary.is_adjective(word) is False and dictionary.is_noun(word):
        return "a noun"
    return None


def _place(entry: Entry, more: str = "") -> Place:
    return Place(entry.line, entry.word, f"{entry.word!r}{more}")


FORMS: Checks = {
    "L7": ("hint", infinitive),
    "L8": ("hint", gender),
    "L9": ("hint", form),
    "L10": ("hint", other_part),
    "L11": ("hint", one_word),
}
