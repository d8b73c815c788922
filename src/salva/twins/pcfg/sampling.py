"""Random draws for a seed and a purpose, and lines drawn from the grammar with them.

A draw is 64 bits that depend on a key, a number and a stage only, as those of presets do; the name of the
purpose takes the place of a text. Lines are asked for by quotas: numbers for some depths and lengths.

Samples are drawn until every quota is full. The key of a sample determines all of it. Each has its own
probabilities of a call and of a function of one argument, like the samples of the published generator. Many
samples are walked side by side; only those that are chosen become lines.
"""

from __future__ import annotations

import json
import string
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import accumulate, count
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from salva._arguments import check_whole
from salva._show import number_of
from salva._types import Ints64, Uints64
from salva.errors import UsageError
from salva.twins.pcfg.language import define_language
from salva.twins.pcfg.names import FUNCTIONS

SYMBOLS = 520
# The stages of draws are part of what a seed means: if a number changes, results change.
SAMPLE, P_UNARY, P_CALL, CALL, ARITY, FUNCTION, SIZE, STRING, ATTEMPT, LETTER, ORDER = range(11)

_CHUNK = 1 << 16
_LEAST_TRIES, _TRIES_A_LINE = 1 << 24, 1000
_NAMES = tuple(FUNCTIONS)
_UNARY = sum(arity == 1 for arity in FUNCTIONS.values())  # these come first
_MASK, _GOLDEN = (1 << 64) - 1, 0x9E3779B97F4A7C15

Cell = tuple[int, int]
Item = TypeVar("Item")
Bits = TypeVar("Bits", int, NDArray[Any])


def mix(bits: Bits) -> Bits:
    """Scatter 64 bits over 64 bits, one to one, as splitmix64 does."""
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & _MASK
    bits ^= bits >> 31
    return bits


def draw(key: Bits, number: Any, stage: int) -> Bits:
    """Return the 64 bits for a number at a stage; with an array of keys, `number` may be an array as well."""
    place: Any = mix(((number << 16 | stage) * _GOLDEN + _GOLDEN) & _MASK)
    bits: Bits = key ^ place
    return mix(bits)


def bounded(bits: Bits, size: int) -> Bits:
    """Return a number in [0, size) with size below 2**32; the bias is less than size / 2**32."""
    return (bits >> 32) * size >> 32


def derive_key(seed: int, purpose: str) -> int:
    """Return the key for a seed and a purpose."""
    start = mix(mix((check_whole("seed", seed) + _GOLDEN) & _MASK))
    bits = 0xCBF29CE484222325  # the hash of the purpose is FNV-1a
    for byte in purpose.encode():
        bits = (bits ^ byte) * 0x100000001B3 & _MASK
    return mix(start ^ mix(bits))


def order_draws(seed: int, purpose: str, size: int) -> list[int]:
    """Return one draw for each number from 0 up to but not including `size`."""
    key = derive_key(seed, purpose)
    return [draw(key, number, SAMPLE) for number in range(size)]


def shuffle(items: Sequence[Item], *, seed: int, purpose: str) -> list[Item]:
    """Return the items in a random order.

    >>> sorted(shuffle("abc", seed=0, purpose="example"))
    ['a', 'b', 'c']
    """
    draws = order_draws(seed, purpose, len(items))
    return [items[i] for i in sorted(range(len(items)), key=draws.__getitem__)]


def make_dice(seed: int, purpose: str) -> Callable[[int], int]:
    """Return a function that draws a number from 0 up to but not including a number of sides.

    >>> roll = make_dice(0, "example")
    >>> 0 <= roll(6) < 6
    True
    """
    key, rolls = derive_key(seed, purpose), count(1)
    return lambda sides: bounded(draw(key, next(rolls), SAMPLE), sides)


@dataclass(frozen=True)
class Official:
    """Counts of the official test set: lines by depth and length, other histograms, and tolerances."""

    cells: Mapping[Cell, int]
    histograms: Mapping[str, Mapping[Hashable, int]]
    strings: Mapping[int, int]
    tolerance: Mapping[str, float]


