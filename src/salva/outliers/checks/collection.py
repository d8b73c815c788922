"""What the checks look at: set files with their notes, and the collection that they belong to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.outliers.drafts import ENGLISH, UNDETERMINED, Draft, Entry, read_draft
from salva.outliers.notes import Notes, PartOfSpeech, note_paths, parse_notes
from salva.outliers.sets import WordSet, no_sets, render, set_files
from salva.outliers.vectors.formats import as_similarities
from salva.outliers.vectors.similarities import Similarities
from salva.outliers.words.english import can_be, likely_part
from salva.outliers.words.forms import Dictionary, Grammar, grammar_of, read_dictionary
from salva.outliers.words.frequencies import Frequencies, read_frequencies

Level: TypeAlias = Literal["error", "warning", "hint"]
Source: TypeAlias = PathLike | WordSet
VectorSource: TypeAlias = Similarities | PathLike
T = TypeVar("T")


class Problem(NamedTuple):
    """What a check complains about, and where; `path` is None for the set file itself."""

    detail: str
    line: int | None = None
    word: str | None = None
    path: str | None = None

    @classmethod
    def at(cls, entry: Entry, more: str = "") -> Problem:
        """Return a problem with the word on a line, which its details start with."""
        return cls(f"{entry.word!r}{more}", entry.line, entry.word)


@dataclass(frozen=True)
class Collection:
    """All set files that are checked together, and what is known about their languages."""

    frequencies: Mapping[str, Frequencies] = field(default_factory=dict)
    vectors: Mapping[str, Similarities] = field(default_factory=dict)
    is_folder: bool = False  # a folder was given, so sets that are not in it are missing
    languages: Sequence[str] = ()  # those to report on; the others are only for comparison
    files: list[SetFile] = field(default_factory=list)
    dictionaries: dict[str, Dictionary | None] = field(default_factory=dict)

    @cached_property
    def topics(self) -> dict[str, dict[str, SetFile]]:
        """The files by topic and language."""
        topics: dict[str, dict[str, SetFile]] = {}
        for file in self.files:
            topics.setdefault(file.draft.topic, {})[file.language] = file
        return topics

    def dictionary(self, language: str) -> Dictionary | None:
        """Return the forms of the words of a language; read on first use."""
        if language not in self.dictionaries:
            words = (word for file in self.files if file.language == language for word in file.draft.words)
            unknown = language in (ENGLISH, UNDETERMINED)
            self.dictionaries[language] = None if unknown else read_dictionary(language, words)
        return self.dictionaries[language]

    @cached_property
    def translations(self) -> dict[tuple[str, str, str | None], dict[str, SetFile]]:
        """By language, English word and part of speech: the translations, and where each appears first."""
        translations: dict[tuple[str, str, str | None], dict[str, SetFile]] = {}
        for file in self.files:
            for source, entry in file.pair_with_english():
                key = (file.language, source.word.lower(), file.pos)
                translations.setdefault(key, {}).setdefault(entry.word, file)
        return translations


@dataclass(frozen=True)
class SetFile:
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
    def siblings(self) -> dict[str, SetFile]:
        """The sets of the same topic by language, including this one."""
        return self.collection.topics.get(self.draft.topic, {})

    @cached_property
    def source(self) -> SetFile | None:
        """The English set of the topic; None for English sets."""
        return None if self.language == ENGLISH else self.siblings.get(ENGLISH)

    @cached_property
    def pos(self) -> PartOfSpeech | None:
        """The part of speech: from the notes, from the English words, or from capitals, endings and forms."""
        if self.notes.pos or not self.draft.entries:
            return self.notes.pos
        if self.language == ENGLISH:
            return likely_part(self.draft.words)
        if self.source is not None and self.source.pos:
            return self.source.pos
        return self._likely_part()

    @property
    def grammar(self) -> Grammar:
        """The endings of the language."""
        return grammar_of(self.language)

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
            judged = [self.dictionary.is_adjective(word) for word in words]
            if 2 * judged.count(True) > len(words) and _most(yes for yes in judged if yes is not None):
                return "adjective"
        return None

    def mostly_capitals(self) -> bool:
        """Return whether most words have a capital."""
        words = self.draft.words
        return 2 * sum(word != word.lower() for word in words) > len(words)

    def pair_with_english(self) -> Iterator[tuple[Entry, Entry]]:
        """Yield pairs of an English word and its translation here; nothing if the sets differ in size."""
        if self.source is not None and len(self.source.draft.words) == len(self.draft.words):
            yield from zip(self.source.draft.entries, self.draft.entries, strict=True)

    def fits(self, word: str) -> bool:
        """Return whether an English word can have the set's part of speech."""
        return self.pos is not None and can_be(word, self.pos)


