"""A frozen suite is evaluated as it is: the numbers of the data that it came from, and no text made again."""

from __future__ import annotations

import json
import shutil

import pytest

import salva
from salva.errors import InputError, UsageError
from salva.evaluation import evaluate, freeze, load_run, outline, rescore
from salva.rows import reviews
from salva.suites.manifest import MANIFEST, seal_manifest
from salva.transforms import Transform
from tests.suites.conftest import ROWS

TEXTS = reviews("test").slice(0, 40)
FREE = ("data", "settings", "signature", "salva", "presets")


def answer(prompts):
    return ["A" if len(prompt) % 3 else "B" for prompt in prompts]


@pytest.fixture
def no_transform(monkeypatch):
    """Let whatever rewrites a text fail."""

    def fail(*_, **__):
        raise AssertionError("a text is made again")

    monkeypatch.setattr(Transform, "_rewrite", fail)
    monkeypatch.setattr(Transform, "planner", property(fail))


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "suite"
    return freeze(TEXTS, path, presets=["typos", "case"], severities=[0.5, 1.0], replicates=2)


def without(results):
    return {name: value for name, value in results.as_dict().items() if name not in FREE}


def test_a_suite_of_texts_gives_the_numbers_of_its_data(plain, no_transform, monkeypatch, tmp_path):
    run = evaluate(plain.path, model="builtin:reviews", out=tmp_path / "run")
    monkeypatch.undo()
    usual = {"presets": ["typos", "case"], "severities": [0.5, 1.0], "replicates": 2}
    other = evaluate(TEXTS, model="builtin:reviews", **usual)
    assert without(run.results) == without(other.results)
    assert run.flips == other.flips
    assert run.flips


def test_a_suite_of_questions_gives_the_numbers_of_its_data(choices, no_transform, monkeypatch):
    run = evaluate(choices.path, model=answer, noise=4)
    monkeypatch.undo()
    usual = {"presets": ["natural", "misspellings"], "severities": 1.0}
    other = evaluate(ROWS, model=answer, task="multiple-choice", noise=4, **usual)
    names = ("conditions", "comparisons", "blame", "noise", "distinct_texts")
    assert [getattr(run.results, name) for name in names] == [getattr(other.results, name) for name in names]
    assert run.flips == other.flips


def test_the_signature_has_the_digest_of_the_suite(choices):
    results = evaluate(choices.path, model=answer, noise=0).results
    assert f"suite:parity.{choices.digest.removeprefix('sha256:')[:12]}|" in results.signature
    assert results.settings["suite"] == f"parity.{choices.digest}"
    assert results.data.digest == choices.digest


def test_a_run_over_a_suite_is_resumed_and_scored_again(plain, no_transform, tmp_path):
    path, model = tmp_path / "run", "builtin:reviews"
    with pytest.raises(UsageError, match="max_calls=60"):
        evaluate(plain.path, model=model, out=path, max_calls=60)
    run = evaluate(plain.path, model=model, out=path, resume=True)
    assert run.results == evaluate(plain.path, model=model, out=tmp_path / "other").results
    again = rescore(path, effective_over=1.0)
    assert again.results.settings["effective_over"] == 1.0
    assert [one.score.drop for one in again.results.conditions] == [
        one.score.drop for one in load_run(tmp_path / "other").results.conditions
    ]


def test_a_suite_of_another_version_of_a_preset_is_evaluated_as_it_was_frozen(choices, tmp_path):
    copy = shutil.copytree(choices.path, tmp_path / "suite")
    content = json.loads((copy / MANIFEST).read_text())
    content["presets"]["natural"]["about"]["version"] = 99
    (copy / MANIFEST).write_bytes(salva.evaluation.run.as_json(seal_manifest(content)))
    run = evaluate(copy, model=answer, noise=0, blame_calls=0)
    assert "natural.v99" in run.results.signature
    assert run.results.presets[0].version == "99"


def test_a_changed_suite_is_not_evaluated(choices, tmp_path):
    copy = shutil.copytree(choices.path, tmp_path / "suite")
    content = (copy / "items.jsonl").read_bytes()
    (copy / "items.jsonl").write_bytes(content.replace(b"odd number", b"add number", 1))
    with pytest.raises(InputError, match=r"items.jsonl:1: item 'q0' was changed"):
        evaluate(copy, model=answer, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "given",
    [
        {"presets": "typos"},
        {"severities": 0.5},
        {"seed": 1},
        {"replicates": 2},
        {"task": "multiple-choice"},
        {"limit": 5},
        {"sample": 5},
        {"text_column": "question"},
    ],
    ids=lambda given: next(iter(given)),
)
def test_what_would_change_the_questions_is_refused(choices, given):
    with pytest.raises(UsageError, match=f"is a suite, .+ leave out {next(iter(given))}="):
        evaluate(choices.path, model=answer, **given)


def test_results_are_sliced_by_a_column_that_was_kept(choices):
    run = evaluate(choices.path, model=answer, noise=0, slice_by=["topic"])
    assert {one.name for one in run.results.slices[-1].slices} == {"numbers", "films"}


def test_a_suite_is_outlined_and_not_frozen_again(choices, tmp_path):
    assert outline(choices.path).conditions == ("natural@1", "misspellings@1")
    with pytest.raises(UsageError, match="is frozen already"):
        freeze(choices.path, tmp_path / "suite")
