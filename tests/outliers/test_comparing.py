"""Two models are compared on the exercises that they share, by an exact test over topics."""

from __future__ import annotations

import dataclasses
import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import InputError, UsageError
from salva.numbers import sign_flip_sums
from salva.numbers.intervals import mcnemar
from salva.outliers.comparing import compare
from salva.outliers.results import read_score
from salva.outliers.scoring import score
from tests.outliers.letters import LETTERS, copies, vectors_of, without
from tests.outliers.vector_files import write

GOOD = vectors_of()
BAD = vectors_of(angles={"a": 2.5})


@given(st.lists(st.integers(-8, 8), min_size=1, max_size=9))
def test_the_test_counts_all_flips_of_signs(differences):
    flips = list(itertools.product((1, -1), repeat=len(differences)))
    sums = [abs(sum(s * d for s, d in zip(signs, differences, strict=True))) for signs in flips]
    expected = sum(one >= abs(sum(differences)) for one in sums) / len(flips)
    assert sign_flip_sums(differences) == pytest.approx(expected, abs=1e-12)


def test_with_ones_the_test_is_mcnemars():
    assert sign_flip_sums([1] * 8 + [-1] * 2) == pytest.approx(mcnemar(8, 2))


def test_the_better_model_is_named_when_topics_agree():
    found = compare(score(BAD, copies(8)), score(GOOD, copies(8)))
    accuracy, opp = found.measures
    assert (accuracy.a, accuracy.b, accuracy.difference.value) == (0.0, 100.0, 100.0)
    assert accuracy.p == pytest.approx(2 / 2**8)
    assert (accuracy.verdict, opp.verdict) == ("b is better", "b is better")
    assert (found.only_a, found.only_b, found.exercises, found.sets) == (0, 64, 64, 8)


def test_few_topics_prove_nothing_however_many_exercises_they_have():
    found = compare(score(GOOD, copies(3)), score(BAD, copies(3)))
    assert found.measures[0].difference.value == -100
    assert found.measures[0].p == pytest.approx(0.25)
    assert found.measures[0].verdict == "no clear difference"


def test_a_model_does_not_differ_from_itself():
    found = compare(score(GOOD, copies(3)), score(GOOD, copies(3)))
    assert [(one.p, one.difference.value) for one in found.measures] == [(1.0, 0.0), (1.0, 0.0)]


def test_only_common_sets_and_exercises_count():
    """75: what one has alone is said and left out."""
    a, b = score(GOOD, copies(3)), score(BAD, copies(5))
    found = compare(a, b)
    assert (found.sets, found.sets_apart, found.exercises) == (3, 2, 24)
    one = score(vectors_of(without("p")), copies(3), policy="hamod-ignore")
    assert compare(one, score(GOOD, copies(3), policy="hamod-ignore")).left_out == 3


def test_what_cannot_be_compared_is_refused():
    plain = score(GOOD, [LETTERS])
    with pytest.raises(InputError, match="policies 'default' and 'hamod' differ"):
        compare(plain, score(GOOD, [LETTERS], policy="hamod"))
    with pytest.raises(InputError, match="not scored on any common set"):
        compare(plain, score(GOOD, [dataclasses.replace(LETTERS, topic="Other")]))


def test_other_coverage_and_other_look_ups_are_said():
    other = vectors_of(without("p"), chain=("exact",))
    assert len(compare(score(GOOD, [LETTERS]), score(other, [LETTERS])).warnings) == 2


def test_a_saved_score_is_the_score(tmp_path):
    result = score(BAD, copies(2))
    path = write(tmp_path / "score.json", json.dumps(result.as_dict()))
    assert read_score(path) == result


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a score; make one with salva outliers score --json"),
        ('{"format": 9, "exercises": [], "policy": ""}', "has format 9, unknown to this Salva; score again"),
        ('{"format": 1, "exercises": 7, "policy": ""}', "is broken"),
    ],
)
def test_what_is_no_score_is_refused(tmp_path, text, message):
    with pytest.raises(InputError, match=rf"s\.json: {message}"):
        read_score(write(tmp_path / "s.json", text))


def test_a_negative_seed_is_refused():
    same = score(vectors_of(), [LETTERS])
    with pytest.raises(UsageError, match="seed=-1 must be a whole number"):
        compare(same, same, seed=-1)
