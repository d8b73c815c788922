"""Notes that a reader needs to interpret a score: what was not measured, and why numbers may mislead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from salva._show import number_of
from salva.runs import Noise
from salva.twins.comparators import spaced
from salva.twins.comparison import Comparison
from salva.twins.pair import TwinPair
from salva.twins.pcfg.names import function_name
from salva.twins.results import SubsetScore


def unmet_kinds(pairs: Sequence[TwinPair], expected: Sequence[str]) -> list[str]:
    """Return the expected kinds that have no pair.

    >>> unmet_kinds([TwinPair("copy A", "copy_twin A", "A", "A", "copy", 0)], ["copy", "swap"])
    ['swap_first_last']
    """
    known = {pair.kind_name for pair in pairs}
    return [kind for kind in dict.fromkeys(map(function_name, expected)) if kind not in known]


def note_numbers(compared: Comparison, overall: SubsetScore, distinct: int) -> Iterator[str]:
    """Yield notes on the numbers over all pairs; `distinct` is the number of different answers."""
    table, measured = compared.table, int(compared.table.answered.sum())
    both_empty = table.count(table.answered & compared.empty() & compared.twin_empty())
    controls = sum(spaced(pair.target) != spaced(pair.twin_target) for pair in compared.pairs)
    if overall.n_failed:
        yield f"pairs not measured because a side has no answer: {overall.n_failed:,}"
    if controls:
        yield f"pairs whose targets differ, so that equal answers are wrong: {controls:,}"
    if measured and not overall.n:
        yield "no pair has a target: it is unknown whether consistent answers are right"
    elif overall.n_unlabelled:
        yield f"pairs without a target, which count only for consistency: {overall.n_unlabelled:,}"
    if both_empty:
        yield f"pairs with two empty answers, which the two rules count differently: {both_empty:,}"
    if measured > 1 and distinct == 1:
        yield "all answers are identical: consistency says nothing about synonyms here"
    elif overall.chance is not None and overall.chance >= 10:
        yield f"{overall.chance:.1f} % of shuffled pairs would agree: answers vary little"
    if overall.n and overall.both_right.value == 0:
        yield "no pair is right on both sides: consistency counts only errors here"
    repeated = _count_repeated(compared)
    if repeated >= measured > 0:
        answers = f"{repeated:,} of {2 * measured:,}"
        yield f"answers that repeat their own text: {answers}; were texts given as answers?"


def _count_repeated(compared: Comparison) -> int:
    """Return how many answers repeat the text that was asked about although it is not the target."""
    pairs = compared.pairs
    sides = [(pair.source, pair.target, answer) for pair, answer in zip(pairs, compared.answers, strict=True)]
    sides += [(p.twin, p.twin_target, answer) for p, answer in zip(pairs, compared.twin_answers, strict=True)]
    return sum(
        answer is not None and spaced(text) == spaced(answer) != spaced(right)
        for text, right, answer in sides
    )


def note_noise(noise: Noise) -> Iterator[str]:
    """Yield notes on answers that change when sources are asked again."""
    if noise.changed:
        changed = f"{noise.changed:,} of {number_of(noise.asked, 'source')}"
        yield (
            f"the model answers {changed} differently when asked again: its answers vary by themselves, "
            "and as many pairs may be inconsistent by chance"
        )
    elif noise.alone_changed:
        changed = f"{noise.alone_changed:,} of {number_of(noise.alone_asked, 'answer')}"
        yield f"{changed} differ when asked alone: the model's answer depends on the batch"
