"""Synonym groups in a plain TOML file: words of a domain that can replace one another.

    [[group]]
    kind = "film"
    words = ["movie", "film", "picture", "flick"]

`salva.lexicon.check` finds problems in groups.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import as_file, files
from typing import Any

from salva._files import parse_toml, read_text
from salva._types import PathLike
from salva.errors import InputError

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
        found: dict[str, list[Group]] = {}
        for group in self.groups:
            for word in dict.fromkeys(word.lower() for word in group.words):
                found.setdefault(word, []).append(group)
        return found

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def synonyms(self, word: str) -> list[str]:
        """Return the other words of all groups that contain the word, as written, sorted by their letters.

        >>> load_groups().synonyms("Movie")
        ['film', 'flick', 'picture']
        """
        found: dict[str, str] = {}
        for group in self.by_word.get(word.lower(), []):
            for other in group.words:
                found.setdefault(other.lower(), other)
        return [found[other] for other in sorted(found.keys() - {word.lower()})]


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
        what = f"unknown key {extra[0]!r}" if extra else "no groups"
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
        raise InputError.at(path, line, f"unknown key {unknown[0]!r}; a group has kind and words")
    for word in entry["words"]:
        if not isinstance(word, str) or not word.strip() or word != word.strip():
            raise InputError.at(
                path, line, f"{word!r} is not a word; write words in quotes, without outer spaces"
            )
    kind = entry.get("kind", "")
    if not isinstance(kind, str):
        raise InputError.at(path, line, f"kind {kind!r} must be a string")
    return Group(tuple(entry["words"]), kind, line)
