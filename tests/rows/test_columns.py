"""Columns are found by the usual names, or as the user says."""

from __future__ import annotations

import pytest

from salva.errors import InputError
from salva.rows import ReadOptions
from salva.rows.columns import find_columns


@pytest.mark.parametrize(
    ("names", "text", "label", "id_"),
    [
        (["text", "label"], "text", "label", None),
        (["idx", "sentence", "label"], "sentence", "label", "idx"),
        (["Review", "Sentiment"], "Review", "Sentiment", None),
        (["text", "review", "label"], "text", "label", None),
        (["anything"], "anything", None, None),
        (["text", "class", "category"], "text", None, None),
    ],
)
def test_the_usual_names_are_found(names, text, label, id_):
    found = find_columns("a", names, ReadOptions())
    assert (found.text, found.label, found.id) == ((text,), label, id_)


def test_two_texts_may_be_named():
    names = ["premise", "hypothesis", "a,b"]
    pair, single = ReadOptions(text_column="premise, hypothesis"), ReadOptions(text_column="a,b")
    assert find_columns("a", names, pair).text == ("premise", "hypothesis")
    assert find_columns("a", names, single).text == ("a,b",)


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["x", "y"], {}, "no text column; columns: 'x', 'y'; pass text_column="),
        (["review", "content"], {}, "several columns could be the text: 'review', 'content'"),
        (
            ["text", "y"],
            {"text_column": "txt"},
            "no column 'txt'; columns: 'text', 'y'; did you mean 'text'?",
        ),
        (["text", "y"], {"label_column": "labl"}, "no column 'labl'"),
        ([f"c{i}" for i in range(5000)], {}, "and 4988 more"),
    ],
)
def test_what_is_not_found_is_listed(names, options, message):
    with pytest.raises(InputError, match=r"^a: ") as caught:
        find_columns("a", names, ReadOptions(**options))
    assert message in str(caught.value)
