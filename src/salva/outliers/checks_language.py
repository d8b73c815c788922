"""Checks of English words against the bundled WordNet: part of speech, lemma, named entity.

Other languages are in `salva.outliers.checks_forms`. A check's docstring is its message. No lexicon knows
every word, so nothing here is an error.
"""

from __future__ import annotations

from collections.abc import Iterator

from salva.outliers.drafts import Entry
from salva.outliers.english import is_closed_class, is_entity, is_known, is_plural, lemma
from salva.outliers.subjects import SOURCE, Checks, Place, Subject


def closed_class(one: Subject) -> Iterator[Place]:
    """A word is a function word; sets are about meaning, not grammar."""
    yield from (_place(entry) for entry in _english(one) if is_closed_class(entry.word))


def plural(one: Subject) -> Iterator[Place]:
    """A noun is plural although it has a singular."""
    if one.pos == "noun":
        for entry in _english(one):
            if is_plural(entry.word):
                yield _place(entry, f"; the lemma is {lemma(entry.word, 'noun')!r}")


def inflected(one: Subject) -> Iterator[Place]:
    """A verb or adjective is not in its base form."""
    if one.pos in ("verb", "adjective"):
        for entry in _english(one):
            base = lemma(entry.word, one.pos)
            if base is not None:
                yield _place(entry, f"; the lemma is {base!r}")


def part_of_speech(one: Subject) -> Iterator[Place]:
    """A word seems to have a different part of speech from the rest."""
    for entry in _english(one):
        if not one.fits(entry.word) and not is_closed_class(entry.word):
            yield _place(entry, f" in a set of {one.pos}s")


def entity(one: Subject) -> Iterator[Place]:
    """A word is the name of a single thing, person or place."""
    yield from (_place(entry) for entry in _english(one) if is_entity(entry.word))


def unlisted(one: Subject) -> Iterator[Place]:
    """WordNet does not know the word, which may be rare, new or mistyped."""
    for entry in _english(one):
        if "_" not in entry.word and not is_known(entry.word):
            yield _place(entry)


def _english(one: Subject) -> tuple[Entry, ...]:
    return one.draft.entries if one.language == SOURCE else ()


def _place(entry: Entry, more: str = "") -> Place:
    return Place(entry.line, entry.word, f"{entry.word!r}{more}")


LANGUAGE: Checks = {
    "L1": ("warning", closed_class),
    "L2": ("warning", plural),
    "L3": ("warning", inflected),
    "L4": ("warning", part_of_speech),
    "L5": ("warning", entity),
    "L6": ("hint", unlisted),
}
