"""The options of a row: where they are in the data, what they are called, and which of them is meant."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from salva._arguments import check_choice, is_short_number
from salva._patterns import compile_pattern
from salva.errors import InputError, UsageError
from salva.tasks.replies import find_all, normalised, trimmed

Row: TypeAlias = Mapping[str, str | None]
Options: TypeAlias = Mapping[str, str]  # texts by name
NAMES = {"letters": list(string.ascii_uppercase), "numbers": [str(number) for number in range(1, 27)]}


@dataclass(frozen=True, kw_only=True)
class OptionSource:
    """Where the options are: one in each of `columns`, or all in `column`.

    There they are a JSON list, or separated by `separator`, or wherever `pattern` matches; its groups are
    the name and the text of an option, or the text alone. `count_from` says that targets are positions,
    counted from this number; `reply`, whether the model is to reply with the name or the text of an option.
    """

    columns: tuple[str, ...] = ()
    column: str = ""
    separator: str = ""
    pattern: str = ""
    names: str = "letters"
    count_from: int | None = None
    reply: str = "name"

    def __post_init__(self) -> None:
        if bool(self.columns) == bool(self.column):
            raise UsageError("options need either columns, one per option, or one column that has them all")
        if (self.separator and self.pattern) or (self.columns and (self.separator or self.pattern)):
            raise UsageError("options: separator and pattern exclude each other, and belong to column")
        check_choice("options.names", self.names, NAMES)
        check_choice("options.reply", self.reply, ("name", "text"))
        if self.pattern and self._expression.groups not in (1, 2):
            raise UsageError("options.pattern must have two groups, name and text, or one, the text")

    @property
    def all_columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        return self.columns or (self.column,)

    @cached_property
    def _expression(self) -> Any:
        return compile_pattern("options.pattern", self.pattern, multiline=True)

    def find(self, row: Row) -> dict[str, str]:
        """Return the options of a row by name; an empty one is left out."""
        if self.pattern:
            matches = find_all(self._expression, row[self.column] or "")
            if self._expression.groups == 2:
                return {match[1].strip(): match[2].strip() for match in matches}
            texts = [match[1] for match in matches]
        elif self.column:
            texts = self._split(row[self.column] or "")
        else:
            texts = [row[column] or "" for column in self.columns]
        names = NAMES[self.names]
        if len(texts) > len(names):
            raise InputError(f"{len(texts)} options; a row may have {len(names)}")
        return {name: text.strip() for name, text in zip(names, texts, strict=False) if text.strip()}

    def replies(self, options: Options) -> tuple[str, ...]:
        """Return what the model may reply."""
        return tuple(options if self.reply == "name" else options.values())

    def reorder(self, row: Row, places: Sequence[int]) -> dict[str, str | None] | None:
        """Return the row with its options in another order, under the same names; None if it has others.

        >>> OptionSource(column="x", separator=";").reorder({"x": "a;b;c"}, (2, 0, 1))
        {'x': 'c;a;b'}
        """
        if self.columns:
            filled = [column for column in self.columns if (row[column] or "").strip()]
            cells = _move([row[column] for column in filled], places)
            return None if cells is None else {**row, **dict(zip(filled, cells, strict=True))}
        value = row[self.column] or ""
        if self.pattern:
            spans = self._text_spans(value)
            moved = _move([value[start:stop] for start, stop in spans], places)
            return None if moved is None else {**row, self.column: _replace(value, spans, moved)}
        texts = self._split(value)
        filled_places = [k for k, text in enumerate(texts) if text.strip()]
        moved = _move([texts[k] for k in filled_places], places)
        if moved is None:
            return None
        for k, text in zip(filled_places, moved, strict=True):
            texts[k] = text
        joined = self.separator.join(texts) if self.separator else json.dumps(texts, ensure_ascii=False)
        return {**row, self.column: joined}

    def moved_by(self, value: str, places: Sequence[int]) -> list[tuple[int, int]]:
        """Return how far `reorder` moves what follows each option in a value: its end, and by how much."""
        spans, moves, total = self._text_spans(value) if self.pattern else [], [], 0
        moved = _move([value[start:stop] for start, stop in spans], places) or []
        for (start, stop), text in zip(spans, moved, strict=False):
            total += len(text) - (stop - start)
            moves.append((stop, total))
        return moves

    def _text_spans(self, value: str) -> list[tuple[int, int]]:
        matches = find_all(self._expression, value)
        return [match.span(self._expression.groups) for match in matches]

    def spans(self, value: str) -> list[tuple[int, int]]:
        """Return where the options are inside a value of their column, with their names."""
        return [match.span() for match in find_all(self._expression, value)] if self.pattern else []

    def _split(self, value: str) -> list[str]:
        if self.separator:
            return value.split(self.separator)
        try:
            options = json.loads(value)
        except (ValueError, RecursionError):
            options = None
        if not isinstance(options, list):
            problem = f"column {self.column!r} is not a JSON list of options: {value!r:.60}"
            raise InputError(f"{problem}; set a separator or a pattern")
        return [option if isinstance(option, str) else json.dumps(option) for option in options]


_Item = TypeVar("_Item")


def _move(items: Sequence[_Item], places: Sequence[int]) -> list[_Item] | None:
    return [items[place] for place in places] if len(items) == len(places) else None


def _replace(value: str, spans: Sequence[tuple[int, int]], texts: Sequence[str]) -> str:
    parts, last = [], 0
    for (start, stop), text in zip(spans, texts, strict=True):
        parts += [value[last:start], text]
        last = stop
    return "".join([*parts, value[last:]])


def list_options(options: Options) -> str:
    r"""Return options as lines of a prompt.

    >>> list_options({"A": "yes", "B": "no"})
    'A. yes\nB. no'
    """
    return "\n".join(f"{name}. {text}" for name, text in options.items())


def find_option(target: str, options: Options, count_from: int | None = None) -> str | None:
    """Return the name of the option that a target means, by position, name or text.

    >>> options = {"A": "the sun", "B": "the grass"}
    >>> find_option("(b)", options), find_option("The sun.", options), find_option("1", options, 0)
    ('B', 'A', 'B')
    """
    names = list(options)
    if count_from is not None:
        place = int(target) - count_from if is_short_number(target) else -1
        return names[place] if 0 <= place < len(names) else None
    by_name = {trimmed(name): name for name in names}
    by_text = {normalised(text): name for name, text in reversed(list(options.items()))}
    return by_name.get(trimmed(target)) or by_text.get(normalised(target))
