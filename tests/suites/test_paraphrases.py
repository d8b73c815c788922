"""Paraphrases of the user's own: checked when they are frozen, then asked about like any condition."""

from __future__ import annotations

import json
import logging
import shutil

import pytest

from salva.errors import InputError, UsageError
from salva.evaluation import evaluate, freeze, remake
from salva.evaluation.paraphrases import find_problems
from salva.suites import verify
from salva.tasks import make_task, read_task
from tests.suites.conftest import ROWS as QUESTIONS
from tests.suites.test_evaluating import no_transform
from tests.suites.test_verifying import change

__all__ = ["no_transform"]

FREE = {"noise": 0, "resamples": 100}
ROWS = [
    {
        **row,
        "own": f"It is a big film. Which is {n}: odd or even? We cannot think.",
        "sparse": " " if n % 2 else None,
    }
    for n, row in enumerate(QUESTIONS)
]
ROWS[2]["sparse"] = "We cannot begin to think of a film. Two: is it an odd number, or an even one?"


def answer(prompts):
    return ["A" if len(prompt) % 3 else "B" for prompt in prompts]


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A suite with paraphrases of all questions, and of one."""
    path = tmp_path_factory.mktemp("own") / "suite"
    usual = {"task": "multiple-choice", "presets": "misspellings", "severities": 1.0}
    return freeze(ROWS, path, variants=["own", "sparse"], name="own", **usual)


def test_paraphrases_are_conditions_with_their_questions(own):
    assert [one.name for one in own.manifest.conditions] == [
        "misspellings@1",
        "variants=own",
        "variants=sparse",
    ]
    rows = list(own)
    assert [row.twins[1].texts["question"] for row in rows] == [row["own"] for row in ROWS]
    assert [row.twins[1].targets for row in rows] == [row.item.targets for row in rows]
    assert "Which is 3" in rows[3].twins[1].prompt.text
    assert [row.item.id for row in rows if row.twins[2].prompt is not None] == ["q2"]
    assert "own" not in rows[0].item.columns


def test_counts_of_paraphrases_are_in_the_manifest(own):
    _, all_rows, one_row = (one.summary for one in own.manifest.conditions)
    assert all_rows == {"paraphrases": 12, "missing": 0, "kept": 0, "dropped": 0}
    assert one_row == {"paraphrases": 1, "missing": 11, "kept": 0, "dropped": 0}


def test_a_suite_gives_the_numbers_of_its_data(own, no_transform, monkeypatch):
    run = evaluate(own.path, model=answer, **FREE)
    monkeypatch.undo()
    usual = {"task": "multiple-choice", "presets": "misspellings", "severities": 1.0}
    other = evaluate(ROWS, model=answer, axes={"variants": ["own", "sparse"]}, **usual, **FREE)
    assert run.results.conditions == other.results.conditions
    assert run.results.axes == other.results.axes
    assert run.results.distinct_texts == other.results.distinct_texts
    assert run.flips == other.flips


def test_a_run_over_paraphrases_is_resumed(own, no_transform, tmp_path):
    model = "python:tests.suites.test_paraphrases:answer"
    first = evaluate(own.path, model=model, out=tmp_path / "run", **FREE)
    assert evaluate(own.path, model=model, out=tmp_path / "run", resume=True, **FREE).results == first.results


def test_labels_need_no_task_and_no_preset(tmp_path):
    rows = [{"text": "I saw 2 films.", "same": "Two films were seen by me.", "label": "a"}]
    suite = freeze(rows, tmp_path / "suite", variants="same")
    results = evaluate(suite.path, model=lambda texts: ["a" for _ in texts], **FREE).results
    assert [(one.name, one.score.consistency.value) for one in results.conditions] == [("variants=same", 100)]


def test_paraphrases_are_the_same_when_frozen_or_made_again(own, tmp_path):
    usual = {"task": "multiple-choice", "presets": "misspellings", "severities": 1.0}
    again = freeze(ROWS, tmp_path / "suite", variants=["own", "sparse"], name="own", **usual)
    assert again.digest == own.digest
    assert remake(own) == []


def test_a_changed_byte_of_a_paraphrase_is_named(own, tmp_path):
    copy = shutil.copytree(own.path, tmp_path / "suite")
    path = copy / "twins.variants=own.jsonl"
    line = change(path, path.stat().st_size // 2)
    (fault,) = verify(copy)
    assert (fault.path, fault.line, fault.item) == (str(path), line, f"q{line - 1}")


@pytest.mark.parametrize(
    ("original", "paraphrase", "problem"),
    [
        ("Ann has 12 dogs.", "Twelve dogs are Ann's.", None),
        ("It cost 1,000 euros.", "The price was one thousand euros.", None),
        ("She ran 3.5 km.", "She ran 3.50 km.", None),
        ("She came 1st.", "She was the first.", None),
        ("Wait a second.", "Wait for a moment.", None),
        ("Ann has 12 dogs.", "Ann has 21 dogs.", "the number 12 is missing, the number 21 was added"),
        ("2 and 2", "2 and 3", "the number 2 is missing, the number 3 was added"),
        ("It is -5 outside.", "It is 5 outside.", "the number -5 is missing, the number 5 was added"),
        ("He isn’t here.", "He is not here.", None),
        ("No one can see it.", "Nobody can see it.", None),
        ("He is here.", "He is not here.", "a negation was added ('not')"),
        (
            "I never saw that it cannot fly.",
            "I never saw that it can fly.",
            "a negation is missing ('never', 'cannot')",
        ),
        ("A few saw little.", "Some saw a bit.", None),
    ],
)
def test_numbers_and_negations_must_survive(original, paraphrase, problem):
    assert ", ".join(find_problems(original, paraphrase)) == (problem or "")


def test_options_and_answers_of_the_text_must_survive():
    choice, row = read_task("multiple-choice"), dict(QUESTIONS[1])
    text = row["question"]
    assert find_problems(text, text.replace("odd", "uneven"), choice, row) == ["the option 'odd' is missing"]
    short = make_task(
        "short", {"prompt": "{text}", "edit": ["text"], "target": "a", "answer": {"kind": "text"}}
    )
    row = {"text": "Ann met Bob in 1987.", "a": "Bob"}
    assert find_problems(row["text"], "In 1987 Ann met him.", short, row) == ["the answer 'Bob' is missing"]
    assert find_problems(row["text"], "BOB met Ann in 1987.", short, row) == []
    assert find_problems(row["text"], "In 1987 Ann met him.", short, row | {"a": "Carl"}) == []
    assert find_problems("He has 2.", "He has two.", short, {"text": "He has 2.", "a": "2"}) == []


BAD = [
    {"id": "a", "text": "Ann has 2 dogs.", "own": "Ann has 3 dogs."},
    {"id": "b", "text": "Ann is here.", "own": "Ann is not here."},
    {"id": "c", "text": "Ann is here.", "own": "Here is Ann."},
]


def test_paraphrases_that_fail_are_refused_and_nothing_is_left(tmp_path, caplog):
    caplog.set_level(logging.INFO, "salva")
    first = "data: id 'a', column 'own': the number 2 is missing, the number 3 was added"
    with pytest.raises(InputError) as caught:
        freeze(BAD, tmp_path / "suite", variants="own")
    remedy = "correct the paraphrase, or pass on_bad_variant='keep' or drop (and 1 more fault: -v)"
    assert str(caught.value) == f"{first}; {remedy}"
    assert "data: id 'b', column 'own': a negation was added ('not')" in caplog.messages
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("policy", "left"), [("keep", ["a", "b", "c"]), ("drop", ["c"])])
def test_paraphrases_that_fail_are_kept_or_dropped_on_request(tmp_path, caplog, policy, left):
    suite = freeze(BAD, tmp_path / "suite", variants="own", on_bad_variant=policy)
    assert [row.item.id for row in suite if row.twins[0].input is not None] == left
    done = {"keep": "kept", "drop": "dropped"}[policy]
    assert suite.manifest.conditions[0].summary[done] == 2
    assert caplog.messages == [f"data: 2 paraphrases fail a check and will be {done}; -v lists them"]


def test_rows_without_an_id_are_named_by_their_number(tmp_path):
    with pytest.raises(InputError, match=r"^data: row 2, column 'own': a negation was added"):
        freeze(
            [{"text": row["text"], "own": row["own"]} for row in BAD[:0:-1]], tmp_path / "s", variants="own"
        )


@pytest.mark.parametrize(
    ("rows", "given", "problem"),
    [
        (BAD, {"variants": "ovn"}, "no column 'ovn'"),
        (BAD, {"variants": "text"}, "column 'text' has no paraphrases: it is a part of the question"),
        (BAD, {"variants": "id"}, "column 'id' has no paraphrases"),
        (
            [{**row, "own": " "} for row in BAD],
            {"variants": "own"},
            "column 'own' has no paraphrase of any text",
        ),
        (
            BAD[:2],
            {"variants": "own", "on_bad_variant": "drop"},
            "'own' has no paraphrase of any text that passes",
        ),
        (BAD, {"variants": "own", "on_bad_variant": "skip"}, "must be one of fail, keep, drop"),
        (BAD, {"axes": {"repeat": 2}}, "and no other axes; leave out axes="),
    ],
)
def test_columns_without_paraphrases_are_refused(tmp_path, rows, given, problem):
    with pytest.raises((InputError, UsageError), match=problem):
        freeze(rows, tmp_path / "suite", **given)
    assert list(tmp_path.iterdir()) == []


def test_spans_cannot_follow_a_paraphrase(tmp_path):
    task = make_task(
        "spans", {"prompt": "{text}", "edit": ["text"], "target": "s", "answer": {"kind": "spans"}}
    )
    rows = [{"text": "Ann ran.", "own": "Ann was running.", "s": json.dumps([[0, 3, "P"]])}]
    with pytest.raises(UsageError, match="spans cannot follow a paraphrase; leave out variants="):
        freeze(rows, tmp_path / "suite", task=task, variants="own")


def test_a_blank_paraphrase_is_missing_in_an_evaluation_of_data_too():
    rows = [{"text": "a", "own": " ", "label": "x"}, {"text": "b", "own": "bb", "label": "x"}]
    asked = []

    def model(texts):
        asked.extend(texts)
        return ["x" for _ in texts]

    results = evaluate(rows, model=model, axes={"variants": "own"}, **FREE).results
    assert (sorted(asked), results.conditions[0].score.n) == (["a", "b", "bb"], 1)
