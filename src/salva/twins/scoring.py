"""Score answers: consistency and the numbers needed to judge it, overall and by function, depth and length.

The scorer of `salva evaluate` (`salva.pairs`) counts right answers and flips. This module adds consistency
under two rules for empty answers, and intervals over sources.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from salva import __version__
from salva._arguments import check_choice, check_whole
from salva._results import signature
from salva._show import number_of
from salva._types import Bools, Ints64
from salva.errors import InputError, UsageError
from salva.models import Text
from salva.pairs import score as score_codes
from salva.pairs.codes import refuse_lengths
from salva.pairs.limits import named_numbers
from salva.runs import Noise, Reruns, count_noise, list_failures
from salva.stats import Estimate, bootstrap_counts, with_holm
from salva.twins.comparators import Comparator, Same, comparator, spaced
from salva.twins.comparison import DEALT, Outcomes, chance, find_examples, is_drawn, outcomes_of
from salva.twins.pair import TwinPair
from salva.twins.pcfg.language import Language, language
from salva.twins.pcfg.names import ALIASES, CONTROLS, FUNCTIONS, function_name, twin_words
from salva.twins.results import OVERALL, RULES, Agreement, Rule, SubsetScore, TwinScore

FORMAT = 1
_LENGTHS = (10, 20, 30, 40, 60, 100, 200)  # upper bounds of the groups, in words
_KINDS = {*FUNCTIONS, *ALIASES, *(f"{old}/{new}" for old, new in CONTROLS.items())}  # of pairs of PCFG SET


def score(
    pairs: Sequence[TwinPair],
    answers: Sequence[str | None],
    twin_answers: Sequence[str | None],
    *,
    reruns: Reruns | None = None,
    rule: Rule = "any",
    compare: str | Comparator | Same = "exact",
    accepted: Mapping[str, Sequence[str]] | None = None,
    model: str = "",
    data: str = "",
    errors: Mapping[str, int] | None = None,
    cut: int = 0,
    expected: Sequence[str] = (),
    seed: int = 0,
    resamples: int = 10_000,
    examples: int = 200,
) -> TwinScore:
    """Return the score of the answers to sources and to twins; None means no answer, "" an empty answer.

    An empty target means that the target is unknown; such a pair counts only for consistency. `reruns` are
    answers to sources that were asked again; `cut` is the number of texts or answers cut off by a limit of
    the model. A note names the `expected` kinds of pairs, such as functions, that have no pair.

    >>> pair = TwinPair("copy A B", "copy_twin A B", "A B", "A B", "copy", 0)
    >>> found = score([pair], ["A B"], ["B A"]).overall
    >>> found.consistency.value, found.accuracy.value, found.twin_accuracy.value
    (0.0, 100.0, 0.0)
    """
    check_choice("rule", rule, RULES)
    refuse_lengths({"pairs": pairs, "answers": answers, "twin answers": twin_answers})
    _refuse_strange(pairs, (*answers, *twin_answers), resamples)
    chosen = comparator(compare, accepted)
    found = outcomes_of(pairs, answers, twin_answers, chosen)
    numbers = _Numbers(rule, chosen, check_whole("seed", seed), resamples)
    overall = numbers.group(OVERALL, found)
    kinds = numbers.groups(found, [pair.group for pair in pairs], str)
    known = {spaced(one) for one in (*answers, *twin_answers) if one is not None}
    noise = None if reruns is None else noise_of(pairs, reruns, chosen)
    notes = _notes(found, overall, len(known), _controls(pairs))
    repeated = _repeated(pairs, answers, twin_answers)
    if 2 * repeated >= 2 * found.measured.sum() > 0:
        both = 2 * int(found.measured.sum())
        notes.append(
            f"answers that repeat their own text: {repeated:,} of {both:,}; were texts given as answers?"
        )
    without = unmet_kinds(pairs, expected)
    if without:
        notes.append(f"kinds without pairs, about which nothing is known: {', '.join(without)}")
    if cut:
        notes.append(f"texts or answers cut off by a token limit: {cut:,}")
    if is_drawn(found, chosen):
        notes.append(f"chance is estimated from {DEALT:,} shuffled pairs, compared by the function")
    return TwinScore(
        format=FORMAT,
        salva=__version__,
        signature=_signature(numbers, chosen, overall, len(pairs)),
        model=model,
        data=data,
        rule=rule,
        rules=dict(RULES),
        comparator=f"{chosen.name}: {chosen.says}",
        pairs=len(pairs),
        empty=int(found.empty.sum()),
        twin_empty=int(found.twin_empty.sum()),
        distinct=len(known),
        noise=noise,
        overall=overall,
        kinds=tuple(with_holm(kinds)),
        depths=numbers.groups(found, _depths(pairs), lambda depth: f"depth {depth}"),
        lengths=numbers.groups(found, [_length(pair.source) for pair in pairs], _spoken_length),
        notes=(*notes, *(noise_notes(noise) if noise is not None else ())),
        failures=list_failures(errors or {}),
        examples=tuple(find_examples(pairs, answers, twin_answers, found, rule=rule, most=examples)),
    )


def unmet_kinds(pairs: Sequence[TwinPair], expected: Sequence[str]) -> list[str]:
    """Return the expected kinds that have no pair.

    >>> unmet_kinds([TwinPair("copy A", "copy_twin A", "A", "A", "copy", 0)], ["copy", "swap"])
    ['swap_first_last']
    """
    known = {pair.group for pair in pairs}
    return [kind for kind in dict.fromkeys(map(function_name, expected)) if kind not in known]


def number_names() -> list[str]:
    """Return the names of all numbers of a group, for use in limits.

    >>> number_names()[:2]
    ['n', 'n_failed']
    """
    return list(named_numbers(asdict(score([], [], []).overall)))


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Computes the numbers of groups."""

    rule: Rule
    chosen: Comparator
    seed: int
    resamples: int

    def groups(
        self, found: Outcomes, keys: Sequence[object], name: Callable[[object], str]
    ) -> tuple[SubsetScore, ...]:
        """Return the numbers of each group of pairs; a pair with the key None is in no group."""
        order = list(dict.fromkeys(key for key in keys if key is not None))
        order.sort(key=lambda key: key if isinstance(key, int) else 0)  # names keep their order
        places = {key: k for k, key in enumerate(order)}
        codes = np.fromiter((places.get(key, -1) for key in keys), np.int64, len(keys))
        return tuple(self.group(name(key), found.where(codes == k)) for k, key in enumerate(order))

    def group(self, name: str, found: Outcomes) -> SubsetScore:
        """Return the numbers of some pairs."""
        counted = score_codes(*_codes(found), resamples=1)
        agreements: dict[Rule, Agreement] = {"any": self._agreement(found, "any")}
        differ = bool(
            (found.same & (found.empty | found.twin_empty)).any()
        )  # else the rules agree, and drawing costs
        agreements["nonempty"] = self._agreement(found, "nonempty") if differ else agreements["any"]
        chosen, base = agreements[self.rule], found.labelled
        return SubsetScore(
            name=name,
            n=counted.n,
            n_failed=counted.n_failed,
            n_unlabelled=counted.n_unlabelled,
            sources=len(np.unique(found.clusters[found.measured])),
            accuracy=self._rate(found, found.right, base),
            twin_accuracy=self._rate(found, found.twin_right, base),
            drop=self._mean(found, found.right.astype(np.int64) - found.twin_right, base, least=-1),
            both_right=self._rate(found, found.right & found.twin_right, base),
            consistency=chosen.consistency,
            consistent_wrong=chosen.consistent_wrong,
            among_incorrect=chosen.among_incorrect,
            by_rule=agreements,
            chance=chance(found, self.rule, self.chosen, seed=self.seed),
            right_to_wrong=counted.right_to_wrong,
            wrong_to_right=counted.wrong_to_right,
            p=counted.p,
            p_holm=None,
        )

    def _agreement(self, found: Outcomes, rule: Rule) -> Agreement:
        same, base = found.consistent(rule), found.labelled
        wrong = base & ~(found.right & found.twin_right)
        return Agreement(
            consistency=self._rate(found, same, found.measured),
            consistent_wrong=self._rate(found, same & wrong, base),
            among_incorrect=self._rate(found, same, wrong),
        )

    def _rate(self, found: Outcomes, hits: Bools, base: Bools) -> Estimate:
        return self._mean(found, hits.astype(np.int64), base, least=0)

    def _mean(self, found: Outcomes, values: Ints64, base: Bools, *, least: int) -> Estimate:
        """Return the mean over pairs in percent, with an interval from a bootstrap over sources.

        Sources with the same number of pairs and the same sum are interchangeable, so the bootstrap draws how
        many there are of each kind. Two extra sources, one at each end, keep the interval honest if all pairs
        agree, as for the drops of `salva.pairs`.
        """
        size = int(found.clusters.max(initial=-1)) + 1
        counts = np.bincount(found.clusters[base], minlength=size)
        sums = np.bincount(found.clusters[base], values[base], size).astype(np.int64)
        seen = np.stack([sums[counts > 0], counts[counts > 0]], axis=1)
        kinds, times = np.unique(np.concatenate([seen, [[least, 1], [1, 1]]]), axis=0, return_counts=True)
        extra = (kinds[:, 1] == 1) & ((kinds[:, 0] == least) | (kinds[:, 0] == 1))
        return bootstrap_counts(
            times - extra,
            lambda drawn: 100 * (drawn @ kinds[:, 0]) / (drawn @ kinds[:, 1]),
            pseudo_counts=extra.astype(np.float64),
            resamples=self.resamples,
            seed=self.seed,
        )


