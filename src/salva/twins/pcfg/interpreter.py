"""The values of PCFG SET lines: one line at a time in Python, or many at once with kernels.

Both ways give the same result. The kernels read lines in plain form, with single spaces between tokens; any
line they cannot read goes to the reader of single lines, which either accepts it or reports what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from salva._arrow import as_strings
from salva._types import Bytes, Ints, PathLike
from salva.errors import InputError
from salva.twins.pcfg.language import MOST_DEPTH, Call, Language, LineError, Tree, define_language
from salva.twins.pcfg.names import FUNCTIONS

if TYPE_CHECKING:
    from salva._kernels.pcfg import Names, Rows, Stack, Tokens

Symbols = tuple[str, ...]

MOST_SYMBOLS = 1_000_000
_CHUNK_LINES = 1 << 12
_OUT_BYTES = 64 << 20
_FEW = 64  # for fewer lines, reading them one by one is faster than loading the kernels


OPERATIONS: dict[str, Callable[..., Symbols]] = {
    "copy": lambda x: x,
    "reverse": lambda x: x[::-1],
    "shift": lambda x: x[1:] + x[:1],
    "swap_first_last": lambda x: x[-1:] + x[1:-1] + x[:1] if len(x) > 1 else x,
    "repeat": lambda x: x + x,
    "echo": lambda x: x + x[-1:],
    "append": lambda x, y: x + y,
    "prepend": lambda x, y: y + x,
    "remove_first": lambda x, y: y,
    "remove_second": lambda x, y: x,
}
_KEPT = {"remove_first": slice(1, None), "remove_second": slice(0, 1)}


class LineMeasures(NamedTuple):
    """Depth, length, number of functions and size of the result of many lines."""

    depth: Ints
    length: Ints
    functions: Ints
    output_length: Ints


class Interpreted(NamedTuple):
    """The values of many lines, and their measures."""

    values: list[str]
    measures: LineMeasures


def interpret(
    line: str, *, twins: Mapping[str, str] | None = None, alphabet: Collection[str] | None = None
) -> str:
    """Return the value of a line.

    `twins` maps functions to the names of their twins, if these are not `NAME_twin`; `alphabet` holds the
    symbols, if these are not a letter followed by digits.

    >>> interpret("swap_first_last append_twin A1 B2 , C3")
    'C3 B2 A1'
    """
    return _interpret(line, define_language(twins, alphabet))


def interpret_lines(
    lines: Sequence[str],
    *,
    twins: Mapping[str, str] | None = None,
    alphabet: Collection[str] | None = None,
    source: PathLike | None = None,
) -> list[str]:
    """Return the values of many lines; errors name the line, and the file `source` if given.

    >>> interpret_lines(["echo A1 B2", "repeat C3"])
    ['A1 B2 B2', 'C3 C3']
    """
    language = define_language(twins, alphabet)
    if len(lines) < _FEW:
        return [_at(source, row, line, language) for row, line in enumerate(lines)]
    values: list[str] = []
    for batch in _batches(lines, language, source):
        values += batch.values()
    return values


def interpret_and_measure(
    lines: Sequence[str],
    *,
    twins: Mapping[str, str] | None = None,
    alphabet: Collection[str] | None = None,
    source: PathLike | None = None,
) -> Interpreted:
    """Return the values and the measures of many lines, reading them only once.

    >>> interpret_and_measure(["echo A1 B2", "append A1 B2 , copy C3 D4"]).measures.output_length.tolist()
    [3, 4]
    """
    values: list[str] = []
    parts = [LineMeasures(*(np.empty(0, np.int64) for _ in range(4)))]
    for batch in _batches(lines, define_language(twins, alphabet), source):
        values += batch.values()
        parts.append(batch.measures())
    return Interpreted(values, LineMeasures(*map(np.concatenate, zip(*parts, strict=True))))


def _interpret(line: str, language: Language) -> str:
    tree = language.parse(line)
    size = _size(tree, language)
    if size > MOST_SYMBOLS:
        raise LineError(1, 1, f"the value has {size:,} symbols, more than {MOST_SYMBOLS:,}")
    return " ".join(_value(tree, language))


def _value(tree: Tree, language: Language) -> Symbols:
    if not isinstance(tree, Call):
        return tree
    meaning = language.meanings[tree.function]
    if meaning in _KEPT:  # the dropped argument may be too large to evaluate
        return _value(tree.arguments[_KEPT[meaning]][0], language)
    return OPERATIONS[meaning](*(_value(argument, language) for argument in tree.arguments))


def _size(tree: Tree, language: Language) -> int:
    if not isinstance(tree, Call):
        return len(tree)
    meaning = language.meanings[tree.function]
    sizes = [_size(argument, language) for argument in tree.arguments[_KEPT.get(meaning, slice(None))]]
    return sum(sizes) * (2 if meaning == "repeat" else 1) + (meaning == "echo")


def _at(source: PathLike | None, row: int, line: object, language: Language) -> str:
    try:
        if not isinstance(line, str):
            raise InputError(f"{line!r:.40} is {type(line).__name__}, not str")
        return _interpret(line, language)
    except InputError as error:
        if source is None:
            raise InputError(f"line {row + 1}: {error}") from None
        raise InputError.at(source, row + 1, str(error)) from None


class _Batch(NamedTuple):
    """Lines that went through the kernels; `repaired` holds those that were read one by one."""

    data: Bytes
    tokens: Tokens
    rows: Rows
    stack: Stack
    repaired: dict[int, str]
    plain: list[str]
    language: Language

    def values(self) -> list[str]:
        """Return the values of all lines."""
        from salva._kernels import pcfg

        bounds = np.maximum(self.rows.sizes, 0) * self.language.longest_symbol + 1
        room = np.empty(max(0, int(self.rows.sizes.max(initial=0))), np.uint32)
        values: list[str] = []
        while len(values) < len(bounds):
            first = len(values)
            fitting = int(np.searchsorted(np.cumsum(bounds[first:]), _OUT_BYTES, "right"))
            last = first + max(1, fitting)
            out = np.empty(int(bounds[first:last].sum()), np.uint8)
            size = pcfg.write_values(self.data, self.tokens, self.rows, first, last, self.stack, room, out)
            values += out[: size - 1].tobytes().decode().split("\n")
        for row, value in self.repaired.items():
            values[row] = value
        return values

    def measures(self) -> LineMeasures:
        """Return the measures of all lines."""
        length = np.diff(self.rows.tokens).astype(np.int64)
        for row, value in self.repaired.items():
            depth, length[row], functions = self.language.measures(self.plain[row])
            self.rows.depths[row], self.rows.functions[row] = depth, functions
            self.rows.sizes[row] = len(value.split())
        return LineMeasures(self.rows.depths, length, self.rows.functions, self.rows.sizes)


def _batches(lines: Sequence[str], language: Language, source: PathLike | None) -> Iterator[_Batch]:
    for first in range(0, len(lines), _CHUNK_LINES):
        chunk = list(lines[first : first + _CHUNK_LINES])
        batch = _read_rows(chunk, language)
        for row in np.flatnonzero((batch.rows.sizes < 0) | (batch.rows.sizes > MOST_SYMBOLS)).tolist():
            batch.repaired[row] = _at(source, first + row, chunk[row], language)
            batch.rows.sizes[row] = -1
        yield batch


def _read_rows(lines: list[str], language: Language) -> _Batch:
    from salva._kernels import pcfg

    data = _join(lines)
    edges = np.flatnonzero(data <= ord(" ")).view(np.uint64)
    count = len(edges) - 1
    tokens = pcfg.Tokens(edges, np.empty(count, np.int8), np.empty(count, np.uint32))
    size = len(lines)
    rows = pcfg.Rows(np.empty(size + 1, np.uint64), *(np.empty(size, np.int64) for _ in range(3)))
    pcfg.number_tokens(data, _names(language), language.alphabet is None, tokens, rows.tokens)
    room = int(np.diff(rows.tokens).max(initial=0))
    stack = pcfg.Stack(*(np.empty(room, np.uint64) for _ in range(4)))
    pcfg.measure_rows(tokens, stack, MOST_DEPTH, rows)
    return _Batch(data, tokens, rows, stack, {}, lines, language)


def _join(lines: list[str]) -> Bytes:
    """Return the lines between newlines; an item that cannot be a line becomes empty, which is invalid."""
    try:
        joined = np.frombuffer("\n".join(["", *lines, ""]).encode(), np.uint8)
        if np.count_nonzero(joined == ord("\n")) == len(lines) + 1:
            return joined
    except (TypeError, UnicodeEncodeError):
        pass
    plain = [line if isinstance(line, str) and "\n" not in line else "" for line in lines]
    return np.frombuffer("\n".join(["", *plain, ""]).encode(errors="replace"), np.uint8)


@lru_cache(maxsize=16)
def _names(language: Language) -> Names:
    """Return the words that kernels look up, with their meanings."""
    from salva._kernels import pcfg, strings

    numbers = {function: number for number, function in enumerate(FUNCTIONS)}
    meanings = np.array([numbers[meaning] for meaning in language.meanings.values()], np.int8)
    symbols = as_strings(sorted(language.alphabet or ()))
    table = strings.StringTable(symbols.data, symbols.offsets, strings.slots_for(len(symbols)))
    strings.enter(table, 0)
    functions = as_strings(list(language.meanings))
    names = pcfg.Names(functions.data, functions.offsets, np.zeros(pcfg.SLOTS, np.uint32), meanings, table)
    pcfg.fill_names(names)
    return names
