"""Axes of several runs: compared over the items that all models answered, or left out if they differ."""

from __future__ import annotations

import dataclasses
import json

import pytest

from salva.evaluation import compare, load_run
from salva.evaluation.comparison_page import comparison_page
from salva.tasks import make_task
from tests.evaluation.asked import PROMPTS, ROWS, always_a, follow_content, text_of
from tests.evaluation.running import run as run_on

AXES = {"prompts": PROMPTS, "order": 3, "variants": "other"}


def ask(model, data=ROWS, **settings):
    return run_on(data, model, **{"task": "multiple-choice", **settings})


def unsure(prompts):
    """Give no letter if the prompt is terse and about number 3."""
    replies = always_a(prompts)
    return [
        "Hm." if "number 3," in text_of(prompt) and "Letter" in text_of(prompt) else reply
        for prompt, reply in zip(prompts, replies, strict=True)
    ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs of a model that follows content, of one with a favourite letter, and of one that is unsure."""
    folder = tmp_path_factory.mktemp("axes")
    models = {"content": follow_content, "letter": always_a, "unsure": unsure}
    for name, model in models.items():
        ask(model, out=folder / name, **AXES)
    return [folder / name for name in models]


@pytest.fixture(scope="module")
def comparison(runs):
    return compare(*runs[:2], names=["content", "letter"])


def test_numbers_of_axes_are_those_of_the_runs(runs, comparison):
    for run, name in zip(runs, ("content", "letter"), strict=False):
        results = load_run(run).results
        for one in results.axes:
            (mine,) = [s for s in comparison.axes.scores if (s.axis, s.model) == (one.axis, name)]
            assert mine.ways == len(one.ways)
            fields = ("n", "n_out", "mean", "spread", "worst_case", "consistency_rate", "prompt_sensitivity")
            for field in fields:
                assert getattr(mine, field) == getattr(one.score, field)
    assert not comparison.axes.apart


def test_differences_are_paired_and_have_intervals(comparison):
    less = {(one.axis, one.number): one for one in comparison.axes.differences}
    order = less["order", "consistency_rate"]
    assert (order.a, order.b, order.n) == ("content", "letter", 16)
    assert order.difference.value < -50
    assert order.difference.high < 0
    assert less["prompts", "consistency_rate"].difference.value == 0
    assert less["variants", "worst_case"].n == 8
    assert less["order", "spread"].difference.low is None


def test_an_item_that_one_model_did_not_answer_counts_for_none(runs):
    found = compare(*runs[1:], names=["letter", "unsure"]).axes
    counts = {(one.axis, one.model): (one.n, one.n_out) for one in found.scores}
    assert counts["prompts", "letter"] == counts["prompts", "unsure"] == (15, 1)
    assert counts["order", "letter"] == (16, 0)


def test_rows_that_no_model_answered_are_known_to_be_asked(tmp_path):
    kept = [ask(unsure, out=tmp_path / name, **AXES) for name in "ab"]
    there = compare(*(run.folder for run in kept), names=["a", "b"])
    in_memory = compare(*(ask(unsure, **AXES) for _ in range(2)), names=["a", "b"])
    counts = {(one.axis, one.model): (one.n, one.n_out) for one in there.axes.scores}
    assert counts["prompts", "a"] == (15, 1)  # asked, and unparsed
    assert counts["variants", "a"] == (8, 0)  # the other rows have no paraphrase
    assert dataclasses.asdict(in_memory.axes) == dataclasses.asdict(there.axes)


@pytest.mark.parametrize("name", ["folder", None])
def test_an_order_that_a_row_does_not_have_is_not_missing(tmp_path, name):
    words = ["alpha", "beta", "gamma"]
    rows = [
        {"question": f"Which word is number {n}?", "choices": words[: 2 + n % 2], "answer": "A"}
        for n in range(8)
    ]

    def silent(prompts):
        """Say nothing about number 7, of three options, once their order changed."""
        return ["" if "number 7?" in p and "A. alpha" not in p else "A" for p in prompts]

    runs = [ask(silent, rows, order="all", out=name and tmp_path / f"{name}{k}") for k in range(2)]
    found = compare(*runs, names=["a", "b"])
    assert {one.name: (one.n, one.n_out) for one in found.conditions} == {
        "order=1": (8, 0),  # of three options, the first stays where it is
        **dict.fromkeys(["order=2", "order=3", "order=4", "order=5"], (3, 1)),
    }
    assert {(one.n, one.n_out) for one in found.axes.scores} == {(7, 1)}


def test_rows_without_a_value_are_missing_neither_in_runs_nor_in_comparisons():
    rows = [{"question": f"Is {n} a really big number?", "note": "x", "answer": "yes"} for n in range(6)]
    task = make_task(
        "own",
        {
            "prompt": "{question} {note}",
            "edit": ["question"],
            "target": "answer",
            "answer": {"kind": "text"},
        },
    )
    rows[0]["note"] = None
    runs = [ask(lambda p: ["yes"] * len(p), rows, task=task, presets="natural", severities=1.0)] * 2
    [first, _] = compare(*runs).axes.scores
    robust = runs[0].results.robust
    assert (first.n, first.n_out) == (robust.n, robust.n_out) == (5, 0)


def test_scores_of_answers_are_compared_if_the_runs_have_them(tmp_path):
    rows = [{"question": f"What is {n}?", "answer": f"the number {n}"} for n in range(8)]

    def whole(prompts):
        return [f"the number {text_of(p).split(' is ')[1].split('?')[0]}" for p in prompts]

    def partly(prompts):
        return ["number" if "Short" in text_of(p) else "a whole number" for p in prompts]

    given = {"task": "short-answer", "prompts": {"short": "{question} Short:"}}
    runs = [ask(model, rows, out=tmp_path / model.__name__, **given) for model in (whole, partly)]
    own = runs[1].results.axes[0].score.prompt_sensitivity
    assert 0 < own.value < 100
    found = compare(*(run.folder for run in runs)).axes
    assert [one.prompt_sensitivity.value for one in found.scores] == [0, own.value]
    in_memory = compare(*(ask(model, rows, **given) for model in (whole, partly))).axes
    assert [one.prompt_sensitivity.value for one in in_memory.scores] == [0, own.value]


def test_axes_that_differ_are_left_out_in_one_line(runs, tmp_path, salva):
    ask(follow_content, order=2, out=tmp_path / "fewer")
    done = salva("compare", str(runs[1]), str(tmp_path / "fewer"), "--name", "letter", "--name", "fewer")
    assert done.code == 0
    text = " ".join(done.out.split())
    assert (
        "axis order is left out: the runs do not ask in the same ways (letter 4 ways, fewer 3 ways)" in text
    )
    assert (
        "axis prompts is left out: the runs do not ask in the same ways (letter 3 ways, fewer not at" in text
    )
    found = compare(runs[1], tmp_path / "fewer")
    assert not found.axes.scores
    assert "Left out: <bdi>axis order</bdi>" in comparison_page(found)


def test_terminal_json_and_page_show_the_same(runs, salva, comparison):
    names = ("--name", "content", "--name", "letter")
    text = salva("compare", *map(str, runs[:2]), *names).out
    assert "letter less content" in text
    assert "consistency rate" in text
    printed = json.loads(salva("compare", *map(str, runs[:2]), *names, "--json").out)
    assert printed["axes"] == json.loads(json.dumps(dataclasses.asdict(comparison.axes)))
    page = comparison_page(comparison)
    assert '<section id="compared_axes">' in page
    assert "Differences along axes" in page


def test_presets_that_keep_the_meaning_are_compared_without_axes(tmp_path):
    rows = [{"text": f"A great film number {n}", "label": "positive"} for n in range(20)]
    rows += [{"text": "Dull", "label": "negative"}]

    def by_word(texts):
        return ["negative" if "great" not in text else "positive" for text in texts]

    def never(texts):
        return ["negative" if text == "Dull" else "positive" for text in texts]

    runs = [run_on(rows, model, presets="natural", severities=1.0) for model in (by_word, never)]
    found = compare(*runs, names=["word", "never"]).axes
    assert [(one.axis, one.worst_case.value) for one in found.scores] == [
        ("presets", pytest.approx(runs[0].results.robust.worst_case.value)),
        ("presets", 100),
    ]
