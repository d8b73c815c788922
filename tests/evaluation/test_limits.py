"""Thresholds for continuous integration."""

from __future__ import annotations

import pytest

from salva import assert_robust, preset
from salva.errors import ThresholdError, UsageError
from salva.evaluation import check_limits, evaluate
from salva.evaluation.gate import Limit, check_names
from tests.evaluation.keywords import classify
from tests.flat import flat

ROWS = [("A great film", "positive"), ("A dull film", "negative")] * 10


@pytest.fixture(scope="module")
def results():
    return evaluate(ROWS, classify, presets=["typos"], severities=[0.5, 1.0]).results


@pytest.mark.parametrize(
    "rule", ["drop > 99", "drop.low>=100", "consistency < 1e1", "n_failed > 0", "p_holm < -1"]
)
def test_a_limit_that_holds_is_silent(results, rule):
    check_limits(results, [rule])


def test_a_broken_limit_names_number_and_condition(results):
    with pytest.raises(
        ThresholdError, match=r"drop >= -100: typos/render has 0, typos@0.5 has .*, typos@1 has"
    ):
        check_limits(results, ["drop >= -100"])


def test_an_unknown_name_suggests_the_nearest(results):
    with pytest.raises(UsageError, match="there is no number 'consistncy'; did you mean 'consistency'"):
        check_limits(results, ["consistncy < 3"])


@pytest.mark.parametrize(
    "rule", ["", "drop", "drop > ", "drop => 4", "drop > four", "4 > drop", "drop > 4; rm"]
)
def test_what_is_no_rule_is_refused(rule):
    with pytest.raises(UsageError, match="must be NAME OP NUMBER"):
        Limit.of(rule)


def test_assert_robust_passes_and_returns_the_run():
    run = assert_robust(ROWS, lambda texts: ["positive"] * len(texts), min_consistency=99)
    assert run.results.conditions[0].score.consistency.value == 100


def test_assert_robust_fails_as_a_test_does():
    with pytest.raises(AssertionError, match=r"not robust: drop > 4: .*corrupt@1 has"):
        assert_robust(ROWS, classify, presets="corrupt", severities=1.0, fail_if="drop > 90")


def test_a_name_that_no_condition_has_is_refused_before_a_model_is_asked(salva):
    options = ("--model", "python:no:no", "-o", "run", "--fail-if", "drp > 4")
    outcome = salva("evaluate", "no.csv", *options)
    assert (outcome.code, "there is no number 'drp'; did you mean 'drop'" in outcome.err) == (2, True)


def test_a_limit_is_broken_where_no_twin_was_answered():
    rows = [(f"A great film number {i}", "positive") for i in range(12)]
    known = {text for text, _ in rows}

    def deaf(texts):
        return ["positive" if text in known else None for text in texts]

    made = evaluate(
        rows,
        deaf,
        presets=[preset("typos", prob=1.0, render="splice")],
        severities=[1.0],
        options=flat(errors=1.0),
    )
    assert all(one.score.n == 0 for one in made.results.conditions)
    with pytest.raises(ThresholdError, match="drop > 4: it was not measured"):
        check_limits(made.results, ["drop > 4"])


def test_numbers_of_an_audit_are_unknown_to_an_evaluation():
    """An evaluation has no audit, so such a limit could never hold."""
    with pytest.raises(UsageError, match=r"there is no number 'audited\.drop'"):
        check_names(["audited.drop > 4"])


def test_assert_robust_shows_a_flip_of_each_condition():
    with pytest.raises(AssertionError, match="not robust") as caught:
        assert_robust(ROWS, classify, presets=["corrupt"], severities=[1.0])
    lines = str(caught.value).splitlines()
    assert lines[-3].startswith("corrupt@1: one flip: row ")
    assert lines[-2] in ("corrupt@1: original: A great film", "corrupt@1: original: A dull film")
    assert lines[-1].startswith("corrupt@1: twin:     ")


def test_assert_robust_compares_with_a_baseline(tmp_path):
    quick = {"presets": ["corrupt"], "severities": [1.0], "max_drop": None}
    rules = {"fail_if": ["drop_change > 0", "drop_change < 0"], "baseline": tmp_path / "before"}
    earlier = assert_robust(ROWS, classify, out=tmp_path / "before", **quick)
    assert_robust(ROWS, classify, **quick, **rules)

    def steady(texts):
        return ["positive"] * len(texts)

    rules["baseline"] = earlier
    with pytest.raises(AssertionError, match=r"not robust: drop_change < 0: corrupt@1 has -"):
        assert_robust(ROWS, steady, **quick, **rules)


def test_assert_robust_refuses_a_rule_before_it_asks(tmp_path):
    def never(texts):
        raise AssertionError

    with pytest.raises(UsageError, match="name that run with baseline='RUN'"):
        assert_robust(ROWS, never, fail_if="drop_change > 1")
