"""Labels of models and of data: written alike, and aligned by name; items 56, 104 and 105."""

from __future__ import annotations

import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from salva.errors import InputError
from salva.models import align_labels, label_name


@pytest.mark.parametrize(
    "value",
    [
        *(1, 1.0, True, "1", " 1\n", b"1", pa.scalar(1), decimal.Decimal("1.0")),
        *(np.int64(1), np.float32(1), np.bool_(True), np.str_("1"), np.array(1)),
    ],
)
def test_104_one_label_is_written_in_one_way(value):
    assert label_name(value) == "1"


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.nan, "", "  ", pd.NA, pd.NaT, -1, -1.0, "-1", np.int8(-1)]
)
def test_56_no_label(value):
    assert label_name(value) is None


def test_56_labels_stay_what_they_are():
    values = ["001", "POSITIVE", "1.0", 1.5, 10**20, "ünïcode", b"\xff"]
    assert [label_name(value) for value in values] == [
        "001", "POSITIVE", "1.0", "1.5", "100000000000000000000", "ünïcode", r"\xff",
    ]  # fmt: skip


def test_what_is_no_label_is_refused():
    with pytest.raises(InputError, match="must be a string or a number"):
        label_name(["pos"])


@pytest.mark.parametrize(
    "labels", [("LABEL_0", "LABEL_1"), ("False", "True"), ("0.0", "1.0"), ("label-0", "Label 1")]
)
def test_104_numbers_are_found_in_names(labels):
    assert list(align_labels(labels, ["1", "0"]).values()) == ["0", "1"]
    assert align_labels(["1"], [labels[1], labels[0]]) == {"1": labels[1]}


def test_104_case_does_not_matter():
    assert align_labels(["NEGATIVE", "Positive"], ["negative", "positive"]) == {
        "NEGATIVE": "negative",
        "Positive": "positive",
    }


def test_105_classes_are_aligned_by_name_and_may_be_fewer():
    assert align_labels(["b", "a"], ["a", "b", "c"]) == {"b": "b", "a": "a"}


def test_104_an_unknown_label_is_refused_with_all_that_are_known():
    with pytest.raises(InputError) as refused:
        align_labels(["neutral"], ["neg", "pos"])
    assert str(refused.value) == (
        "label 'neutral' of the model does not match one label of the data ('neg', 'pos'); "
        "map it with label_map={'neutral': '?'}, with a label of the data for each ?"
    )


def test_104_a_label_that_may_be_two_is_refused():
    with pytest.raises(InputError, match="'POS' of the model does not match one label of the data"):
        align_labels(["POS"], ["Pos", "pos"])


@pytest.mark.parametrize(
    ("labels", "proposed"),
    [
        (["NEG", "Positively"], {"NEG": "negative", "Positively": "positive"}),  # by their first letters
        (["negative", "good"], {"good": "positive"}),  # the only label left
        (["negative", "positive", "neutral"], {"neutral": "neutral"}),  # none is left
        (["A", "B"], {"A": "?", "B": "?"}),
        (["A", "negative", "pos"], {"A": "?", "pos": "positive"}),
    ],
)
def test_104_all_unknown_labels_are_listed_with_the_whole_map(labels, proposed):
    with pytest.raises(InputError) as refused:
        align_labels(labels, ["negative", "positive"])
    assert f"label_map={proposed}" in str(refused.value)


@pytest.mark.parametrize(
    ("labels", "mapping"), [(["a" * 5_000_000], {}), (["x"], {}), (["z"], {"z": "z" * 5_000_000})]
)
def test_104_a_long_label_is_cut_in_the_message(labels, mapping):
    with pytest.raises(InputError) as refused:
        align_labels(labels, ["x" * 5_000_000, "y"], mapping)
    assert len(str(refused.value)) < 500


def test_31_the_other_classes_of_data_with_one_label_have_no_rows():
    assert align_labels(["NEG", "POS"], ["pos"]) == {"NEG": "NEG", "POS": "pos"}


def test_104_the_users_map_comes_first():
    assert align_labels(["pos", "neg", "odd"], ["neg", "pos"], {"pos": "neg", "odd": "odd"}) == {
        "pos": "neg",
        "neg": "neg",
        "odd": "odd",
    }


def test_104_a_map_to_an_unknown_label_is_refused():
    with pytest.raises(InputError, match="label map: 'psitive' is not a label of the data"):
        align_labels(["1"], ["negative", "positive"], {"1": "psitive"})


def test_57_without_labels_in_the_data_the_models_stand():
    assert align_labels(["x", "y"], []) == {"x": "x", "y": "y"}
