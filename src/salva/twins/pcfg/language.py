"""The language of PCFG SET: lines as trees of functions and symbols, their measures, and their values.

    append copy A1 B2 , C3 D4        a function, its arguments, a comma between two of them

An argument is a call if it begins with a function, and otherwise the longest run of symbols. So no brackets
are needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from salva._arguments import did_you_mean
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.twins.pcfg.names import ALIASES, COMMA, FUNCTIONS, WORD, alias_twins, twin_names

MOST_DEPTH = 100
MOST_SYMBOLS = 1_000_000  # in a value

_SYMBOL = re.compile(r"[A-Za-z][0-9]{1,9}")  # limited, so that a million symbols fit into memory
_ORDINALS = ("first", "second")
_BRACKETS = frozenset("()[]{}")
_SHOWN = 3

Symbols = tuple[str, ...]
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
_KEPT = {"remove_first": 1, "remove_second": 0}  # the only argument that matters


class LineError(InputError):
    """A line is not part of the language; `token` and `column` count from 1."""

    def __init__(self, token: int, column: int, problem: str) -> None:
        super().__init__(f"token {token} (column {column}): {problem}")
        self.token = token
        self.column = column
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Call:
    """A function, as written in the line, and its arguments: calls, or strings of symbols."""

    function: str
    arguments: tuple[Tree, ...]


Tree: TypeAlias = Call | Symbols


class Measures(NamedTuple):
    """The longest chain of nested functions, the number of tokens, and the number of functions of a line."""

    depth: int
    length: int
    functions: int


@dataclass(frozen=True, eq=False)
class Language:
    """The meaning of every name, and the alphabet; None stands for a letter followed by digits."""

    meanings: Mapping[str, str]
    alphabet: frozenset[str] | None = None

    def is_symbol(self, token: str) -> bool:
        """Return whether a token is a symbol."""
        return bool(_SYMBOL.fullmatch(token)) if self.alphabet is None else token in self.alphabet

    def parse(self, line: str) -> Call:
        """Return the tree of a line."""
        return _Reader(self, line).line()

    def interpret(self, line: str) -> str:
        """Return the value of a line."""
        return " ".join(self.value(self.parse(line)))

    def value(self, tree: Call) -> Symbols:
        """Return the value of a line's tree; refuse one that is too large before it is made."""
        if (size := self._size(tree)) > MOST_SYMBOLS:
            raise LineError(1, 1, f"the value has {size:,} symbols, more than {MOST_SYMBOLS:,}")
        return self._value(tree)

    def _value(self, tree: Tree) -> Symbols:
        if not isinstance(tree, Call):
            return tree
        meaning = self.meanings[tree.function]
        if meaning in _KEPT:  # the dropped argument may be too large to evaluate
            return self._value(tree.arguments[_KEPT[meaning]])
        return OPERATIONS[meaning](*[self._value(argument) for argument in tree.arguments])

    def _size(self, tree: Tree) -> int:
        if not isinstance(tree, Call):
            return len(tree)
        meaning = self.meanings[tree.function]
        if meaning in _KEPT:
            return self._size(tree.arguments[_KEPT[meaning]])
        size = sum([self._size(argument) for argument in tree.arguments])
        return size * 2 if meaning == "repeat" else size + (meaning == "echo")


def define_language(
    twins: Mapping[str, str] | None = None, alphabet: Collection[str] | None = None
) -> Language:
    """Return the language with these twins (function to name) and symbols."""
    given = tuple(sorted((twins or {}).items()))
    return _language(given, None if alphabet is None else frozenset(alphabet))


@lru_cache(maxsize=16)
def _language(twins: tuple[tuple[str, str], ...], alphabet: frozenset[str] | None) -> Language:
    twin_of = twin_names(dict(twins))
    names = {name: function for function, name in twin_of.items()} | alias_twins(twin_of)
    language = Language({function: function for function in FUNCTIONS} | ALIASES | names, alphabet)
    for name in language.meanings:
        if language.is_symbol(name):
            raise UsageError(f"{name!r:.60} is both a function and a symbol; change the name or the symbol")
    for symbol in sorted(alphabet or ()):
        if symbol == COMMA or not WORD.fullmatch(symbol):
            raise UsageError(f"{symbol!r:.60} cannot be a symbol; write one word that is not a comma")
    return language


def parse(
    line: str, *, twins: Mapping[str, str] | None = None, alphabet: Collection[str] | None = None
) -> Call:
    """Return the tree of a line; raise a `LineError` with the position of a fault.

    >>> parse("append_twin A1 B2 , copy C3 D4").arguments
    (('A1', 'B2'), Call(function='copy', arguments=(('C3', 'D4'),)))
    """
    return define_language(twins, alphabet).parse(line)


def print_tree(tree: Tree) -> str:
    """Return the line of a tree, with single spaces between tokens.

    >>> print_tree(parse(" append A1  B2 , C3 D4"))
    'append A1 B2 , C3 D4'
    """
    if not isinstance(tree, Call):
        return " ".join(tree)
    return f"{tree.function} {f' {COMMA} '.join(map(print_tree, tree.arguments))}"


