"""Axes: other ways to ask about the same rows; models whose behaviour is known get the numbers they must."""

from __future__ import annotations

import itertools

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from salva import Measure
from salva.errors import InputError, SalvaError, ThresholdError, UsageError
from salva.evaluation import check_limits, compare, rescore
from salva.evaluation.gate import check_names, check_run
from salva.evaluation.headline import write_headline
from salva.evaluation.junit import junit_xml
from salva.evaluation.page import report_page
from salva.questions import Conditions, estimate_cost, make_questions
from salva.tasks import make_task
from tests.evaluation.asked import PROMPTS, ROWS, always_a, follow_content, text_of, write_log
from tests.evaluation.keywords import classify
from tests.evaluation.running import run as run_on
from tests.flat import flat

LABELLED = [{"text": "A great film", "label": "positive", "said": "A dull film"}] * 3
LABELLED += [{"text": "A dull film", "label": "negative", "said": None}]


def ask(model, axes, data=ROWS, **settings):
    return run_on(data, model, **{"task": "multiple-choice", **axes, **settings})


def numbers_of(run):
    """Return the pairs, accuracy before and after, and consistency of every condition."""
    scores = {condition.name: condition.score for condition in run.results.conditions}
    return {
        name: (one.n, one.accuracy_before.value, one.accuracy_after.value, one.consistency.value)
        for name, one in scores.items()
    }


def test_a_model_that_follows_content_is_the_same_in_every_way():
    run = ask(follow_content, {"prompts": PROMPTS, "order": 3, "repeat": 2, "variants": "other"})
    assert numbers_of(run) == {
        "prompts=terse": (16, 100, 100, 100),
        "prompts=chatty": (16, 100, 100, 100),
        "order=1": (16, 100, 100, 100),
        "order=2": (16, 100, 100, 100),
        "order=3": (16, 100, 100, 100),
        "repeat=1": (16, 100, 100, 100),
        "repeat=2": (16, 100, 100, 100),
        "variants=other": (8, 100, 100, 100),  # the other rows have no paraphrase, and did not fail
    }
    assert all(one.score.n_failed == 0 for one in run.results.conditions)
    assert run.results.failed.texts == 0
    assert not run.flips


def test_a_model_with_a_favourite_letter_changes_its_content_with_the_order():
    run = ask(always_a, {"order": "all"})
    found = numbers_of(run)
    assert list(found) == [f"order={k}" for k in range(1, 24)]
    # In a quarter of all 24 orders, the first option is first; their own order is one of these.
    assert sorted(same for *_, same in found.values()) == [0] * 18 + [100] * 5
    assert {(before, after) for _, before, after, _ in found.values()} == {(25, 25)}
    assert {(flip.before, flip.after) for flip in run.flips} == {("A", "B"), ("A", "C"), ("A", "D")}


def scores_of(run):
    """Return the spread, worst case, consistency rate and prompt sensitivity of every axis."""
    scores = {one.axis: one.score for one in run.results.axes}
    return {
        axis: (one.spread, one.worst_case.value, one.consistency_rate.value, one.prompt_sensitivity.value)
        for axis, one in scores.items()
    }


def test_axes_as_a_whole_have_the_numbers_that_follow_from_the_behaviour():
    axes = {"prompts": PROMPTS, "order": "all", "repeat": 2, "variants": "other"}
    follows = ask(follow_content, axes)
    assert scores_of(follows) == dict.fromkeys(axes, (0, 100, 100, 0))
    letter = ask(always_a, {name: axes[name] for name in ("prompts", "order", "repeat")})
    found = scores_of(letter)
    assert found["prompts"] == found["repeat"] == (0, 25, 100, 0)
    # Each option is first in 6 of 24 orders: 4 * 15 of 276 pairs are the same, 6 * 18 differ in the score.
    assert found["order"] == pytest.approx((0, 0, 100 * 60 / 276, 100 * 108 / 276))


def test_random_answers_agree_as_often_as_chance():
    rows = [{**ROWS[n % 16], "question": f"{n}. {ROWS[n % 16]['question']}"} for n in range(400)]
    found = ask(write_log, {"prompts": PROMPTS, "order": 4}, rows).results
    for one in found.axes:
        rate = one.score.consistency_rate
        assert rate.low < 25 < rate.high
        assert one.score.worst_case.value < 4


