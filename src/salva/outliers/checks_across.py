"""Checks of a topic in several languages, line by line against English, the one source of translations.

A check's docstring is its message. Without a lexicon of the other language most of these are hints.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from salva.outliers.english import PLURALIA_TANTUM, is_plural
from salva.outliers.sets import set_path
from salva.outliers.subjects import SOURCE, Checks, Place, Subject

__all__ = ["ACROSS"]

MOSTLY = 12  # of 16 words the same as in English: nobody translated this yet
_NAMED = 5  # topics that lack a set, in one finding of all of them

# How a noun may end in the singular and in the plural, where its end tells; other languages keep silent.
SINGULARS: dict[str, tuple[str, ...]] = {"IT": ("o",)}
PLURALS: dict[str, tuple[str, ...]] = {"ES": ("os", "as"), "FR": ("es",), "IT": ("i",), "PT": ("os", "as")}
_NOT_PLURAL: dict[str, tuple[str, ...]] = {"IT": ("si",)}  # crisi, oasi
# What a plural adds to, or puts for, the end of the singular.
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
    """Two English words have become one."""
    first: dict[str, str] = {}
    for source, entry in one.translated():
        if first.setdefault(entry.word, source.word) != source.word:
            detail = f"{first[entry.word]!r} and {source.word!r} are both {entry.word!r}"
            yield Place(entry.line, entry.word, detail)


def copied(one: Subject) -> Iterator[Place]:
    """A word is the English one; waive it if the language has borrowed it."""
    for source, entry in one.translated():
        noted = entry.word in one.notes.adaptations
        if source.word == entry.word and not noted and not _international(one, source.line, entry.word):
            yield Place(entry.line, entry.word, repr(entry.word))


def mostly_copied(one: Subject) -> Iterator[Place]:
    """Most words are the English ones, as if nobody had translated them yet."""
    same = sum(source.word == entry.word for source, entry in one.translated())
    if same >= MOSTLY:
        yield Place(None, None, f"{same} of {len(one.draft.words)}")


def number(one: Subject) -> Iterator[Place]:
    """The English word and this one seem to differ in number."""
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
    """Another topic translates the English word otherwise; note the sense if both are right."""
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
    """Tell whether the same word stands in this line in a third language too, as tango does."""
    others = (other for name, other in one.siblings.items() if name not in (SOURCE, one.language))
    return any((line, word) == (entry.line, entry.word) for other in others for entry in other.draft.entries)


def _number(one: Subject, source: str, word: str) -> str | None:
    """Return the number that a word's end tells, or that another translation of the same word tells."""
    if word.lower() == source.lower():  # borrowed, with the ending of the lender
        return None
    if _plural_of_another(one, source, word):
        return "plural"
    head = word.partition("_")[0]  # all of these languages have it in front
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
