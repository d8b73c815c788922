"""Two runs: which model is more robust?"""

from __future__ import annotations

import pytest

from salva.datasets import reviews
from salva.errors import InputError
from salva.evaluation import compare_runs, evaluate
from tests.evaluation.keywords import classify


def keep(folder, model, **options):
    given = {"presets": ["corrupt"], "severities": [1.0], "noise": 0, "blame_calls": 0, **options}
    evaluate(reviews("test"), model=model, out=folder, **given)
    return folder


def always(texts):
    return ["positive"] * len(texts)


def test_a_model_that_never_changes_its_answer_is_more_robust(tmp_path):
    found = compare_runs(keep(tmp_path / "a", classify), keep(tmp_path / "b", always))
    render, full = found.conditions
    assert (found.rows, found.rows_apart) == (252, 0)
    assert (render.verdict, full.verdict) == ("no clear difference", "b is more robust")
    assert full.difference.value.value == pytest.approx(full.drop_b.value - full.drop_a.value)


def test_the_comparison_turns_around_with_its_sides(tmp_path):
    a, b = keep(tmp_path / "a", classify), keep(tmp_path / "b", always)
    there, back = compare_runs(a, b).conditions[1], compare_runs(b, a).conditions[1]
    assert there.difference.value.value == -back.difference.value.value
    assert there.difference.p == back.difference.p


def test_a_run_compared_with_itself_shows_nothing(tmp_path):
    a = keep(tmp_path / "a", classify)
    assert {one.verdict for one in compare_runs(a, a).conditions} == {"no clear difference"}


def test_other_texts_are_not_compared(tmp_path):
    a, b = keep(tmp_path / "a", classify), keep(tmp_path / "b", classify, seed=1)
    with pytest.raises(InputError, match="different seeds"):
        compare_runs(a, b)


def test_runs_without_a_shared_condition_are_refused(tmp_path):
    a, b = keep(tmp_path / "a", classify), keep(tmp_path / "b", classify, presets=["typos"])
    with pytest.raises(InputError, match="share no condition"):
        compare_runs(a, b)


def test_rows_of_one_run_alone_are_left_out_and_counted(tmp_path):
    a, b = keep(tmp_path / "a", classify), keep(tmp_path / "b", classify, limit=100)
    found = compare_runs(a, b)
    assert (found.rows, found.rows_apart) == (100, 152)


def test_an_unfinished_run_is_refused(tmp_path):
    a = keep(tmp_path / "a", classify)
    (a / "results.json").unlink()
    with pytest.raises(InputError, match="is not finished; continue it with resume=True"):
        compare_runs(a, a)
