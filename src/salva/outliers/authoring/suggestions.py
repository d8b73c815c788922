"""Suggestions for authors of English sets: more inliers, and outliers for each sub-set, with reasons.

Candidates come from WordNet: the kind that the given words share, its neighbours, and things named after the
words. With vectors they are also ranked by similarity. Nothing is chosen here: a person decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from salva._arguments import check_whole
from salva._progress import ProgressOption
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.outliers.authoring.relatives import Relatives, Suggestion
from salva.outliers.drafts import ENGLISH
from salva.outliers.notes import PartOfSpeech
from salva.outliers.vectors.formats import as_similarities
from salva.outliers.vectors.similarities import Similarities
from salva.outliers.words.english import PARTS, as_one_word, can_be, is_entity, lemma, likely_part
from salva.outliers.words.frequencies import rarity

_MOST_WORDS = 400  # words per similarity matrix: one of all candidates would be large

# Similarity to the given words: 0 is that of unrelated words, 1 that of the given words to one another.
BANDS: dict[int, tuple[float, float]] = {
    0: (0.7, np.inf),
    1: (0.5, np.inf),
    2: (0.3, 0.8),
    3: (0.15, 0.6),
    4: (-np.inf, 0.15),
}


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
    progress: ProgressOption = False,
) -> Suggestions:
    """Return up to `count` more inliers, and as many outliers for each sub-set, from English inliers.

    WordNet has no kinds of adjectives: without vectors there are only opposites and unrelated words.
    `vectors` are similarities, or anything that `open_vectors` takes. The seed draws the unrelated words.
    `progress` is as for `salva.evaluate`.

    >>> found = suggest(["oak", "elm", "birch"])
    >>> found.kind, found.inliers[0].reason
    ('tree', "a kind of 'tree', like oak, elm, birch")
    """
    check_whole("seed", seed)
    inliers = _normalise(words)
    part = pos or likely_part(inliers)
    relatives = Relatives(inliers, PARTS[part])
    if len(relatives.unknown) == len(inliers):
        raise InputError(f"WordNet has none of {list(inliers)!r} as a {part}; give English lemmas")
    by_subset = {  # 0 is for inliers
        0: relatives.siblings(),
        1: [*relatives.opposites(), *relatives.cousins()],
        2: relatives.wider(),
        3: relatives.others(),
        4: relatives.unrelated(seed),
    }
    if vectors is not None:
        # WordNet decides which words are of the shared kind, if it knows; vectors, which are related.
        for k, candidates in by_subset.items():
            if k in (2, 3) or not candidates:
                by_subset[k] = [*candidates, *relatives.common()]
        by_subset = _rank_by_similarity(inliers, by_subset, vectors, progress)
    shown = _take_sound(by_subset, count, part)
    return Suggestions(inliers, part, relatives.shared_kind, shown.pop(0), shown)


def _is_sound(word: str, part: PartOfSpeech) -> bool:
    """Return whether the checks of a set would find no fault with a word."""
    return (
        lemma(word, part) is None
        and can_be(word, part)
        and not is_entity(word)
        and as_one_word(word) is None
        and rarity(word, ENGLISH) is None
    )


def _normalise(words: Iterable[str]) -> tuple[str, ...]:
    distinct = tuple(dict.fromkeys(word.strip().lower().replace(" ", "_") for word in words))
    if len(distinct) < 2 or not all(distinct):
        raise UsageError(f"too few words to suggest others from: {list(distinct)!r}; give two or more")
    return distinct


def _take_sound(
    by_subset: Mapping[int, Sequence[Suggestion]], count: int, part: PartOfSpeech
) -> dict[int, tuple[Suggestion, ...]]:
    """Return the first words of each list that no check would fault; no word is in two lists."""
    seen: set[str] = set()
    shown = {}
    for k, suggestions in by_subset.items():
        new = {s.word: s for s in reversed(suggestions) if s.word not in seen}
        sound = (s for s in reversed(new.values()) if _is_sound(s.word, part))
        shown[k] = tuple(islice(sound, count))
        seen |= {s.word for s in shown[k]}
    return shown


def _rank_by_similarity(
    inliers: Sequence[str],
    by_subset: Mapping[int, Sequence[Suggestion]],
    vectors: Similarities | PathLike,
    progress: ProgressOption,
) -> dict[int, list[Suggestion]]:
    """Return the lists, starting with the words whose similarity to the inliers suits the list."""
    words = list(dict.fromkeys(s.word for suggestions in by_subset.values() for s in suggestions))
    source = as_similarities(vectors, [*inliers, *words], progress=progress)
    near = _similarities(source, inliers, words)
    known = [word for word in inliers if source.known(word)]
    floor = float(np.mean([near[s.word] for s in by_subset[4] if s.word in near] or [0.0]))
    top = _mutual(source, known)
    if top is None or top <= floor:
        raise InputError(f"{source.info.name} knows too few of {list(inliers)!r} to find words close to them")
    relative = {word: (similarity - floor) / (top - floor) for word, similarity in near.items()}
    return {k: _in_band(k, suggestions, relative, near) for k, suggestions in by_subset.items()}


def _mutual(source: Similarities, known: Sequence[str]) -> float | None:
    if len(known) < 2:
        return None
    matrix = source.matrix(known)
    return float(matrix[~np.eye(len(known), dtype=bool)].mean())


def _similarities(source: Similarities, inliers: Sequence[str], words: Sequence[str]) -> dict[str, float]:
    """Return the mean similarity of each known word to the inliers."""
    first = [word for word in inliers if source.known(word)]
    known = [word for word in words if source.known(word)]
    means: dict[str, float] = {}
    for start in range(0, len(known) if first else 0, _MOST_WORDS):
        part = known[start : start + _MOST_WORDS]
        rows = source.matrix([*first, *part])[len(first) :, : len(first)]
        means |= dict(zip(part, rows.mean(axis=1).tolist(), strict=True))
    return means


def _describe(share: float | None, low: float, high: float) -> str:
    if share is None:
        return "not in the vectors"
    how = "less similar than" if share < low else "as similar as" if share < high else "more similar than"
    return f"{how} this list calls for"


def _in_band(
    k: int, suggestions: Sequence[Suggestion], relative: Mapping[str, float], near: Mapping[str, float]
) -> list[Suggestion]:
    """Return suggestions with their similarity: those in the band first, close ones by similarity."""
    low, high = BANDS[k]
    keyed = []
    for suggestion in suggestions:
        share, similarity = relative.get(suggestion.word), near.get(suggestion.word)
        fits = share is not None and low <= share < high
        by_relation = k > 1 and not suggestion.reason.startswith("frequent")
        closest_first = 0.0 if by_relation or k == 4 else -(similarity or 0.0)
        key = (not fits, not by_relation, k <= 1 and not suggestion.count, closest_first)
        reason = f"{suggestion.reason}; {_describe(share, low, high)}"
        keyed.append((key, replace(suggestion, similarity=similarity, reason=reason)))
    return [suggestion for _, suggestion in sorted(keyed, key=lambda pair: pair[0])]
