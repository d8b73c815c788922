"""Every policy treats missing words, ties and multiword terms as its scorer does."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from salva.errors import UsageError
from salva.outliers import WordSet
from salva.outliers.policies import POLICIES, find_policy
from salva.outliers.scoring import score
from tests.outliers.letters import INLIERS, LETTERS, OUTLIERS, vectors_of, without


def scored(policy: str, vectors):
    return score(vectors, [LETTERS], policy=policy, min_coverage=0)


def summary(policy: str, *missing: str) -> tuple[int, int, float, float]:
    """Counted, hits, and the sums of both OPPs."""
    result = scored(policy, vectors_of(without(*missing)))
    counted = [one for one in result.exercises if one.counted]
    return (
        len(counted),
        result.figures.hits,
        round(sum(one.opp for one in counted), 6),
        round(sum(one.opp_1based for one in counted), 6),
    )


@pytest.mark.parametrize("policy", POLICIES)
def test_with_every_word_known_all_policies_agree(policy):
    assert summary(policy) == (8, 8, 8.0, 8.0)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("default", (8, 0, 8 * 7 / 8, 8 * 8 / 9)),
        ("50-8-8", (8, 0, 0, 0)),
        ("hamod", (8, 0, 8 * 7 / 8, 8 * 8 / 9)),
        ("hamod-ignore", (8, 8, 8, 8)),
    ],
)
def test_a_missing_inlier(policy, expected):
    assert summary(policy, "a") == tuple(round(one, 6) for one in expected)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("default", (8, 7, 7, 7)),
        ("50-8-8", (8, 7, 7, 7)),
        ("hamod", (8, 7, 7, 7)),
        ("hamod-ignore", (7, 7, 7, 7)),
    ],
)
def test_a_missing_outlier(policy, expected):
    assert summary(policy, "p") == expected


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("default", (8, 0)),
        ("50-8-8", (8, 0)),
        ("hamod", (8, 0)),
        ("hamod-ignore", (8, 8)),
    ],
)
def test_one_known_inlier_is_enough_to_rank(policy, expected):
    """With one inlier its likeness and the outlier's are the same number: a tie."""
    assert summary(policy, *LETTERS.inliers[1:])[:2] == expected


@pytest.mark.parametrize(("policy", "counted"), [("default", 8), ("hamod", 8), ("hamod-ignore", 0)])
def test_without_any_inlier_nothing_is_ranked(policy, counted):
    assert summary(policy, *LETTERS.inliers) == (counted, 0, 0.0, 0.0)


@pytest.mark.parametrize(("policy", "missing"), [("50-8-8", 0), ("hamod", 1), ("default", 1)])
def test_an_unknown_multiword_term_is_a_zero_vector_in_50_8_8_alone(policy, missing):
    result = scored(policy, vectors_of(without("w_x")))
    last = result.exercises[7]
    assert last.hit is (policy == "50-8-8")
    assert sum(one.margin is None for one in result.exercises) == missing


@pytest.mark.parametrize("policy", POLICIES)
def test_a_tie_is_for_the_outlier_or_against_it(policy):
    """The outlier has the very vector of an inlier, but for rounding."""
    angles = dict.fromkeys(LETTERS.inliers, 0.0) | {"a": 0.7, "p": 0.7 + 1e-11}
    first = scored(policy, vectors_of(angles=angles)).exercises[0]
    assert first.hit is (find_policy(policy).ties == "for")
    assert first.op == (8 if first.hit else 7)


def test_a_real_margin_is_no_tie():
    angles = dict.fromkeys(LETTERS.inliers, 0.0) | {"a": 0.7, "p": 0.7 + 1e-6}
    assert scored("default", vectors_of(angles=angles)).exercises[0].hit


@pytest.mark.parametrize("trial", range(20))
def test_identical_vectors_are_a_tie_whatever_their_sums_say(trial):
    generator = np.random.default_rng(trial)
    angles = {word: float(generator.normal()) for word in LETTERS.words}
    angles["p"] = angles["a"]
    one = scored("default", vectors_of(angles=angles)).exercises[0]
    assert "a" in one.beaten_by
    assert not one.hit


def test_an_unknown_policy_is_answered_with_the_nearest():
    with pytest.raises(UsageError, match="policy 'hamod-ignor' is unknown; did you mean 'hamod-ignore'"):
        find_policy("hamod-ignor")


TWICE = dataclasses.replace(LETTERS, inliers=("a", *INLIERS[:7]))
BOTH = dataclasses.replace(LETTERS, inliers=(*INLIERS[:7], "p"))
OUTLIER_TWICE = dataclasses.replace(LETTERS, outliers=("q", *OUTLIERS[1:]))
SCATTERED = vectors_of(angles={word: i * 0.37 for i, word in enumerate(LETTERS.words)})


def fifty_eight_eight(words: WordSet, vectors) -> tuple[list[int], int]:
    """What that scorer does, slowly: how many stand above each outlier, and how many inliers it knows."""
    inliers, outliers = list(dict.fromkeys(words.inliers)), list(dict.fromkeys(words.outliers))
    cosine = {(a, b): float(vectors.unit(a) @ vectors.unit(b)) for a in words.words for b in words.words}
    found = []
    for outlier in outliers:
        compact = {
            one: cosine[one, outlier] + sum(cosine[one, other] for other in inliers if other != one)
            for one in inliers
        }
        compact[outlier] = sum(cosine[one, outlier] for one in inliers)
        found.append(sorted(compact, key=compact.__getitem__, reverse=True).index(outlier))
    return found, len(inliers)


@pytest.mark.parametrize(
    "words", [LETTERS, TWICE, BOTH, OUTLIER_TWICE], ids=["plain", "twice", "both", "out"]
)
def test_50_8_8_takes_words_as_sets_as_its_scorer_does(words):
    """That scorer keeps sets of words: 7 inliers if one stands twice, 7 exercises with an outlier twice."""
    counted = [one for one in score(SCATTERED, [words], policy="50-8-8").exercises if one.counted]
    above, inliers = fifty_eight_eight(words, SCATTERED)
    assert [one.op for one in counted] == above
    assert {one.n for one in counted} == {inliers}
    assert [one.hit for one in counted] == [place == inliers for place in above]


def test_50_8_8_never_finds_an_outlier_that_is_an_inlier():
    first = score(vectors_of(), [BOTH], policy="50-8-8").exercises[0]
    assert (first.outlier, first.op, first.n, first.hit) == ("p", 7, 8, False)
