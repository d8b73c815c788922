"""What the checks look at: one set file with its notes, and the collection that it stands in."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from salva.outliers.drafts import Draft, Entry
from salva.outliers.english import fitting, likely_part
from salva.outliers.frequencies import Frequencies
from salva.outliers.notes import Notes, PartOfSpeech

__all__ = ["SOURCE", "Check", "Checks", "Collection", "Known", "Level", "Place", "Subject", "alphabets"]

Level: TypeAlias = Literal["error", "warning", "hint"]

SOURCE = "EN"  # the one source language of translations


class Known(Protocol):
    """What the checks need of vectors or a thesaurus."""

    def known(self, word: str) -> bool:
        """Tell whether the word has an entry."""
        ...

    def matrix(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Return the similarities of known words, each with each."""
        ...


class Place(NamedTuple):
    """Where something is wrong, and what in particular; `path` is None for the set file itself."""

    line: int | None
    word: str | None
    detail: str
    path: str | None = None


@dataclass(frozen=True)
class Collection:
    """All subjects that are checked together, and what is known about their languages."""

    frequencies: Mapping[str, Frequencies] = field(default_factory=dict)
    vectors: Mapping[str, Known] = field(default_factory=dict)
    whole: bool = False  # a folder was given, so that what is not there is missing
    subjects: list[Subject] = field(default_factory=list)

    @cached_property
    def topics(self) -> dict[str, dict[str, Subject]]:
        """The subjects by topic and language."""
        found: dict[str, dict[str, Subject]] = {}
        for one in self.subjects:
            found.setdefault(one.draft.topic, {})[one.draft.language] = one
        return found

    @cached_property
    def languages(self) -> list[str]:
        """All languages, in order of spelling."""
        return sorted({one.draft.language for one in self.subjects})

    @cached_property
    def translations(self) -> dict[tuple[str, str, str | None], dict[str, Subject]]:
        """For language, English word and part of speech: its translations, and where each stands first."""
        found: dict[tuple[str, str, str | None], dict[str, Subject]] = {}
        for one in self.subjects:
            for source, entry in one.translated():
                key = (one.draft.language, source.word.lower(), one.pos)
                found.setdefault(key, {}).setdefault(entry.word, one)
        return found


@dataclass(frozen=True)
class Subject:
    """A set file under check."""

    draft: Draft
    notes: Notes
    own_notes: Notes  # of this language alone
    note_fault: str | None  # what is wrong with a sidecar that cannot be read
    collection: Collection
    nested: bool = False  # found as TOPIC/file in a folder

    @property
    def language(self) -> str:
        """The language of the file's name."""
        return self.draft.language

    @property
    def siblings(self) -> dict[str, Subject]:
        """The same topic by language, this one included."""
        return self.collection.topics.get(self.draft.topic, {})

    @cached_property
    def source(self) -> Subject | None:
        """The English set of the topic, for one that is not English itself."""
        return None if self.language == SOURCE else self.siblings.get(SOURCE)

    @cached_property
    def pos(self) -> PartOfSpeech | None:
        """The part of speech: as noted, as most English words fit, or as German capitals tell."""
        if self.notes.pos or not self.draft.entries:
            return self.notes.pos
        if self.language == SOURCE:
            return likely_part(self.draft.words)
        if self.source is not None and self.source.pos:
            return self.source.pos
        return "noun" if self.language == "DE" and self.mostly_capitals() else None

    def mostly_capitals(self) -> bool:
        """Tell whether most words have a capital."""
        words = self.draft.words
        return 2 * sum(word != word.lower() for word in words) > len(words)

    def translated(self) -> Iterator[tuple[Entry, Entry]]:
        """Yield English words and what stands in the same place here; nothing where the sizes differ."""
        if self.source is not None and len(self.source.draft.words) == len(self.draft.words):
            yield from zip(self.source.draft.entries, self.draft.entries, strict=True)

    def fits(self, word: str) -> bool:
        """Tell whether an English word can be of the set's part of speech."""
        return self.pos is not None and fitting(word, self.pos)


Check: TypeAlias = Callable[[Subject], Iterator[Place]]
Checks: TypeAlias = dict[str, tuple[Level, Check]]


def alphabets(word: str) -> set[str]:
    """Return the alphabets of a word's letters that are easily confused.

    >>> sorted(alphabets("c\u0430t"))
    ['CYRILLIC', 'LATIN']
    """
    names = {unicodedata.name(c, "").partition(" ")[0] for c in word if c.isalpha()}
    return names & {"LATIN", "GREEK", "CYRILLIC"}
