"""Checks of the notes file; a check's docstring is its message. N3 is in `salva.outliers.check`."""

from __future__ import annotations

from collections.abc import Iterator

from salva.outliers.notes import note_paths
from salva.outliers.subjects import Checks, Place, Subject


def broken(one: Subject) -> Iterator[Place]:
    """The notes next to the set cannot be read and are ignored."""
    if one.note_fault is not None:
        yield Place(None, None, one.note_fault)


def unknown_word(one: Subject) -> Iterator[Place]:
    """A note is about a word that is not in the set."""
    notes, words = one.own_notes, {*one.draft.words, "*"}
    waived = [word for some in notes.waivers.values() for word in some]
    for word in dict.fromkeys([*notes.senses, *notes.adaptations, *waived]):
        if word not in words:
            yield Place(None, word, repr(word), str(note_paths(one.draft.path)[0]))


NOTES: Checks = {
    "N1": ("error", broken),
    "N2": ("warning", unknown_word),
}
