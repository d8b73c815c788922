"""Results are one object, and JSON can hold all of it."""

from __future__ import annotations

import dataclasses
import json

import pytest


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
