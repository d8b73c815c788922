"""Checks of how words are spelt: repeated words, underscores, capitals.

A check's docstring is its message.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from salva.outliers.drafts import Entry
from salva.outliers.english import is_abbreviation, is_capitalised
from salva.outliers.subjects import SOURCE, Checks, Place, Subject, alphabets

_JOINTS = dict.fromkeys(map(ord, "-_"))
_OTHERWISE = "-'\u2019_\u00b7\u200c\u200d"  # hyphen, apostrophes, underscore, the dot of Catalan, joiners


def repeated(one: Subject) -> Iterator[Place]:
    """A word appears twice among the inliers or among the outliers."""
    for half in (one.draft.inliers, one.draft.outliers):
        first: dict[str, Entry] = {}
        for entry in half:
            before = first.setdefault(_key(entry.word), entry)
            if before is not entry:
                yield Place(entry.line, entry.word, f"{entry.word!r}, first on {_where(before, entry)}")


def both(one: Subject) -> Iterator[Place]:
    """An outlier is also an inlier."""
    first = {_key(entry.word): entry for entry in reversed(one.draft.inliers)}
    for entry in one.draft.outliers:
        before = first.get(_key(entry.word))
        if before is not None:
            yield Place(entry.line, entry.word, f"{entry.word!r}, on {_where(before, entry)}")


def spaces(one: Subject) -> Iterator[Place]:
    """The words of a term must be joined with underscores, not white space."""
    for entry in one.draft.entries:
        if re.search(r"\s", entry.word):
            yield Place(entry.line, entry.word, f"{entry.word!r}; write {'_'.join(entry.word.split())!r}")


def digits(one: Subject) -> Iterator[Place]:
    """A word contains a digit."""
    yield from (_place(entry) for entry in one.draft.entries if re.search(r"\d", entry.word))


def capitals(one: Subject) -> Iterator[Place]:
    """A word has a capital letter that its spelling does not call for."""
    if one.language != "DE":
        yield from (_place(entry) for entry in one.draft.entries if not _rightly_written(one, entry))


def german_capitals(one: Subject) -> Iterator[Place]:
    """German nouns start with a capital; verbs and adjectives do not."""
    if one.language != "DE":
        return
    nouns = one.notes.pos == "noun" if one.notes.pos else one.mostly_capitals()
    for entry in one.draft.entries:
        parts = entry.word.split("_")
        # The head of a term comes last, and a noun before a verb keeps its capital: Tisch_decken.
        right = any(part[:1].isupper() for part in parts) if nouns else parts[-1] == parts[-1].lower()
        if not right:
            part = "nouns" if nouns else "verbs or adjectives"
            yield Place(entry.line, entry.word, f"{entry.word!r} in a set of {part}")


def strange(one: Subject) -> Iterator[Place]:
    """A word contains something other than letters, hyphens and apostrophes; comments count as words."""
    for entry in one.draft.entries:
        found = [c for c in entry.word if not _letter(c) and not c.isspace() and not c.isdigit()]
        seen = [c for c in found if c.isprintable()]
        if seen:
            yield Place(entry.line, entry.word, f"{seen[0]!r} in {entry.word!r}")


def underscores(one: Subject) -> Iterator[Place]:
    """An underscore may only stand between two words of a term."""
    yield from (_place(entry) for entry in one.draft.entries if "" in entry.word.split("_"))


def mixed_alphabets(one: Subject) -> Iterator[Place]:
    """A word mixes alphabets, so one of its letters is not what it seems."""
    for entry in one.draft.entries:
        found = sorted(alphabets(entry.word))
        if len(found) > 1:
            yield Place(entry.line, entry.word, f"{entry.word!a} ({' and '.join(found).lower()})")


def _rightly_written(one: Subject, entry: Entry) -> bool:
    """Return whether a word has no capitals, or only those of its spelling, which a borrowed word keeps.

    If English capitalises the word, as it does languages, the dictionary decides.
    """
    word = entry.word
    if word == word.lower():
        return True
    if one.language == SOURCE:
        return is_capitalised(word)
    source = next((source.word for source, other in one.translated() if other is entry), "")
    if is_abbreviation(word) or source == source.lower() or not is_capitalised(source):
        return is_abbreviation(word)
    return source == word or (one.dictionary is not None and word in one.dictionary)


def _key(word: str) -> str:
    """Return a key that spellings of one word share: Tea and tea, gold_fish and goldfish."""
    return word.casefold().translate(_JOINTS)


def _where(before: Entry, entry: Entry) -> str:
    return f"line {before.line}" + ("" if before.word == entry.word else f" as {before.word!r}")


def _place(entry: Entry) -> Place:
    return Place(entry.line, entry.word, repr(entry.word))


def _letter(character: str) -> bool:
    return character in _OTHERWISE or unicodedata.category(character)[0] in "LM"


WORDS: Checks = {
    "W1": ("error", repeated),
    "W2": ("error", both),
    "W3": ("error", spaces),
    "W4": ("error", digits),
    "W5": ("error", capitals),
    "W6": ("error", german_capitals),
    "W7": ("error", strange),
    "W8": ("error", underscores),
    "W9": ("warning", mixed_alphabets),
}
