"""Plain values as typed ones, and back: settings and files are dataclasses, or Structs of `msgspec`.

`msgspec` checks single values and their bounds. What is added is the wording of all messages, with the name
of the value that does not fit; unknown keys, which `msgspec` ignores for dataclasses; and numbers of numpy.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import itertools
import math
import os
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

import msgspec

from salva._arguments import did_you_mean
from salva.errors import UsageError

T = TypeVar("T")
Makers: TypeAlias = Mapping[Any, Callable[[Any, str], Any]]
_NO_MAKERS: Makers = {}
_Fields: TypeAlias = dict[str, tuple[Any, bool]]  # the type of each field, and whether it is required
_NOUNS: dict[Any, str] = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}


def convert(value: Any, wanted: type[T], *, name: str = "", makers: Makers = _NO_MAKERS) -> T:
    """Return a plain value, such as the content of a TOML file, as the type that is wanted, or refuse it.

    Mappings become dataclasses and Structs, also inside others. Messages call the value `name`. What `makers`
    has for a type makes it from a value and its name, as for one of several classes.

    >>> @dataclasses.dataclass
    ... class Limits:
    ...     severity: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    >>> convert({"severity": 1}, Limits)
    Limits(severity=1.0)
    >>> convert({"severity": 2}, Limits, name="limits")
    Traceback (most recent call last):
    salva.errors.UsageError: limits.severity = 2 must be a number between 0 and 1
    """
    return typing.cast(T, _convert(value, wanted, name, makers))


def to_plain(value: Any) -> Any:
    """Return a value as JSON has it, from which `convert` makes an equal one.

    >>> to_plain({"sizes": (1, 2.5)})
    {'sizes': [1, 2.5]}
    """
    kind: Any = type(value)
    if (fields := _fields_of(kind)) is not None:
        return {name: to_plain(getattr(value, name)) for name in fields}
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    plain = os.fspath(value) if isinstance(value, os.PathLike) else _plain_number(value)
    if not isinstance(plain, str | int | float | None):
        raise TypeError(f"{value!r:.60} must be a plain value")
    return plain


def _plain_number(value: Any) -> Any:
    """Return a number, which may be one of numpy, as Python has it; other values as they are."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return value
    return int(value) if isinstance(value, Integral) else float(value)


@functools.cache
def _fields_of(wanted: Any) -> _Fields | None:
    """Return the fields of a dataclass or a Struct; None for other types."""
    if not isinstance(wanted, type) or not (
        dataclasses.is_dataclass(wanted) or issubclass(wanted, msgspec.Struct)
    ):
        return None
    hints = typing.get_type_hints(wanted, include_extras=True)
    parameters = inspect.signature(wanted).parameters
    return {name: (hints[name], own.default is own.empty) for name, own in parameters.items()}


def _shape(wanted: Any) -> Any:
    """Return `dict` for records and mappings, `list` for all lists, and other types as they are."""
    kind = get_origin(wanted) or wanted
    if kind in (dict, Mapping) or _fields_of(kind) is not None:
        return dict
    return list if kind in (list, tuple, Sequence) else wanted


def _convert(value: Any, wanted: Any, name: str, makers: Makers) -> Any:
    given = dict if isinstance(value, Mapping) else list if isinstance(value, list | tuple) else type(value)
    if get_origin(wanted) in (typing.Union, types.UnionType):
        wanted = next((member for member in get_args(wanted) if _shape(member) is given), wanted)
    kind, parts, fields = get_origin(wanted) or wanted, get_args(wanted), _fields_of(wanted)
    if wanted in makers:
        return makers[wanted](value, name)
    if given is dict and fields is not None:
        return kind(**_convert_fields(value, fields, name, makers))
    if given is dict is _shape(wanted) and parts and all(isinstance(key, str) for key in value):
        return {key: _convert(item, parts[1], _join(name, key), makers) for key, item in value.items()}
    if given is list is _shape(wanted):
        own = parts if kind is tuple and ... not in parts else parts[:1] * len(value)
        if len(own) == len(value):
            places = [f"{name}[{place}]" for place in range(len(value))]
            items = list(map(_convert, value, own, places, itertools.repeat(makers)))
            return tuple(items) if kind is tuple else items
    return value if wanted is Any else _convert_plain(value, wanted, name)


def _convert_plain(value: Any, wanted: Any, name: str) -> Any:
    plain = _plain_number(value)
    if not isinstance(plain, float) or math.isfinite(plain):
        with contextlib.suppress(msgspec.ValidationError, UnicodeEncodeError):  # half a character
            return msgspec.convert(plain, wanted)
    raise UsageError(f"{name}{' = ' if name else ''}{value!r:.60} must be {_describe(wanted)}")


def _convert_fields(values: Mapping[Any, Any], fields: _Fields, name: str, makers: Makers) -> dict[str, Any]:
    for key in values:
        if key not in fields:
            hint = did_you_mean(str(key), fields, otherwise=f"choose from {', '.join(fields)}")
            raise UsageError(f"{_join(name, key) if name else f'key {key!r:.60}'} is unknown; {hint}")
    for key, (wanted, is_required) in fields.items():
        if is_required and key not in values:
            raise UsageError(f"{_join(name, key)} is missing; it must be {_describe(wanted)}")
    return {key: _convert(item, fields[key][0], _join(name, key), makers) for key, item in values.items()}


def _join(name: str, key: Any) -> str:
    shown = key if isinstance(key, str) and key.isidentifier() else f"{key!r:.60}"
    return f"{name}.{shown}" if name else shown


def _describe(wanted: Any) -> str:
    """Return what a value must be.

    >>> _describe(tuple[str, ...]), _describe(int | None), _describe(Literal["any", "all"])
    ('a list of texts', 'a whole number', 'one of any, all')
    """
    kind, parts = get_origin(wanted) or wanted, get_args(wanted)
    if kind is Annotated:
        return f"{_describe(parts[0])}{_describe_bounds(parts[1])}"
    if kind in (typing.Union, types.UnionType):
        return " or ".join(_describe(member) for member in parts if member is not types.NoneType)
    if kind is Literal:
        return f"one of {', '.join(map(str, parts))}"
    if _shape(wanted) is list:
        size = f"{len(parts)} " if kind is tuple and ... not in parts else ""
        items = re.sub("(text|number|table)", r"\1s", _describe(parts[0]).removeprefix("a "), count=1)
        return f"a list of {size}{items}"
    return "a table" if _shape(wanted) is dict else _NOUNS.get(kind, str(kind))


def _describe_bounds(meta: msgspec.Meta) -> str:
    given = {"of at least": meta.ge, "above": meta.gt, "of at most": meta.le, "below": meta.lt}
    bounds = {words: f"{bound:,}" for words, bound in given.items() if bound is not None}
    if bounds.keys() == {"of at least", "of at most"}:
        return " between {} and {}".format(*bounds.values())
    return "".join(f" {words} {bound}" for words, bound in bounds.items())
