"""Compare the answers to pairs with each other, with their targets, with chance, and when asked again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from salva._results import choose_evenly
from salva._types import Bools
from salva.models import Text
from salva.numbers import PairTable, as_clusters
from salva.runs import Noise, Reruns, count_noise
from salva.twins.comparators import Comparator, spaced
from salva.twins.pair import TwinPair
from salva.twins.results import Rule, TwinExample

SHUFFLED_PAIRS = 1000  # most pairs on which a user's function is called for chance, since it may be slow


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answers to pairs and the forms in which they were compared; one entry per pair.

    In `table`, before is the source and after the twin, and pairs of one source are a cluster if any source
    has several. What it holds about a pair without two answers has no meaning.
    """

    pairs: Sequence[TwinPair]
    answers: Sequence[str | None]
    twin_answers: Sequence[str | None]
    forms: Sequence[str]
    twin_forms: Sequence[str]
    table: PairTable

    def where(self, rows: Bools) -> Comparison:
        """Return the comparison of some pairs."""
        places = np.flatnonzero(rows).tolist()
        return Comparison(
            pairs=[self.pairs[i] for i in places],
            answers=[self.answers[i] for i in places],
            twin_answers=[self.twin_answers[i] for i in places],
            forms=[self.forms[i] for i in places],
            twin_forms=[self.twin_forms[i] for i in places],
            table=self.table.where(rows),
        )

    def empty(self) -> Bools:
        """Return which sources have an empty answer: one whose form is empty."""
        return _empty(self.answers, self.forms)

    def twin_empty(self) -> Bools:
        """Return which twins have an empty answer."""
        return _empty(self.twin_answers, self.twin_forms)

    def consistent(self, rule: Rule) -> Bools:
        """Return which pairs have the same answers under a rule for empty ones."""
        return (
            self.table.same & ~(self.empty() | self.twin_empty()) if rule == "nonempty" else self.table.same
        )


def compare_answers(
    pairs: Sequence[TwinPair],
    answers: Sequence[str | None],
    twin_answers: Sequence[str | None],
    comparator: Comparator,
    *,
    seed: int,
    resamples: int,
) -> Comparison:
    """Compare the answers of each pair with each other and with their targets."""
    forms, twin_forms = _forms(pairs, answers, comparator), _forms(pairs, twin_answers, comparator)
    flags = np.zeros((5, len(pairs)), np.bool_)
    for i, (pair, answer, twin_answer) in enumerate(zip(pairs, answers, twin_answers, strict=True)):
        if answer is not None and twin_answer is not None:
            right = _is_right(comparator, pair, answer, forms[i], twin=False)
            twin_right = _is_right(comparator, pair, twin_answer, twin_forms[i], twin=True)
            labelled = right is not None and twin_right is not None
            same = comparator.equal(forms[i], twin_forms[i])
            flags[:, i] = True, labelled, bool(right), bool(twin_right), same
    numbers = {text: number for number, text in enumerate(dict.fromkeys(pair.source for pair in pairs))}
    sources = np.fromiter((numbers[pair.source] for pair in pairs), np.int64, len(pairs))
    table = PairTable(
        answered=flags[0],
        labelled=flags[1],
        right_before=flags[2],
        right_after=flags[3],
        same=flags[4],
        clusters=as_clusters(sources, len(pairs)),
        seed=seed,
        resamples=resamples,
    )
    return Comparison(pairs, answers, twin_answers, forms, twin_forms, table)


def _is_right(comparator: Comparator, pair: TwinPair, answer: str, form: str, *, twin: bool) -> bool | None:
    """Return whether an answer is right, None if the target is unknown.

    An answer with an empty form must equal the target as written.
    """
    target = comparator.target(pair, twin=twin)
    if target is None:
        return None
    written = pair.twin_target if twin else pair.target
    return comparator.equal(form, target) if form else spaced(answer) == spaced(written)


