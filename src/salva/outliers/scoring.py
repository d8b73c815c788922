"""Scores how often vectors or a thesaurus find the word that does not belong."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence

from salva import __version__
from salva._arguments import check_number
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.outliers.cautions import refuse_low, warnings
from salva.outliers.english import likely_part
from salva.outliers.figures import figures_of, groups_of
from salva.outliers.notes import Notes, read_notes
from salva.outliers.policies import Policy, policy_of
from salva.outliers.ranking import Ranked, SetMatrix, rank
from salva.outliers.results import Confusion, Coverage, ExerciseScore, OutlierScore, SetScore
from salva.outliers.sets import Exercise, WordSet, read_sets
from salva.outliers.vectors import Similarities, SourceInfo, open_vectors

FORMAT = 1
MIN_COVERAGE = 0.8


def score(
    similarities: Similarities | PathLike,
    sets: PathLike | Iterable[WordSet],
    *,
    policy: str = "default",
    chain: Sequence[str] | str | None = None,
    leave_one_out: bool = False,
    min_coverage: float = MIN_COVERAGE,
    seed: int = 0,
) -> OutlierScore:
    """Score vectors (a path, `glove`, or the result of `open_vectors` or `open_thesaurus`) on sets.

    A path is opened with the look-up chain of the policy unless `chain` names another. A coverage below
    `min_coverage` (a share of the words) is refused: the score would mainly measure the vocabulary.
    """
    chosen = policy_of(policy)
    check_number("min_coverage", min_coverage, 0, 1)
    found = read_for(policy, sets) if isinstance(sets, str | os.PathLike) else list(sets)
    if not found:
        raise InputError("there are no sets to score")
    if isinstance(similarities, str | os.PathLike):
        words = [word for one in found for word in one.words]
        similarities = open_vectors(similarities, words, chain=chain or chosen.chain)
    elif chain is not None:
        raise UsageError("chain is only for a path; opened vectors already have one")
    return _score(
        similarities, found, chosen, leave_one_out=leave_one_out, min_coverage=min_coverage, seed=seed
    )


def read_for(
    policy: str,
    source: PathLike | Iterable[PathLike],
    *,
    languages: Collection[str] | None = None,
    mend: bool = False,
) -> list[WordSet]:
    """Read sets the way a policy does: the files of its own scorer are accepted as published."""
    as_published = policy_of(policy).as_published
    return read_sets(source, languages=languages, mend=mend or as_published, spaces=as_published)


def _score(
    similarities: Similarities,
    sets: list[WordSet],
    policy: Policy,
    *,
    leave_one_out: bool,
    min_coverage: float,
    seed: int,
) -> OutlierScore:
    scored = [_score_set(words, similarities, policy, leave_one_out) for words in sets]
    exercises = [one for _, group in scored for one in group]
    by_set = [one for one, _ in scored]
    info = getattr(similarities, "info", None) or SourceInfo("", similarities.name, similarities.digest, ())
    coverage = _coverage(sets, similarities, exercises)
    refuse_low(coverage, sets, by_set, info, min_coverage)
    return OutlierScore(
        format=FORMAT,
        salva=__version__,
        signature=_signature(policy, info, sets, leave_one_out, coverage),
        source=info,
        policy=policy.name,
        leave_one_out=leave_one_out,
        min_coverage=min_coverage,
        seed=seed,
        coverage=coverage,
        figures=figures_of(exercises, seed=seed),
        groups=groups_of(exercises, by_set, seed=seed),
        sets=tuple(by_set),
        confusions=tuple(_confusions(exercises)),
        exercises=tuple(exercises),
        warnings=tuple(warnings(sets, by_set, info)),
    )


def _score_set(
    words: WordSet, similarities: Similarities, policy: Policy, leave_one_out: bool
) -> tuple[SetScore, list[ExerciseScore]]:
    matrix = SetMatrix(words, similarities, policy)
    digest = words.digest
    exercises = [
        _exercise(words, digest, one, rank(one, matrix, policy))
        for one in words.exercises(leave_one_out=leave_one_out)
    ]
    notes = read_notes(words.path) if words.path else Notes()
    pos = notes.pos or (likely_part(words.words) if words.language == "EN" else None)
    missing = tuple(word for word in dict.fromkeys(words.words) if not similarities.known(word))
    subsets = tuple(figures_of(e for e in exercises if e.subset == k) for k in (1, 2, 3, 4))
    return SetScore(
        digest,
        words.topic,
        words.language,
        notes.kind,
        pos,
        missing,
        figures_of(exercises),
        subsets,
        _reason(exercises, missing),
    ), exercises


def _exercise(words: WordSet, digest: str, exercise: Exercise, ranked: Ranked) -> ExerciseScore:
    n, op = ranked.n, ranked.op
    return ExerciseScore(
        digest=digest,
        topic=words.topic,
        language=words.language,
        number=exercise.number,
        left_out=exercise.left_out,
        subset=exercise.subset,
        outlier=exercise.outlier,
        multiword=any("_" in word for word in (*exercise.inliers, exercise.outlier)),
        counted=ranked.counted,
        n=n,
        op=op,
        hit=ranked.hit,
        opp=op / n,
        opp_1based=(op + 1) / (n + 1) if ranked.ranked else 0.0,
        predicted=ranked.predicted,
        beaten_by=ranked.beaten_by,
        margin=ranked.margin,
        reason=ranked.reason,
    )


def _reason(exercises: Sequence[ExerciseScore], missing: Sequence[str]) -> str | None:
    if not missing:
        return None
    skipped = sum(not one.counted for one in exercises)
    wrong = sum(one.counted and one.reason is not None and not one.hit for one in exercises)
    parts = [f"{skipped} of {len(exercises)} exercises do not count"] if skipped else []
    parts += [f"{wrong} of {len(exercises)} exercises count as wrong"] if wrong else []
    names = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
    lacking = number_of(len(missing), "word is missing", "words are missing")
    return f"{lacking} ({names})" + (f": {'; '.join(parts)}" if parts else "")


def _coverage(
    sets: Sequence[WordSet], similarities: Similarities, exercises: Sequence[ExerciseScore]
) -> Coverage:
    known = {word for words in sets for word in words.words if similarities.known(word)}
    total = sum(len(words.words) for words in sets)
    found = sum(word in known for words in sets for word in words.words)
    complete = sum(_is_complete(words, one, known) for words, one in _paired(sets, exercises))
    return Coverage(total, found, 100 * found / total, len(exercises), complete)


def _paired(
    sets: Sequence[WordSet], exercises: Sequence[ExerciseScore]
) -> Iterator[tuple[WordSet, ExerciseScore]]:
    each = len(exercises) // len(sets)
    return ((sets[place // each], one) for place, one in enumerate(exercises))


def _is_complete(words: WordSet, exercise: ExerciseScore, known: set[str]) -> bool:
    inliers = (word for i, word in enumerate(words.inliers) if i != exercise.left_out)
    return exercise.outlier in known and all(word in known for word in inliers)


def _signature(
    policy: Policy, info: SourceInfo, sets: Sequence[WordSet], leave_one_out: bool, coverage: Coverage
) -> str:
    languages = "+".join(sorted({words.language for words in sets}))
    exercises = "leave-one-out" if leave_one_out else "all"
    parts = {
        "source": f"{info.name}@{info.digest.removeprefix('sha256:')[:12]}",
        "sets": f"{len(sets)}{languages}",
        "exercises": exercises,
        "policy": policy.name,
        "lookup": "+".join(info.chain),
        "coverage": f"{coverage.percent:.2f}",
        "salva": __version__,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def _confusions(exercises: Iterable[ExerciseScore]) -> Iterator[Confusion]:
    """Yield the inliers that beat an outlier, most frequent first."""
    beaten: dict[tuple[str, str, str], list[str]] = {}
    played: dict[tuple[str, str], int] = {}
    for one in exercises:
        if one.margin is not None:
            played[one.topic, one.language] = played.get((one.topic, one.language), 0) + 1
        for word in one.beaten_by:
            beaten.setdefault((one.topic, one.language, word), []).append(one.outlier)
    most_first = sorted(beaten.items(), key=lambda item: (-len(item[1]), item[0]))
    for (topic, language, word), outliers in most_first:
        distinct = tuple(dict.fromkeys(outliers))
        yield Confusion(topic, language, word, len(outliers), played[topic, language], distinct)