Check: TypeAlias = Callable[[SetFile], Iterator[Problem]]
Checks: TypeAlias = dict[str, tuple[Level, Check]]


def collect(
    source: Source | Iterable[Source],
    frequencies: PathLike | Mapping[str, PathLike] | None = None,
    vectors: VectorSource | Mapping[str, VectorSource] | None = None,
    languages: Iterable[str] | None = None,
) -> Collection:
    """Return the set files to check, with their notes; a file that is named twice counts once.

    Sets in other languages than the given ones are read too: translations are compared with them.
    """
    sources = [source] if isinstance(source, str | os.PathLike | WordSet) else list(source)
    drafts = {draft.path: (draft, nested) for each in sources for draft, nested in _read_drafts(each)}
    named = None if languages is None else {language.upper() for language in languages}
    reported = sorted({d.language for d, _ in drafts.values() if named is None or d.language in named})
    if not reported:
        raise no_sets([each for each in sources if not isinstance(each, WordSet)], named)
    words: dict[str, list[str]] = {}
    for draft, _ in drafts.values():
        words.setdefault(draft.language, []).extend(draft.words)
    lists: dict[str, PathLike] = _by_language(frequencies, reported, "frequencies")
    models: dict[str, VectorSource] = _by_language(vectors, reported, "vectors")
    collection = Collection(
        {language: read_frequencies(path, words.get(language, [])) for language, path in lists.items()},
        {language: as_similarities(model, words.get(language, [])) for language, model in models.items()},
        any(not isinstance(each, WordSet) and Path(each).is_dir() for each in sources),
        reported,
    )
    collection.files.extend(_set_file(draft, nested, collection) for draft, nested in drafts.values())
    return collection


def _read_drafts(source: Source) -> Iterator[tuple[Draft, bool]]:
    if isinstance(source, WordSet):
        name = source.path or f"{source.language}-{source.topic}.txt"
        raw = render(source.inliers, source.outliers).encode()
        yield Draft.of(name, raw, topic=source.topic, language=source.language), False
        return
    folder = Path(source)
    for path in set_files(folder):
        yield read_draft(path), folder.is_dir() and path.parent != folder


def _set_file(draft: Draft, nested: bool, collection: Collection) -> SetFile:
    own, shared, fault = Notes(), Notes(), None
    own_path, shared_path = note_paths(draft.path)
    try:
        shared = parse_notes(shared_path) if shared_path.is_file() else shared
        own = parse_notes(own_path) if own_path.is_file() else own
    except InputError as error:
        fault = str(error)
    return SetFile(draft, own.over(shared), own, fault, collection, nested)


def _by_language(value: T | Mapping[str, T] | None, languages: list[str], what: str) -> dict[str, T]:
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return dict(value)
    if len(languages) > 1:
        names = ", ".join(languages)
        raise UsageError(f"{what} of one language for sets in {names}; name the language, such as EN=FILE")
    return dict.fromkeys(languages, value)


def _most(answers: Iterable[bool]) -> bool:
    """Return whether at least three quarters of the answers are yes."""
    yes = list(answers)
    return bool(yes) and 4 * sum(yes) >= 3 * len(yes)
