"""Checks of a topic across languages, line by line against English, the only source of translations.

A check's docstring is its message. Without a lexicon of the other language, most of these are hints.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from salva.outliers.english import PLURALIA_TANTUM, is_plural
from salva.outliers.sets import set_path
from salva.outliers.subjects import SOURCE, Checks, Place, Subject

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


def missing_language(one: Subject) -> Iterator[Place]:
    """A topic lacks a language that other topics have."""
    if one.collection.whole and one is next(iter(one.siblings.values())):
        for language in one.collection.wanted:
            if language not in one.siblings and language != SOURCE:
                yield Place(None, None, f"{one.draft.topic} in {language}", _missing_path(one, language))


def no_source(one: Subject) -> Iterator[Place]:
    """Topics have no English set, which every translation starts from."""
    if one.collection.whole and one is one.collection.subjects[0]:
        lacking = [some for some in one.collection.topics.values() if SOURCE not in some]
        firsts = [next(iter(some.values())) for some in lacking]
        firsts = [first for first in firsts if not first.notes.waives("X2", None)]
        if firsts:
            names = ", ".join(first.draft.topic for first in firsts[:_NAMED])
            more = f" and {len(firsts) - _NAMED} more" if len(firsts) > _NAMED else ""
            yield Place(None, None, names + more, _missing_path(firsts[0], SOURCE))


def collision(one: Subject) -> Iterator[Place]:
    """Two English words have the same translation."""
    first: dict[str, str] = {}
    for source, entry in one.translated():
        if first.setdefault(entry.word, source.word) != source.word:
            detail = f"{first[entry.word]!r} and {source.word!r} are both {entry.word!r}"
            yield Place(entry.line, entry.word, detail)


def copied(one: Subject) -> Iterator[Place]:
    """A word is the same as in English; waive it if the language has borrowed it."""
    for source, entry in one.translated():
        noted = entry.word in one.notes.adaptations
        if source.word == entry.word and not noted and not _international(one, source.line, entry.word):
            yield Place(entry.line, entry.word, repr(entry.word))


def mostly_copied(one: Subject) -> Iterator[Place]:
    """Most words are the same as in English, as if nobody had translated them yet."""
    same = sum(source.word == entry.word for source, entry in one.translated())
    if same >= MOSTLY:
        yield Place(None, None, f"{same} of {len(one.draft.words)}")


def number(one: Subject) -> Iterator[Place]:
    """A word and its English source seem to differ in number."""
    if one.pos != "noun":
        return
    for source, entry in one.translated():
        several = is_plural(source.word)
        lacks_singular = source.word.lower() in PLURALIA_TANTUM
        here = _number(one, source.word, entry.word)
        if here is not None and not lacks_singular and several != (here == "plural"):
            ours = "plural" if several else "singular"
            detail = f"{source.word!r} is {ours}, {entry.word!r} looks {here}"
            yield Place(entry.line, entry.word, detail)


def two_translations(one: Subject) -> Iterator[Place]:
    """Another topic translates the English word differently; note the sense if both are right."""
    for source, entry in one.translated():
        found = one.collection.translations[one.language, source.word.lower(), one.pos]
        first, where = next(iter(found.items()))
        noted = {entry.word, source.word} & (one.notes.senses.keys() | one.notes.adaptations.keys())
        if entry.word != first and not noted:
            detail = f"{source.word!r} is {entry.word!r} here and {first!r} in {where.draft.topic}"
            yield Place(entry.line, entry.word, detail)


def _missing_path(one: Subject, language: str) -> str:
    folder = Path(one.draft.path).parent
    path = set_path(folder.parent, one.draft.topic, language)
    return str(path if one.nested else folder / path.name)


def _international(one: Subject, line: int, word: str) -> bool:
    """Return whether a third language has the same word on this line, such as tango."""
    others = (other for name, other in one.siblings.items() if name not in (SOURCE, one.language))
    return any((line, word) == (entry.line, entry.word) for other in others for entry in other.draft.entries)


def _number(one: Subject, source: str, word: str) -> str | None:
    """Return the number suggested by a word's ending, or by another translation of the same English word."""
    if word.lower() == source.lower():  # borrowed together with its English ending
        return None
    if _plural_of_another(one, source, word):
        return "plural"
    head = word.partition("_")[0]  # comes first in all of these languages
    if head.endswith(PLURALS.get(one.language, ())) and not head.endswith(_NOT_PLURAL.get(one.language, ())):
        return "plural"
    return "singular" if head.endswith(SINGULARS.get(one.language, ())) else None


def _plural_of_another(one: Subject, source: str, word: str) -> bool:
    others = one.collection.translations.get((one.language, source.lower(), one.pos), {})
    endings = _ENDINGS.get(one.language, _ENDINGS[""])
    return any(word.endswith(old) and word[: len(word) - len(old)] + new in others for old, new in endings)


ACROSS: Checks = {
    "X1": ("warning", missing_language),
    "X2": ("error", no_source),
    "X3": ("warning", collision),
    "X4": ("hint", copied),
    "X5": ("warning", mostly_copied),
    "X6": ("hint", number),
    "X7": ("hint", two_translations),
}
