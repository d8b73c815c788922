"""Random draws for a seed and a purpose, and lines drawn from the grammar with them.

The bits come from `salva._kernels.rng`, with the name of the purpose in place of a text. Lines are asked for
in two ways: a number for each depth and length (`LineQuotas.per_cell`), or a number of any depth and length
within bounds (`LineQuotas.within`). `salva.twins.pcfg.generator` writes the files.
"""

from __future__ import annotations

import string
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from salva._arguments import check_whole
from salva._arrow import as_strings
from salva._show import number_of
from salva._types import Ints64, Uints64
from salva.errors import UsageError
from salva.twins.pcfg.language import MOST_DEPTH, define_language
from salva.twins.pcfg.names import FUNCTIONS
from salva.twins.pcfg.official import Cell, official

SYMBOLS = 520
PURPOSE = "twins generate"
_CHUNK = 1 << 16
_LEAST_TRIES, _TRIES_A_LINE = 1 << 24, 1000
_TOP = 1 << 53
Item = TypeVar("Item")


def derive_key(seed: int, purpose: str) -> np.uint64:
    """Return the key for a seed and a purpose."""
    from salva._kernels import rng

    data = np.frombuffer(purpose.encode(), np.uint8)
    offsets = np.array([0, len(data)], np.int64)
    offsets.flags.writeable = False
    out = np.empty(1, np.uint64)
    rng.row_keys(data, offsets, np.uint64(check_whole("seed", seed)), np.uint64(0), out)
    return np.uint64(out[0])


def order_draws(seed: int, purpose: str, size: int) -> Uints64:
    """Return one draw for each number from 0 up to but not including `size`."""
    from salva._kernels import pcfg_samples

    bits = np.empty(size, np.uint64)
    pcfg_samples.fill_draws(derive_key(seed, purpose), bits)
    return bits


def shuffle(items: Sequence[Item], *, seed: int, purpose: str) -> list[Item]:
    """Return the items in a random order.

    >>> sorted(shuffle("abc", seed=0, purpose="example"))
    ['a', 'b', 'c']
    """
    return [items[i] for i in np.argsort(order_draws(seed, purpose, len(items)), kind="stable").tolist()]


class Dice:
    """A stream of random numbers for a seed and a purpose.

    >>> dice = Dice(0, "example")
    >>> 0 <= dice.roll(6) < 6
    True
    """

    def __init__(self, seed: int, purpose: str) -> None:
        self._key = derive_key(seed, purpose)
        self._rolls = 0

    def roll(self, sides: int) -> int:
        """Return a number from 0 up to but not including `sides`."""
        from salva._kernels import rng, stages

        self._rolls += 1
        bits = np.uint64(rng.draw(self._key, self._rolls, stages.PCFG_SAMPLE))
        return int(rng.bounded(bits, sides))


