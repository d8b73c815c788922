"""Checks of how words are spelt: repeated words, underscores, capitals.

A check's docstring is its message.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from salva.outliers.checks.collection import Checks, Problem, SetFile
from salva.outliers.drafts import ENGLISH, Entry
from salva.outliers.words.english import is_abbreviation, is_capitalised

_JOINTS = dict.fromkeys(map(ord, "-_"))
_MARKS = "-'\u2019_\u00b7\u200c\u200d"  # hyphen, apostrophes, underscore, the dot of Catalan, joiners


def repeated(file: SetFile) -> Iterator[Problem]:
    """A word appears twice among the inliers or among the outliers, in any case."""
    for half in (file.draft.inliers, file.draft.outliers):
        first: dict[str, Entry] = {}
        for entry in half:
            before = first.setdefault(_key(entry.word), entry)
            if before is not entry:
                yield Problem.at(entry, f", first on {_where(before, entry)}")


def both(file: SetFile) -> Iterator[Problem]:
    """An outlier is also an inlier."""
    first = {_key(entry.word): entry for entry in reversed(file.draft.inliers)}
    for entry in file.draft.outliers:
        before = first.get(_key(entry.word))
        if before is not None:
            yield Problem.at(entry, f", on {_where(before, entry)}")


def spaces(file: SetFile) -> Iterator[Problem]:
    """The words of a term must be joined with underscores, not white space."""
    for entry in file.draft.entries:
        if re.search(r"\s", entry.word):
            yield Problem.at(entry, f"; write {'_'.join(entry.word.split())!r}")


def digits(file: SetFile) -> Iterator[Problem]:
    """A word contains a digit."""
    yield from (Problem.at(entry) for entry in file.draft.entries if re.search(r"\d", entry.word))


def capitals(file: SetFile) -> Iterator[Problem]:
    """A word has a capital letter that its spelling does not call for."""
    if file.language != "DE":
        yield from (Problem.at(entry) for entry in file.draft.entries if not _is_spelt_right(file, entry))


def german_capitals(file: SetFile) -> Iterator[Problem]:
    """German nouns start with a capital; verbs and adjectives do not."""
    if file.language != "DE":
        return
    nouns = file.notes.pos == "noun" if file.notes.pos else file.mostly_capitals()
    for entry in file.draft.entries:
        parts = entry.word.split("_")
        # The head of a term comes last, and a noun before a verb keeps its capital: Tisch_decken.
        right = any(part[:1].isupper() for part in parts) if nouns else parts[-1] == parts[-1].lower()
        if not right:
            part = "nouns" if nouns else "verbs or adjectives"
            yield Problem.at(entry, f" in a set of {part}")


def strange(file: SetFile) -> Iterator[Problem]:
    """A word contains something other than letters, hyphens and apostrophes; comments count as words."""
    for entry in file.draft.entries:
        others = [c for c in entry.word if not _is_letter(c) and not c.isspace() and not c.isdigit()]
        shown = [c for c in others if c.isprintable()]
        if shown:
            yield Problem(f"{shown[0]!r} in {entry.word!r}", entry.line, entry.word)


def underscores(file: SetFile) -> Iterator[Problem]:
    """An underscore may only stand between two words of a term."""
    yield from (Problem.at(entry) for entry in file.draft.entries if "" in entry.word.split("_"))


def mixed_alphabets(file: SetFile) -> Iterator[Problem]:
    """A word mixes alphabets, so one of its letters is not what it seems."""
    for entry in file.draft.entries:
        names = {unicodedata.name(c, "").partition(" ")[0] for c in entry.word if c.isalpha()}
        mixed = sorted(names & {"LATIN", "GREEK", "CYRILLIC"})  # easily confused with one another
        if len(mixed) > 1:
            yield Problem(f"{entry.word!a} ({' and '.join(mixed).lower()})", entry.line, entry.word)


def _is_spelt_right(file: SetFile, entry: Entry) -> bool:
    """Return whether a word has no capitals, or only those of its spelling, which a borrowed word keeps.

    If English capitalises the word, as it does languages, the dictionary decides.
    """
    word = entry.word
    if word == word.lower():
        return True
    if file.language == ENGLISH:
        return is_capitalised(word)
    source = next((source.word for source, other in file.pair_with_english() if other is entry), "")
    if is_abbreviation(word) or source == source.lower() or not is_capitalised(source):
        return is_abbreviation(word)
    return source == word or (file.dictionary is not None and word in file.dictionary)


def _key(word: str) -> str:
    """Return a key that spellings of one word share: Tea and tea, gold_fish and goldfish."""
    return word.casefold().translate(_JOINTS)


def _where(before: Entry, entry: Entry) -> str:
    return f"line {before.line}" + ("" if before.word == entry.word else f" as {before.word!r}")


def _is_letter(character: str) -> bool:
    return character in _MARKS or unicodedata.category(character)[0] in "LM"


SPELLING: Checks = {
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
