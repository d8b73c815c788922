"""Checks of synonym groups: a table of functions, each with its message as its docstring."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from salva.lexicon.groups import Group, Groups
from salva.lexicon.lists import polarity
from salva.lexicon.wordnet import WordNet


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem, and where it is."""

    code: str
    level: Literal["error", "warning"]
    line: int
    message: str


def one_word(group: Group, groups: Groups) -> Iterator[str]:
    """A group needs at least two words."""
    if len({word.lower() for word in group.words}) < 2:
        yield ", ".join(map(repr, group.words)) or "empty"


def repeated_word(group: Group, groups: Groups) -> Iterator[str]:
    """A word occurs twice in a group."""
    lowered = [word.lower() for word in group.words]
    for word in sorted({word for word in lowered if lowered.count(word) > 1}):
        yield repr(word)


def mixed_polarity(group: Group, groups: Groups) -> Iterator[str]:
    """A group mixes praise and blame, so a replacement could change the label."""
    signs = polarity()
    praise = [word for word in group.words if signs.get(word.lower()) == 1]
    blame = [word for word in group.words if signs.get(word.lower()) == -1]
    if praise and blame:
        yield f"{praise[0]!r} praises, {blame[0]!r} blames"


def antonyms(group: Group, groups: Groups) -> Iterator[str]:
    """A group contains two words that are antonyms in WordNet."""
    words = sorted({word.lower().replace(" ", "_") for word in group.words})
    bases = {word: _base_forms(word) for word in words}
    for word, other in itertools.combinations(words, 2):
        if any(_antonyms(base) & bases[other] for base in bases[word]):
            yield f"{word!r} and {other!r}"


def in_two_groups(group: Group, groups: Groups) -> Iterator[str]:
    """A word is in two groups, and gets the synonyms of both."""
    for word in sorted({word.lower() for word in group.words}):
        first, *others = groups.by_word[word]
        if others and group is others[0]:
            yield f"{word!r}, first on line {first.line}"


CHECKS: dict[str, tuple[Literal["error", "warning"], Callable[[Group, Groups], Iterator[str]]]] = {
    "G1": ("error", one_word),
    "G2": ("error", repeated_word),
    "G3": ("error", mixed_polarity),
    "G4": ("error", antonyms),
    "G5": ("warning", in_two_groups),
}


def check_groups(groups: Groups) -> list[Finding]:
    """Return all problems, in file order."""
    return [
        Finding(code, level, group.line, f"{(check.__doc__ or '').rstrip('.')}: {detail}")
        for group in groups
        for code, (level, check) in CHECKS.items()
        for detail in check(group, groups)
    ]


def _base_forms(word: str) -> set[str]:
    """Return the word and its possible base forms: {ends, end} for ends."""
    return {word} | {WordNet.load().morphy(word, pos) or word for pos in ("n", "v", "a", "r")}


def _antonyms(word: str) -> set[str]:
    lemmas = [lemma for synset in WordNet.load().synsets(word) for lemma in synset.lemmas()]
    named = [lemma for lemma in lemmas if lemma.name().lower() == word]
    return {opposite.name().lower() for lemma in named for opposite in lemma.antonyms()}
