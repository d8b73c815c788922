"""The recipe of the generator in plain Python: one sample after the other, trees as lists, strings in a set.

It shares nothing with the product but the values of lines; its draws are those of the slow counter-based
generator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from salva.twins import interpret
from tests.reference import rng
from tests.reference.rng import draw

Cell = tuple[int, int]

UNARY = ("copy", "reverse", "shift", "swap_first_last", "repeat", "echo")
BINARY = ("append", "prepend", "remove_first", "remove_second")
SAMPLE, P_UNARY, P_CALL, CALL, ARITY, FUNCTION, SIZE, STRING, ATTEMPT, LETTER, ORDER = range(11)


class Recipe(NamedTuple):
    alphabet: tuple[str, ...]
    sizes: Mapping[int, int]
    seed: int = 0

    def key(self, purpose: str) -> int:
        return rng.row_key(purpose.encode(), self.seed, 0)


class Sample(NamedTuple):
    """Functions and sizes of strings, in the order they are written, and what they amount to."""

    key: int
    nodes: list[str | int]
    depth: int
    length: int


def drawn(recipe: Recipe, number: int, key: int, most: Cell) -> Sample | None:
    """Return a sample, or None if it is deeper or longer than the most."""
    own = draw(key, number, SAMPLE)
    p_unary, p_call = draw(own, 0, P_UNARY) >> 11, draw(own, 0, P_CALL) >> 11
    nodes: list[str | int] = []
    pending, depth, length = [1], 0, 0
    while pending:
        at, place = pending.pop(), len(nodes)
        if place == 0 or draw(own, place, CALL) >> 11 < p_call:
            kinds = UNARY if draw(own, place, ARITY) >> 11 < p_unary else BINARY
            nodes.append(kinds[rng.bounded(draw(own, place, FUNCTION), len(kinds))])
            depth = max(depth, at)
            length += 1 if kinds is UNARY else 2
            pending += [at + 1] * (1 if kinds is UNARY else 2)
        else:
            nodes.append(size_of(recipe.sizes, draw(own, place, SIZE) >> 11))
            length += nodes[-1]
        if depth > most[0] or length + len(pending) > most[1]:
            return None
    return Sample(own, nodes, depth, length)


def size_of(sizes: Mapping[int, int], bits: int) -> int:
    total, up = sum(sizes.values()), 0
    for size, weight in sizes.items():
        up += weight
        if bits < 2**53 * up // total:
            return size
    raise AssertionError


def chosen(recipe: Recipe, wanted: Mapping[Cell, int], groups: Mapping[Cell, int]) -> Iterator[Sample]:
    """Yield samples until every group has as many as are wanted of all its cells."""
    left = Counter()
    for cell, count in wanted.items():
        left[groups[cell]] += count
    free = {size: len(recipe.alphabet) ** size // 2 for size in recipe.sizes}
    most = max(depth for depth, _ in groups), max(length for _, length in groups)
    key, number, missing = recipe.key("twins generate"), 0, sum(left.values())
    while missing:
        sample = drawn(recipe, number, key, most)
        number += 1
        group = groups.get((sample.depth, sample.length), -1) if sample else -1
        if not left[group]:
            continue
        strings = Counter(node for node in sample.nodes if isinstance(node, int))
        if all(count <= free[size] for size, count in strings.items()):
            left[group] -= 1
            missing -= 1
            for size, count in strings.items():
                free[size] -= count
            yield sample


def written(recipe: Recipe, sample: Sample, seen: set[tuple[str, ...]]) -> str:
    """Return the line of a sample; its strings are new."""
    tokens: list[str] = []
    waiting = [False]  # whether a comma comes before the next argument
    for place, node in enumerate(sample.nodes):
        if waiting.pop():
            tokens.append(",")
        if isinstance(node, int):
            tokens += new_string(recipe, draw(sample.key, place, STRING), node, seen)
        else:
            tokens.append(node)
            waiting += [False] if node in UNARY else [True, False]
    return " ".join(tokens)


def new_string(recipe: Recipe, key: int, size: int, seen: set[tuple[str, ...]]) -> tuple[str, ...]:
    attempt, count = 0, len(recipe.alphabet)
    while True:
        bits = draw(key, attempt, ATTEMPT)
        string = tuple(recipe.alphabet[rng.bounded(draw(bits, i, LETTER), count)] for i in range(size))
        if string not in seen:
            seen.add(string)
            return string
        attempt += 1


class Line(NamedTuple):
    source: str
    target: str
    group: int
    functions: int


def all_lines(recipe: Recipe, wanted: Mapping[Cell, int], groups: Mapping[Cell, int]) -> list[Line]:
    """Return all lines in the order in which they are written."""
    seen: set[tuple[str, ...]] = set()
    samples = sorted(chosen(recipe, wanted, groups), key=lambda sample: draw(sample.key, 0, ORDER))
    lines = []
    for sample in samples:
        source = written(recipe, sample, seen)
        functions = sum(isinstance(node, str) for node in sample.nodes)
        lines.append(Line(source, interpret(source), groups[sample.depth, sample.length], functions))
    return lines


def split(recipe: Recipe, lines: list[Line], counts: list[list[int]]) -> list[list[Line]]:
    """Return the lines of each split: of each group, by the length of results, at equal steps."""
    key, labels = recipe.key("twins split"), {}
    by_group: dict[int, list[int]] = {}
    for row, line in enumerate(lines):
        by_group.setdefault(line.group, []).append(row)
    for group, rows in by_group.items():
        rows.sort(key=lambda row: (len(lines[row].target.split()), lines[row].functions))
        turns = []
        for part, count in enumerate(counts):
            start = draw(key, part * len(count) + group, 0) >> 34
            turns += [(((number << 30) + start) // count[group], part) for number in range(count[group])]
        labels |= {row: part for row, (_, part) in zip(rows, sorted(turns), strict=True)}
    return [[line for row, line in enumerate(lines) if labels[row] == part] for part in range(len(counts))]
