"""The language of PCFG SET: ten functions, their twins, and symbols; parsing lines and printing trees.

    append copy A1 B2 , C3 D4        a function, its arguments, a comma between two of them

An argument is a call if it begins with a function, and otherwise the longest run of symbols. So no brackets
are needed. `salva.twins.pcfg.interpreter` computes the values of lines.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeAlias

from salva.errors import InputError, UsageError

# Functions and how many arguments they take; kernels number them in this order.
FUNCTIONS = {
    "copy": 1,
    "reverse": 1,
    "shift": 1,
    "swap_first_last": 1,
    "repeat": 1,
    "echo": 1,
    "append": 2,
    "prepend": 2,
    "remove_first": 2,
    "remove_second": 2,
}
ALIASES = {"swap": "swap_first_last"}  # the name in the documents, accepted wherever a function is named
TWINNED = ("swap_first_last", "repeat", "append", "remove_second")
# Names that reveal nothing to a model that reads parts of words; `append_twin` reveals everything.
NONCE_NAMES = {"swap_first_last": "dax", "repeat": "wug", "append": "blicket", "remove_second": "zup"}
MOST_DEPTH = 100

_COMMA = ","
_SYMBOL = re.compile(r"[A-Za-z][0-9]{1,9}")  # limited, so that a million symbols fit into memory
_TOKEN = re.compile(r"\S+")
_ORDINALS = ("first", "second")
_BRACKETS = frozenset("()[]{}")
_SHOWN = 3


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


Tree: TypeAlias = "Call | tuple[str, ...]"


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

    @cached_property
    def longest_symbol(self) -> int:
        """The number of bytes of the longest possible symbol and a space after it."""
        symbols = ["A123456789"] if self.alphabet is None else self.alphabet
        return 1 + max((len(symbol.encode()) for symbol in symbols), default=0)

    def is_symbol(self, token: str) -> bool:
        """Return whether a token is a symbol."""
        return bool(_SYMBOL.fullmatch(token)) if self.alphabet is None else token in self.alphabet

    def parse(self, line: str) -> Call:
        """Return the tree of a line."""
        return _Reader(self, line).line()

    def measures(self, line: str) -> Measures:
        """Return the depth, length and number of functions of a line."""
        return _measured(self.parse(line))


def function_name(name: str) -> str:
    """Return the name of a function in the data: `swap` is `swap_first_last`.

    >>> function_name("swap"), function_name("append")
    ('swap_first_last', 'append')
    """
    return ALIASES.get(name, name)


def twin_names(names: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the twin of every function: `NAME_twin`, or the given name.

    >>> twin_names({"append": "dax"})["append"], twin_names()["copy"]
    ('dax', 'copy_twin')
    """
    given = _functions_named(names or {})
    twins = {function: f"{function}_twin" for function in FUNCTIONS} | given
    for function, name in twins.items():
        if not isinstance(name, str):
            raise UsageError(f"{name!r:.40} cannot be the twin of {function!r:.60}; write one word")
        taken = name in (*FUNCTIONS, *ALIASES, *_twin_aliases(twins)) or list(twins.values()).count(name) > 1
        if name == _COMMA or not _TOKEN.fullmatch(name):
            raise UsageError(f"{name!r:.60} cannot be the twin of {function!r:.60}; write one word")
        if taken:
            raise UsageError(
                f"{name!r:.60} cannot be the twin of {function!r:.60}; another function has that name"
            )
    return twins


def twin_words(names: Mapping[str, str] | None = None) -> frozenset[str]:
    """Return all words that name a twin; with the default names, these include `swap_twin`.

    >>> "swap_twin" in twin_words(), "swap_twin" in twin_words({"swap": "dax"})
    (True, False)
    """
    twins = twin_names(names)
    return frozenset([*twins.values(), *_twin_aliases(twins)])


def _functions_named(names: Mapping[str, str]) -> dict[str, str]:
    """Return names by function; refuse an unknown function and one that is named twice."""
    given: dict[str, str] = {}
    for name, twin in names.items():
        function = function_name(name)
        if function not in FUNCTIONS:
            raise UsageError(f"{name!r:.60} is not a function; {_nearest(name, FUNCTIONS)}")
        if function in given:
            both = " and ".join(repr(one) for one in names if function_name(one) == function)
            raise UsageError(f"{both} are the same function; name one of them")
        given[function] = twin
    return given


def _twin_aliases(twins: Mapping[str, str]) -> dict[str, str]:
    """Return the twin names of aliases and their functions, where a twin is called NAME_twin."""
    return {f"{a}_twin": function for a, function in ALIASES.items() if twins[function] == f"{function}_twin"}


def language(twins: Mapping[str, str] | None = None, alphabet: Collection[str] | None = None) -> Language:
    """Return the language with these twins (function to name) and symbols."""
    given = tuple(sorted((twins or {}).items()))
    return _language(given, None if alphabet is None else frozenset(alphabet))


