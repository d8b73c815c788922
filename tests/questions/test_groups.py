"""Items that depend on each other: those with the same text, or of one group."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from salva.evaluation import load_run
from salva.evaluation.results import Clusters
from salva.rows import reviews
from tests.evaluation.keywords import balance, classify
from tests.evaluation.running import run as run_on

ROWS = [("A great film", "positive"), ("A dull film", "negative"), ("Lovely acting", "positive")] * 5
SCENES = {
    "text": [f"Film {k}" for k in range(6)],
    "label": ["negative"] * 6,
    "scene": [1, 1, 2, 2, None, None],
}


def run(data, model=classify, **settings):
    return run_on(data, model, presets="typos", severities=1.0, **settings)


def test_ten_copies_of_every_row_say_no_more_than_one():
    data = reviews("test").drop_columns(["id"])
    once, tenfold = (run(rows, metric=balance).results for rows in (data, pa.concat_tables([data] * 10)))
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
    shared = "15 rows share the text of another one: intervals and tests are over 3 clusters"
    assert shared in run(ROWS).summary()
    assert "share the text" not in run(ROWS[:3]).summary()


def test_rows_of_one_group_are_a_cluster(tmp_path):
    kept = run(SCENES, group="scene", out=tmp_path / "run")
    found = kept.results.clusters
    assert (found.column, found.number, found.largest, found.repeated_rows) == ("scene", 4, 2, 4)
    assert load_run(tmp_path / "run").results.clusters == found
    groups = dict(
        zip(*(kept.questions.to_arrow()[name].to_pylist() for name in ("id", "group")), strict=True)
    )
    assert groups == {"0": "1", "1": "1", "2": "2", "3": "2", "4": None, "5": None}


def test_a_key_that_some_lines_lack_is_not_a_group(tmp_path):
    lines = [{"text": f"Film {k}", "label": "negative"} | ({"scene": "a"} if k < 2 else {}) for k in range(4)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert run(tmp_path / "a.jsonl", group="scene").results.clusters.number == 3


def test_group_and_slices_may_change_when_a_run_is_resumed(tmp_path):
    def nobody(texts):
        raise AssertionError("everything is answered")

    assert run(SCENES, model_id="m", out=tmp_path / "run").results.clusters.number == 6
    other = {"group": "scene", "slice_by": "scene", "model_id": "m"}
    changed = run(SCENES, nobody, same_model=True, out=tmp_path / "run", resume=True, **other)
    assert changed.results.clusters.number == 4
    assert changed.results == run(SCENES, out=tmp_path / "other", **other).results
    assert changed.answers == load_run(tmp_path / "other").answers
