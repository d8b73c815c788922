"""What all results share: a signature, JSON, reading them back, a short repr, and a choice of examples."""

from __future__ import annotations

import dataclasses
import json
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from salva._files import read_text
from salva._show import interval
from salva._types import PathLike
from salva.errors import InputError

T = TypeVar("T")
_LINES, _WIDTH, _VALUE = 8, 100, 60  # of a short repr


def signature(**parts: object) -> str:
    """Return what a result depends on, in one line.

    >>> signature(seed=0, salva="0.1")
    'seed:0|salva:0.1'
    """
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def as_json(value: Any) -> bytes:
    """Return a value as readable JSON; equal values give equal bytes.

    What is not a character, as in the name of a file that is not UTF-8, is written as JSON escapes it.
    """
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode("utf-8", "backslashreplace")


def read_json(path: PathLike) -> Any:
    """Return the content of a JSON file; refuse one that is cut off."""
    content = read_text(path)
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError.at(path, None, f"is not JSON, or cut off ({error})") from None


def load_result(path: PathLike, result: type[T], plain: Any) -> T:
    """Return the plain values that were read from a file as the dataclass they came from."""
    try:
        return msgspec.convert(plain, result)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise InputError.at(path, None, f"is broken ({error!s:.80})") from None


def brief(result: type[T]) -> type[T]:
    """Give a dataclass a repr of a few lines: long collections and nested results are only counted or named.

    >>> import dataclasses
    >>> @brief
    ... @dataclasses.dataclass
    ... class Score:
    ...     policy: str
    ...     sets: tuple[int, ...]
    >>> Score("hamod", tuple(range(1000)))
    Score(policy='hamod', sets=<1,000 items>)
    """
    result.__repr__ = _write_brief  # type: ignore[method-assign]
    return result


def _write_brief(result: Any) -> str:
    values = ((field.name, getattr(result, field.name)) for field in dataclasses.fields(result) if field.repr)
    inside = ", ".join(f"{name}={_shorten(value)}" for name, value in values)
    text = f"{type(result).__name__}({inside})"
    lines = textwrap.wrap(text, _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines[:_LINES] + ["  …"] * (len(lines) > _LINES))


def _shorten(value: Any) -> str:
    """Return a value in at most about sixty characters; an estimate is its value and interval."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if all(hasattr(value, name) for name in ("value", "low", "high")):
        return "None" if value.value is None else f"{value.value:.4g} {interval(value)}".rstrip()
    text = repr(value) if isinstance(value, str | int | float | None) or not hasattr(value, "__len__") else ""
    if text and len(text) <= _VALUE and "\n" not in text:
        return text
    if isinstance(value, str):
        return f"{value[: _VALUE - 10]!r}…"
    if not text and len(value) <= 3 and len(repr(value)) <= _VALUE:
        return repr(value)
    return f"<{type(value).__name__}>" if text else f"<{len(value):,} items>"


def choose_evenly(groups: Iterable[Sequence[T]], most: int) -> list[list[T]]:
    """Return some items of each group, spread over it, as many of each as there is room for.

    The smallest group comes first, so that the others get the room it leaves.

    >>> choose_evenly(["abcdef", "g"], 4)
    [['g'], ['b', 'd', 'f']]
    """
    ordered = sorted(groups, key=len)
    chosen: list[list[T]] = []
    for done, group in enumerate(ordered):
        room = min(len(group), (most - sum(map(len, chosen))) // (len(ordered) - done))
        chosen.append([group[(2 * k + 1) * len(group) // (2 * room)] for k in range(room)])
    return chosen
