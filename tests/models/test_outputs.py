"""What functions return, and what is made of it; items 103 to 105."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.models import Answers
from salva.models.outputs import OutputError, answers_of, checked, class_names

NAMES = ("neg", "pos")


def answered(raw, count=2, **options):
    return answers_of(raw, count, **options).labels


@pytest.mark.parametrize(
    "raw",
    [
        ["pos", "neg"],
        ("pos", "neg"),
        [b"pos", b"neg"],
        np.array(["pos", "neg"]),
        np.array(["pos", "neg"], object),
        pd.Series(["pos", "neg"], index=[7, 3]),
        pl.Series(["pos", "neg"]),
        pa.array(["pos", "neg"]),
        pa.chunked_array([["pos"], ["neg"]]),
        [pa.scalar("pos"), pa.scalar("neg")],
        [{"label": "pos", "score": 0.9}, {"label": "neg", "score": 0.8}],
        [[{"label": "neg", "score": 0.1}, {"label": "pos", "score": 0.9}], [{"label": "neg", "score": 0.8}]],
        [{"pos": 0.9, "neg": 0.1}, {"neg": 0.8, "pos": 0.2}],
        [{"pos": np.float32(0.9), "neg": 0.1}, "neg"],
        pd.DataFrame({"neg": [0.1, 0.8], "pos": [0.9, 0.2]}, index=[7, 3]),
    ],
    ids=lambda raw: type(raw).__name__,
)
def test_labels_and_probabilities_come_in_many_forms(raw):
    assert answered(raw) == ["pos", "neg"]


@pytest.mark.parametrize("raw", [[1, 0], [1.0, 0.0], [True, False], np.array([1, 0], np.int8), ["1", "0"]])
def test_104_numbers_are_labels(raw):
    assert answered(raw) == ["1", "0"]


def test_minus_one_is_a_class_of_a_model():
    assert answered([-1, 1]) == ["-1", "1"]


@pytest.mark.parametrize(
    "raw", [[None, "a"], [float("nan"), "a"], ["", "a"], [pd.NA, "a"], np.array([np.nan, 1])]
)
def test_103_no_label_is_a_failed_text(raw):
    answers = answers_of(raw, 2)
    assert answers.labels[0] is None
    assert answers.errors == ["the model gave no answer", None]


def test_103_numbers_that_are_no_numbers_fail_their_row():
    answers = answers_of([[np.nan, 1], [np.inf, 0], [0.25, 0.75], None], 4, classes=NAMES)
    assert answers.labels == [None, None, "pos", None]
    assert answers.probabilities == [None, None, 0.75, None]
    assert answers.errors == ["a score is not a finite number"] * 2 + [None, "a score is not a finite number"]


def test_103_rows_that_are_no_probabilities_fail_and_logits_are_hinted_at():
    answers = answers_of([[-1.0, 2.0], [0.5, 1.5], [0.3, 0.3], [0.2, 0.8]], 4, classes=NAMES)
    assert answers.labels == [None, None, None, "pos"]
    assert answers.errors[0] == "a probability is -1; if the scores are logits, add logits=True"
    assert answers.errors[1] == "probabilities sum to 2, not 1; if the scores are logits, add logits=True"
    assert answers.errors[2] == "probabilities sum to 0.6, not 1; if the scores are logits, add logits=True"


def test_103_logits_are_taken_when_they_are_declared():
    answers = answers_of([[-1.0, 2.0], [1000.0, -1000.0], [np.nan, 0]], 3, classes=NAMES, logits=True)
    assert answers.labels == ["pos", "neg", None]
    assert answers.probabilities[:2] == pytest.approx([1 / (1 + np.exp(-3)), 1])
    assert answers_of([{"neg": -1.0, "pos": 2.0}], 1, logits=True).labels == ["pos"]


def test_103_a_sum_is_rounded_as_sixteen_bits_round():
    row = np.array([[0.3333, 0.3333, 0.3333]], np.float16)
    assert answered(row, 1, classes=("a", "b", "c")) == ["a"]


def test_a_number_between_classes_is_no_label():
    with pytest.raises(OutputError, match=r"the number 0\.87 for a label; return labels, or a probability"):
        answers_of([0.87], 1)


def test_105_numbers_without_class_names_are_refused():
    with pytest.raises(OutputError, match="probabilities without class names"):
        answers_of([[0.5, 0.5]], 1)


def test_105_as_many_columns_as_classes():
    with pytest.raises(OutputError, match="3 columns for 2 classes"):
        answers_of([[0.1, 0.1, 0.8]], 1, classes=NAMES)


@pytest.mark.parametrize("names", [["a", "a"], [1, "1"], ["a", None], [], [["a"], ["b"]], 5])
def test_class_names_are_told_apart(names):
    with pytest.raises(OutputError, match="class names"):
        class_names(names)


@pytest.mark.parametrize("raw", [[{"pos": "high"}], [{}], [[{"label": "pos"}, 1]]])
def test_scores_that_are_none_are_refused(raw):
    with pytest.raises(OutputError, match="model"):
        answers_of(raw, 1)


def test_a_label_without_a_score_among_scores_fails_its_text():
    assert answers_of([[{"label": "pos"}]], 1).errors == ["a score is not a finite number, or has no label"]


def test_answers_pass_through():
    answers = Answers.of(["pos"], probabilities=[0.5], statuses=["truncated"], cut=[True])
    assert answers_of(answers, 1) == answers


def test_what_a_model_leaves_out_of_its_answers_follows_from_the_labels():
    answers = Answers.of(
        ["pos", None, None, "I must not", None], statuses=[None, None, *["refused"] * 2, "truncated"]
    )
    assert answers.labels == ["pos", None, None, None, None]
    assert answers.statuses == ["answered", "failed", "refused", "refused", "failed"]
    assert answers.errors == [
        *(None, "the model gave no answer", "the model refused to answer"),
        *("the model refused to answer: 'I must not'", "the model gave no answer"),
    ]
    assert answers.cut == [False] * 5
    assert Answers.joined([answers, Answers.failed(1, "gone")]).statuses == [*answers.statuses, "failed"]


@pytest.mark.parametrize(
    ("field", "values", "error"),
    [
        ("statuses", ["done"], "the status 'done'; it must be one of answered, truncated, refused, failed"),
        ("statuses", [None], "the status None; it must be one of"),
        ("statuses", [["answered"]], r"the status \['answered'\]; it must be one of"),
        ("statuses", [], "0 statuses for 1 text"),
        ("cut", ["no"], "'no' in cut, which is not True or False"),
        ("cut", [False, True], "2 cut for 1 text"),
        ("errors", [5], "the error 5, which is not a string"),
        ("labels", [5], "the label 5, which is not a string"),
        ("probabilities", ["high"], "probabilities that are not numbers"),
    ],
)
def test_answers_of_a_model_of_the_users_own_are_checked(field, values, error):
    whole = {
        "labels": ["a"],
        "probabilities": [None],
        "statuses": ["answered"],
        "errors": [None],
        "cut": [False],
    }
    with pytest.raises(OutputError, match=f"model returned {error}"):
        checked(Answers(**whole | {field: values}), 1)


def test_answers_that_contradict_themselves_are_settled():
    found = checked(
        Answers(["a", None], [0.5, None], ["failed", "answered"], [None, None], [np.True_, False]), 2
    )
    assert (found.labels, found.statuses) == ([None, None], ["failed", "failed"])
    assert found.errors == ["the model gave no answer: 'a'", "the model gave no answer"]
    assert found.cut[0] is True
    assert checked(Answers.of(["a"], probabilities=[np.float32(0.5)]), 1).probabilities == [0.5]


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner), max_leaves=8
)


@given(ANYTHING, st.integers(0, 3), st.booleans())
def test_102_whatever_is_returned_is_answers_or_one_error(raw, count, logits):
    try:
        answers = answers_of(raw, count, classes=NAMES, logits=logits)
    except OutputError:
        return
    assert len(answers) == count
    assert all(
        (label is None) == (error is not None) == (status == "failed")
        for label, error, status in zip(answers.labels, answers.errors, answers.statuses, strict=True)
    )


def test_a_number_among_rows_of_numbers_is_refused():
    with pytest.raises(OutputError, match="model returned False among rows of numbers"):
        answers_of([[], False], 2)


def test_an_answer_with_half_a_character_is_a_failed_row():
    found = checked(Answers.of(["a\ud800", "fine", None], errors=[None, None, "\udfff!"]), 3)
    assert found.labels == [None, "fine", None]
    assert "holds a lone surrogate" in found.errors[0]
    assert found.errors[2] == "\\udfff!"
