"""Names by kind: first names of men and women, cities, countries; a TOML file with one list per kind."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import as_file, files
from typing import Any, TypeAlias

from salva._files import parse_toml, read_text
from salva._types import PathLike
from salva.errors import InputError

TABLES = ("persons", "places")
Names: TypeAlias = Mapping[str, Mapping[str, tuple[str, ...]]]


@cache
def load_names() -> Names:
    """Return the shipped names.

    >>> "Mary" in load_names()["persons"]["female"], "Rome" in load_names()["places"]["city"]
    (True, True)
    """
    with as_file(files("salva.lexicon").joinpath("data/names.toml")) as path:
        return read_names(path)


def read_names(path: PathLike) -> Names:
    """Read a file of names: lists by kind under `[persons]` and `[places]`."""
    tables = parse_toml(path, read_text(path))
    for name in tables:
        if name not in TABLES:
            raise InputError.at(path, None, f"[{name}] is unknown; use [persons] and [places]")
        if not isinstance(tables[name], dict):
            raise InputError.at(path, None, f"{name} = {tables[name]!r:.60} must be lists by kind")
    if not any(tables.values()):
        raise InputError.at(path, None, "has no names; write [persons], then female = ['Ada', 'Mary']")
    return {name: {kind: _names(path, kind, own) for kind, own in tables[name].items()} for name in tables}


def _names(path: PathLike, kind: str, value: Any) -> tuple[str, ...]:
    names = tuple(value.split()) if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(map(_is_name, names)):
        raise InputError.at(path, None, f"{kind} = {value!r:.60} must be names of one word with a capital")
    if len(set(names)) < 2:
        raise InputError.at(path, None, f"{kind} has fewer than two names")
    return tuple(dict.fromkeys(names))


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and len(value.split()) == 1 and value[:1].isupper()