def _codes(found: Outcomes) -> tuple[Ints64, ...]:
    """Return labels, answers and twin answers as codes for `salva.pairs`: 0 is right, -1 is missing."""
    label = np.where(found.labelled, 0, -1)
    wrong = np.where(found.same, 1, 2)  # two wrong answers are the same one, or not
    before = np.where(found.measured, np.where(found.right, 0, 1), -1)
    after = np.where(found.measured, np.where(found.twin_right, 0, wrong), -1)
    return label, before, after


def _depths(pairs: Sequence[TwinPair]) -> list[int | None]:
    """Return the depth of every source, whatever its symbols are; None for plain text."""
    calls = [
        pair.kind in _KINDS and function_name(pair.source.partition(" ")[0]) in FUNCTIONS for pair in pairs
    ]
    lines = (pair.source.split() for pair, is_call in zip(pairs, calls, strict=True) if is_call)
    names = {*FUNCTIONS, *ALIASES, *twin_words(), ","}
    spoken = language(alphabet={token for tokens in lines for token in tokens} - names)
    return [
        _depth(spoken, pair.source) if is_call else None for pair, is_call in zip(pairs, calls, strict=True)
    ]


def _depth(spoken: Language, source: str) -> int | None:
    try:
        return spoken.measures(source).depth
    except InputError:
        return None