def test_robust_accuracy_is_the_worst_case_over_presets_that_keep_the_meaning():
    rows = [{"text": f"A great film number {n}", "label": "positive"} for n in range(19)]
    both = {"presets": ["natural", "typos"], "severities": 1.0}

    def model(texts):
        return ["negative" if "great" not in text and "1" in text else "positive" for text in texts]

    run = run_on([*rows, {"text": "Dull", "label": "negative"}], model, **both)
    score, flipped = run.results.robust, run.results.conditions[0].score.right_to_wrong
    assert 0 < flipped < 19
    assert (score.n, score.worst_case.value) == (20, pytest.approx(100 * (19 - flipped) / 20))
    assert run.results.axes == ()
    check_limits(run.results, ["robust_accuracy < 0.1"])
    with pytest.raises(ThresholdError, match=r"robust_accuracy < 95: presets that keep the meaning has"):
        check_limits(run.results, ["robust_accuracy < 95"])
    with pytest.raises(UsageError, match="'spread' is a number of an axis, and the run has none"):
        check_limits(run.results, ["spread > 5"])


def test_limits_of_an_axis_are_checked_and_shown():
    run = ask(always_a, {"prompts": PROMPTS, "order": 2})
    with pytest.raises(ThresholdError, match=r"consistency_rate < 90: axis order has"):
        check_limits(run.results, ["consistency_rate < 90", "spread > 60"])
    checked = check_run(run, ["consistency_rate < 90", "consistency < 101"])
    xml = junit_xml(checked).decode()
    assert 'name="axis order"' in xml
    assert xml.count("<testcase") == 5
    assert 'tests="5" failures="5"' in xml
    check_names(["spread > 5", "robust_accuracy < 50", "worst_case.low < 20"])


def test_page_and_summary_show_axes_apart_from_presets():
    run = ask(always_a, {"order": 2, "repeat": 1}, presets="misspellings", severities=1.0)
    page = report_page(run.results, run.flips)
    assert 'id="axes"' in page
    said = run.summary()
    assert "Asked in 3 ways along order, accuracy is between" in said
    assert "axis order, 3 ways: mean" in said
    for sentence in write_headline(run.results):
        assert not ("meaning" in str(sentence) and "order" in str(sentence))


def test_a_flip_of_an_order_shows_both_questions_and_blames_no_word():
    run = ask(always_a, {"order": 1}, blame_calls=8)
    flip = run.flips[0]
    assert "A. alpha\nB. beta\nC. gamma\nD. delta" in flip.original
    assert flip.text != flip.original
    assert sorted(flip.text) == sorted(flip.original)
    assert (flip.edits, flip.cause, run.results.blame.rows) == ((), None, 0)
    page = report_page(run.results, run.flips)
    assert "Other ways to ask" in page
    assert "no edit" in page


def test_a_repeat_is_asked_again_and_only_a_repeat():
    asked = []

    def model(prompts):
        asked.extend(prompts)
        return ["ABCD"[len(asked) % 4]] * len(prompts)

    run = ask(model, {"repeat": 2, "prompts": {"same": "{question}\n\n{options}\n\nLetter?"}})
    assert len(asked) == 16 * 4
    assert run.results.distinct_texts == 16 * 4
    assert all(asked.count(prompt) == 3 for prompt in asked if "Letter?" not in prompt)
    assert all(asked.count(prompt) == 1 for prompt in asked if "Letter?" in prompt)


def test_axes_run_alone_unless_a_preset_is_named():
    assert [one.name for one in ask(always_a, {"repeat": 1}).results.conditions] == ["repeat=1"]
    both = ask(always_a, {"repeat": 1}, presets="misspellings", severities=1.0)
    assert [one.name for one in both.results.conditions] == ["misspellings@1", "repeat=1"]
    crossed = ask(always_a, {"repeat": 1}, presets=["typos"], severities=1.0, cross=True)
    names = [one.name for one in crossed.results.conditions]
    assert names == ["typos/render", "typos@1", "repeat=1", "typos@1 x repeat=1"]
    assert [one.preset for one in crossed.results.presets] == ["typos"]
    assert crossed.results.presets[0].curve.points[0].drop.value == 0


