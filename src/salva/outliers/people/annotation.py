"""Exercises for people: which are asked and in what order, and an offline page that asks them.

The order comes from keyed hashes of the words and the seed, so it does not depend on anything else: files,
their order or library versions. `salva.outliers.people.agreement` reads the answers.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from salva._arguments import check_whole
from salva._files import write_atomically
from salva._types import PathLike
from salva.errors import UsageError
from salva.outliers.drafts import SIZE
from salva.outliers.sets import WordSet
from salva.pages import render

logger = logging.getLogger("salva")


@dataclass(frozen=True, slots=True)
class Question:
    """Nine words in the order they are shown; `digest` and `number` are hidden from the annotator."""

    id: str
    words: tuple[str, ...]
    digest: str
    number: int


def exercise_id(digest: str, number: int, seed: int) -> str:
    """Return the id of the exercise with outlier `number` (from 0); it reveals nothing without sets and seed.

    >>> exercise_id("sha256:12", 0, seed=7)
    '4415cac6afb2b6a7'
    """
    return _draw(seed, "exercise", digest, str(number))[:16]


def questions(sets: Iterable[WordSet], *, count: int | None = None, seed: int = 0) -> list[Question]:
    """Return exercises in the order to ask them; one per set by default, at most eight per set.

    Whatever the count, every outlier number and every sub-set gets an equal share, give or take one. A set is
    repeated only after all others, each time with another outlier: two exercises of one set in a row would
    show which words recur.
    """
    check_whole("seed", seed)
    usable = _without_repeats(sets)
    total, most = len(usable) if count is None else count, SIZE * len(usable)
    if not 1 <= total <= most:
        raise UsageError(f"exercises={total!r} must be between 1 and {most}, eight per set")
    ordered = sorted(usable, key=lambda words: _draw(seed, "set", words.digest))
    numbers = _draw_numbers(len(ordered), total, seed)
    return [_question(ordered[turn % len(ordered)], k, seed) for turn, k in enumerate(numbers)]


def _without_repeats(sets: Iterable[WordSet]) -> list[WordSet]:
    """Return each set without repeated words once: if a word is repeated, the choice would be ambiguous."""
    distinct = {words.digest: words for words in sets}.values()
    repeating = [words for words in distinct if len(set(words.words)) < len(words.words)]
    if repeating:
        names = sorted(f"{words.language}-{words.topic}" for words in repeating)
        logger.warning("left out because a word appears twice: %s", ", ".join(names))
    return [words for words in distinct if words not in repeating]


def _draw_numbers(sets: int, total: int, seed: int) -> Iterator[int]:
    """Yield an outlier number per turn: any eight turns have eight numbers, any four have four sub-sets."""
    subsets = sorted(range(4), key=lambda i: _draw(seed, "subset", str(i)))
    second = [int(_draw(seed, "first", str(i)), 16) % 2 for i in subsets]
    order = [2 * i + late for i, late in zip(subsets, second, strict=True)]
    order += [2 * i + 1 - late for i, late in zip(subsets, second, strict=True)]
    # After this many turns a set would get its first number again; a shift by one prevents that.
    period = math.lcm(sets, SIZE)
    for turn in range(total):
        yield order[(turn + turn // period) % SIZE]


def _question(words: WordSet, number: int, seed: int) -> Question:
    name = exercise_id(words.digest, number, seed)
    choices = [*words.inliers, words.outliers[number]]
    shown = tuple(sorted(choices, key=lambda word: _draw(seed, "word", name, word)))
    return Question(name, shown, words.digest, number)


def _draw(seed: int, *parts: str) -> str:
    return hmac.new(str(seed).encode(), "\x1f".join(parts).encode(), hashlib.sha256).hexdigest()


def annotation_page(asked: Sequence[Question], *, language: str | None = None) -> str:
    """Return one HTML page that asks the questions, needs no network and saves the answers as a file.

    It contains the nine words and the opaque id of every question, and nothing that reveals the outlier.
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
    """Write the page and return its number of questions; a file name that contains a topic is refused."""
    name = _plain(Path(path).stem)
    named = next((words.topic for words in sets if f"_{_plain(words.topic)}_" in f"_{name}_"), None)
    if named is not None:
        raise UsageError(f"file name {Path(path).name!r} reveals the topic {named!r}; choose another name")
    asked = questions(sets, count=count, seed=seed)
    languages = {words.language for words in sets}
    page = annotation_page(asked, language=languages.pop() if len(languages) == 1 else None)
    write_atomically(path, page.encode(), overwrite=overwrite)
    return len(asked)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.lower()).strip("_")


def _source_digest(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
