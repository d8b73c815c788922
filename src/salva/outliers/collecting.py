"""Collects files, folders and sets for a check, with their notes and what is known about their languages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias, TypeVar

from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.outliers.drafts import Draft, read_draft
from salva.outliers.frequencies import read_frequencies
from salva.outliers.notes import Notes, note_paths, parse_notes
from salva.outliers.sets import WordSet, render, set_files
from salva.outliers.subjects import Collection, Known, Subject

Source: TypeAlias = PathLike | WordSet
VectorSource: TypeAlias = Known | PathLike
T = TypeVar("T")


def collect(
    source: Source | Iterable[Source],
    frequencies: PathLike | Mapping[str, PathLike] | None = None,
    vectors: VectorSource | Mapping[str, VectorSource] | None = None,
    languages: Iterable[str] | None = None,
) -> Collection:
    """Return the subjects of a check; a file that is named twice counts once.

    Sets in other languages than the given ones are read too: translations are compared with them.
    """
    sources = [source] if isinstance(source, str | os.PathLike | WordSet) else list(source)
    drafts = {draft.path: (draft, nested) for one in sources for draft, nested in _drafts(one)}
    asked = None if languages is None else {language.upper() for language in languages}
    wanted = sorted({d.language for d, _ in drafts.values() if asked is None or d.language in asked})
    if not wanted:
        raise InputError(f"no sets{_in(asked)} in {_names(sources)}; a set is a file TOPIC/LANG-TOPIC.txt")
    words = {
        language: [word for draft, _ in drafts.values() if draft.language == language for word in draft.words]
        for language in wanted
    }
    lists: dict[str, PathLike] = _by_language(frequencies, wanted, "frequencies")
    spaces: dict[str, VectorSource] = _by_language(vectors, wanted, "vectors")
    whole = any(not isinstance(one, WordSet) and Path(one).is_dir() for one in sources)
    collection = Collection(
        {language: read_frequencies(path, words.get(language, [])) for language, path in lists.items()},
        {language: _opened(one, words.get(language, [])) for language, one in spaces.items()},
        whole,
        wanted,
    )
    collection.subjects.extend(_subject(draft, nested, collection) for draft, nested in drafts.values())
    return collection


def _in(languages: set[str] | None) -> str:
    return "" if languages is None else f" in {', '.join(sorted(languages))}"


def _names(sources: list[Source]) -> str:
    return ", ".join(repr(os.fspath(one)) for one in sources if not isinstance(one, WordSet)) or "nothing"


def _drafts(source: Source) -> Iterator[tuple[Draft, bool]]:
    if isinstance(source, WordSet):
        name = source.path or f"{source.language}-{source.topic}.txt"
        raw = render(source.inliers, source.outliers).encode()
        yield Draft.of(name, raw, topic=source.topic, language=source.language), False
        return
    folder = Path(source)
    for path in set_files(folder):
        yield read_draft(path), folder.is_dir() and path.parent != folder


def _subject(draft: Draft, nested: bool, collection: Collection) -> Subject:
    own, shared, fault = Notes(), Notes(), None
    own_path, shared_path = note_paths(draft.path)
    try:
        shared = parse_notes(shared_path) if shared_path.is_file() else shared
        own = parse_notes(own_path) if own_path.is_file() else own
    except InputError as error:
        fault = str(error)
    return Subject(draft, own.over(shared), own, fault, collection, nested)


def _opened(vectors: VectorSource, words: list[str]) -> Known:
    if not isinstance(vectors, str | os.PathLike):
        return vectors
    from salva.outliers.vectors import open_vectors

    return open_vectors(vectors, words)


def _by_language(value: T | Mapping[str, T] | None, languages: list[str], what: str) -> dict[str, T]:
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return dict(value)
    if len(languages) > 1:
        names = ", ".join(languages)
        raise UsageError(f"{what} of one language for sets in {names}; name the language, such as EN=FILE")
    return dict.fromkeys(languages, value)