@cache
def official() -> Official:
    """Return the counts that ship with Salva."""
    raw = json.loads(files("salva.twins").joinpath("data/pcfgset.json").read_text("utf-8"))
    cells = {
        (int(depth), int(length)): count
        for depth, lengths in raw["depth_length"].items()
        for length, count in lengths.items()
    }
    histograms: dict[str, Mapping[Hashable, int]] = {
        name: {int(value): count for value, count in raw[name].items()}
        for name in ("functions_per_line", "output_length")
    }
    lines = Counter(cells)
    histograms |= {
        "depth": Counter(depth for depth, _ in lines.elements()),
        "input_length": Counter(length for _, length in lines.elements()),
        "joint_depth_length": dict(cells),
    }
    strings = {int(size): count for size, count in raw["strings"].items()}
    return Official(cells, histograms, strings, raw["tolerance"])


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
        return None if all(map(define_language().is_symbol, self.alphabet)) else self.alphabet


@dataclass(frozen=True, slots=True)
class LineQuotas:
    """How many lines to draw: the quota of each depth and length, by number, and its size."""

    numbers: Mapping[Cell, int]
    sizes: Sequence[int]
    lines: str  # which lines these are, for errors


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


class Sample(NamedTuple):
    """A line without its symbols: the key of its draws, its nodes in the order of the line, and its quota.

    A node is the number of a function or, from 10 on, of a size of strings.
    """

    key: int
    nodes: bytes
    quota: int


