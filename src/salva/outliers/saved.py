"""Scores saved as JSON: written by `--json`, read back for a comparison."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from typing import Any

from salva._files import read_text
from salva._types import PathLike
from salva.errors import InputError
from salva.outliers.results import OutlierScore


def read_score(path: PathLike) -> OutlierScore:
    """Return a score that `salva outliers score --json` printed."""
    try:
        found = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError.at(path, None, f"is not JSON ({error})") from None
    if not isinstance(found, dict) or not {"format", "exercises", "policy"} <= found.keys():
        raise InputError.at(path, None, "is not a score; make one with salva outliers score --json")
    if found["format"] != 1:
        raise InputError.at(path, None, f"has format {found['format']!r}, which this Salva does not know")
    try:
        return typing.cast(OutlierScore, _built(OutlierScore, found))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError.at(path, None, f"is broken ({error!r:.80})") from None


def _built(kind: Any, value: Any) -> Any:
    """Return plain values as the dataclasses they came from; values of another type are refused."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{name: _built(hints[name], part) for name, part in value.items()})  # type: ignore[operator]
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        return _built(next(one for one in arguments if one is not type(None)), value)
    if origin is tuple:
        return tuple(_built(arguments[0], one) for one in value)
    if origin is dict:
        return {str(name): _built(arguments[1], one) for name, one in value.items()}
    if not isinstance(value, int | float if kind is float else kind):
        raise TypeError(f"{value!r} must be {kind.__name__}")
    return float(value) if kind is float else value
