"""How well people agree with the authors of sets and with one another: joins answers with sets.

Answers are JSON lines, as the page of exercises gives them; of several lines by one annotator about one
exercise, the last one counts.
Rates are percentages; kappa and alpha are 1 for full agreement and 0 for chance. Skipped exercises count as
unanswered: they are counted, but not part of any rate.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np

from salva._arguments import check_whole
from salva._files import read_text
from salva._results import brief
from salva._types import Ints64, PathLike
from salva.errors import InputError
from salva.numbers import (
    Estimate,
    above_guessing,
    alpha_interval,
    pairwise_agreement,
    pairwise_interval,
    wilson,
)
from salva.outliers.people.annotation import exercise_id
from salva.outliers.sets import WordSet, list_paths

_CHOICES = 9
_ENOUGH = 2  # answers that a set needs before it is judged
_SHOWN = 60

_Key = TypeVar("_Key", int, str, tuple[str, int], tuple[str, str, str])


@dataclass(frozen=True, slots=True)
class Answer:
    """Which word of an exercise an annotator chose, and when; None is a skip."""

    annotator: str
    exercise: str
    words: tuple[str, ...]
    answer: str | None
    at: str


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """Counts of some answers: how many of them are the outlier, with a Wilson interval."""

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
    answers: AnswerCounts
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


@brief
@dataclass(frozen=True, slots=True)
class Agreement:
    """All results of comparing answers with sets."""

    exercises: int
    threshold: float
    total: AnswerCounts
    pairwise: Estimate
    kappa: Estimate
    alpha: Estimate
    sets: tuple[SetAgreement, ...]
    annotators: tuple[AnswerCounts, ...]
    subsets: tuple[AnswerCounts, ...]
    pairs: tuple[PairAgreement, ...]

    @property
    def under(self) -> tuple[SetAgreement, ...]:
        """The sets under the threshold."""
        return tuple(judged for judged in self.sets if judged.under)

    @property
    def unjudged(self) -> tuple[SetAgreement, ...]:
        """The sets with too few answers for a verdict."""
        return tuple(unsure for unsure in self.sets if unsure.answers.answered < _ENOUGH)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _SetExercise:
    """An exercise, the set that it comes from, and its words in alphabetical order."""

    words: WordSet
    number: int
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Choice:
    """What an annotator chose in an exercise."""

    exercise: _SetExercise
    annotator: str
    word: str | None

    @property
    def is_right(self) -> bool:
        return self.word == self.exercise.words.outliers[self.exercise.number]


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
    check_whole("seed", seed)
    choices = _join(_index(sets, seed), list_paths(answers))
    by_exercise = _group_by(choices, lambda c: (c.exercise.words.digest, c.exercise.number))
    by_set = _group_by(
        choices, lambda c: (c.exercise.words.topic, c.exercise.words.language, c.exercise.words.digest)
    )
    by_annotator = _group_by(choices, lambda c: c.annotator)
    by_subset = _group_by(choices, lambda c: str(c.exercise.words.subset_of(c.exercise.number)))
    counts = _count_choices(by_exercise.values())
    pairwise = pairwise_interval(counts)
    return Agreement(
        exercises=len(by_exercise),
        threshold=threshold,
        total=_count_answers("all", choices),
        pairwise=pairwise,
        kappa=_kappa(pairwise),
        alpha=alpha_interval(counts),
        sets=tuple(_judge_set(some, threshold) for some in by_set.values()),
        annotators=tuple(_count_answers(name, some) for name, some in by_annotator.items()),
        subsets=tuple(_count_answers(name, some) for name, some in by_subset.items()),
        pairs=tuple(_compare_annotators(by_annotator)),
    )


def _index(sets: Iterable[WordSet], seed: int) -> dict[str | tuple[str, ...], _SetExercise]:
    """Return the exercises of the sets by id, for one seed, and by words in alphabetical order."""
    exercises: dict[str | tuple[str, ...], _SetExercise] = {}
    for words in sets:
        for number, outlier in enumerate(words.outliers):
            choices = tuple(sorted([*words.inliers, outlier]))
            exercise = _SetExercise(words, number, choices)
            exercises |= {exercise_id(words.digest, number, seed): exercise, choices: exercise}
    return exercises


def _join(
    exercises: Mapping[str | tuple[str, ...], _SetExercise], paths: Iterable[PathLike]
) -> list[_Choice]:
    latest: dict[tuple[str, str, int], _Choice] = {}
    for path in paths:
        for line, answer in read_answers(path):
            words, name = tuple(sorted(answer.words)), answer.exercise
            exercise = exercises.get(name) or exercises.get(words)
            if exercise is None:
                problem = f"exercise {name!r} is not in the sets; have they changed since?"
                raise InputError.at(path, line, problem)
            if words != exercise.choices:
                raise InputError.at(path, line, f"the words are not those of exercise {name!r}")
            # An exercise has another id under another seed, but the same digest and number.
            key = answer.annotator, exercise.words.digest, exercise.number
            latest[key] = _Choice(exercise, answer.annotator, answer.answer)
    return list(latest.values())


def read_answers(path: PathLike) -> Iterator[tuple[int, Answer]]:
    """Yield the number and answer of every line; a line that is not an answer is refused."""
    for line, text in enumerate(read_text(path).split("\n"), 1):
        if text.strip():
            yield line, _parse_answer(path, line, text)


def _parse_answer(path: PathLike, line: int, text: str) -> Answer:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise InputError.at(path, line, f"{text[:_SHOWN]!r} must be an answer as a JSON object")
    for key in ("annotator", "exercise", "at"):
        if not isinstance(content.get(key), str) or not content[key].strip():
            raise InputError.at(path, line, f"{key} is {content.get(key)!r}; it must be a string")
    words, chosen = content.get("words"), content.get("answer")
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise InputError.at(path, line, f"words is {words!r}; it must be a list of strings")
    if "answer" not in content or (chosen is not None and chosen not in words):
        problem = f"answer is {chosen!r}; it must be one of the words, or null for a skip"
        raise InputError.at(path, line, problem)
    return Answer(content["annotator"].strip(), content["exercise"], tuple(words), chosen, content["at"])


def _group_by(choices: Iterable[_Choice], key: Callable[[_Choice], _Key]) -> dict[_Key, list[_Choice]]:
    """Return the choices grouped by a key, sorted by key."""
    groups: dict[_Key, list[_Choice]] = {}
    for choice in choices:
        groups.setdefault(key(choice), []).append(choice)
    return dict(sorted(groups.items(), key=lambda pair: pair[0]))


def _count_answers(name: str, choices: Sequence[_Choice]) -> AnswerCounts:
    answered = sum(choice.word is not None for choice in choices)
    right = sum(choice.is_right for choice in choices)
    return AnswerCounts(name, answered, len(choices) - answered, right, wilson(right, answered))


def _judge_set(choices: Sequence[_Choice], threshold: float) -> SetAgreement:
    words = choices[0].exercise.words
    answers = _count_answers(words.topic, choices)
    judged = answers.answered >= _ENOUGH
    value, high = answers.accuracy.value, answers.accuracy.high
    by_number = _group_by(choices, lambda choice: choice.exercise.number)
    return SetAgreement(
        digest=words.digest,
        topic=words.topic,
        language=words.language,
        answers=answers,
        pairwise=pairwise_agreement(_count_choices(by_number.values())),
        under=judged and value is not None and value < threshold,
        surely_under=judged and high is not None and high < threshold,
    )


def _count_choices(exercises: Collection[Sequence[_Choice]]) -> Ints64:
    """Return how often each of the nine choices was made; choices are numbered in alphabetical order.

    With the words themselves as categories, every agreement would look far from chance, because the words of
    other exercises cannot be chosen. Positions in an order that is unrelated to roles avoid that.
    """
    counts = np.zeros((len(exercises), _CHOICES), dtype=np.int64)
    for i, choices in enumerate(exercises):
        for choice in choices:
            if choice.word is not None:
                counts[i, choice.exercise.choices.index(choice.word)] += 1
    return counts


def _kappa(pairwise: Estimate) -> Estimate:
    ends = (pairwise.value, pairwise.low, pairwise.high)
    return Estimate(*(None if end is None else above_guessing(end, _CHOICES) for end in ends))


def _compare_annotators(by_annotator: dict[str, list[_Choice]]) -> Iterator[PairAgreement]:
    words = {
        name: {choice.exercise: choice.word for choice in choices if choice.word is not None}
        for name, choices in by_annotator.items()
    }
    for a, b in itertools.combinations(words, 2):
        shared = words[a].keys() & words[b].keys()
        same = sum(words[a][exercise] == words[b][exercise] for exercise in shared)
        yield PairAgreement(a, b, len(shared), same, wilson(same, len(shared)))