def draw_samples(grammar: Grammar, quotas: LineQuotas) -> tuple[list[Sample], int]:
    """Draw samples until every quota is full; return those that fill them, and how many were drawn.

    Strings of a size are used until half of all possible strings of that size are taken; a sample that needs
    more is skipped. So every string can be different.
    """
    most = max(depth for depth, _ in quotas.numbers), max(length for _, length in quotas.numbers)
    quota_of = np.full((most[0] + 1, most[1] + 1), -1)
    for cell, number in quotas.numbers.items():
        quota_of[cell] = number
    wanted = list(quotas.sizes)
    free = {node: len(grammar.alphabet) ** size // 2 for node, size in enumerate(grammar.sizes, len(_NAMES))}
    key, samples, drawn = derive_key(grammar.seed, "twins generate"), list[Sample](), 0
    while any(wanted):
        if drawn >= max(_LEAST_TRIES, _TRIES_A_LINE * sum(quotas.sizes)):
            raise _shortage(grammar, quotas, wanted, max(free.values()), drawn)
        numbers = np.arange(drawn, drawn + _CHUNK, dtype=np.uint64)
        keys = draw(np.full(_CHUNK, key, np.uint64), numbers, SAMPLE)
        drawn += _CHUNK
        cells, steps = _walk(grammar, keys, most)
        found = quota_of[cells[:, 0], cells[:, 1]]
        rows = np.flatnonzero(np.array([*wanted, 0])[found])  # the last is for -1: no quota
        for sample in map(Sample, keys[rows].tolist(), _nodes_of(steps, rows), found[rows].tolist()):
            strings = {node: sample.nodes.count(node) for node in free}
            if wanted[sample.quota] and all(strings[node] <= free[node] for node in free):
                wanted[sample.quota] -= 1
                free = {node: free[node] - strings[node] for node in free}
                samples.append(sample)
    return samples, drawn


Steps = list[tuple[Ints64, Uints64]]


def _walk(grammar: Grammar, keys: Uints64, most: Cell) -> tuple[Ints64, Steps]:
    """Draw the nodes of many samples side by side.

    Returns the depth and length of each, 0 if it is deeper or longer than the most, and step by step the
    rows of the samples that have another node, and these nodes.
    """
    sizes, weights = list(grammar.sizes), grammar.sizes.values()
    ends = np.array([(1 << 53) * up // sum(weights) for up in accumulate(weights)], np.uint64)
    arities = np.array([*FUNCTIONS.values(), *(0 for _ in sizes)])
    tokens = np.array([*FUNCTIONS.values(), *sizes])  # two arguments bring a comma
    cells = np.zeros((len(keys), 2), np.int64)
    pending = np.ones((len(keys), most[0] + 3), np.uint8)  # the depths of arguments that are still missing
    rows, missing = np.arange(len(keys)), np.ones(len(keys), np.int64)
    depths, lengths = np.zeros((2, len(keys)), np.int64)
    p_unary, p_call = draw(keys, 0, P_UNARY) >> 11, draw(keys, 0, P_CALL) >> 11
    steps: Steps = []
    for place in count():
        if not len(rows):
            return cells, steps
        is_call = (draw(keys, place, CALL) >> 11 < p_call) | (place == 0)
        is_unary = draw(keys, place, ARITY) >> 11 < p_unary
        bits = draw(keys, place, FUNCTION)
        function = np.where(is_unary, bounded(bits, _UNARY), _UNARY + bounded(bits, len(_NAMES) - _UNARY))
        size = np.searchsorted(ends, draw(keys, place, SIZE) >> 11, "right")
        nodes = np.where(is_call, function.astype(np.int64), len(_NAMES) + size)
        steps.append((rows, nodes.astype(np.uint8)))
        at = pending[rows, missing - 1]
        pending[rows, missing - 1] = pending[rows, missing] = at + 1
        missing += arities[nodes] - 1
        depths = np.where(is_call, np.maximum(depths, at), depths)
        lengths += tokens[nodes]
        fits = (depths <= most[0]) & (lengths + missing <= most[1])
        done, more = fits & (missing == 0), fits & (missing > 0)
        cells[rows[done]] = np.stack((depths[done], lengths[done]), 1)
        rows, missing, depths, lengths = rows[more], missing[more], depths[more], lengths[more]
        keys, p_unary, p_call = keys[more], p_unary[more], p_call[more]
    raise AssertionError


def _nodes_of(steps: Steps, rows: Ints64) -> list[bytes]:
    """Return the nodes of the samples in some rows, which are sorted."""
    owners, nodes = (np.concatenate(parts) for parts in zip(*steps, strict=True))
    chosen = np.flatnonzero(np.isin(owners, rows))
    chosen = chosen[np.argsort(owners[chosen], kind="stable")]
    ends = np.searchsorted(owners[chosen], rows, "right").tolist()
    content = nodes[chosen].tobytes()
    return [content[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def write_sample(grammar: Grammar, sample: Sample, seen: set[str]) -> str:
    """Return a sample as a line; its strings are not in `seen`, and are added to it."""
    sizes, nodes = list(grammar.sizes), enumerate(sample.nodes)

    def argument() -> str:
        place, node = next(nodes)
        if node >= len(_NAMES):
            key = draw(sample.key, place, STRING)
            return _new_string(grammar.alphabet, key, sizes[node - len(_NAMES)], seen)
        rest = argument() if node < _UNARY else f"{argument()} , {argument()}"
        return f"{_NAMES[node]} {rest}"

    return argument()


def _new_string(symbols: Sequence[str], key: int, size: int, seen: set[str]) -> str:
    attempts = (draw(key, attempt, ATTEMPT) for attempt in count())
    strings = (
        " ".join([symbols[bounded(draw(bits, i, LETTER), len(symbols))] for i in range(size)])
        for bits in attempts
    )
    new = next(string for string in strings if string not in seen)
    seen.add(new)
    return new


def _shortage(
    grammar: Grammar, quotas: LineQuotas, wanted: Sequence[int], free: int, drawn: int
) -> UsageError:
    """Return why quotas were not filled; `free` is how many strings of the size with the most are left."""
    if free * 20 < len(grammar.alphabet) ** max(grammar.sizes) // 2:
        symbols = number_of(len(grammar.alphabet), "symbol")
        remedy = f"{symbols} cannot make enough strings; use more symbols or longer strings"
    else:
        remedy = "ask for fewer lines, or for more depths and lengths"
    total = sum(quotas.sizes)
    lines = f"{number_of(total, 'line')} {quotas.lines}"
    return UsageError(f"found {total - sum(wanted):,} of {lines} among {drawn:,} samples; {remedy}")
