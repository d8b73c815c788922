"""The outcome of each pair: whether its sides are right, and whether they are the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from salva._results import choose_evenly
from salva._types import Bools, Ints64
from salva.twins.comparators import Comparator, spaced
from salva.twins.pair import TwinPair
from salva.twins.results import Rule, TwinExample


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcomes of pairs, in order; a flag that is false for a failed pair has no meaning."""

    measured: Bools  # two answers
    labelled: Bools  # and two targets
    right: Bools
    twin_right: Bools
    same: Bools
    empty: Bools
    twin_empty: Bools
    forms: tuple[list[str], list[str]]  # the forms in which answers were compared
    clusters: Ints64  # the number of the source

    @classmethod
    def of(cls, flags: Bools, forms: tuple[list[str], list[str]], clusters: Ints64) -> Outcomes:
        """Return the outcomes whose first seven fields are the rows of a table."""
        measured, labelled, right, twin_right, same, empty, twin_empty = flags
        return cls(measured, labelled, right, twin_right, same, empty, twin_empty, forms, clusters)

    def where(self, chosen: Bools) -> Outcomes:
        """Return the outcomes of some pairs."""
        places, (first, second) = np.flatnonzero(chosen), self.forms
        forms = [first[i] for i in places], [second[i] for i in places]
        sides = (self.right, self.twin_right, self.same, self.empty, self.twin_empty)
        flags = np.stack([self.measured, self.labelled, *sides])
        return Outcomes.of(flags[:, places], forms, self.clusters[places])

    def consistent(self, rule: Rule) -> Bools:
        """Return which pairs have the same answers; an answer is empty if its form is."""
        return self.same & ~(self.empty | self.twin_empty) if rule == "nonempty" else self.same


def outcomes_of(
    pairs: Sequence[TwinPair],
    answers: Sequence[str | None],
    twin_answers: Sequence[str | None],
    chosen: Comparator,
) -> Outcomes:
    """Compare the answers of each pair with each other and with their targets."""
    rows = np.zeros((7, len(pairs)), np.bool_)
    forms: tuple[list[str], list[str]] = ([], [])
    for i, (pair, answer, twin_answer) in enumerate(zip(pairs, answers, twin_answers, strict=True)):
        flags, (form, twin_form) = _compared(pair, answer, twin_answer, chosen)
        rows[:, i] = flags
        forms[0].append(form)
        forms[1].append(twin_form)
    numbers = {text: k for k, text in enumerate(dict.fromkeys(pair.source for pair in pairs))}
    clusters = np.fromiter((numbers[pair.source] for pair in pairs), np.int64, len(pairs))
    return Outcomes.of(rows, forms, clusters)


def _compared(
    pair: TwinPair, answer: str | None, twin_answer: str | None, chosen: Comparator
) -> tuple[tuple[bool, ...], tuple[str, str]]:
    form = "" if answer is None else chosen.form(answer, pair.kind)
    twin_form = "" if twin_answer is None else chosen.form(twin_answer, pair.kind)
    empty, twin_empty = answer is not None and not form, twin_answer is not None and not twin_form
    if answer is None or twin_answer is None:
        return (False, False, False, False, False, empty, twin_empty), (form, twin_form)
    target, twin_target = chosen.target(pair), chosen.target(pair, twin=True)
    right = target is not None and _is_right(chosen, form, target, answer, pair.target)
    twin_right = twin_target is not None and _is_right(
        chosen, twin_form, twin_target, twin_answer, pair.twin_target
    )
    labelled = target is not None and twin_target is not None
    same = chosen.equal(form, twin_form)
    return (True, labelled, right, twin_right, same, empty, twin_empty), (form, twin_form)


def _is_right(chosen: Comparator, form: str, target: str, answer: str, wanted: str) -> bool:
    """Return whether an answer is right; one with an empty form must equal the target as written."""
    return chosen.equal(form, target) if form else spaced(answer) == spaced(wanted)


DEALT = 1000  # most pairs on which a function is called, since it may be slow


def chance(found: Outcomes, rule: Rule, chosen: Comparator, *, seed: int) -> float | None:
    """Return how often, in percent, an answer equals the twin answer of any pair.

    Forms are counted, all against all. A user's function has to be called: on all combinations if these are
    few, otherwise on a random sample.
    """
    places = np.flatnonzero(found.measured)
    if not len(places):
        return None
    first, second = ([forms[i] for i in places] for forms in found.forms)
    if chosen.same is None:
        times = Counter(second)
        return 100 * sum(times[form] for form in first if form or rule == "any") / len(places) ** 2
    dealt = _dealt(first, second, seed)
    alike = sum(chosen.equal(a, b) for a, b in dealt if rule == "any" or (a and b))
    return 100 * alike / len(dealt)


def is_drawn(found: Outcomes, chosen: Comparator) -> bool:
    """Return whether chance is estimated from a sample of shuffled pairs instead of all combinations."""
    return chosen.same is not None and int(found.measured.sum()) ** 2 > DEALT


def _dealt(first: Sequence[str], second: Sequence[str], seed: int) -> list[tuple[str, str]]:
    if len(first) ** 2 <= DEALT:
        return [(a, b) for a in first for b in second]
    draw = np.random.Generator(np.random.Philox(seed)).integers(len(first), size=(DEALT, 2))
    return [(first[i], second[k]) for i, k in draw.tolist()]


def find_examples(
    pairs: Sequence[TwinPair],
    answers: Sequence[str | None],
    twin_answers: Sequence[str | None],
    found: Outcomes,
    *,
    rule: Rule,
    most: int,
) -> Iterator[TwinExample]:
    """Yield some pairs spread over the data, as many of each kind as there is room for."""
    same = found.consistent(rule)
    telling = found.measured & (~same | (found.labelled & ~found.right))
    by_kind: dict[tuple[str, bool], list[int]] = {}
    for i in np.flatnonzero(telling).tolist():
        by_kind.setdefault((pairs[i].group, bool(same[i])), []).append(i)
    for i in sorted(chain(*choose_evenly(by_kind.values(), most))):
        pair, labelled = pairs[i], bool(found.labelled[i])
        yield TwinExample(
            row=pair.row,
            kind=pair.group,
            source=pair.source,
            twin=pair.twin,
            target=pair.target,
            twin_target=pair.twin_target,
            answer=answers[i] or "",
            twin_answer=twin_answers[i] or "",
            right=bool(found.right[i]) if labelled else None,
            twin_right=bool(found.twin_right[i]) if labelled else None,
            same=bool(same[i]),
        )
