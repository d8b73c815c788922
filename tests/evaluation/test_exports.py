"""What a run is written as for others: metadata that Hugging Face reads, and one line to cite."""

from __future__ import annotations

import dataclasses

import pytest
import yaml

from salva.evaluation.exports import EXPORTS, write_citation, write_model_card

HOSTILE = ['a: "b" # c', "x\ny: 1", "naïve 🎬\x85\x7f\u2028", "- 'q' {}", "\\U0001 %tag"]


def renamed(results, name: str):
    model, data = dataclasses.replace(results.model, name=name), dataclasses.replace(results.data, name=name)
    return dataclasses.replace(results, model=model, data=data)


def test_hugging_face_reads_the_numbers_of_the_run(results):
    card = pytest.importorskip("huggingface_hub").ModelCard
    read = card(write_model_card(results)).data.eval_results
    named = {one.metric_name: one for one in read}
    for condition in results.conditions:
        score = condition.score
        assert named[f"accuracy, {condition.name}"].metric_value == pytest.approx(
            score.accuracy_after.value, abs=1e-4
        )
        drop = named[f"drop in points, {condition.name}"]
        assert drop.metric_value == pytest.approx(score.drop.value, abs=1e-4)
        assert drop.metric_args["low"] == pytest.approx(score.drop.low, abs=1e-4)
    assert {one.dataset_name for one in read} == {results.data.name}


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_no_name_breaks_the_metadata(results, name):
    text = write_model_card(renamed(results, name))
    [entry] = yaml.safe_load(text.removeprefix("---").removesuffix("---\n"))["model-index"]
    assert entry["name"] == name
    assert entry["results"][0]["dataset"] == {"type": name, "name": name}


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_a_citation_is_one_line_with_versions_digests_and_seed(results, name):
    line = write_citation(renamed(results, name))
    assert line.splitlines() == [line.rstrip("\n")]
    assert results.signature in line
    assert all(f"{one.preset} v{one.version}" in line for one in results.presets)


def test_every_form_is_plain_text(results):
    assert all(isinstance(form(results), str) for form in EXPORTS.values())
