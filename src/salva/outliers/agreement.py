"""How well people agree with the authors of sets and with one another: joins answers with sets.

Rates are percentages; kappa and alpha are 1 for full agreement and 0 for chance. Skipped exercises count as
unanswered: they are counted, but not part of any rate.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np

from salva._types import Ints, Ints64, PathLike
from salva.errors import InputError
from salva.outliers.annotating import exercise_id
from salva.outliers.answers import Answer, read_answers, standing
from salva.outliers.sets import WordSet
from salva.stats import (
    Estimate,
    above_guessing,
    bootstrap_rows,
    krippendorff_alpha,
    pairwise_agreement,
    pairwise_interval,
    wilson,
)

_CHOICES = 9
_ENOUGH = 2  # answers that a set needs before it is judged

_Key = TypeVar("_Key", int, str, tuple[str, int], tuple[str, str, str])


@dataclass(frozen=True, slots=True)
class Group:
    """A group of answers: how many of them are the outlier, with a Wilson interval."""

    name: str
    answered: int
    skipped: int
    right: int
    accuracy: Estimate


@dataclass(frozen=True, slots=True)
class SetAgreement:
    """One set: accuracy, agreement between annotators, and whether accuracy is under the threshold.

    `surely_under` means that the whole interval is. A set with a single answer is neither.
    """

    digest: str
    topic: str
    language: str
    answers: Group
    pairwise: float | None
    under: bool
    surely_under: bool


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two annotators: how many exercises both answered, and how many of those the same way."""

    a: str
    b: str
    n: int
    same: int
    rate: Estimate