@lru_cache(maxsize=16)
def _language(twins: tuple[tuple[str, str], ...], alphabet: frozenset[str] | None) -> Language:
    known = twin_names(dict(twins))
    names = {name: function for function, name in known.items()} | _twin_aliases(known)
    made = Language({function: function for function in FUNCTIONS} | ALIASES | names, alphabet)
    for name in made.meanings:
        if made.is_symbol(name):
            raise UsageError(f"{name!r:.60} is both a function and a symbol; change the name or the symbol")
    for symbol in sorted(alphabet or ()):
        if symbol == _COMMA or not _TOKEN.fullmatch(symbol):
            raise UsageError(f"{symbol!r:.60} cannot be a symbol; write one word that is not a comma")
    return made


def parse(
    line: str, *, twins: Mapping[str, str] | None = None, alphabet: Collection[str] | None = None
) -> Call:
    """Return the tree of a line; raise a `LineError` with the position of a fault.

    >>> parse("append_twin A1 B2 , copy C3 D4").arguments
    (('A1', 'B2'), Call(function='copy', arguments=(('C3', 'D4'),)))
    """
    return language(twins, alphabet).parse(line)


def print_tree(tree: Tree) -> str:
    """Return the line of a tree, with single spaces between tokens.

    >>> print_tree(parse(" append A1  B2 , C3 D4"))
    'append A1 B2 , C3 D4'
    """
    if not isinstance(tree, Call):
        return " ".join(tree)
    return f"{tree.function} {f' {_COMMA} '.join(map(print_tree, tree.arguments))}"


def measures(
    line: str, *, twins: Mapping[str, str] | None = None, alphabet: Collection[str] | None = None
) -> Measures:
    """Return the depth, length and number of functions of a line.

    >>> measures("append copy A1 B2 , C3 D4")
    Measures(depth=2, length=7, functions=2)
    """
    return language(twins, alphabet).measures(line)


def _measured(tree: Tree) -> Measures:
    if not isinstance(tree, Call):
        return Measures(0, len(tree), 0)
    parts = [_measured(argument) for argument in tree.arguments]
    length = len(parts) + sum(part.length for part in parts)  # the function, and commas between arguments
    return Measures(1 + max(part.depth for part in parts), length, 1 + sum(part.functions for part in parts))


class _Reader:
    """A reader of one line, from left to right."""

    def __init__(self, language: Language, line: str) -> None:
        if not isinstance(line, str):
            raise InputError(f"{line!r:.60} is {type(line).__name__}, not str")
        self.language = language
        self.tokens = [(match[0], match.start() + 1) for match in _TOKEN.finditer(line)]
        self.end = len(line.rstrip()) + 1
        self.place = 0

    def line(self) -> Call:
        if not self.tokens:
            raise self.fault("the line is empty; a line must begin with a function")
        token = self.token()
        if token == _COMMA or self.language.is_symbol(token):
            raise self.fault(f"a line must begin with a function, not with {token!r:.60}")
        tree = self.call(1)
        if self.place < len(self.tokens):
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
            if self.token() != _COMMA:
                raise self.fault(
                    f"expected {_COMMA!r} before the second argument of {name!r:.60}, {self.found()}"
                )
            self.place += 1
            arguments.append(self.argument(name, 1, depth))
        return Call(name, tuple(arguments))

    def argument(self, name: str, number: int, depth: int) -> Tree:
        token = self.token()
        if token in ("", _COMMA):
            raise self.fault(f"expected the {_ORDINALS[number]} argument of {name!r:.60}, {self.found()}")
        start = self.place
        while self.language.is_symbol(self.token()):
            self.place += 1
        if self.place == start:
            return self.call(depth + 1)
        token = self.token()
        if token in ("", _COMMA):
            return tuple(symbol for symbol, _ in self.tokens[start : self.place])
        if token in self.language.meanings:
            raise self.fault(f"{token!r:.60} is inside a string; separate arguments with {_COMMA!r}")
        raise self.fault(self.unknown(token))

    def unknown(self, token: str) -> str:
        """Return what is wrong with an unknown word, and what was probably meant."""
        if not _BRACKETS.isdisjoint(token):
            return f"{token!r:.60} is not part of the language; leave out brackets, which are not needed"
        problem = f"{token!r:.60} is not a function or a symbol"
        if token.endswith(_COMMA):
            return f"{problem}; put a space before the comma"
        if _near(token, self.language.meanings):
            return f"{problem}; {_nearest(token, self.language.meanings)}"
        if self.language.alphabet is None:
            return f"{problem}; a symbol is a letter followed by digits, such as A1"
        some = sorted(self.language.alphabet)[:_SHOWN]
        more = ", …" if len(self.language.alphabet) > _SHOWN else ""
        return f"{problem}; the symbols are {', '.join(f'{symbol!r:.20}' for symbol in some)}{more}"

    def token(self) -> str:
        return self.tokens[self.place][0] if self.place < len(self.tokens) else ""

    def found(self) -> str:
        return f"found {self.token()!r:.60}" if self.token() else "found the end of the line"

    def fault(self, problem: str) -> LineError:
        column = self.tokens[self.place][1] if self.place < len(self.tokens) else self.end
        return LineError(self.place + 1, column, problem)


def _near(name: str, names: Collection[str]) -> str | None:
    near = difflib.get_close_matches(name[:100].lower(), names, n=1)
    return near[0] if near else None


def _nearest(name: str, names: Collection[str]) -> str:
    near = _near(name, names)
    return f"the nearest function is {near!r}" if near else f"expected one of {', '.join(FUNCTIONS)}"