def divide(number: int, sizes: Mapping[Item, int]) -> dict[Item, int]:
    """Divide a number among parts by their sizes; the rest goes to the parts with the largest remainders.

    If remainders are equal, the part that comes first wins.

    >>> divide(4, {"a": 10, "b": 23})
    {'a': 1, 'b': 3}
    """
    total = sum(sizes.values())
    parts = {part: number * size // total for part, size in sizes.items()}
    by_rest = sorted(
        sizes, key=lambda part: -(number * sizes[part] % total)
    )  # stable, so ties keep their order
    for part in by_rest[: number - sum(parts.values())]:
        parts[part] += 1
    return parts


class Grammar(NamedTuple):
    """What lines are made of: a seed, the symbols, and the weights of the sizes of strings."""

    seed: int
    alphabet: tuple[str, ...]
    sizes: Mapping[int, int]

    @classmethod
    def of(
        cls,
        seed: int = 0,
        alphabet: int | Sequence[str] | None = None,
        sizes: Mapping[int, int] | None = None,
    ) -> Grammar:
        """Check the arguments; the defaults are the 520 symbols and the sizes of the official corpus."""
        symbols = make_symbols(SYMBOLS if alphabet is None else alphabet)
        weights = dict(sizes or official().strings)
        for size, weight in weights.items():
            check_whole("string size", size, 1, 100)
            check_whole("weight", weight, 0, 1 << 30)
        if not any(weights.values()):
            raise UsageError("no size of strings has a weight above 0; give one a weight of 1 or more")
        return cls(check_whole("seed", seed), symbols, dict(sorted(weights.items())))

    def symbols(self) -> tuple[str, ...] | None:
        """Return the alphabet if the interpreter needs it, None if all symbols are letters with digits."""
        plain = define_language()
        return None if all(map(plain.is_symbol, self.alphabet)) else self.alphabet


@dataclass(frozen=True, slots=True)
class LineQuotas:
    """How many lines to draw: the quota of each depth and length, by number, and its size."""

    numbers: Mapping[Cell, int]
    sizes: Ints64
    lines: str  # which lines these are, for errors

    @classmethod
    def per_cell(cls, counts: Mapping[Cell, int]) -> LineQuotas:
        """Ask for a number of lines of each depth and length."""
        numbers = {cell: number for number, cell in enumerate(counts)}
        return cls(numbers, np.array(list(counts.values()), np.int64), "of the official depths and lengths")

    @classmethod
    def within(cls, count: int, depth: tuple[int, int], length: tuple[int, int]) -> LineQuotas:
        """Ask for a number of lines of any depth and length within bounds, both ends included."""
        cells = [(d, n) for d in range(depth[0], depth[1] + 1) for n in range(length[0], length[1] + 1)]
        lines = f"of depth {depth[0]} to {depth[1]} and length {length[0]} to {length[1]}"
        return cls(dict.fromkeys(cells, 0), np.array([count], np.int64), lines)


class Samples(NamedTuple):
    """Samples in the order they were drawn, their quotas, and how many strings and draws they took."""

    samples: Ints64
    quotas: Ints64
    strings: int
    drawn: int


def make_symbols(alphabet: int | Sequence[str]) -> tuple[str, ...]:
    """Return the given symbols, or that number of symbols from A1 to Z1, A2 to Z2, and so on.

    >>> make_symbols(28)[-3:]
    ('Z1', 'A2', 'B2')
    """
    if isinstance(alphabet, int):
        check_whole("alphabet", alphabet, 2, 1 << 20)
        letters = string.ascii_uppercase
        return tuple(f"{letters[i % 26]}{i // 26 + 1}" for i in range(alphabet))
    symbols = tuple(alphabet) if isinstance(alphabet, Collection) else ()
    if isinstance(alphabet, str) or len(symbols) < 2 or len(set(symbols)) < len(symbols):
        raise UsageError(f"alphabet={alphabet!r:.40} must be a list of two or more distinct symbols")
    define_language(None, symbols)  # refuses what cannot be a symbol
    return symbols


def draw_samples(grammar: Grammar, quotas: LineQuotas) -> Samples:
    """Draw samples one by one until every quota is full.

    Strings of a size are used until half of all possible strings of that size are taken; a sample that needs
    more is skipped. So every string can be different.
    """
    from salva._kernels import pcfg_samples

    recipe, room = _recipe(grammar, quotas), _room(grammar)
    numbers = np.full((recipe.most_depth + 1, recipe.most_length + 1), -1, np.int32)
    for (depth, length), number in quotas.numbers.items():
        numbers[depth, length] = number
    strings = np.array([min(len(grammar.alphabet) ** size // 2, 1 << 40) for size in grammar.sizes], np.int64)
    open_quotas = pcfg_samples.Quotas(numbers, quotas.sizes.copy(), strings.copy())
    chunks: list[tuple[Ints64, Ints64]] = []
    total, drawn = int(quotas.sizes.sum()), 0
    while open_quotas.wanted.any():
        if drawn >= max(_LEAST_TRIES, _TRIES_A_LINE * total):
            raise _shortage(grammar, quotas, open_quotas, drawn)
        samples, places = np.empty(_CHUNK, np.int64), np.empty(_CHUNK, np.int64)
        size = pcfg_samples.fill_quotas(recipe, drawn, drawn + _CHUNK, open_quotas, room, places, samples)
        chunks.append((samples[:size], places[:size]))
        drawn += _CHUNK
    columns = [np.concatenate(column) for column in zip(*chunks, strict=True)]
    return Samples(columns[0], columns[1], int((strings - open_quotas.strings).sum()), drawn)


def sample_draws(grammar: Grammar, samples: Ints64) -> Uints64:
    """Return one draw per sample; sorting by it hides the order in which samples were found."""
    from salva._kernels import pcfg_samples

    bits = np.empty(len(samples), np.uint64)
    pcfg_samples.sample_draws(derive_key(grammar.seed, PURPOSE), samples, bits)
    return bits


def write_samples(grammar: Grammar, quotas: LineQuotas, samples: Ints64, strings: int) -> list[str]:
    """Return samples as lines, in the given order; no string argument occurs twice."""
    from salva._kernels import pcfg_samples

    recipe = _recipe(grammar, quotas)
    table = as_strings([*FUNCTIONS, *grammar.alphabet])
    longest = int(np.diff(table.offsets).max()) + 1
    seen = np.zeros(1 << (2 * strings + 1).bit_length(), np.uint64)
    out = np.empty(len(samples) * recipe.most_length * longest, np.uint8)
    words = pcfg_samples.Words(table.data, table.offsets)
    size = pcfg_samples.write_samples(recipe, samples, words, seen, _room(grammar), out)
    return out[: max(0, size - 1)].tobytes().decode().split("\n")


def _recipe(grammar: Grammar, quotas: LineQuotas) -> Any:
    from salva._kernels import pcfg_samples

    total = sum(grammar.sizes.values())
    ups = np.cumsum(list(grammar.sizes.values()))
    thresholds = np.array([_TOP * int(up) // total for up in ups], np.uint64)
    return pcfg_samples.Recipe(
        derive_key(grammar.seed, PURPOSE),
        np.array(list(grammar.sizes), np.int64),
        thresholds,
        max(depth for depth, _ in quotas.numbers),
        max(length for _, length in quotas.numbers),
    )


def _room(grammar: Grammar) -> Any:
    from salva._kernels import pcfg_samples

    pending = np.empty(2 * MOST_DEPTH + 2, np.int64)
    return pcfg_samples.Room(
        pending, np.empty(len(grammar.sizes), np.int64), np.empty(max(grammar.sizes), np.int64)
    )


def _shortage(grammar: Grammar, quotas: LineQuotas, open_quotas: Any, drawn: int) -> UsageError:
    if int(open_quotas.strings.max()) * 20 < len(grammar.alphabet) ** max(grammar.sizes) // 2:
        symbols = number_of(len(grammar.alphabet), "symbol")
        remedy = f"{symbols} cannot make enough strings; use more symbols or longer strings"
    else:
        remedy = "ask for fewer lines, or for more depths and lengths"
    total = int(quotas.sizes.sum())
    full, lines = total - int(open_quotas.wanted.sum()), f"{number_of(total, 'line')} {quotas.lines}"
    return UsageError(f"found {full:,} of {lines} among {drawn:,} samples; {remedy}")
