"""Scores how often vectors or a thesaurus find the word that does not belong.

Accuracy and both OPPs have intervals from a bootstrap over topics, not exercises: the exercises of a set
share their inliers, and the sets of a topic in several languages share their meanings.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from salva._arguments import check_number, check_whole
from salva._progress import ProgressOption
from salva._results import signature
from salva._show import number_of
from salva._types import Floats, PathLike
from salva._version import __version__
from salva.errors import InputError, UsageError
from salva.numbers import Estimate
from salva.outliers.coverage import find_warnings, measure_coverage, refuse_low_coverage
from salva.outliers.drafts import ENGLISH
from salva.outliers.notes import Notes, read_notes
from salva.outliers.policies import Policy, Ranking, SetMatrix, find_policy, rank
from salva.outliers.results import (
    Confusion,
    Coverage,
    ExerciseScore,
    Figures,
    GroupScore,
    OutlierScore,
    SetScore,
)
from salva.outliers.sets import Exercise, WordSet, read_finished_sets
from salva.outliers.vectors.formats import open_vectors
from salva.outliers.vectors.similarities import Similarities, SourceInfo
from salva.outliers.words.english import likely_part

FORMAT = 1
MIN_COVERAGE = 0.8


def score(
    similarities: Similarities | PathLike,
    sets: PathLike | Iterable[WordSet],
    *,
    policy: str = "default",
    chain: Sequence[str] | str | None = None,
    min_coverage: float = MIN_COVERAGE,
    seed: int = 0,
    progress: ProgressOption = False,
) -> OutlierScore:
    """Score vectors (a path, `glove`, or the result of `open_vectors` or `open_thesaurus`) on sets.

    A path is opened with the look-up chain of the policy unless `chain` names another. A coverage below
    `min_coverage` (a share of the words) is refused: the score would mainly measure the vocabulary.
    `progress` is as for `salva.evaluate`.
    """
    rules = find_policy(policy)
    check_number("min_coverage", min_coverage, 0, 1)
    check_whole("seed", seed)
    word_sets = read_sets_for(policy, sets) if isinstance(sets, str | os.PathLike) else list(sets)
    if not word_sets:
        raise InputError("there are no sets to score")
    if isinstance(similarities, str | os.PathLike):
        requested = [word for words in word_sets for word in words.words]
        chain = chain or rules.chain
        similarities = open_vectors(similarities, requested, chain=chain, progress=progress)
    elif chain is not None:
        raise UsageError("chain is only for a path; opened vectors already have one")
    scored = [_score_set(words, similarities, rules) for words in word_sets]
    exercises = [exercise for _, exercises in scored for exercise in exercises]
    by_set = [set_score for set_score, _ in scored]
    info = similarities.info
    coverage = measure_coverage(word_sets, similarities)
    refuse_low_coverage(coverage, word_sets, by_set, info, min_coverage)
    return OutlierScore(
        format=FORMAT,
        salva=__version__,
        signature=_signature(rules, info, word_sets, coverage),
        source=info,
        policy=rules.name,
        min_coverage=min_coverage,
        seed=seed,
        coverage=coverage,
        figures=compute_figures(exercises, seed=seed),
        groups=compute_groups(exercises, by_set, seed=seed),
        sets=tuple(by_set),
        confusions=tuple(_find_confusions(exercises)),
        exercises=tuple(exercises),
        warnings=tuple(find_warnings(word_sets, by_set, info)),
    )


def read_sets_for(
    policy: str,
    source: PathLike | Iterable[PathLike],
    *,
    languages: Collection[str] | None = None,
    mend: bool = False,
) -> list[WordSet]:
    """Read sets the way a policy does: the files of its own scorer are accepted as published."""
    as_published = find_policy(policy).as_published
    return read_finished_sets(source, languages=languages, mend=mend or as_published, spaces=as_published)


def _score_set(
    words: WordSet, similarities: Similarities, policy: Policy
) -> tuple[SetScore, list[ExerciseScore]]:
    matrix = SetMatrix(words, similarities, policy)
    digest = words.digest
    exercises = [
        _score_exercise(words, digest, exercise, rank(exercise, matrix, policy))
        for exercise in words.exercises()
    ]
    notes = read_notes(words.path) if words.path else Notes()
    pos = notes.pos or (likely_part(words.words) if words.language == ENGLISH else None)
    missing = tuple(word for word in dict.fromkeys(words.words) if not similarities.known(word))
    subsets = tuple(compute_figures(e for e in exercises if e.subset == k) for k in (1, 2, 3, 4))
    return SetScore(
        digest,
        words.topic,
        words.language,
        notes.kind,
        pos,
        missing,
        compute_figures(exercises),
        subsets,
        _explain_missing(exercises, missing),
    ), exercises


def _score_exercise(words: WordSet, digest: str, exercise: Exercise, ranking: Ranking) -> ExerciseScore:
    return ExerciseScore(
        digest=digest,
        topic=words.topic,
        language=words.language,
        number=exercise.number,
        subset=exercise.subset,
        outlier=exercise.outlier,
        multiword=any("_" in word for word in (*exercise.inliers, exercise.outlier)),
        hit=ranking.hit,
        opp=ranking.op / ranking.n,
        opp_1based=ranking.opp_1based,
        **ranking._asdict(),
    )


def _explain_missing(exercises: Sequence[ExerciseScore], missing: Sequence[str]) -> str | None:
    if not missing:
        return None
    skipped = sum(not exercise.counted for exercise in exercises)
    wrong = sum(e.counted and e.reason is not None and not e.hit for e in exercises)
    parts = [f"{skipped} of {len(exercises)} exercises do not count"] if skipped else []
    parts += [f"{wrong} of {len(exercises)} exercises count as wrong"] if wrong else []
    names = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
    lacking = number_of(len(missing), "word is missing", "words are missing")
    return f"{lacking} ({names})" + (f": {'; '.join(parts)}" if parts else "")


def _signature(policy: Policy, info: SourceInfo, sets: Sequence[WordSet], coverage: Coverage) -> str:
    languages = "+".join(sorted({words.language for words in sets}))
    return signature(
        source=f"{info.name}@{info.digest.removeprefix('sha256:')[:12]}",
        sets=f"{len(sets)}{languages}",
        policy=policy.name,
        lookup="+".join(info.chain),
        coverage=f"{coverage.percent:.2f}",
        salva=__version__,
    )


def _find_confusions(exercises: Iterable[ExerciseScore]) -> Iterator[Confusion]:
    """Yield the inliers that beat an outlier, most frequent first."""
    beaten: dict[tuple[str, str, str], list[str]] = {}
    played: dict[tuple[str, str], int] = {}
    for exercise in exercises:
        topic, language = exercise.topic, exercise.language
        if exercise.margin is not None:
            played[topic, language] = played.get((topic, language), 0) + 1
        for word in exercise.beaten_by:
            beaten.setdefault((topic, language, word), []).append(exercise.outlier)
    most_first = sorted(beaten.items(), key=lambda item: (-len(item[1]), item[0]))
    for (topic, language, word), outliers in most_first:
        distinct = tuple(dict.fromkeys(outliers))
        yield Confusion(topic, language, word, len(outliers), played[topic, language], distinct)


_RESAMPLES = 1_000
_MOST_NUMBERS = 1 << 22  # drawn per group: 32 MB


def compute_figures(exercises: Iterable[ExerciseScore], *, seed: int | None = None) -> Figures:
    """Return the figures of exercises, without intervals if there is no seed."""
    counted = [exercise for exercise in exercises if exercise.counted]
    if not counted:
        return Figures(0, 0, Estimate(), Estimate(), Estimate())
    hits = sum(exercise.hit for exercise in counted)
    measures = [(e.hit, e.opp, e.opp_1based) for e in counted]
    if seed is None:
        means = (100 * sum(values) / len(counted) for values in zip(*measures, strict=True))
        return Figures(len(counted), hits, *map(Estimate, means))
    topics = {topic: place for place, topic in enumerate(dict.fromkeys(e.topic for e in counted))}
    sums = np.zeros((len(topics), 4))
    for exercise, values in zip(counted, measures, strict=True):
        sums[topics[exercise.topic]] += (*values, 1)
    return Figures(len(counted), hits, *_estimates(sums, seed))


def _estimates(sums: Floats, seed: int) -> Iterator[Estimate]:
    """Yield means in percent; `sums` has one row per topic: three sums and a count."""
    total = sums.sum(axis=0)
    drawn = _draws(len(sums), seed) @ sums
    ends = np.quantile(100 * drawn[:, :3] / drawn[:, 3:], [0.025, 0.975], axis=0)
    for value, low, high in zip(100 * total[:3] / total[3], *ends, strict=True):
        mean = float(value)
        yield (
            Estimate(mean, min(mean, float(low)), max(mean, float(high))) if len(sums) > 1 else Estimate(mean)
        )


@lru_cache(maxsize=4)
def _draws(topics: int, seed: int) -> Floats:
    """Return how often each topic was drawn, one row per resample; groups of the same size share them."""
    generator = np.random.Generator(np.random.Philox(seed))
    size = max(100, min(_RESAMPLES, _MOST_NUMBERS // topics))
    return generator.multinomial(topics, np.full(topics, 1 / topics), size=size).astype(np.float64)


def compute_groups(
    exercises: Sequence[ExerciseScore], sets: Sequence[SetScore], *, seed: int
) -> tuple[GroupScore, ...]:
    """Return the figures by sub-set, kind, part of speech, language, and presence of a multiword term."""
    by_set = {(score.digest, score.topic, score.language): score for score in sets}
    members: dict[tuple[str, str], list[ExerciseScore]] = {}
    for exercise in exercises:
        home = by_set[exercise.digest, exercise.topic, exercise.language]
        names = {
            "sub-set": str(exercise.subset),
            "kind": home.kind or "unknown",
            "part of speech": home.pos or "unknown",
            "language": exercise.language,
            "multiword": "multiword" if exercise.multiword else "single words",
        }
        for by, name in names.items():
            members.setdefault((by, name), []).append(exercise)
    order = ("sub-set", "kind", "part of speech", "language", "multiword")
    return tuple(
        GroupScore(by, name, len({(e.topic, e.language) for e in group}), compute_figures(group, seed=seed))
        for (by, name), group in sorted(
            members.items(), key=lambda item: (order.index(item[0][0]), item[0][1])
        )
    )
