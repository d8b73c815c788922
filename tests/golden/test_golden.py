"""What every preset writes, and the figures of an evaluation: what a redesign must not change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import salva
from salva.rows import reviews
from tests.conftest import SHARED
from tests.golden.digests import PRESETS, collect
from tests.golden.runs import ASKED, PAIRS, RUNS, measure

HERE = Path(__file__).parent
DIGESTS = json.loads((HERE / "golden.json").read_text("utf-8"))
FIGURES = json.loads((HERE / "figures.json").read_text("utf-8"))


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_write_the_same_bytes(preset):
    if not (SHARED / "data/text/genres").is_dir():
        pytest.skip("needs the texts in ../shared/data, which are not part of the project")
    found = collect(SHARED, [preset])
    assert found == {key: DIGESTS[key] for key in DIGESTS if key.startswith(f"{preset} ")}


def test_an_evaluation_has_the_same_figures():
    (name,) = (name for name in FIGURES if name.startswith("evaluate "))
    presets = ["natural", "misspellings", "hybrid", "synonyms", "typos", "corrupt"]
    run = salva.evaluate(
        reviews("test"), model="builtin:reviews", presets=presets, severities=[0.25, 0.5, 1.0], seed=0
    )
    found = [
        {
            "condition": result.name,
            "n": result.score.n,
            "accuracy_before": result.score.accuracy_before.value,
            "accuracy_after": result.score.accuracy_after.value,
            "consistency": result.score.consistency.value,
            "right_to_wrong": result.score.right_to_wrong,
            "wrong_to_right": result.score.wrong_to_right,
            "p": result.score.p,
            "edits": result.edits,
        }
        for result in run.results.conditions
    ]
    assert found == [
        {
            key: value if value is None or isinstance(value, str) else pytest.approx(value, rel=1e-12)
            for key, value in row.items()
        }
        for row in FIGURES[name]
    ]


@pytest.mark.parametrize("name", ASKED)
def test_a_run_has_the_same_figures(name):
    """Recorded before all questions were kept in one table."""
    if name == "pairs" and not PAIRS.is_dir():
        pytest.skip("needs the pairs in ../shared/data, which are not part of the project")
    assert measure(name) == json.loads(RUNS.read_text("utf-8"))[name]