def test_crossed_twins_are_those_of_the_preset_in_the_order_of_the_axis():
    prompts = {}

    def model(batch):
        prompts.update(dict.fromkeys(batch))
        return ["A"] * len(batch)

    ask(model, {"order": 2}, presets="misspellings", severities=1.0, cross=True, data=ROWS[:1])
    assert len(prompts) == 6
    parts = [text_of(prompt).split("\n\n") for prompt in prompts]
    assert len({question for question, *_ in parts}) == 2
    assert len({options for _, options, _ in parts}) == 3
    assert len({(question, options) for question, options, _ in parts}) == 6


def test_edits_in_a_text_with_options_are_where_they_are_after_reordering():
    task = {
        "prompt": "{input}",
        "edit": ["input"],
        "target": "answer",
        "options": {"column": "input", "pattern": r"\((\w)\) (\w+)"},
        "answer": {"kind": "choice"},
    }
    long = "Is the correct word (A) x or (B) extraordinarily, which one of these do people usually believe?"
    rows = [{"input": f"{n} {long}", "answer": "A"} for n in range(8)]

    def model(batch):
        return ["A" if edited else "B" for edited in (long[-30:] not in prompt for prompt in batch)]

    options = {"presets": "misspellings", "severities": 1.0, "cross": True, "blame_calls": 20}
    run = ask(model, {"order": 1}, rows, task=make_task("own", task), **options)
    crossed = [flip for flip in run.flips if flip.condition == "misspellings@1 x order=1" and flip.edits]
    assert crossed
    for flip in crossed:
        assert "(A) extraordinarily or (B) x" in flip.text
        assert all(flip.text[edit.start : edit.end] == edit.new for edit in flip.edits)
    assert {flip.cause for flip in crossed} <= {"alone", "together", "either", "variant"}


def test_axes_without_a_task_ask_texts_again_and_in_other_words():
    run = run_on(LABELLED, classify, repeat=1, variants=["said"])
    assert numbers_of(run) == {"repeat=1": (4, 100, 100, 100), "variants=said": (3, 100, 0, 0)}
    flip = run.flips[0]
    assert (flip.original, flip.text, flip.edits) == ("A great film", "A dull film", ())


@pytest.mark.parametrize("axes", [{"prompts": PROMPTS}, {"order": 2}, {"order": "all"}])
def test_axes_that_change_questions_need_a_task(axes):
    with pytest.raises(UsageError, match=f"axis '{next(iter(axes))}' needs a task"):
        run_on(LABELLED, classify, **axes)


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({"order": 101}, "order=101 must be a whole number from 0 to 100"),
        ({"order": "some"}, "must be a number, or all"),
        ({"order": "9" * 5000}, "must be a number, or all"),
        ({"repeat": -1}, "repeat=-1 must be"),
        ({"repeat": "x"}, "must be a number"),
        ({"variants": 5}, "name one column"),
        ({"variants": ["othr"]}, "othr"),
        ({"prompts": 5}, "name a TOML file"),
        ({"prompts": {"a": "{question} {what}"}}, "what"),
        ({"prompts": {"a": "nothing"}}, "prompt 'a' does not fit the task"),
    ],
)
def test_a_wrong_axis_gets_one_line(axes, said):
    with pytest.raises(SalvaError) as caught:
        ask(always_a, axes)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_axis_gets_a_suggestion():
    with pytest.raises(UsageError, match="there is no axis 'promts'; did you mean 'prompts'"):
        Conditions.of_axes({"promts": "x"})


def test_orders_need_options_and_all_of_them_only_a_few():
    with pytest.raises(UsageError, match="axis 'order' needs options"):
        ask(always_a, {"order": 1}, [{"question": "2 and 2?", "answer": "4"}], task="arithmetic")
    rows = [{"question": "Which?", "choices": ["a", "b", "c", "d", "e"], "answer": "A"}]
    with pytest.raises(InputError, match="up to 4 options, and a row has 5"):
        ask(always_a, {"order": "all"}, rows)
    with pytest.raises(UsageError, match="cross"):
        ask(always_a, {"order": 1}, cross=True)


def test_rows_with_fewer_options_have_no_pair_in_further_orders():
    words = ["a", "b", "c"]
    rows = [{"question": f"Which {n}?", "choices": words[: 2 + n % 2], "answer": "A"} for n in range(4)]
    found = numbers_of(ask(always_a, {"order": "all"}, rows))
    assert [n for n, *_ in found.values()] == [4, 2, 2, 2, 2]


