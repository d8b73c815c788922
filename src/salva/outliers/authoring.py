"""Suggestions for authors of English sets: more inliers, and outliers for each sub-set, with reasons.

Candidates come from WordNet: the kind that the given words share, its neighbours, and things named after the
words. With vectors they are also ranked by similarity. Nothing is chosen here: a person decides.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.outliers.english import PARTS, as_one_word, fitting, is_entity, lemma, likely_part
from salva.outliers.familiar import rarity
from salva.outliers.kinds import Kinds
from salva.outliers.notes import PartOfSpeech
from salva.outliers.subjects import SOURCE

if TYPE_CHECKING:
    from salva.outliers.vectors import Similarities

_ASKED = 400  # words per similarity matrix: one of all candidates would be large

# Similarity to the given words: 0 is that of unrelated words, 1 that of the given words to one another.
BANDS: dict[int, tuple[float, float]] = {
    0: (0.7, np.inf),
    1: (0.5, np.inf),
    2: (0.3, 0.8),
    3: (0.15, 0.6),
    4: (-np.inf, 0.15),
}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A word, its count in WordNet's tagged texts, its mean similarity to the given words, and the reason."""

    word: str
    count: int
    similarity: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Ranked lists of more inliers, and of outliers by sub-set; `kind` is what the given words are."""

    words: tuple[str, ...]
    pos: PartOfSpeech
    kind: str | None
    inliers: tuple[Suggestion, ...]
    outliers: dict[int, tuple[Suggestion, ...]]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


def suggest(
    words: Iterable[str],
    *,
    pos: PartOfSpeech | None = None,
    vectors: Similarities | PathLike | None = None,
    count: int = 10,
    seed: int = 0,
) -> Suggestions:
    """Return up to `count` more inliers, and as many outliers for each sub-set, from English inliers.

    WordNet has no kinds of adjectives: without vectors there are only opposites and unrelated words.
    `vectors` are similarities, or anything that `open_vectors` takes. The seed draws the unrelated words.

    >>> found = suggest(["oak", "elm", "birch"])
    >>> found.kind, found.inliers[0].reason
    ('tree', "a kind of 'tree', like oak, elm, birch")
    """
    given = _checked(words)
    part = pos or likely_part(given)
    kinds = Kinds(given, PARTS[part])
    if len(kinds.unknown) == len(given):
        raise InputError(f"WordNet has none of {list(given)!r} as a {part}; give English lemmas")
    lists = {
        0: kinds.siblings(),
        1: [*kinds.opposites(), *kinds.cousins()],
        2: kinds.wider(),
        3: kinds.others(),
        4: kinds.unrelated(seed),
    }
    if vectors is not None:
        # WordNet decides which words are of the shared kind, if it knows; vectors, which are related.
        more = {2, 3} | {k for k, found in lists.items() if not found}
        lists = {k: [*found, *(kinds.common() if k in more else [])] for k, found in lists.items()}
    ranked = {k: [Suggestion(c.word, c.count, None, c.reason) for c in found] for k, found in lists.items()}
    if vectors is not None:
        ranked = _by_similarity(given, ranked, vectors)
    shown = _once(ranked, count, part)
    return Suggestions(given, part, kinds.name, shown.pop(0), shown)


def _is_sound(word: str, part: PartOfSpeech) -> bool:
    """Return whether the checks of a set would find no fault with a word."""
    return (
        lemma(word, part) is None
        and fitting(word, part)
        and not is_entity(word)
        and as_one_word(word) is None
        and rarity(word, SOURCE) is None
    )


def _checked(words: Iterable[str]) -> tuple[str, ...]:
    given = tuple(dict.fromkeys(word.strip().lower().replace(" ", "_") for word in words))
    if len(given) < 2 or not all(given):
        raise UsageError(f"too few words to suggest others from: {list(given)!r}; give two or more")
    return given


def _once(
    ranked: Mapping[int, Sequence[Suggestion]], count: int, part: PartOfSpeech
) -> dict[int, tuple[Suggestion, ...]]:
    """Return the first words of each list that no check would fault; no word is in two lists."""
    seen: set[str] = set()
    shown = {}
    for k, found in ranked.items():
        new = {one.word: one for one in reversed(found) if one.word not in seen}
        sound = (one for one in reversed(new.values()) if _is_sound(one.word, part))
        shown[k] = tuple(islice(sound, count))
        seen |= {one.word for one in shown[k]}
    return shown


def _by_similarity(
    given: Sequence[str], ranked: Mapping[int, Sequence[Suggestion]], vectors: Similarities | PathLike
) -> dict[int, list[Suggestion]]:
    """Return the lists, starting with the words whose similarity to the given words suits the list."""
    words = list(dict.fromkeys(one.word for found in ranked.values() for one in found))
    source = _opened(vectors, [*given, *words])
    near = _similarities(source, given, words)
    known = [word for word in given if source.known(word)]
    floor = float(np.mean([near[one.word] for one in ranked[4] if one.word in near] or [0.0]))
    top = _mutual(source, known)
    if top is None or top <= floor:
        raise InputError(f"{source.name} knows too few of {list(given)!r} to find words close to them")
    return {
        k: _in_band(k, found, {word: (s - floor) / (top - floor) for word, s in near.items()}, near)
        for k, found in ranked.items()
    }


def _opened(vectors: Similarities | PathLike, words: Sequence[str]) -> Similarities:
    from salva.outliers.vectors import open_vectors

    return open_vectors(vectors, words) if isinstance(vectors, str | os.PathLike) else vectors


def _mutual(source: Similarities, known: Sequence[str]) -> float | None:
    if len(known) < 2:
        return None
    matrix = source.matrix(known)
    return float(matrix[~np.eye(len(known), dtype=bool)].mean())


def _similarities(source: Similarities, given: Sequence[str], words: Sequence[str]) -> dict[str, float]:
    """Return the mean similarity of each known word to the given words."""
    first = [word for word in given if source.known(word)]
    known = [word for word in words if source.known(word)]
    found: dict[str, float] = {}
    for start in range(0, len(known) if first else 0, _ASKED):
        part = known[start : start + _ASKED]
        means = source.matrix([*first, *part])[len(first) :, : len(first)].mean(axis=1)
        found |= dict(zip(part, means.tolist(), strict=True))
    return found


def _place(place: float | None, low: float, high: float) -> str:
    if place is None:
        return "not in the vectors"
    how = "less similar than" if place < low else "as similar as" if place < high else "more similar than"
    return f"{how} this list calls for"


def _in_band(
    k: int, found: Sequence[Suggestion], relative: Mapping[str, float], near: Mapping[str, float]
) -> list[Suggestion]:
    """Return suggestions with their similarity: those in the band first, close ones by similarity."""
    low, high = BANDS[k]
    placed = []
    for one in found:
        place = relative.get(one.word)
        fits = place is not None and low <= place < high
        told = replace(one, similarity=near.get(one.word), reason=f"{one.reason}; {_place(place, low, high)}")
        by_relation = k > 1 and not one.reason.startswith("frequent")
        closest_first = 0.0 if by_relation or k == 4 else -near.get(one.word, 0.0)
        placed.append(((not fits, not by_relation, k <= 1 and not one.count, closest_first), told))
    return [one for _, one in sorted(placed, key=lambda pair: pair[0])]
