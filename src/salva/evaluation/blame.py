"""Which edits are to blame: the smallest sets of edits that, when undone, bring back the first answer.

A search asks about sets of edits. Searches over many rows run side by side, so that the model gets full
batches. In a text with few edits, each is undone alone. A text with many is halved: the search finds a set
from which no edit can be left out, a single edit if one suffices. Both stop after a given number of calls.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from salva.evaluation.axes import Variant
from salva.evaluation.results import Blame, BlamedWord, Edit, Flip, Replacement
from salva.numbers import wilson

Edits: TypeAlias = frozenset[int]
Cause: TypeAlias = Literal["alone", "together", "either", "render", "variant"]
Search: TypeAlias = Generator[list[Edits], list[bool], "Explanation"]


_AROUND = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, slots=True)
class Explanation:
    """The edits to blame; empty if the answer stays changed without them, or the calls did not suffice."""

    blamed: Edits = frozenset()
    cause: Cause | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A flip to explain; `spliced` means that its text without the edits is the original.

    If its text is a question, `values` are the columns that were rewritten in it, and `places` has the column
    of every edit, and where that begins in the text. With a `variant`, it is also asked in another way.
    """

    flip: Flip
    spliced: bool
    values: tuple[str, ...] = ()
    places: tuple[tuple[int, int], ...] = ()
    variant: Variant | None = None

    @property
    def rest(self) -> Cause:
        """What else than the edits may have changed the answer."""
        return "render" if self.variant is None else "variant"

    def undo(self, undone: Edits) -> tuple[str, ...]:
        """Return the rewritten columns with some of the edits undone."""
        if not self.values:
            return (undo(self.flip.text, self.flip.edits, undone),)
        values = []
        for column, value in enumerate(self.values):
            own = [(k, start) for k, (owner, start) in enumerate(self.places) if owner == column]
            edits = [self.flip.edits[k].moved(-start) for k, start in own]
            values.append(undo(value, edits, frozenset(i for i, (k, _) in enumerate(own) if k in undone)))
        return tuple(values)


class _SpentError(Exception):
    """No calls are left."""


def search(edits: int, calls: int, *, spliced: bool, rest: Cause = "render") -> Search:
    """Look for the edits to blame: yield sets to undo; the caller sends whether each brings the answer back.

    If the question without the edits is not the clean one, `rest` is the cause if none does.

    >>> steps = search(2, 10, spliced=True)
    >>> next(steps)
    [frozenset({0}), frozenset({1})]
    >>> steps.send([False, True])
    Traceback (most recent call last):
    StopIteration: Explanation(blamed=frozenset({1}), cause='alone')
    """
    everything = frozenset(range(edits))
    left = _Calls(calls)
    try:
        if not spliced and not (yield from left.try_each([everything]))[0]:
            return Explanation(cause=rest)
        if 2 * edits <= calls:
            works = yield from left.try_each([frozenset({edit}) for edit in range(edits)])
            if any(works):
                return Explanation(
                    frozenset(edit for edit, work in enumerate(works) if work),
                    "alone" if sum(works) == 1 else "together",
                )
        minimal = yield from _minimal(left, frozenset(), everything, doubtful=False)
        works = yield from left.try_each([minimal])
        if not works[0]:
            return Explanation()
        return Explanation(minimal, "alone" if len(minimal) == 1 else "either")
    except _SpentError:
        return Explanation()


class _Calls:
    def __init__(self, left: int) -> None:
        self._left = left

    def try_each(self, sets: list[Edits]) -> Generator[list[Edits], list[bool], list[bool]]:
        if len(sets) > self._left:
            raise _SpentError
        self._left -= len(sets)
        return (yield sets)


