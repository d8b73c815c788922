"""Results are one object, and JSON can hold all of it."""

from __future__ import annotations

import dataclasses
import json

import pyarrow.parquet as pq
import pytest

from salva._results import load_result
from salva.evaluation.flips import read_flips, write_flips
from salva.evaluation.results import Results
from tests.evaluation.conftest import of_both_families


def test_results_become_plain_values(results):
    raw = results.as_dict()
    assert json.loads(json.dumps(raw, allow_nan=False))["conditions"][0]["score"]["drop"] == {
        "value": pytest.approx(200 / 199),
        "low": results.conditions[0].score.drop.low,
        "high": results.conditions[0].score.drop.high,
    }
    assert list(raw) == [field.name for field in dataclasses.fields(results)]


def test_results_cannot_be_changed(results):
    with pytest.raises(dataclasses.FrozenInstanceError):
        results.status = "failed"


def test_results_without_families_and_validity_still_load(results, tmp_path):
    raw = results.as_dict()
    for one in [*raw["conditions"], *raw["presets"]]:
        for name in ("family", "validity", "version"):
            one.pop(name, None)
    assert load_result(tmp_path, Results, json.loads(json.dumps(raw))) == results


def test_results_of_older_runs_still_load(results, tmp_path):
    new = {"duplicates": None, "classes": (), "by_class": (), "slices": (), "confidence": ()}
    raw = results.as_dict()
    for name in ("failed", "clusters", *new):
        raw.pop(name)
    for name in ("words", "alone", "together", "either"):
        raw["blame"].pop(name)
    for one in raw["conditions"]:
        one["score"].pop("design_effect")
    older = load_result(tmp_path, Results, json.loads(json.dumps(raw)))
    blame = dataclasses.replace(results.blame, words=(), alone=None, together=None, either=None)
    assert older == dataclasses.replace(results, **new, blame=blame)


def test_flips_of_older_runs_still_load(flips, tmp_path):
    write_flips(tmp_path / "flips.parquet", flips)
    older = pq.read_table(tmp_path / "flips.parquet").drop_columns(["cause"])
    pq.write_table(older, tmp_path / "older.parquet")
    assert read_flips(tmp_path / "older.parquet") == flips


def test_validity_comes_back_from_json(results, tmp_path):
    both = of_both_families(results)
    assert load_result(tmp_path, Results, json.loads(json.dumps(both.as_dict()))) == both
