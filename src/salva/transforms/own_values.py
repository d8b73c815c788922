"""Groups, keyboards and thesauri that users pass as values instead of files: checked, and made immutable.

Sets are sorted, so that a digest depends only on what they hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from salva.edits.letters import is_small_letter
from salva.errors import UsageError
from salva.lexicon import Groups
from salva.transforms.fields import Pairs


def own_groups(name: str, value: Any) -> tuple[tuple[str, ...], ...]:
    """Return groups as tuples of words: from lists or sets of words, or a `Groups`; None means no groups.

    >>> own_groups("groups", [{"movie", "film"}])
    (('film', 'movie'),)
    """
    if value is None:
        return ()
    groups = [group.words for group in value] if isinstance(value, Groups) else value
    if isinstance(groups, Mapping) or not isinstance(groups, Iterable):
        raise UsageError(f"{name}={value!r:.60} is not a list of groups; write [['movie', 'film']]")
    found = tuple(_group(name, group) for group in groups)
    return tuple(sorted(found)) if isinstance(groups, set | frozenset) else found


def own_keyboard(name: str, value: Any) -> Pairs:
    """Return the neighbours of keys as pairs.

    >>> own_keyboard("keyboard", {"a": ["s", "q"]})
    (('a', 'sq'),)
    """
    pairs = _pairs(name, value, "{'a': 'sqwz'}")
    keys = {key: near if isinstance(near, str) else _joined(near) for key, near in pairs}
    problem = keyboard_problem(keys)
    if problem:
        raise UsageError(f"{name}: {problem}")
    return Pairs(keys.items())


def own_thesaurus(name: str, value: Any) -> Pairs:
    """Return the synonyms of words as pairs.

    >>> own_thesaurus("thesaurus", {"film": ["movie", "picture"]})
    (('film', ('movie', 'picture')),)
    """
    found: dict[str, tuple[str, ...]] = {}
    for word, synonyms in _pairs(name, value, "{'film': ['movie']}"):
        listed = (synonyms,) if isinstance(synonyms, str) else _words(name, synonyms)
        if not listed:
            raise UsageError(f"{name}: {word!r} has no synonyms")
        found[_word(name, word)] = listed
    if not found:
        raise UsageError(f"{name} has no words")
    return Pairs(found.items())


def keyboard_problem(keys: Mapping[Any, Any]) -> str | None:
    """Return what is wrong with the neighbours of keys, or None."""
    for key, near in keys.items():
        if not isinstance(key, str) or not is_small_letter(key):
            return f"key {key!r} must be one lower-case letter"
        if not isinstance(near, str) or not all(map(is_small_letter, near)):
            return f"{key} = {near!r} must be a string of lower-case letters"
        if key in near or len(set(near)) < len(near):
            return f"{key} = {near!r} must not contain the key itself, or a letter twice"
    return None if any(keys.values()) else 'has no keys; write lines such as a = "sqwz"'


def _group(name: str, group: Any) -> tuple[str, ...]:
    if isinstance(group, str) or not isinstance(group, Iterable):
        raise UsageError(f"{name}: {group!r:.60} is not a group; write [['movie', 'film']]")
    return _words(name, group)


def _words(name: str, words: Any) -> tuple[str, ...]:
    listed = words if isinstance(words, Iterable) else [words]
    found = tuple(_word(name, word) for word in listed)
    return tuple(sorted(found)) if isinstance(words, set | frozenset) else found


def _word(name: str, word: Any) -> str:
    if not isinstance(word, str) or not word or word != word.strip():
        raise UsageError(f"{name}: {word!r:.60} is not a word; write words without spaces around them")
    return word


def _pairs(name: str, value: Any, example: str) -> list[tuple[Any, Any]]:
    """Return the items of a mapping, or of what was already made into pairs here."""
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, Pairs):
        return list(value)
    raise UsageError(f"{name}={value!r:.60} is not a mapping; write {example}")


def _joined(near: Any) -> Any:
    """Return a list of letters as a string, and anything else unchanged."""
    if not isinstance(near, Iterable) or isinstance(near, Mapping):
        return near
    letters = sorted(near, key=str) if isinstance(near, set | frozenset) else list(near)
    single = all(isinstance(letter, str) and len(letter) == 1 for letter in letters)
    return "".join(letters) if single else near
