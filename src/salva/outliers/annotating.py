"""Exercises for people: which are asked and in which order, a session of one annotator, and an offline page.

All order comes from keyed hashes of the words and the seed, so that it depends on nothing else: not on files,
on their order, or on the version of a library. The answers are read by `salva.outliers.agreement`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from salva._files import write_atomically
from salva._types import PathLike
from salva.errors import UsageError
from salva.outliers.answers import Answer, append_answer, mend_answers, read_answers, standing
from salva.outliers.sets import WordSet
from salva.pages import render

__all__ = ["Question", "Session", "annotation_page", "exercise_id", "questions", "write_annotation_page"]

logger = logging.getLogger("salva")

_OUTLIERS = 8


@dataclass(frozen=True, slots=True)
class Question:
    """Nine words in the order in which they are shown; what only the asker knows stands behind them."""

    id: str
    words: tuple[str, ...]
    digest: str
    number: int


def exercise_id(digest: str, number: int, seed: int) -> str:
    """Return the opaque name of outlier `number` (from 0) of a set: without sets and seed it says nothing.

    >>> exercise_id("sha256:12", 0, seed=7)
    '4415cac6afb2b6a7'
    """
    return _draw(seed, "exercise", digest, str(number))[:16]


def questions(sets: Iterable[WordSet], *, count: int | None = None, seed: int = 0) -> list[Question]:
    """Return exercises in the order to ask them; by default one a set, at most eight.

    However many are asked, every outlier number and every sub-set has its equal share, give or take one.
    A set comes again only after all others, each time with another outlier: who sees two exercises of a set
    side by side sees which words recur.
    """
    usable = _usable(sets)
    wanted = len(usable) if count is None else count
    if not 1 <= wanted <= _OUTLIERS * len(usable):
        most = _OUTLIERS * len(usable)
        raise UsageError(f"{wanted!r} exercises are not between 1 and {most}, eight a set")
    ordered = sorted(usable, key=lambda one: _draw(seed, "set", one.digest))
    return [
        _question(ordered[turn % len(ordered)], k, seed) for turn, k in _numbers(len(ordered), wanted, seed)
    ]


def _usable(sets: Iterable[WordSet]) -> list[WordSet]:
    """Return the sets of distinct words, each once: with a word twice, nobody could tell what was chosen."""
    by_digest = {one.digest: one for one in sets}
    fine = [one for one in by_digest.values() if len(set(one.words)) == len(one.words)]
    if len(fine) < len(by_digest):
        names = sorted(
            f"{s.language}-{s.topic}" for s in by_digest.values() if len(set(s.words)) < len(s.words)
        )
        logger.warning("left out, since a word stands in them twice: %s", ", ".join(names))
    return fine


def _numbers(sets: int, wanted: int, seed: int) -> Iterable[tuple[int, int]]:
    """Yield turns and outlier numbers: eight turns have eight numbers, four have four sub-sets."""
    subsets = sorted(range(4), key=lambda i: _draw(seed, "subset", str(i)))
    second = [int(_draw(seed, "first", str(i)), 16) % 2 for i in subsets]
    order = [2 * i + late for i, late in zip(subsets, second, strict=True)]
    order += [2 * i + 1 - late for i, late in zip(subsets, second, strict=True)]
    # After so many turns a set would meet its first number again; one step aside, it never does.
    period = sets * _OUTLIERS // math.gcd(sets, _OUTLIERS)
    for turn in range(wanted):
        yield turn, order[(turn + turn // period) % _OUTLIERS]


def _question(words: WordSet, number: int, seed: int) -> Question:
    name = exercise_id(words.digest, number, seed)
    shown = [*words.inliers, words.outliers[number]]
    return Question(
        name, tuple(sorted(shown, key=lambda w: _draw(seed, "word", name, w))), words.digest, number
    )


def _draw(seed: int, *parts: str) -> str:
    return hmac.new(str(seed).encode(), "\x1f".join(parts).encode(), hashlib.sha256).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class Session:
    """The way of one annotator through the questions; every step is on disk before the next.

    A session over a file with answers goes on where the annotator stopped.
    """

    def __init__(
        self,
        asked: Sequence[Question],
        path: PathLike,
        annotator: str,
        *,
        clock: Callable[[], str] = _now,
    ) -> None:
        if not annotator.strip():
            raise UsageError("annotator is empty; give a name or a number")
        self.annotator = annotator.strip()
        self._path, self._clock = path, clock
        self._asked = {question.id: question for question in asked}
        mend_answers(path)
        earlier = standing(answer for _, answer in read_answers(path)) if Path(path).exists() else {}
        self._given = {
            exercise: answer
            for (who, exercise), answer in earlier.items()
            if who == self.annotator and exercise in self._asked
        }

    @property
    def total(self) -> int:
        """How many questions there are."""
        return len(self._asked)

    @property
    def done(self) -> int:
        """How many are answered or skipped."""
        return len(self._given)

    @property
    def skipped(self) -> int:
        """How many are skipped."""
        return sum(answer.answer is None for answer in self._given.values())

    @property
    def current(self) -> Question | None:
        """The question that is next, None at the end."""
        return next((q for name, q in self._asked.items() if name not in self._given), None)

    def answer(self, word: str | None) -> None:
        """Answer the current question; None skips it."""
        question = self.current
        if question is None:
            raise UsageError("all questions are answered")
        if word is not None and word not in question.words:
            raise UsageError(f"{word!r} is none of the words {list(question.words)!r}")
        given = Answer(
            self.annotator, question.id, question.words, word, self._clock(), digest=question.digest
        )
        append_answer(self._path, given)
        self._given[question.id] = given

    def undo(self) -> bool:
        """Take the last answer back, also one of an earlier day; say whether there was one."""
        if not self._given:
            return False
        last = next(reversed(self._given.values()))
        question = self._asked[last.exercise]
        back = Answer(
            self.annotator, last.exercise, question.words, None, self._clock(), question.digest, undone=True
        )
        append_answer(self._path, back)
        del self._given[last.exercise]
        # It comes next, before others that an earlier list of questions left open.
        self._asked = {question.id: question} | self._asked
        return True


def annotation_page(asked: Sequence[Question], *, language: str | None = None) -> str:
    """Return one HTML page that asks the questions, needs no network and gives the answers as a file.

    It holds the nine words of every question and its opaque id, and nothing that tells what belongs where.
    """
    package = "salva.outliers"
    style, script = (render(package, f"annotate_{name}.jinja", {}) for name in ("style", "script"))
    values = {
        "asked": asked,
        "data": [{"exercise": question.id, "words": question.words} for question in asked],
        "page_id": hashlib.sha256(" ".join(q.id for q in asked).encode()).hexdigest()[:16],
        "language": (language or "").lower(),
        "own_style_digest": _source_digest(style),
        "own_script_digest": _source_digest(script),
    }
    return render(package, "annotate.html.jinja", values)


def write_annotation_page(
    sets: Sequence[WordSet],
    path: PathLike,
    *,
    count: int | None = None,
    seed: int = 0,
    overwrite: bool = False,
) -> int:
    """Write the page and return how many questions it has; a file name that names a topic is refused."""
    name = _plain(Path(path).stem)
    named = next((one.topic for one in sets if f"_{_plain(one.topic)}_" in f"_{name}_"), None)
    if named is not None:
        raise UsageError(f"file name {Path(path).name!r} names the topic {named!r}; choose one that does not")
    asked = questions(sets, count=count, seed=seed)
    languages = {one.language for one in sets}
    page = annotation_page(asked, language=languages.pop() if len(languages) == 1 else None)
    write_atomically(path, page.encode(), overwrite=overwrite)
    return len(asked)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.lower()).strip("_")


def _source_digest(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