def _refuse_strange(pairs: Sequence[TwinPair], answers: Sequence[object], resamples: object) -> None:
    """Refuse pairs, answers and numbers of resamples of the wrong type."""
    check_whole("resamples", resamples, 1)
    for pair in pairs:
        if not isinstance(pair, TwinPair):
            raise UsageError(f"pair {pair!r:.80} must be a TwinPair")
    for answer in answers:
        if answer is not None and not isinstance(answer, str):
            raise UsageError(f"answer {answer!r:.80} must be a string; use None for no answer")


def _length(source: str) -> int:
    words = len(source.split())
    return next((place for place, last in enumerate(_LENGTHS) if words <= last), len(_LENGTHS))


def _spoken_length(place: object) -> str:
    k = int(str(place))
    if k == len(_LENGTHS):
        return f"over {_LENGTHS[-1]} words"
    return f"{_LENGTHS[k - 1] + 1 if k else 1} to {_LENGTHS[k]} words"


def _notes(found: Outcomes, overall: SubsetScore, distinct: int, controls: int) -> list[str]:
    """Return the notes that a reader needs to interpret the numbers."""
    notes, measured = [], int(found.measured.sum())
    both_empty = int((found.measured & found.empty & found.twin_empty).sum())
    if overall.n_failed:
        notes.append(f"pairs not measured because a side has no answer: {overall.n_failed:,}")
    if controls:
        notes.append(f"pairs whose targets differ, so that equal answers are wrong: {controls:,}")
    if measured and not overall.n:
        notes.append("no pair has a target: it is unknown whether consistent answers are right")
    elif overall.n_unlabelled:
        notes.append(f"pairs without a target, which count only for consistency: {overall.n_unlabelled:,}")
    if both_empty:
        notes.append(f"pairs with two empty answers, which the two rules count differently: {both_empty:,}")
    if measured > 1 and distinct == 1:
        notes.append("all answers are identical: consistency says nothing about synonyms here")
    elif overall.chance is not None and overall.chance >= 10:
        notes.append(f"{overall.chance:.1f} % of shuffled pairs would agree: answers vary little")
    if overall.n and overall.both_right.value == 0:
        notes.append("no pair is right on both sides: consistency counts only errors here")
    return notes


