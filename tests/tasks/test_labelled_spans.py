"""Labelled spans: replies are lists of them or tags of tokens, and anything else is unparsed."""

from __future__ import annotations

import json

import pytest

from salva.errors import UsageError
from salva.tasks import KINDS, Expected, make_task


def test_replies_are_lists_of_spans_or_unparsed():
    spans, expected = KINDS["spans"](), Expected(('[[0, 5, "PER"]]',), {}, {})
    assert spans.grade('Sure: [{"start": 0, "end": 5, "label": "PER"}]', expected) == ('[[0, 5, "PER"]]', 1.0)
    assert spans.grade("[]", expected) == ("[]", 0.0)
    for reply in ("none", "[[5, 0, 1]]", "[[0, 5]]", '[[0.5, 5, "PER"]]', "[" * 100_000 + "]"):
        assert spans.grade(reply, expected) is None


TEXT = "Maria Lopez  was in Paris, [] too."


@pytest.mark.parametrize(
    ("reply", "spans"),
    [
        ('["B-PER", "I-PER", "O", "O", "B-LOC", "O", "O"]', [[0, 11, "PER"], [20, 26, "LOC"]]),
        ('Tags: ["I-PER", "I-PER", "O", "O", "O", "O", "O"]', [[0, 11, "PER"]]),
        (
            "```\nMaria B-PER\nLopez\tI-PER\nwas O\nin O\nParis S-LOC\n, O\n[] O\ntoo O\n. O\n```",
            [[0, 11, "PER"], [20, 25, "LOC"]],
        ),
        ('["O", "O", "O", "O", "O", "O", "O"]', []),
        ('[[0, 11, "PER"]]', [[0, 11, "PER"]]),
    ],
)
def test_tags_of_tokens_are_read_as_spans(reply, spans):
    assert json.loads(KINDS["spans"]().grade(reply, Expected((), {}, {}, text=TEXT)).answer) == spans


@pytest.mark.parametrize(
    "reply",
    [
        '["B-PER", "I-PER"]',  # not one for each token
        '["PER", "O", "O", "O", "O", "O", "O"]',  # not a tag
        '["B-PER", 1, "O", "O", "O", "O", "O"]',
        "Maria B-PER\nLopez I-PER",  # not the whole text
        "Mary B-PER\nLopez I-PER\nwas O\nin O\nParis, S-LOC\n[] O\ntoo. O",  # not the text
        "Here you are:\nMaria B-PER",
        "",
    ],
)
def test_tags_that_are_not_exact_are_unparsed(reply):
    assert KINDS["spans"]().grade(reply, Expected((), {}, {}, text=TEXT)) is None


def test_a_task_with_spans_edits_one_column():
    with pytest.raises(UsageError, match="edits one column"):
        make_task("t", {"prompt": "{a} {b}", "edit": ["a", "b"], "target": "s", "answer": {"kind": "spans"}})