def _minimal(
    left: _Calls, undone: Edits, among: Edits, *, doubtful: bool
) -> Generator[list[Edits], list[bool], Edits]:
    """Return edits of `among` that are all needed in addition to `undone` (Junker's QuickXplain, 2004)."""
    if doubtful and (yield from left.try_each([undone]))[0]:
        return frozenset()
    if len(among) <= 1:
        return among
    ordered = sorted(among)
    first, second = frozenset(ordered[: len(ordered) // 2]), frozenset(ordered[len(ordered) // 2 :])
    later = yield from _minimal(left, undone | first, second, doubtful=True)
    earlier = yield from _minimal(left, undone | later, first, doubtful=bool(later))
    return earlier | later


def undo(text: str, edits: Sequence[Edit], undone: Edits) -> str:
    """Return a transformed text with some of its edits undone.

    >>> undo("a fine flick", [Edit(2, 6, "good", "fine", "wordnet", False)], frozenset({0}))
    'a good flick'
    """
    parts, last = [], 0
    for k in sorted(undone):
        parts += [text[last : edits[k].start], edits[k].old]
        last = edits[k].end
    return "".join([*parts, text[last:]])


def find_blame(
    cases: Sequence[Case], calls: int, comes_back: Callable[[list[tuple[Case, tuple[str, ...]]]], list[bool]]
) -> tuple[list[Explanation], Blame]:
    """Examine flips; `comes_back` returns, for each text, whether it gets the first answer again.

    A text is given by its rewritten columns.
    """
    explanations: list[Explanation] = [Explanation()] * len(cases)
    running: dict[int, tuple[Search, list[Edits]]] = {}
    asked = 0
    for k, case in enumerate(cases):
        steps = search(len(case.flip.edits), calls, spliced=case.spliced, rest=case.rest)
        _advance(k, steps, None, running, explanations)
    while running:
        pending = [(k, subset) for k, (_, sets) in running.items() for subset in sets]
        texts = [(cases[k], cases[k].undo(subset)) for k, subset in pending]
        asked += len(texts)
        answers = iter(comes_back(texts))
        for k, (steps, sets) in list(running.items()):
            _advance(k, steps, [next(answers) for _ in sets], running, explanations)
    return explanations, _sum_up(cases, explanations, calls, asked)


def _advance(
    k: int,
    steps: Search,
    answers: list[bool] | None,
    running: dict[int, tuple[Search, list[Edits]]],
    explanations: list[Explanation],
) -> None:
    try:
        running[k] = steps, next(steps) if answers is None else steps.send(answers)
    except StopIteration as stop:
        explanations[k] = stop.value
        running.pop(k, None)


def _sum_up(cases: Sequence[Case], explanations: Sequence[Explanation], calls: int, asked: int) -> Blame:
    seen: Counter[tuple[str, str, str]] = Counter()
    blamed: Counter[tuple[str, str, str]] = Counter()
    for case, explanation in zip(cases, explanations, strict=True):
        for k, edit in enumerate(case.flip.edits):
            key = (edit.old.lower(), edit.new.lower(), edit.rule)
            seen[key] += 1
            blamed[key] += k in explanation.blamed
    table = [
        Replacement(*key, seen[key], times, wilson(times, seen[key]))
        for key, times in blamed.items()
        if times
    ]
    table.sort(key=lambda word: (-word.blamed, word.seen, word.old, word.new, word.rule))
    causes = Counter(explanation.cause for explanation in explanations)
    return Blame(
        rows=len(cases),
        explained=sum(bool(explanation.blamed) for explanation in explanations),
        by_render=causes["render"],
        most_calls_a_row=calls,
        calls=asked,
        table=tuple(table),
        words=_count_words(cases, explanations),
        alone=causes["alone"],
        together=causes["together"],
        either=causes["either"],
        by_variant=causes["variant"],
    )


@dataclass(slots=True)
class _Word:
    """Counts of one original word."""

    became: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    causes: Counter[Cause | None] = field(default_factory=Counter)

    def as_result(self, word: str) -> BlamedWord:
        seen, blamed = self.rules.total(), self.causes.total()
        kinds = (self.causes["alone"], self.causes["together"], self.causes["either"])
        became, rules = ([key for key, _ in some.most_common()] for some in (self.became, self.rules))
        return BlamedWord(word, tuple(became), tuple(rules), seen, blamed, *kinds, wilson(blamed, seen))


def _count_words(cases: Sequence[Case], explanations: Sequence[Explanation]) -> tuple[BlamedWord, ...]:
    """Return the original words with an edit to blame, those most often to blame first."""
    words: dict[str, _Word] = {}
    for case, explanation in zip(cases, explanations, strict=True):
        for k, edit in enumerate(case.flip.edits):
            word = words.setdefault(name_word(edit.old), _Word())
            word.became[name_word(edit.new)] += 1
            word.rules[edit.rule] += 1
            if k in explanation.blamed:
                word.causes[explanation.cause] += 1
    found = [counts.as_result(word) for word, counts in words.items() if counts.causes]
    return tuple(sorted(found, key=lambda one: (-one.blamed, one.seen, one.word)))


def name_word(text: str) -> str:
    """Return a word in lower case without the punctuation around it; punctuation alone stays.

    >>> name_word("“Bad”;"), name_word("...")
    ('bad', '...')
    """
    return (_AROUND.sub("", text) or text).casefold()
