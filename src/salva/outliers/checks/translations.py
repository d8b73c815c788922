"""Checks of a topic across languages, line by line against English, the only source of translations.

A check's docstring is its message. Without a lexicon of the other language, most of these are hints.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from salva.outliers.checks.collection import Checks, Problem, SetFile
from salva.outliers.drafts import ENGLISH
from salva.outliers.sets import set_path
from salva.outliers.words.english import PLURALIA_TANTUM, is_plural

MOSTLY = 12  # this many of 16 words the same as in English: nobody has translated the set yet
_NAMED = 5  # how many topics without a set are named in the one finding about them

# Noun endings that show singular or plural; languages without an entry are not judged by endings.
SINGULARS: dict[str, tuple[str, ...]] = {"IT": ("o",)}
PLURALS: dict[str, tuple[str, ...]] = {"ES": ("os", "as"), "FR": ("es",), "IT": ("i",), "PT": ("os", "as")}
_NOT_PLURAL: dict[str, tuple[str, ...]] = {"IT": ("si",)}  # crisi, oasi
# The ending of a plural, and the ending of the singular that it replaces.
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "": (("s", ""), ("es", "")),
    "DE": (("e", ""), ("en", ""), ("n", ""), ("er", ""), ("s", "")),
    "FR": (("s", ""), ("x", ""), ("aux", "al")),
    "IT": (("i", "o"), ("i", "e"), ("e", "a"), ("i", "io"), ("chi", "co"), ("che", "ca"), ("a", "o")),
}


def missing_language(file: SetFile) -> Iterator[Problem]:
    """A topic lacks a language that other topics have."""
    if file.collection.is_folder and file is next(iter(file.siblings.values())):
        for language in file.collection.languages:
            if language not in file.siblings and language != ENGLISH:
                yield Problem(f"{file.draft.topic} in {language}", path=_missing_path(file, language))


def no_source(file: SetFile) -> Iterator[Problem]:
    """Topics have no English set, which every translation starts from."""
    if file.collection.is_folder and file is file.collection.files[0]:
        lacking = [files for files in file.collection.topics.values() if ENGLISH not in files]
        firsts = [next(iter(files.values())) for files in lacking]
        firsts = [first for first in firsts if not first.notes.waives("X2", None)]
        if firsts:
            names = ", ".join(first.draft.topic for first in firsts[:_NAMED])
            more = f" and {len(firsts) - _NAMED} more" if len(firsts) > _NAMED else ""
            yield Problem(names + more, path=_missing_path(firsts[0], ENGLISH))


def collision(file: SetFile) -> Iterator[Problem]:
    """Two English words have the same translation."""
    first: dict[str, str] = {}
    for source, entry in file.pair_with_english():
        if first.setdefault(entry.word, source.word) != source.word:
            detail = f"{first[entry.word]!r} and {source.word!r} are both {entry.word!r}"
            yield Problem(detail, entry.line, entry.word)


def copied(file: SetFile) -> Iterator[Problem]:
    """A word is the same as in English; waive it if the language has borrowed it."""
    for source, entry in file.pair_with_english():
        noted = entry.word in file.notes.adaptations
        if source.word == entry.word and not noted and not _international(file, source.line, entry.word):
            yield Problem.at(entry)


def mostly_copied(file: SetFile) -> Iterator[Problem]:
    """Most words are the same as in English, as if nobody had translated them yet."""
    same = sum(source.word == entry.word for source, entry in file.pair_with_english())
    if same >= MOSTLY:
        yield Problem(f"{same} of {len(file.draft.words)}")


def number(file: SetFile) -> Iterator[Problem]:
    """A word and its English source seem to differ in number."""
    if file.pos != "noun":
        return
    for source, entry in file.pair_with_english():
        several = is_plural(source.word)
        lacks_singular = source.word.lower() in PLURALIA_TANTUM
        here = _number(file, source.word, entry.word)
        if here is not None and not lacks_singular and several != (here == "plural"):
            ours = "plural" if several else "singular"
            detail = f"{source.word!r} is {ours}, {entry.word!r} looks {here}"
            yield Problem(detail, entry.line, entry.word)


def two_translations(file: SetFile) -> Iterator[Problem]:
    """Another topic translates the English word differently; note the sense if both are right."""
    for source, entry in file.pair_with_english():
        known = file.collection.translations[file.language, source.word.lower(), file.pos]
        first, where = next(iter(known.items()))
        noted = {entry.word, source.word} & (file.notes.senses.keys() | file.notes.adaptations.keys())
        if entry.word != first and not noted:
            detail = f"{source.word!r} is {entry.word!r} here and {first!r} in {where.draft.topic}"
            yield Problem(detail, entry.line, entry.word)


def _missing_path(file: SetFile, language: str) -> str:
    folder = Path(file.draft.path).parent
    path = set_path(folder.parent, file.draft.topic, language)
    return str(path if file.nested else folder / path.name)


def _international(file: SetFile, line: int, word: str) -> bool:
    """Return whether a third language has the same word on this line, such as tango."""
    others = (other for name, other in file.siblings.items() if name not in (ENGLISH, file.language))
    return any((line, word) == (entry.line, entry.word) for other in others for entry in other.draft.entries)


def _number(file: SetFile, source: str, word: str) -> str | None:
    """Return the number suggested by a word's ending, or by another translation of the same English word."""
    if word.lower() == source.lower():  # borrowed together with its English ending
        return None
    if _plural_of_another(file, source, word):
        return "plural"
    head = word.partition("_")[0]  # comes first in all of these languages
    if head.endswith(PLURALS.get(file.language, ())) and not head.endswith(
        _NOT_PLURAL.get(file.language, ())
    ):
        return "plural"
    return "singular" if head.endswith(SINGULARS.get(file.language, ())) else None


def _plural_of_another(file: SetFile, source: str, word: str) -> bool:
    others = file.collection.translations.get((file.language, source.lower(), file.pos), {})
    endings = _ENDINGS.get(file.language, _ENDINGS[""])
    return any(word.endswith(old) and word[: len(word) - len(old)] + new in others for old, new in endings)


TRANSLATIONS: Checks = {
    "X1": ("warning", missing_language),
    "X2": ("error", no_source),
    "X3": ("warning", collision),
    "X4": ("hint", copied),
    "X5": ("warning", mostly_copied),
    "X6": ("hint", number),
    "X7": ("hint", two_translations),
}
