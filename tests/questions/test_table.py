"""The table of questions: what is asked under every condition, what is accepted, and edits that lead back."""

from __future__ import annotations

import re

import pytest

from salva.errors import InputError, UsageError
from salva.evaluation import evaluate
from salva.questions import make_questions
from salva.questions.table import CHANGE, CLEAN, STAY, as_input, undo
from salva.tasks import make_task
from tests.flat import flat
from tests.questions.conftest import ROWS

WORDS = {
    "awful": "bad",
    "wonderful": "good",
    "good": "good",
    "bad": "bad",
    "great": "good",
    "terrible": "bad",
}
FILMS = [(f"It was a {word} film in room {n}.", label) for n, (word, label) in enumerate(WORDS.items(), 40)]
NUMBER = {
    "prompt": "Which number is in this text? {text}",
    "edit": ["text"],
    "target": "number",
    "answer": {"kind": "number"},
    "contrast": {"aim": "answer"},
}
SPANS = {"prompt": "{text}", "edit": ["text"], "target": "s", "answer": {"kind": "spans"}}


def rows_of(data, **given):
    """Return the rows of a table by item and condition."""
    questions = make_questions(data, severities=1.0, **given)
    return {(row["item"], row["condition"]): row for row in questions.to_arrow().to_pylist()}


def test_a_question_has_its_text_options_answer_and_columns():
    questions = make_questions(
        ROWS, task="multiple-choice", presets="natural", options=flat(slice_by="topic")
    )
    row = questions.to_arrow().to_pylist()[0]
    assert (row["id"], row["expected"], dict(row["facts"])["topic"]) == ("q0", ["B"], "films")
    assert [(one["name"], one["text"], one["means"]) for one in row["options"]] == [
        ("A", "odd", "A"),
        ("B", "even", "B"),
    ]
    prompt = as_input(row["parts"], questions.about.condition(CLEAN), row["options"])
    assert prompt.options == ("A", "B")
    assert ROWS[0]["question"] in prompt.text


@pytest.mark.parametrize("task", [None, "multiple-choice"])
def test_undoing_the_edits_of_a_twin_gives_the_clean_question(task):
    data = ROWS if task else [row["question"] for row in ROWS]
    rows = rows_of(data, task=task, presets=["natural", "misspellings", "numbers"])
    changed = 0
    for (item, condition), row in rows.items():
        if row["edits"]:
            assert undo(row["parts"], row["edits"]) == rows[item, CLEAN]["parts"] != row["parts"]
            changed += condition != "natural/render"
    assert changed > len(ROWS)


def test_twins_equal_to_their_original_have_its_answer_unless_they_are_asked_by_themselves():
    for shares in (True, False):
        rows = rows_of([("Nothing", "x")], presets=["antonyms", "case"], options=flat(share_answers=shares))
        twin = rows[0, "case@1"]
        assert twin["unchanged"]
        assert (twin["key"] == rows[0, CLEAN]["key"]) == shares


def test_a_contrast_has_an_edit_and_its_new_right_answer():
    options = flat(opposites={"good": "bad"})
    rows = rows_of([*FILMS, ("No films here.", "bad")], presets=["antonyms", "numbers"], options=options)
    for item, (_, label) in enumerate(FILMS):
        antonym, number = rows[item, "antonyms@1"], rows[item, "numbers@1"]
        assert (antonym["must"], number["must"], rows[item, CLEAN]["must"]) == (CHANGE, CHANGE, STAY)
        assert antonym["expected"] == [{"good": "bad", "bad": "good"}[label]]
        assert (number["expected"], len(number["edits"])) == (None, 1)  # only that it must be another one
    without = rows[len(FILMS), "antonyms@1"]
    assert (without["key"], without["why_not_asked"]) == (None, "there is nothing to edit")


def test_the_new_answer_of_a_task_follows_from_the_edit():
    data = [{"text": f"Room {n} has 2 beds.", "number": str(n)} for n in range(41, 53)]
    rows = rows_of(data, presets="numbers", task=make_task("number", NUMBER))
    for item in range(len(data)):
        row = rows[item, "numbers@1"]
        assert row["expected"] == [re.search(r"Room (\d+)", row["parts"][0])[1]] != [data[item]["number"]]


def test_paraphrases_are_asked_where_there_are_some():
    data = [{**row, "own": f"Odd or even: {n}?", "sparse": " "} for n, row in enumerate(ROWS)]
    data[2]["sparse"] = "Two: is it odd, or even?"
    rows = rows_of(data, task="multiple-choice", options=flat(variants=["own", "sparse"]))
    for item in range(len(data)):
        assert data[item]["own"] in rows[item, "variants=own"]["parts"][0]
        assert rows[item, "variants=own"]["expected"] == rows[item, CLEAN]["expected"]
        why = rows[item, "variants=sparse"]["why_not_asked"]
        assert why == (None if item == 2 else "the row lacks a value")


def test_questions_that_are_equal_have_one_key_and_are_counted_once():
    questions = make_questions({"text": ["a film", "a film", None]}, presets="case", severities=1)
    assert questions.count() == {"rows": 6, "not_asked": 2, "different": 1}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"presets": "antonyms", "options": flat(opposites={"fine": "bad"})}, "the data has no label 'fine'"),
        ({"options": flat(variants="owm")}, "no column 'owm'"),
        (
            {"options": flat(variants="text"), "task": make_task("spans", SPANS)},
            "spans cannot follow a paraphrase, which has no edits",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused_and_nothing_is_left(tmp_path, given, problem):
    data = [{"text": text, "label": label, "s": "[]"} for text, label in FILMS]
    with pytest.raises((InputError, UsageError), match=problem):
        make_questions(data, out=tmp_path / "suite", **given)
    assert list(tmp_path.iterdir()) == []


DAMAGE = {
    "one bit": lambda whole: (
        whole[: len(whole) // 3] + bytes([whole[len(whole) // 3] ^ 4]) + whole[len(whole) // 3 + 1 :]
    ),
    "cut off": lambda whole: whole[:-20],
    "another file": lambda whole: b"PAR1",
    "missing": lambda whole: None,
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_part_of_a_run_is_refused(tmp_path, how):
    data = [(f"film {k}", "x") for k in range(5000)]
    usual = {"presets": "case", "severities": 1, "out": tmp_path / "run"}
    options = flat(noise=0, blame_calls=0, resamples=100, model_id="m")
    evaluate(data, all_x, **usual, options=options)
    part = tmp_path / "run/questions/made-0000.parquet"
    content = DAMAGE[how](part.read_bytes())
    part.unlink() if content is None else part.write_bytes(content)
    problem = r"has no question about row 0" if content is None else r"made-0000.parquet: is damaged"
    with pytest.raises(InputError, match=rf"{problem}.*; make the questions again$"):
        evaluate(data, all_x, **usual, options=options, resume=True)


def all_x(texts):
    return ["x"] * len(texts)