def measures(
    line: str, *, twins: Mapping[str, str] | None = None, alphabet: Collection[str] | None = None
) -> Measures:
    """Return the depth, length and number of functions of a line.

    >>> measures("append copy A1 B2 , C3 D4")
    Measures(depth=2, length=7, functions=2)
    """
    return measure(parse(line, twins=twins, alphabet=alphabet))


def measure(tree: Tree) -> Measures:
    """Return the depth, length and number of functions of a tree."""
    if not isinstance(tree, Call):
        return Measures(0, len(tree), 0)
    depths, lengths, functions = zip(*map(measure, tree.arguments), strict=True)
    length = len(tree.arguments) + sum(lengths)  # the function, and commas between arguments
    return Measures(1 + max(depths), length, 1 + sum(functions))


def interpret(
    line: str, *, twins: Mapping[str, str] | None = None, alphabet: Collection[str] | None = None
) -> str:
    """Return the value of a line.

    `twins` maps functions to the names of their twins, if these are not `NAME_twin`; `alphabet` holds the
    symbols, if these are not a letter followed by digits.

    >>> interpret("swap_first_last append_twin A1 B2 , C3")
    'C3 B2 A1'
    """
    return define_language(twins, alphabet).interpret(line)


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
    values = []
    for number, line in enumerate(lines, 1):
        try:
            values.append(language.interpret(line))
        except InputError as error:
            if source is None:
                raise InputError(f"line {number}: {error}") from None
            raise InputError.at(source, number, str(error)) from None
    return values


class _Reader:
    """A reader of one line, from left to right."""

    def __init__(self, language: Language, line: str) -> None:
        if not isinstance(line, str):
            raise InputError(f"{line!r:.60} is {type(line).__name__}, not str")
        self.language = language
        self.text = line
        self.tokens = [*line.split(), ""]  # the last is the end of the line
        self.place = 0

    def line(self) -> Call:
        token = self.token()
        if not token:
            raise self.fault("the line is empty; a line must begin with a function")
        if token == COMMA or self.language.is_symbol(token):
            raise self.fault(f"a line must begin with a function, not with {token!r:.60}")
        tree = self.call(1)
        if self.token():
            raise self.fault(
                f"{self.token()!r:.60} comes after the end; {tree.function!r} has all its arguments"
            )
        return tree

    def call(self, depth: int) -> Call:
        name = self.token()
        meaning = self.language.meanings.get(name)
        if meaning is None:
            raise self.fault(self.unknown(name))
        if depth > MOST_DEPTH:
            raise self.fault(f"{name!r:.60} is nested deeper than {MOST_DEPTH} functions")
        self.place += 1
        arguments = [self.argument(name, 0, depth)]
        if FUNCTIONS[meaning] > 1:
            if self.token() != COMMA:
                raise self.fault(
                    f"expected {COMMA!r} before the second argument of {name!r:.60}, {self.seen()}"
                )
            self.place += 1
            arguments.append(self.argument(name, 1, depth))
        return Call(name, tuple(arguments))

    def argument(self, name: str, number: int, depth: int) -> Tree:
        token = self.token()
        if token in ("", COMMA):
            raise self.fault(f"expected the {_ORDINALS[number]} argument of {name!r:.60}, {self.seen()}")
        start = self.place
        while self.language.is_symbol(self.token()):
            self.place += 1
        if self.place == start:
            return self.call(depth + 1)
        token = self.token()
        if token in ("", COMMA):
            return tuple(self.tokens[start : self.place])
        if token in self.language.meanings:
            raise self.fault(f"{token!r:.60} is inside a string; separate arguments with {COMMA!r}")
        raise self.fault(self.unknown(token))

    def unknown(self, token: str) -> str:
        """Return what is wrong with an unknown word, and what was probably meant."""
        if not _BRACKETS.isdisjoint(token):
            return f"{token!r:.60} is not part of the language; leave out brackets, which are not needed"
        problem = f"{token!r:.60} is not a function or a symbol"
        if token.endswith(COMMA):
            return f"{problem}; put a space before the comma"
        if hint := did_you_mean(token.lower(), self.language.meanings):
            return f"{problem}; {hint}"
        if self.language.alphabet is None:
            return f"{problem}; a symbol is a letter followed by digits, such as A1"
        some = sorted(self.language.alphabet)[:_SHOWN]
        more = ", …" if len(self.language.alphabet) > _SHOWN else ""
        return f"{problem}; the symbols are {', '.join(f'{symbol!r:.20}' for symbol in some)}{more}"

    def token(self) -> str:
        return self.tokens[self.place]

    def seen(self) -> str:
        return f"found {self.token()!r:.60}" if self.token() else "found the end of the line"

    def fault(self, problem: str) -> LineError:
        columns = [match.start() + 1 for match in WORD.finditer(self.text)]
        columns.append(len(self.text.rstrip()) + 1)
        return LineError(self.place + 1, columns[self.place], problem)
