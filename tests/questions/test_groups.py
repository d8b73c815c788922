"""What is known about rows besides answers: clusters of rows with the same text, or of one group."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from salva.errors import InputError
from salva.evaluation import evaluate, load_run
from salva.evaluation.results import Clusters
from salva.models import ModelOptions
from salva.rows import reviews
from salva.runs import RunRows
from tests.evaluation.keywords import balance, classify

ROWS = [("A great film", "positive"), ("A dull film", "negative"), ("Lovely acting", "positive")] * 5


def results_of(data=ROWS, **options):
    usual = {"model": classify, "presets": ["typos"], "severities": [1.0], "noise": 0, "blame_calls": 0}
    return evaluate(data, **(usual | options)).results


def test_ten_copies_of_every_row_say_no_more_than_one():
    data = reviews("test").drop_columns(["id"])
    once, tenfold = (
        results_of(data, metric=balance),
        results_of(pa.concat_tables([data] * 10), metric=balance),
    )
    assert (once.clusters.repeated_rows, once.clusters.design_effect) == (0, None)
    rows = data.num_rows
    assert tenfold.clusters == Clusters(None, rows, 10, 10 * rows, pytest.approx(10))
    for alone, copied in zip(once.conditions, tenfold.conditions, strict=True):
        assert copied.score.p == pytest.approx(alone.score.p)
        assert copied.score.drop.low == pytest.approx(alone.score.drop.low, abs=0.5)
        assert copied.metric.change.low == pytest.approx(alone.metric.change.low, abs=0.01)
    for alone, copied in zip(once.presets[0].curve.points, tenfold.presets[0].curve.points, strict=True):
        assert copied.drop.high == pytest.approx(alone.drop.high, abs=0.5)


def test_rows_with_the_same_text_are_named_in_the_summary():
    run = evaluate(ROWS, model=classify, presets=["typos"], severities=[1.0])
    assert "15 rows share the text of another one: intervals and tests are over 3 clusters" in run.summary()
    alone = evaluate(ROWS[:3], model=classify, presets=["typos"], severities=[1.0])
    assert "share the text" not in alone.summary()


def test_rows_of_one_group_are_a_cluster(tmp_path):
    data = {
        "text": [f"Film {k}" for k in range(6)],
        "label": ["negative"] * 6,
        "scene": [1, 1, 2, 2, None, None],
    }
    found = results_of(data, group_column="scene", out=tmp_path / "run").clusters
    assert (found.column, found.number, found.largest, found.repeated_rows) == ("scene", 4, 2, 4)
    assert load_run(tmp_path / "run").results.clusters == found
    (group,) = RunRows(tmp_path / "run/data.parquet")
    assert group.columns == {"scene": ["1", "1", "2", "2", None, None]}


def test_an_unknown_group_column_is_refused_before_the_model_is_asked():
    def model(texts):
        raise AssertionError

    with pytest.raises(InputError, match="data: no column 'scenes'; columns: 'text', 'label'"):
        results_of(model=model, group_column="scenes")


def test_a_key_that_some_lines_lack_is_no_group(tmp_path):
    lines = [{"text": f"Film {k}", "label": "negative"} | ({"scene": "a"} if k < 2 else {}) for k in range(4)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert results_of(tmp_path / "a.jsonl", group_column="scene").clusters.number == 3


def test_the_group_column_may_change_when_a_run_is_resumed(tmp_path):
    data = {"text": [f"Film {k}" for k in range(6)], "label": ["negative"] * 6, "scene": [1, 1, 2, 2, 3, 3]}
    options = {"out": tmp_path / "run", "model_options": ModelOptions(model_id="m")}
    assert results_of(data, **options).clusters.number == 6
    changed = results_of(data, group_column="scene", resume=True, **options)
    assert changed.clusters.number == 3
    assert changed == results_of(data, group_column="scene", model_options=ModelOptions(model_id="m"))
