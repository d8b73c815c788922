"""The options of a row: where they are in the data, their names, which of them is meant, and their orders."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar

from salva._arguments import is_short_number
from salva._patterns import compile_pattern
from salva.errors import InputError, UsageError
from salva.tasks.parsing import find_all, normalised, trimmed

T = TypeVar("T")
Row: TypeAlias = Mapping[str, str | None]
Options: TypeAlias = Mapping[str, str]  # texts by name
Places: TypeAlias = tuple[int, ...]
"""For each place, the number of the option that is shown there, counted from 0."""

_NAMES = {"letters": list(string.ascii_uppercase), "numbers": [str(number) for number in range(1, 27)]}


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
    names: Literal["letters", "numbers"] = "letters"
    count_from: int | None = None
    reply: Literal["name", "text"] = "name"

    def __post_init__(self) -> None:
        if bool(self.columns) == bool(self.column):
            raise UsageError("options need either columns, one per option, or one column that has them all")
        if (self.separator and self.pattern) or (self.columns and (self.separator or self.pattern)):
            raise UsageError("options: separator and pattern exclude each other, and belong to column")
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
        if self.pattern and self._expression.groups == 2:
            return {(match[1] or "").strip(): match[2].strip() for match in self._matches(row[self.column])}
        texts, names = self._read(row), _NAMES[self.names]
        if len(texts) > len(names):
            raise InputError(f"{len(texts)} options; a row may have {len(names)}")
        return {name: text.strip() for name, text in zip(names, texts, strict=False) if text.strip()}

    def _read(self, row: Row) -> list[str]:
        """Return the texts of options as the data has them, also empty ones."""
        if self.columns:
            return [row[column] or "" for column in self.columns]
        value = row[self.column] or ""
        if self.pattern:
            return [match[self._expression.groups] for match in self._matches(value)]
        if self.separator:
            return value.split(self.separator)
        try:
            options = json.loads(value)
        except (ValueError, RecursionError):
            options = None
        if not isinstance(options, list):
            raise InputError(
                f"column {self.column!r} is not a JSON list of options: {value!r:.60}; "
                "set a separator or a pattern"
            )
        return [option if isinstance(option, str) else json.dumps(option) for option in options]

    def _matches(self, value: str | None) -> list[Any]:
        """Return the matches of the pattern in which the group of the text matches, too."""
        matches = find_all(self._expression, value or "")
        return [match for match in matches if match[self._expression.groups] is not None]

    def _text_spans(self, value: str) -> list[tuple[int, int]]:
        return [match.span(self._expression.groups) for match in self._matches(value)]

    def replies(self, options: Options) -> tuple[str, ...]:
        """Return what the model may reply."""
        return tuple(options if self.reply == "name" else options.values())

    def spans(self, value: str) -> list[tuple[int, int]]:
        """Return where the options are inside a value of their column, with their names."""
        return [match.span() for match in find_all(self._expression, value)] if self.pattern else []

    def reorder(self, row: Row, places: Sequence[int]) -> dict[str, str | None] | None:
        """Return the row with its options in another order, under the same names; None if it has others.

        >>> OptionSource(column="x", separator=";").reorder({"x": "a;b;c"}, (2, 0, 1))
        {'x': 'c;a;b'}
        """
        texts = self._read(row)
        filled = [k for k, text in enumerate(texts) if self.pattern or text.strip()]
        if len(filled) != len(places):
            return None
        moved = {k: texts[filled[place]] for k, place in zip(filled, places, strict=True)}
        if self.columns:
            return {**row, **{self.columns[k]: text for k, text in moved.items()}}
        if self.pattern:
            value = row[self.column] or ""
            for k, (start, stop) in reversed([*enumerate(self._text_spans(value))]):
                value = value[:start] + moved[k] + value[stop:]
            return {**row, self.column: value}
        texts = [moved.get(k, text) for k, text in enumerate(texts)]
        joined = self.separator.join(texts) if self.separator else json.dumps(texts, ensure_ascii=False)
        return {**row, self.column: joined}

    def moved_by(self, value: str, places: Sequence[int]) -> list[tuple[int, int]]:
        """Return how far `reorder` moves what follows each option in a value: its end, and by how much."""
        spans = self._text_spans(value) if self.pattern else []
        if len(spans) != len(places):
            return []
        sizes = [stop - start for start, stop in spans]
        total = itertools.accumulate(sizes[place] - size for place, size in zip(places, sizes, strict=True))
        return [(stop, moved) for (_, stop), moved in zip(spans, total, strict=True)]


def as_rows(columns: Mapping[str, Iterable[T]]) -> list[dict[str, T]]:
    """Return columns row by row.

    >>> as_rows({"question": ["Why?", "How?"], "answer": ["so", None]})
    [{'question': 'Why?', 'answer': 'so'}, {'question': 'How?', 'answer': None}]
    """
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


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


@dataclass(frozen=True, slots=True)
class Order:
    """An order of the options other than their own: the first, second … of all, or of those drawn at random.

    What is drawn depends on the seed and the text of the row alone. A row that has fewer orders is not asked.
    """

    number: int
    seed: int = 0
    is_drawn: bool = True

    def find(self, options: int, text: str) -> Places | None:
        """Return the order of as many options; None if there are not so many orders.

        >>> Order(1).find(2, "Is it?"), Order(2).find(2, "Is it?"), Order(5, is_drawn=False).find(3, "")
        ((1, 0), None, (2, 1, 0))
        """
        if self.number >= math.factorial(options):
            return None
        return arrange(self._draw(options, text) if self.is_drawn else self.number, options)

    def _draw(self, size: int, text: str) -> int:
        """Return the rank of the order that is drawn as the first, second …; never 0, which is their own."""
        ranks, draws = [0], itertools.count()
        while len(ranks) <= self.number:
            content = f"{self.seed}\0{next(draws)}\0{text}".encode("utf-8", "surrogatepass")
            # 512 bits: a remainder by 26! is as good as uniform.
            drawn = int.from_bytes(hashlib.blake2b(content, digest_size=64).digest(), "big")
            rank = drawn % math.factorial(size)
            ranks += [rank] if rank not in ranks else []
        return ranks[-1]


def arrange(rank: int, size: int) -> Places:
    """Return the order with this rank among all orders of as many things, from 0, which is their own.

    >>> [arrange(rank, 3) for rank in (0, 1, 5)]
    [(0, 1, 2), (0, 2, 1), (2, 1, 0)]
    """
    left, places = list(range(size)), []
    for after in range(size - 1, -1, -1):
        place, rank = divmod(rank, math.factorial(after))
        places.append(left.pop(place))
    return tuple(places)
