"""What settings name or hold: shipped resources, the user's files, or the user's values.

Values (groups, keyboards, thesauri) are checked and made immutable when settings are made; sets are sorted,
so that a digest depends only on what they hold. Files are read when a planner is made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from salva._files import digest, parse_toml, read_text
from salva._kernels import Keyboard
from salva._presets.settings import Pairs, Settings, resource
from salva._types import PathLike
from salva.edits.letters import compile_keyboard, is_small_letter
from salva.edits.sources import SamePolarity, WordSource
from salva.errors import InputError, UsageError
from salva.lexicon import (
    KEYBOARDS,
    Group,
    Groups,
    check_groups,
    load_groups,
    offensive_words,
    read_groups,
)

_KEYBOARD = f"Neighbouring keys: {', '.join(KEYBOARDS)}, a TOML file, or a mapping."


def layout(default: str) -> Any:
    """Return a field for a keyboard."""
    return resource(default, _KEYBOARD, shipped=KEYBOARDS, freeze=freeze_keyboard)


def excluded_words(settings: Settings) -> tuple[str, ...]:
    """Return the words never to put into a text."""
    return open_words(settings.exclude, offensive=offensive_words)


def keep_polarity(settings: Settings, source: WordSource) -> WordSource:
    """Return a source of synonyms, without words of another polarity if the settings say so."""
    return SamePolarity(source) if settings.keep_polarity else source


def resource_digests(settings: Settings) -> dict[str, str]:
    """Return a digest of the files that each setting names; a folder stands for all its files."""
    digests = {}
    for name, paths in named_files(settings).items():
        if paths:
            own = [_digest(path) for path in paths]
            joined = own[0] if len(own) == 1 else hashlib.sha256(" ".join(own).encode()).hexdigest()
            digests[name] = f"sha256:{joined}"
    return digests


def named_files(settings: Settings) -> dict[str, list[Path]]:
    """Return the files and folders that each setting names, by the names of the settings in order."""
    files = {}
    for field in sorted(fields(settings), key=lambda field: field.name):
        shipped, names = field.metadata.get("shipped", ()), field.metadata.get("names", _no_names)
        named = names(getattr(settings, field.name))
        files[field.name] = [field.metadata["locate"](name) for name in named if name not in shipped]
    return files


def _no_names(value: Any) -> tuple[str, ...]:
    return ()


def _digest(path: Path) -> str:
    if path.is_dir():
        content = json.dumps({file.name: digest(file) for file in sorted(path.iterdir()) if file.is_file()})
    else:
        content = read_text(path)
    return hashlib.sha256(content.encode()).hexdigest()


def open_words(value: str | tuple[str, ...], **shipped: Callable[[], Iterable[str]]) -> tuple[str, ...]:
    """Return words given as a list, by the name of a shipped list, or in a file with one word per line."""
    if isinstance(value, tuple):
        return value
    if value in shipped:
        return tuple(shipped[value]())
    lines = [line.strip() for line in read_text(value).split("\n")]
    return tuple(dict.fromkeys(line for line in lines if line))


def open_groups(value: str | tuple[tuple[str, ...], ...]) -> Groups:
    """Return groups given as lists, by the name of the shipped ones, or in a file; refuse bad ones."""
    if value == "builtin":
        return load_groups()
    if isinstance(value, str):
        groups = read_groups(value)
    else:
        numbered = enumerate(value, 1)
        groups = Groups("groups", tuple(Group(words, line=number) for number, words in numbered))
    for finding in check_groups(groups):
        if finding.level == "error" and isinstance(value, str):
            raise InputError.at(value, finding.line, finding.message)
        if finding.level == "error":
            raise UsageError(f"groups: group {finding.line}: {finding.message}")
    return groups


def open_keyboard(value: str | tuple[tuple[str, str], ...]) -> Keyboard:
    """Return a keyboard given as pairs, by the name of a shipped one, or in a TOML file."""
    if not isinstance(value, str):
        return compile_keyboard(dict(value))
    if value in KEYBOARDS:
        return compile_keyboard(KEYBOARDS[value])
    keys = parse_toml(value, read_text(value))
    problem = _keyboard_problem(keys)
    if problem:
        raise InputError.at(value, None, problem)
    return compile_keyboard(keys)


def read_thesaurus(path: str) -> dict[str, list[str]]:
    """Return what every word may become; each line has a word and its synonyms, separated by tabs."""
    lists: dict[str, list[str]] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not any(cells):
            continue
        if len(cells) < 2 or not all(cells):
            raise InputError.at(path, number, "a line must be a word and its synonyms, separated by tabs")
        lists.setdefault(cells[0], []).extend(cells[1:])
    return lists


def read_vocabulary(path: PathLike) -> tuple[str, ...]:
    """Return the words of a file with one word per line, most frequent first."""
    words: dict[str, None] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        word = line.strip()
        if len(word.split()) > 1:
            raise InputError.at(path, number, f"{word!r:.60} contains whitespace; write one word per line")
        if word:
            words[word.lower()] = None
    if not words:
        raise InputError.at(path, None, "has no words; write one per line, most frequent first")
    return tuple(words)


def freeze_groups(name: str, value: Any) -> tuple[tuple[str, ...], ...]:
    """Return groups as tuples of words: from lists or sets of words, or a `Groups`; None means no groups.

    >>> freeze_groups("groups", [{"movie", "film"}])
    (('film', 'movie'),)
    """
    if value is None:
        return ()
    groups = [group.words for group in value] if isinstance(value, Groups) else value
    if isinstance(groups, Mapping) or not isinstance(groups, Iterable):
        raise UsageError(f"{name}={value!r:.60} is not a list of groups; write [['movie', 'film']]")
    frozen = tuple(_group(name, group) for group in groups)
    return tuple(sorted(frozen)) if isinstance(groups, set | frozenset) else frozen


def freeze_keyboard(name: str, value: Any) -> Pairs:
    """Return the neighbours of keys as pairs.

    >>> freeze_keyboard("keyboard", {"a": ["s", "q"]})
    (('a', 'sq'),)
    """
    pairs = _pairs(name, value, "{'a': 'sqwz'}")
    keys = {key: near if isinstance(near, str) else _join_letters(near) for key, near in pairs}
    problem = _keyboard_problem(keys)
    if problem:
        raise UsageError(f"{name}: {problem}")
    return Pairs(keys.items())


def freeze_thesaurus(name: str, value: Any) -> Pairs:
    """Return the synonyms of words as pairs.

    >>> freeze_thesaurus("thesaurus", {"film": ["movie", "picture"]})
    (('film', ('movie', 'picture')),)
    """
    frozen: dict[str, tuple[str, ...]] = {}
    for word, synonyms in _pairs(name, value, "{'film': ['movie']}"):
        listed = (synonyms,) if isinstance(synonyms, str) else _words(name, synonyms)
        if not listed:
            raise UsageError(f"{name}: {word!r} has no synonyms")
        frozen[_word(name, word)] = listed
    if not frozen:
        raise UsageError(f"{name} has no words")
    return Pairs(frozen.items())


def _keyboard_problem(keys: Mapping[Any, Any]) -> str | None:
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
    frozen = tuple(_word(name, word) for word in listed)
    return tuple(sorted(frozen)) if isinstance(words, set | frozenset) else frozen


def _word(name: str, word: Any) -> str:
    if not isinstance(word, str) or not word or word != word.strip():
        raise UsageError(f"{name}: {word!r:.60} is not a word; write words without spaces around them")
    return word


def _pairs(name: str, value: Any, example: str) -> list[tuple[Any, Any]]:
    """Return the items of a mapping, or of what was already made into pairs here, also if read from JSON."""
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, Pairs) or (isinstance(value, list) and all(map(_is_item, value))):
        return list(map(tuple, value))
    raise UsageError(f"{name}={value!r:.60} is not a mapping; write {example}")


def _is_item(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)


def _join_letters(near: Any) -> Any:
    """Return a list of letters as a string, and anything else unchanged."""
    if not isinstance(near, Iterable) or isinstance(near, Mapping):
        return near
    letters = sorted(near, key=str) if isinstance(near, set | frozenset) else list(near)
    single = all(isinstance(letter, str) and len(letter) == 1 for letter in letters)
    return "".join(letters) if single else near
