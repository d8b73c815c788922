"""Score answers: consistency and the numbers needed to judge it, overall and by kind, depth and length.

The counts, rates and intervals are those of `salva.numbers`, as for `salva evaluate`. This module adds
consistency under two rules for empty answers, and chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from salva._arguments import check_choice, check_whole
from salva._results import signature
from salva._version import __version__
from salva.errors import InputError, UsageError
from salva.numbers import named_numbers, refuse_lengths, with_holm
from salva.runs import Reruns, list_failures
from salva.twins.comparators import Comparator, Same, find_comparator, spaced
from salva.twins.comparison import (
    SHUFFLED_PAIRS,
    Comparison,
    chance_agreement,
    compare_answers,
    compare_reruns,
    find_examples,
    is_chance_drawn,
)
from salva.twins.notes import note_noise, note_numbers, unmet_kinds
from salva.twins.pair import TwinPair
from salva.twins.pcfg.language import Language, define_language
from salva.twins.pcfg.names import ALIASES, CONTROLS, FUNCTIONS, function_name, twin_words
from salva.twins.results import OVERALL, RULES, Agreement, Rule, SubsetScore, TwinScore

FORMAT = 1
_LENGTHS = (10, 20, 30, 40, 60, 100, 200)  # upper bounds of the subsets, in words
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
    _refuse_strange(pairs, (*answers, *twin_answers))
    check_whole("seed", seed)
    check_whole("resamples", resamples, 1)
    how = find_comparator(compare, accepted)
    compared = compare_answers(pairs, answers, twin_answers, how, seed=seed, resamples=resamples)
    scorer = _SubsetScorer(rule, how, seed)
    overall = scorer.score(OVERALL, compared)
    distinct = len({spaced(answer) for answer in (*answers, *twin_answers) if answer is not None})
    noise = None if reruns is None else compare_reruns(pairs, reruns, how)
    notes = list(note_numbers(compared, overall, distinct))
    if unmet := unmet_kinds(pairs, expected):
        notes.append(f"kinds without pairs, which were not measured: {', '.join(unmet)}")
    if cut:
        notes.append(f"texts or answers cut off by a token limit: {cut:,}")
    if is_chance_drawn(compared, how):
        notes.append(f"chance is estimated from {SHUFFLED_PAIRS:,} shuffled pairs, compared by the function")
    if noise is not None:
        notes += note_noise(noise)
    return TwinScore(
        format=FORMAT,
        salva=__version__,
        signature=signature(
            twins=len(pairs),
            sources=overall.sources,
            rule=rule,
            compare=how.name,
            clusters="sources",
            resamples=resamples,
            seed=seed,
            version=__version__,
        ),
        model=model,
        data=data,
        rule=rule,
        rules=dict(RULES),
        comparator=f"{how.name}: {how.says}",
        pairs=len(pairs),
        empty=int(compared.empty().sum()),
        twin_empty=int(compared.twin_empty().sum()),
        distinct=distinct,
        noise=noise,
        overall=overall,
        kinds=tuple(with_holm(scorer.score_each(compared, [pair.kind_name for pair in pairs], str))),
        depths=scorer.score_each(compared, _depths(pairs), lambda depth: f"depth {depth}"),
        lengths=scorer.score_each(compared, [_length(pair.source) for pair in pairs], _name_length),
        notes=tuple(notes),
        failures=list_failures(errors or {}),
        examples=tuple(find_examples(compared, rule, examples)),
    )


def number_names() -> list[str]:
    """Return the names of all numbers of a subset, for use in limits.

    >>> number_names()[:2]
    ['n', 'n_failed']
    """
    return list(named_numbers(asdict(score([], [], []).overall)))


@dataclass(frozen=True, slots=True)
class _SubsetScorer:
    """Scores subsets of the pairs."""

    rule: Rule
    comparator: Comparator
    seed: int

    def score_each(
        self, compared: Comparison, keys: Sequence[object], name: Callable[[object], str]
    ) -> tuple[SubsetScore, ...]:
        """Return the score of the pairs with each key; a pair with the key None is in no subset."""
        order = list(dict.fromkeys(key for key in keys if key is not None))
        order.sort(key=lambda key: key if isinstance(key, int) else 0)  # names keep their order
        places = {key: place for place, key in enumerate(order)}
        subsets = np.fromiter((places.get(key, -1) for key in keys), np.int64, len(keys))
        return tuple(
            self.score(name(key), compared.where(subsets == place)) for place, key in enumerate(order)
        )

    def score(self, name: str, compared: Comparison) -> SubsetScore:
        """Return the score of some pairs."""
        table = compared.table
        agreements: dict[Rule, Agreement] = {"any": _agreement(compared, "any")}
        # If no consistent pair is empty, the rules agree, and drawing again would cost time.
        differ = bool((compared.consistent("any") & ~compared.consistent("nonempty")).any())
        agreements["nonempty"] = _agreement(compared, "nonempty") if differ else agreements["any"]
        agreement = agreements[self.rule]
        answered = np.flatnonzero(table.answered).tolist()
        return SubsetScore(
            name=name,
            n=table.n,
            n_failed=table.n_failed,
            n_unlabelled=table.n_unlabelled,
            sources=len({compared.pairs[i].source for i in answered}),
            accuracy=table.accuracy_before(),
            twin_accuracy=table.accuracy_after(),
            drop=table.drop(),
            both_right=table.both_right(),
            consistency=agreement.consistency,
            consistent_wrong=agreement.consistent_wrong,
            among_incorrect=agreement.among_incorrect,
            by_rule=agreements,
            chance=chance_agreement(compared, self.rule, self.comparator, seed=self.seed),
            right_to_wrong=table.right_to_wrong,
            wrong_to_right=table.wrong_to_right,
            p=table.p,
            p_holm=None,
        )


def _agreement(compared: Comparison, rule: Rule) -> Agreement:
    table, same = compared.table, compared.consistent(rule)
    wrong = table.labelled & ~(table.right_before & table.right_after)
    return Agreement(
        consistency=table.rate(same, table.answered),
        consistent_wrong=table.rate(same & wrong, table.labelled),
        among_incorrect=table.rate(same, wrong),
    )


def _depths(pairs: Sequence[TwinPair]) -> list[int | None]:
    """Return the depth of every source, whatever its symbols are; None for plain text."""
    calls = [
        pair.kind in _KINDS and function_name(pair.source.partition(" ")[0]) in FUNCTIONS for pair in pairs
    ]
    lines = (pair.source.split() for pair, is_call in zip(pairs, calls, strict=True) if is_call)
    names = {*FUNCTIONS, *ALIASES, *twin_words(), ","}
    language = define_language(alphabet={token for tokens in lines for token in tokens} - names)
    return [
        _depth(language, pair.source) if is_call else None for pair, is_call in zip(pairs, calls, strict=True)
    ]


def _depth(language: Language, source: str) -> int | None:
    try:
        return language.measures(source).depth
    except InputError:
        return None


def _refuse_strange(pairs: Sequence[TwinPair], answers: Sequence[object]) -> None:
    """Refuse pairs and answers of the wrong type."""
    for pair in pairs:
        if not isinstance(pair, TwinPair):
            raise UsageError(f"pair {pair!r:.80} must be a TwinPair")
    for answer in answers:
        if answer is not None and not isinstance(answer, str):
            raise UsageError(f"answer {answer!r:.80} must be a string; use None for no answer")


def _length(source: str) -> int:
    words = len(source.split())
    return next((place for place, last in enumerate(_LENGTHS) if words <= last), len(_LENGTHS))


def _name_length(place: object) -> str:
    k = int(str(place))
    if k == len(_LENGTHS):
        return f"over {_LENGTHS[-1]} words"
    return f"{_LENGTHS[k - 1] + 1 if k else 1} to {_LENGTHS[k]} words"