def _repeated(
    pairs: Sequence[TwinPair], answers: Sequence[str | None], twin_answers: Sequence[str | None]
) -> int:
    """Return how many answers repeat the text that was asked about although it is not the target."""
    sides = [(pair.source, pair.target, answer) for pair, answer in zip(pairs, answers, strict=True)]
    sides += [(pair.twin, pair.twin_target, answer) for pair, answer in zip(pairs, twin_answers, strict=True)]
    return sum(
        said is not None and spaced(text) == spaced(said) != spaced(right) for text, right, said in sides
    )


def _controls(pairs: Sequence[TwinPair]) -> int:
    return sum(spaced(pair.target) != spaced(pair.twin_target) for pair in pairs)


def _signature(numbers: _Numbers, chosen: Comparator, overall: SubsetScore, pairs: int) -> str:
    return signature(
        twins=pairs,
        sources=overall.sources,
        rule=numbers.rule,
        compare=chosen.name,
        bootstrap=f"sources x {numbers.resamples}",
        seed=numbers.seed,
        version=__version__,
    )


def noise_of(pairs: Sequence[TwinPair], reruns: Reruns, chosen: Comparator) -> Noise:
    """Return how many answers changed."""
    kinds: dict[Text, str] = {pair.source: pair.kind for pair in reversed(pairs)}

    def changed(answers: Sequence[str | None]) -> list[int]:
        codes = []
        rows = zip(reruns.texts, reruns.first, answers, strict=False)  # not all are asked alone
        for text, first, answer in rows:
            if first is None or answer is None:
                codes.append(-1)
            else:
                forms = (chosen.form(one, kinds[text]) for one in (first, answer))
                codes.append(int(not chosen.equal(*forms)))
        return codes

    answered = [-1 if first is None else 0 for first in reruns.first]
    return count_noise(answered, changed(reruns.again), changed(reruns.alone))


def noise_notes(found: Noise) -> list[str]:
    """Return notes on the noise that a reader needs to judge the consistency."""
    notes = []
    if found.changed:
        some = f"{found.changed:,} of {number_of(found.asked, 'source')}"
        changed = f"the model answers {some} differently when asked again"
        notes.append(
            f"{changed}: its answers vary by themselves, and as many pairs may be inconsistent by chance"
        )
    if found.alone_changed and not found.changed:
        changed = (
            f"{found.alone_changed:,} of {number_of(found.alone_asked, 'answer')} differ when asked alone"
        )
        notes.append(f"{changed}: the model's answer depends on the batch")
    return notes
