"""What the checks look at: one set file with its notes, and the collection that it belongs to."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, Protocol, TypeAlias

from salva._types import Floats
from salva.outliers.dictionaries import Dictionary, read_dictionary
from salva.outliers.drafts import UNDETERMINED, Draft, Entry
from salva.outliers.english import fitting, likely_part
from salva.outliers.frequencies import Frequencies
from salva.outliers.grammars import GRAMMARS, NO_GRAMMAR, Grammar
from salva.outliers.notes import Notes, PartOfSpeech

Level: TypeAlias = Literal["error", "warning", "hint"]

SOURCE = "EN"  # the only source language of translations


class Known(Protocol):
    """What the checks need from vectors or a thesaurus."""

    def known(self, word: str) -> bool:
        """Return whether the word has an entry."""
        ...

    def matrix(self, words: Sequence[str]) -> Floats:
        """Return the similarities between all pairs of known words."""
        ...


class Place(NamedTuple):
    """Where a problem is, and its details; `path` is None for the set file itself."""

    line: int | None
    word: str | None
    detail: str
    path: str | None = None


@dataclass(frozen=True)
class Collection:
    """All subjects that are checked together, and what is known about their languages."""

    frequencies: Mapping[str, Frequencies] = field(default_factory=dict)
    vectors: Mapping[str, Known] = field(default_factory=dict)
    whole: bool = False  # a folder was given, so sets that are not in it are missing
    wanted: Sequence[str] = ()  # the languages to report on; the others are only for comparison
    subjects: list[Subject] = field(default_factory=list)
    dictionaries: dict[str, Dictionary | None] = field(default_factory=dict)

    @cached_property
    def topics(self) -> dict[str, dict[str, Subject]]:
        """The subjects by topic and language."""
        found: dict[str, dict[str, Subject]] = {}
        for one in self.subjects:
            found.setdefault(one.draft.topic, {})[one.draft.language] = one
        return found

    def dictionary(self, language: str) -> Dictionary | None:
        """Return the forms of the words of a language; read on first use."""
        if language not in self.dictionaries:
            words = (word for one in self.subjects if one.language == language for word in one.draft.words)
            unknown = language in (SOURCE, UNDETERMINED)
            self.dictionaries[language] = None if unknown else read_dictionary(language, words)
        return self.dictionaries[language]

    @cached_property
    def translations(self) -> dict[tuple[str, str, str | None], dict[str, Subject]]:
        """By language, English word and part of speech: the translations, and where each appears first."""
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
    own_notes: Notes  # those of this language only
    note_fault: str | None  # why a notes file cannot be read
    collection: Collection
    nested: bool = False  # found as TOPIC/file in a folder

    @property
    def language(self) -> str:
        """The language in the file name."""
        return self.draft.language

    @property
    def siblings(self) -> dict[str, Subject]:
        """The sets of the same topic by language, including this one."""
        return self.collection.topics.get(self.draft.topic, {})

    @cached_property
    def source(self) -> Subject | None:
        """The English set of the topic; None for English sets."""
        return None if self.language == SOURCE else self.siblings.get(SOURCE)

    @cached_property
    def pos(self) -> PartOfSpeech | None:
        """The part of speech: from the notes, from the English words, or from capitals, endings and forms."""
        if self.notes.pos or not self.draft.entries:
            return self.notes.pos
        if self.language == SOURCE:
            return likely_part(self.draft.words)
        if self.source is not None and self.source.pos:
            return self.source.pos
        return self._likely_part()

    @property
    def grammar(self) -> Grammar:
        """The endings of the language."""
        return GRAMMARS.get(self.language, NO_GRAMMAR)

    @property
    def dictionary(self) -> Dictionary | None:
        """The dictionary of the language, if there is one; English has none here."""
        return self.collection.dictionary(self.language)

    def forms(self, word: str) -> list[str]:
        """Return the other forms of a word, if a dictionary has them."""
        return self.dictionary.forms(word) if self.dictionary is not None else []

    def _likely_part(self) -> PartOfSpeech | None:
        words, grammar = self.draft.words, self.grammar
        if self.language == "DE" and self.mostly_capitals():
            return "noun"
        if self.draft.topic.startswith("Verbs_") or _most(map(grammar.is_infinitive, words)):
            return "verb"
        if grammar.adjectives and _most(map(grammar.is_base_adjective, words)):
            return "adjective"
        if grammar.feminine and self.dictionary is not None:
            told = [self.dictionary.is_adjective(word) for word in words]
            if 2 * told.count(True) > len(words) and _most(one for one in told if one is not None):
                return "adjective"
        return None

    def mostly_capitals(self) -> bool:
        """Return whether most words have a capital."""
        words = self.draft.words
        return 2 * sum(word != word.lower() for word in words) > len(words)

    def translated(self) -> Iterator[tuple[Entry, Entry]]:
        """Yield pairs of an English word and its translation here; nothing if the sets differ in size."""
        if self.source is not None and len(self.source.draft.words) == len(self.draft.words):
            yield from zip(self.source.draft.entries, self.draft.entries, strict=True)

    def fits(self, word: str) -> bool:
        """Return whether an English word can have the set's part of speech."""
        return self.pos is not None and fitting(word, self.pos)


Check: TypeAlias = Callable[[Subject], Iterator[Place]]
Checks: TypeAlias = dict[str, tuple[Level, Check]]


def _most(answers: Iterable[bool]) -> bool:
    """Return whether at least three quarters of the answers are yes."""
    given = list(answers)
    return bool(given) and 4 * sum(given) >= 3 * len(given)


def alphabets(word: str) -> set[str]:
    """Return which of the easily confused alphabets a word's letters belong to.

    >>> sorted(alphabets("c\u0430t"))
    ['CYRILLIC', 'LATIN']
    """
    names = {unicodedata.name(c, "").partition(" ")[0] for c in word if c.isalpha()}
    return names & {"LATIN", "GREEK", "CYRILLIC"}