def test_every_question_is_counted_before_it_is_asked():
    options = flat(prompts=PROMPTS, order=2, repeat=3, variants=["other"])
    cost = estimate_cost(make_questions(ROWS, task="multiple-choice", options=options), Measure(noise=0))
    assert cost.distinct == 16 * (1 + 2 + 2 + 3) + 8
    assert cost.not_asked == {"variants=other": 8}
    assert cost.most_blame_calls == 0
    assert cost.conditions[:2] == ("prompts=terse", "prompts=chatty")


AXES = {"prompts": PROMPTS, "order": 2, "repeat": 1, "variants": ["other"]}


def contents(folder):
    names = ("results.json", "report.html", "flips.parquet", "answers.parquet", "run.json")
    return {name: (folder / name).read_bytes() for name in names}


def test_a_run_with_axes_goes_on_and_is_scored_again_to_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("SALVA_TEST_LOG", str(tmp_path / "log"))
    model = "python:tests.evaluation.asked:write_log"
    options = {"presets": "misspellings", "severities": 1.0, "cross": True, "noise": 5, "blame_calls": 6}
    ask(model, AXES, out=tmp_path / "whole", **options)
    calls = (tmp_path / "log").read_text().splitlines()
    (tmp_path / "log").unlink()
    options["batch_size"] = 8
    for again in (False, True, True):
        with pytest.raises(UsageError, match="more calls than calls=40 allows"):
            ask(model, AXES, out=tmp_path / "run", resume=again, calls=40, **options)
    ask(model, AXES, out=tmp_path / "run", resume=True, **options)
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")
    assert sorted((tmp_path / "log").read_text().splitlines()) == sorted(calls)
    rescore(tmp_path / "run")
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")
    with pytest.raises(UsageError, match="rescore has no setting 'repeat'"):
        rescore(tmp_path / "run", repeat=2)


def test_answers_do_not_depend_on_other_rows():
    options = {"presets": "misspellings", "severities": 1.0, "cross": True, "id": "question"}
    found = []
    for rows in (ROWS, ROWS[::-1]):
        table = ask(write_log, AXES, rows, **options).list_answers()
        names = ("id", "condition", "asked", "answer", "label")
        found.append(sorted(zip(*(table[name].to_pylist() for name in names), strict=True)))
    assert found[0] == found[1]


def test_runs_with_axes_are_compared_and_other_prompts_refused(tmp_path):
    for name, model in (("a", always_a), ("b", follow_content)):
        ask(model, {"prompts": PROMPTS, "order": 2}, out=tmp_path / name)
    found = compare(tmp_path / "a", tmp_path / "b")
    assert [one.name for one in found.conditions] == ["prompts=terse", "prompts=chatty", "order=1", "order=2"]
    ask(always_a, {"prompts": {"terse": "{question}? {options}"}}, out=tmp_path / "c")
    with pytest.raises(InputError, match=r"differs from .* in prompt terse"):
        compare(tmp_path / "a", tmp_path / "c")


def test_repeats_cannot_come_from_a_file_of_answers(tmp_path):
    rows = [{"text": f"text {n}", "label": "a"} for n in range(3)]
    asked = make_questions(rows, options=flat(variants=["label"])).to_arrow()
    answers = {"key": [key.hex() for key in asked["key"].to_pylist()], "label": ["a"] * len(asked)}
    pq.write_table(pa.table(answers), tmp_path / "answers.parquet")
    model = f"answers:{tmp_path / 'answers.parquet'}"
    assert numbers_of(run_on(rows, model, variants=["label"]))["variants=label"][0] == 3
    with pytest.raises(UsageError, match="has one answer for each text"):
        run_on(rows, model, repeat=1)


def test_all_permutations_are_asked_once():
    shown = []

    def model(batch):
        shown.extend(batch)
        return ["A"] * len(batch)

    ask(model, {"order": "all"}, ROWS[:1])
    words = [tuple(line[3:] for line in prompt.splitlines() if line[1:3] == ". ") for prompt in shown]
    assert sorted(words) == sorted(itertools.permutations(("alpha", "beta", "gamma", "delta")))