def _forms(pairs: Sequence[TwinPair], answers: Sequence[str | None], comparator: Comparator) -> list[str]:
    rows = zip(pairs, answers, strict=True)
    return ["" if answer is None else comparator.form(answer, pair.kind) for pair, answer in rows]


def _empty(answers: Sequence[str | None], forms: Sequence[str]) -> Bools:
    rows = zip(answers, forms, strict=True)
    return np.fromiter((answer is not None and not form for answer, form in rows), np.bool_, len(forms))


def chance_agreement(compared: Comparison, rule: Rule, comparator: Comparator, *, seed: int) -> float | None:
    """Return how often, in percent, an answer equals the twin answer of any pair.

    Forms are counted, all against all. A user's function has to be called: on all combinations if these are
    few, otherwise on a random sample.
    """
    places = np.flatnonzero(compared.table.answered).tolist()
    if not len(places):
        return None
    first, second = ([forms[i] for i in places] for forms in (compared.forms, compared.twin_forms))
    if comparator.same is None:
        times = Counter(second)
        return 100 * sum(times[form] for form in first if form or rule == "any") / len(places) ** 2
    if is_chance_drawn(compared, comparator):
        draw = np.random.Generator(np.random.Philox(seed)).integers(len(first), size=(SHUFFLED_PAIRS, 2))
        shuffled = [(first[i], second[k]) for i, k in draw.tolist()]
    else:
        shuffled = [(a, b) for a in first for b in second]
    alike = sum(comparator.equal(a, b) for a, b in shuffled if rule == "any" or (a and b))
    return 100 * alike / len(shuffled)


def is_chance_drawn(compared: Comparison, comparator: Comparator) -> bool:
    """Return whether chance is estimated from a sample of shuffled pairs instead of all combinations."""
    return comparator.same is not None and int(compared.table.answered.sum()) ** 2 > SHUFFLED_PAIRS


def find_examples(compared: Comparison, rule: Rule, most: int) -> Iterator[TwinExample]:
    """Yield some pairs of every kind, spread over the data, whose answers differ or are wrong."""
    table, same = compared.table, compared.consistent(rule)
    telling = table.answered & (~same | (table.labelled & ~table.right_before))
    by_kind: dict[tuple[str, bool], list[int]] = {}
    for i in np.flatnonzero(telling).tolist():
        by_kind.setdefault((compared.pairs[i].kind_name, bool(same[i])), []).append(i)
    for i in sorted(chain(*choose_evenly(by_kind.values(), most))):
        pair, labelled = compared.pairs[i], bool(table.labelled[i])
        yield TwinExample(
            row=pair.row,
            kind=pair.kind_name,
            source=pair.source,
            twin=pair.twin,
            target=pair.target,
            twin_target=pair.twin_target,
            answer=compared.answers[i] or "",
            twin_answer=compared.twin_answers[i] or "",
            right=bool(table.right_before[i]) if labelled else None,
            twin_right=bool(table.right_after[i]) if labelled else None,
            same=bool(same[i]),
        )


def compare_reruns(pairs: Sequence[TwinPair], reruns: Reruns, comparator: Comparator) -> Noise:
    """Return how many answers changed when sources were asked again, compared like the answers of pairs."""
    kinds: dict[Text, str] = {pair.source: pair.kind for pair in reversed(pairs)}

    def changes(answers: Sequence[str | None]) -> list[int]:
        codes = []
        for text, first, answer in zip(
            reruns.texts, reruns.first, answers, strict=False
        ):  # few are asked alone
            if first is None or answer is None:
                codes.append(-1)
            else:
                form, again = (comparator.form(answer, kinds[text]) for answer in (first, answer))
                codes.append(int(not comparator.equal(form, again)))
        return codes

    answered = [-1 if first is None else 0 for first in reruns.first]
    return count_noise(answered, changes(reruns.again), changes(reruns.alone))
