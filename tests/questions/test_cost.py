"""What a run would cost and could show, before anything is spent."""

from __future__ import annotations

import json

import pytest

from salva.errors import InputError, ModelError
from salva.evaluation import evaluate, outline
from salva.numbers import fewest_worse, score, with_holm
from salva.numbers.significance import mcnemar
from tests.evaluation.keywords import classify

ROWS = [(f"A great film number {k}", "positive") for k in range(40)]
ROWS += [(f"A dull film number {k}", "negative") for k in range(40)]
QUICK = {"presets": ["typos"], "severities": [0.5, 1.0], "noise": 7, "flips": 3, "blame_calls": 4}


class Counter:
    """A model that keeps what it was asked."""

    def __init__(self):
        self.batches = []

    def __call__(self, texts):
        self.batches.append(list(texts))
        return classify(texts)


def test_the_model_is_tried_on_twenty_different_texts_of_the_run():
    model = Counter()
    plan = outline(ROWS, model=model, **QUICK)
    asked = [text for batch in model.batches for text in batch]
    assert (len(asked), len(set(asked)), len(model.batches[0])) == (20, 20, 1)
    assert plan.trial.texts == 20
    assert plan.expected_seconds == (plan.distinct_texts + plan.noise_calls) * plan.trial.seconds_per_text
    assert plan.expected_seconds < plan.most_seconds
    whole = Counter()
    evaluate(ROWS, model=whole, **QUICK)
    assert set(asked) <= {text for batch in whole.batches for text in batch}


def test_no_run_needs_more_calls_than_were_announced():
    plan, model = outline(ROWS, **QUICK), Counter()
    evaluate(ROWS, model=model, **QUICK)
    texts = [text for batch in model.batches for text in batch]
    assert plan.distinct_texts + plan.noise_calls <= len(texts) <= plan.most_calls
    assert plan.characters <= sum(map(len, texts))


def test_characters_are_those_of_the_distinct_texts():
    plan = outline([("abc", "x"), ("abc", "x"), ("zz", "y")], presets=["typos"], severities=[1.0])
    assert plan.distinct_texts >= 2
    pairs = {"a": ["abc"], "b": ["de"]}
    from salva.rows import ReadOptions

    both = outline(pairs, presets=["spaces"], severities=[1.0], options=ReadOptions(text_column="a,b"))
    assert (both.distinct_texts, both.characters) == (1, 5)


def test_a_trial_may_be_smaller_or_left_out():
    model = Counter()
    assert outline(ROWS, model=model, trial_texts=1, **QUICK).trial.texts == 1
    assert outline(ROWS, model=model, trial_texts=0, **QUICK).trial is None
    assert sum(map(len, model.batches)) == 1


def test_labels_that_the_data_does_not_have_are_found_before_the_run():
    with pytest.raises(InputError, match="'POSITIV'"):
        outline(ROWS, model=lambda texts: ["POSITIV"] * len(texts), **QUICK)


def test_a_model_that_fails_is_found_before_the_run():
    def broken(texts):
        raise ValueError("no such layer")

    with pytest.raises(ModelError, match=r"all 20 texts that were tried failed; .*no such layer"):
        outline(ROWS, model=broken, **QUICK)


def test_some_failures_are_counted():
    def picky(texts):
        return [None if len(text) % 2 else label for text, label in zip(texts, classify(texts), strict=True)]

    trial = outline(ROWS, model=picky, **QUICK).trial
    assert 0 < trial.failed < 20
    assert trial.first_error == "the model gave no answer"


@pytest.mark.parametrize("tests", [1, 2, 6, 40])
def test_the_smallest_drop_is_just_significant(tests):
    """Holm over this many tests, all other p-values 1: so many worse rows suffice, and one less does not."""
    worse, rows = fewest_worse(tests), 100
    for changed, established in ((worse, True), (worse - 1, False)):
        after = [1] * changed + [0] * (rows - changed)
        scores = [score([0] * rows, [0] * rows, after, resamples=100)]
        scores += [score([0] * rows, [0] * rows, [0] * rows, resamples=100)] * (tests - 1)
        assert (with_holm(scores)[0].p_holm < 0.05) == established
    assert mcnemar(worse, 0) * tests < 0.05


def test_the_smallest_drop_is_in_points_of_the_labelled_rows():
    plan = outline([*ROWS, ("No label here", -1)], **QUICK)
    assert plan.rows == 81
    assert plan.smallest_drop == 100 * fewest_worse(len(plan.conditions)) / 80
    assert outline(ROWS[:5], **QUICK).smallest_drop is None


def test_rows_with_the_same_text_count_once():
    """Ten texts, each eight times: whole texts get worse, and seven of them are needed."""
    rows = [(f"A great film number {k % 10}", "positive") for k in range(80)]
    plan = outline(rows, presets=["typos"], severities=[1.0])
    assert plan.smallest_drop == 100 * fewest_worse(2) * 8 / 80
    for worse, established in ((fewest_worse(2), True), (fewest_worse(2) - 1, False)):
        after, clusters = [int(k % 10 < worse) for k in range(80)], [k % 10 for k in range(80)]
        found = score([0] * 80, [0] * 80, after, clusters=clusters, resamples=100)
        assert (2 * found.p < 0.05) == established
    assert outline(rows[:6] * 20, presets=["typos"], severities=[1.0]).smallest_drop is None


def test_rows_of_a_few_groups_establish_nothing():
    data = {"text": [f"A great film number {k}" for k in range(80)], "label": ["positive"] * 80}
    grouped = {**data, "family": [k % 5 for k in range(80)]}
    quick = {"presets": ["typos"], "severities": [1.0], "group_column": "family"}
    assert outline(grouped, **quick).smallest_drop is None
    grouped["family"] = [k % 40 for k in range(80)]
    assert outline(grouped, **quick).smallest_drop == 100 * fewest_worse(2) / 80


def test_answers_made_elsewhere_need_no_further_calls(tmp_path):
    plan = outline(ROWS, export=tmp_path / "out", model=Counter(), **QUICK)
    assert (plan.noise_calls, plan.most_blame_calls, plan.trial) == (0, 0, None)
    assert plan.most_calls == plan.distinct_texts
    texts = [json.loads(line) for line in (tmp_path / "out/texts.jsonl").read_text("utf-8").splitlines()]
    answers = [{"id": one["id"], "label": classify([one["text"]])[0]} for one in texts]
    (tmp_path / "out/answers.jsonl").write_text("\n".join(map(json.dumps, answers)), "utf-8")
    there = outline(ROWS, model=f"answers:{tmp_path / 'out'}", **QUICK)
    assert (there.trial.texts, there.most_calls) == (20, there.distinct_texts)


def test_progress_is_reported():
    seen = []
    outline(ROWS, model=Counter(), progress=seen.append, **QUICK)
    phases = dict.fromkeys(one.phase for one in seen)
    assert [*phases] == ["reading the data", "making texts", "trying the model"]
