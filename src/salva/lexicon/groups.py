"""Synonym groups in a plain TOML file: words of a domain that can replace one another.

    [[group]]
    kind = "film"
    words = ["movie", "film", "picture", "flick"]

`GROUP_CHECKS` finds problems in groups: a table of functions, each with its message as its docstring.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import as_file, files
from typing import Any

from salva._files import parse_toml, read_text
from salva._types import PathLike
from salva.errors import InputError
from salva.lexicon.findings import Check, Finding, run_checks
from salva.lexicon.shipped import polarity
from salva.lexicon.wordnet import WordNet

_KEYS = {"kind", "words"}
_HEADER = re.compile(r"^\s*\[\[\s*group\s*\]\]")


@dataclass(frozen=True, slots=True)
class Group:
    """Words that mean the same, as written in the file, and the line of the group."""

    words: tuple[str, ...]
    kind: str = ""
    line: int = 0


@dataclass(frozen=True)
class Groups:
    """All groups of a file."""

    name: str
    groups: tuple[Group, ...]

    @cached_property
    def by_word(self) -> dict[str, list[Group]]:
        """The groups that contain each word (lower case), in file order."""
        by_word: dict[str, list[Group]] = {}
        for group in self.groups:
            for word in dict.fromkeys(word.lower() for word in group.words):
                by_word.setdefault(word, []).append(group)
        return by_word

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def synonyms(self, word: str) -> list[str]:
        """Return the other words of all groups that contain the word, as written, sorted by their letters.

        >>> load_groups().synonyms("Movie")
        ['film', 'flick', 'picture']
        """
        others: dict[str, str] = {}
        for group in self.by_word.get(word.lower(), []):
            for other in group.words:
                others.setdefault(other.lower(), other)
        return [others[other] for other in sorted(others.keys() - {word.lower()})]


@cache
def load_groups() -> Groups:
    """Return the groups shipped with Salva: film, acting, story, quality, verbs, adverbs."""
    with as_file(files("salva.lexicon").joinpath("data/groups.toml")) as path:
        return read_groups(path)


def read_groups(path: PathLike) -> Groups:
    """Read a file of groups; an error names the line."""
    text = read_text(path)
    return Groups(str(path), tuple(_groups(path, parse_toml(path, text), text)))


def _groups(path: PathLike, content: dict[str, Any], text: str) -> Iterator[Group]:
    extra = sorted(content.keys() - {"group"})
    entries = content.get("group", [])
    if extra or not isinstance(entries, list) or not entries:
        what = f"key {extra[0]!r} is unknown" if extra else "no groups"
        raise InputError.at(path, None, f'{what}; a group is [[group]] and words = ["movie", "film"]')
    headers = [number for number, line in enumerate(text.split("\n"), 1) if _HEADER.match(line)]
    # Groups written inline have no header lines of their own.
    lines = headers if len(headers) == len(entries) else [1] * len(entries)
    for line, entry in zip(lines, entries, strict=True):
        yield _group(path, line, entry)


def _group(path: PathLike, line: int, entry: Any) -> Group:
    if not isinstance(entry, dict) or not isinstance(entry.get("words"), list):
        raise InputError.at(path, line, 'a group needs words = ["movie", "film"]')
    unknown = sorted(entry.keys() - _KEYS)
    if unknown:
        raise InputError.at(path, line, f"key {unknown[0]!r} is unknown; a group has kind and words")
    for word in entry["words"]:
        if not isinstance(word, str) or not word.strip() or word != word.strip():
            raise InputError.at(
                path, line, f"{word!r} is not a word; write words in quotes, without outer spaces"
            )
    kind = entry.get("kind", "")
    if not isinstance(kind, str):
        raise InputError.at(path, line, f"kind {kind!r} must be a string")
    return Group(tuple(entry["words"]), kind, line)


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


GROUP_CHECKS: dict[str, Check[Group, Groups]] = {
    "G1": ("error", one_word),
    "G2": ("error", repeated_word),
    "G3": ("error", mixed_polarity),
    "G4": ("error", antonyms),
    "G5": ("warning", in_two_groups),
}


def check_groups(groups: Groups) -> list[Finding]:
    """Return all problems, in file order."""
    return run_checks(GROUP_CHECKS, groups, groups)


def _base_forms(word: str) -> set[str]:
    """Return the word and its possible base forms: {ends, end} for ends."""
    return {word} | {WordNet.load().morphy(word, pos) or word for pos in ("n", "v", "a", "r")}


def _antonyms(word: str) -> set[str]:
    lemmas = [lemma for synset in WordNet.load().synsets(word) for lemma in synset.lemmas()]
    named = [lemma for lemma in lemmas if lemma.name().lower() == word]
    return {opposite.name().lower() for lemma in named for opposite in lemma.antonyms()}