@dataclass(frozen=True, slots=True)
class Agreement:
    """All results of comparing answers with sets."""

    exercises: int
    threshold: float
    total: Group
    pairwise: Estimate
    kappa: Estimate
    alpha: Estimate
    sets: tuple[SetAgreement, ...]
    annotators: tuple[Group, ...]
    subsets: tuple[Group, ...]
    pairs: tuple[PairAgreement, ...]

    @property
    def under(self) -> tuple[SetAgreement, ...]:
        """The sets under the threshold."""
        return tuple(one for one in self.sets if one.under)

    @property
    def unjudged(self) -> tuple[SetAgreement, ...]:
        """The sets with too few answers for a verdict."""
        return tuple(one for one in self.sets if one.answers.answered < _ENOUGH)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an exercise comes from, and its words in alphabetical order."""

    words: WordSet
    number: int
    choices: tuple[str, ...]

    @property
    def outlier(self) -> str:
        return self.words.outliers[self.number]


@dataclass(frozen=True, slots=True)
class _Places:
    """The exercises of the sets, by id (for one seed) and by words."""

    by_id: dict[str, _Place]
    by_words: dict[tuple[str, ...], _Place]

    def of(self, answer: Answer) -> _Place:
        """Return the exercise that an answer is about; a `ValueError` says what does not match."""
        words = tuple(sorted(answer.words))
        place = self.by_id.get(answer.exercise) or self.by_words.get(words)
        if place is None:
            raise ValueError(f"exercise {answer.exercise!r} is not in the sets; have they changed since?")
        if words != place.choices:
            raise ValueError(f"the words are not those of exercise {answer.exercise!r}")
        if answer.digest not in (None, place.words.digest):
            raise ValueError(f"set {answer.digest!r} is not the set of exercise {answer.exercise!r}")
        return place


@dataclass(frozen=True, slots=True)
class _Given:
    """An answer and the exercise it is about."""

    place: _Place
    annotator: str
    answer: str | None

    @property
    def right(self) -> bool:
        return self.answer == self.place.outlier


def agreement(
    sets: Iterable[WordSet],
    answers: PathLike | Iterable[PathLike],
    *,
    seed: int = 0,
    threshold: float = 90.0,
) -> Agreement:
    """Return how well the answers in files agree with the sets and with each other.

    An exercise is identified by its id, which depends on the seed it was made with, or else by its words.
    Sets with at least two answers are marked if their accuracy is under `threshold` percent. The interval of
    alpha is a bootstrap over exercises; those of pairwise agreement and kappa are Wilson intervals.
    """
    given = _join(_places(sets, seed), _paths(answers))
    by_exercise = _grouped(given, lambda one: (one.place.words.digest, one.place.number))
    counts = _counts(by_exercise.values())
    pairwise = pairwise_interval(counts)
    by_set = _grouped(
        given, lambda one: (one.place.words.topic, one.place.words.language, one.place.words.digest)
    )
    by_annotator = _grouped(given, lambda one: one.annotator)
    by_subset = _grouped(given, lambda one: str(one.place.words.subset_of(one.place.number)))
    return Agreement(
        exercises=len(by_exercise),
        threshold=threshold,
        total=_group("all", given),
        pairwise=pairwise,
        kappa=_kappa(pairwise),
        alpha=_alpha(counts),
        sets=tuple(_set(group, threshold) for group in by_set.values()),
        annotators=tuple(_group(name, group) for name, group in by_annotator.items()),
        subsets=tuple(_group(name, group) for name, group in by_subset.items()),
        pairs=tuple(_pairs(by_annotator)),
    )


def _paths(answers: PathLike | Iterable[PathLike]) -> list[PathLike]:
    return [answers] if isinstance(answers, str | os.PathLike) else list(answers)


def _places(sets: Iterable[WordSet], seed: int) -> _Places:
    by_id, by_words = {}, {}
    for words in sets:
        for exercise in words.exercises():
            choices = tuple(sorted([*words.inliers, exercise.outlier]))
            place = _Place(words, exercise.number, choices)
            by_id[exercise_id(words.digest, exercise.number, seed)] = place
            by_words[choices] = place
    return _Places(by_id, by_words)


def _join(places: _Places, paths: Iterable[PathLike]) -> list[_Given]:
    found: dict[str, _Place] = {}
    answers: list[Answer] = []
    for path in paths:
        for line, answer in read_answers(path):
            try:
                place = places.of(answer)
            except ValueError as error:
                raise InputError.at(path, line, str(error)) from None
            name = f"{place.words.digest} {place.number}"  # the same for every seed
            found[name] = place
            answers.append(dataclasses.replace(answer, exercise=name))
    return [_Given(found[one.exercise], one.annotator, one.answer) for one in standing(answers).values()]


def _grouped(given: Iterable[_Given], key: Callable[[_Given], _Key]) -> dict[_Key, list[_Given]]:
    """Return the answers grouped by a key, sorted by key."""
    groups: dict[_Key, list[_Given]] = {}
    for one in given:
        groups.setdefault(key(one), []).append(one)
    return dict(sorted(groups.items(), key=lambda pair: pair[0]))


def _group(name: str, given: Sequence[_Given]) -> Group:
    answered = sum(one.answer is not None for one in given)
    right = sum(one.right for one in given)
    return Group(name, answered, len(given) - answered, right, wilson(right, answered))


def _set(given: Sequence[_Given], threshold: float) -> SetAgreement:
    words = given[0].place.words
    group = _group(words.topic, given)
    judged = group.answered >= _ENOUGH
    value, high = group.accuracy.value, group.accuracy.high
    return SetAgreement(
        digest=words.digest,
        topic=words.topic,
        language=words.language,
        answers=group,
        pairwise=pairwise_agreement(_counts(_grouped(given, lambda one: one.place.number).values())),
        under=judged and value is not None and value < threshold,
        surely_under=judged and high is not None and high < threshold,
    )


def _counts(exercises: Iterable[Sequence[_Given]]) -> Ints64:
    """Return how often each of the nine choices was made; choices are numbered in alphabetical order.

    With the words themselves as categories, every agreement would look far from chance, because the words of
    other exercises cannot be chosen. Positions in an order that is unrelated to roles avoid that.
    """
    groups = list(exercises)
    counts = np.zeros((len(groups), _CHOICES), dtype=np.int64)
    for i, given in enumerate(groups):
        for one in given:
            if one.answer is not None:
                counts[i, one.place.choices.index(one.answer)] += 1
    return counts


def _kappa(pairwise: Estimate) -> Estimate:
    ends = (pairwise.value, pairwise.low, pairwise.high)
    return Estimate(*(None if end is None else above_guessing(end, _CHOICES) for end in ends))


def _alpha(counts: Ints64) -> Estimate:
    """Return alpha with a bootstrap interval over exercises, left out if all resamples are equal."""

    def statistic(rows: Ints) -> float:
        value = krippendorff_alpha(counts[rows])
        return math.nan if value is None else value

    found = bootstrap_rows(len(counts), statistic)
    return Estimate(found.value) if found.low == found.high else found


def _pairs(by_annotator: dict[str, list[_Given]]) -> Iterator[PairAgreement]:
    answers = {
        name: {one.place: one.answer for one in given if one.answer is not None}
        for name, given in by_annotator.items()
    }
    for a, b in itertools.combinations(answers, 2):
        shared = answers[a].keys() & answers[b].keys()
        same = sum(answers[a][place] == answers[b][place] for place in shared)
        yield PairAgreement(a, b, len(shared), same, wilson(same, len(shared)))
