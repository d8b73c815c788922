"""Frozen contrasts: asked about as they are, with their new right answers, apart from all other twins."""

from __future__ import annotations

import re
import shutil

import pytest

from salva.errors import InputError, UsageError
from salva.evaluation import evaluate, freeze, outline, remake, rescore
from salva.suites import verify
from salva.tasks import make_task
from tests.suites.test_evaluating import no_transform
from tests.suites.test_verifying import change

__all__ = ["no_transform"]

WORDS = {
    "awful": "bad",
    "wonderful": "good",
    "good": "good",
    "bad": "bad",
    "great": "good",
    "terrible": "bad",
}
ROWS = [
    {
        "id": f"r{n}",
        "text": f"It was {'an' if word[0] == 'a' else 'a'} {word} film in room {n}.",
        "label": label,
    }
    for n, (word, label) in enumerate(WORDS.items(), 40)
] + [{"id": "none", "text": "No films here.", "label": "bad"}]
PRESETS = ["misspellings", "antonyms", "numbers"]
OPPOSITES = {"good": "bad"}
FREE = {"noise": 0, "blame_calls": 0, "resamples": 100}
NUMBER = {
    "prompt": "Which number is in this text? {text}",
    "edit": ["text"],
    "target": "number",
    "answer": {"kind": "number"},
    "contrast": {"aim": "answer"},
}
ROOMS = [{"id": f"n{n}", "text": f"Room {n} has 2 beds.", "number": str(n)} for n in range(41, 53)]


@pytest.fixture(scope="module")
def labels(tmp_path_factory):
    """A suite of texts with labels, two of them opposites."""
    path = tmp_path_factory.mktemp("labels") / "suite"
    usual = {"presets": PRESETS, "severities": [0.5, 1.0], "contrast_labels": OPPOSITES}
    return freeze(ROWS, path, name="rooms", **usual)


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    """A suite of a task whose new answers follow from the edits."""
    path = tmp_path_factory.mktemp("numbers") / "suite"
    return freeze(ROOMS, path, task=make_task("number", NUMBER), presets=["case", "numbers"], severities=1.0)


def perfect(texts):
    return [next((label for word, label in WORDS.items() if f" {word} " in text), "bad") for text in texts]


def constant(texts):
    return ["good" for _ in texts]


def read_room(prompts):
    return [re.search(r"(?i)room (\d+)", getattr(prompt, "text", prompt))[1] for prompt in prompts]


def test_a_contrast_is_frozen_with_its_edit_and_its_new_answer(labels):
    assert [one.name for one in labels.manifest.contrasts] == ["antonyms@1", "numbers@1"]
    first, *_, last = labels
    assert [name.name for name in labels.manifest.conditions][-2:] == ["antonyms@1", "numbers@1"]
    antonym, number = first.twins[-2:]
    assert (antonym.targets, len(antonym.edits)) == (("good",), 1)
    assert (number.targets, len(number.edits)) == ((), 1)
    assert last.twins[-1].edits == last.twins[-1].targets == ()


def test_a_suite_gives_the_sensitivity_of_its_data(labels, no_transform, monkeypatch, tmp_path):
    run = evaluate(labels.path, model=perfect, **FREE)
    monkeypatch.undo()
    usual = {"presets": PRESETS, "severities": [0.5, 1.0], "contrast_labels": OPPOSITES}
    other = evaluate(ROWS, model=perfect, **usual, **FREE)
    assert run.results.contrasts == other.results.contrasts
    assert run.results.conditions == other.results.conditions
    assert run.unchanged == other.unchanged
    assert run.unchanged
    score = run.results.contrasts[0].score
    assert (score.n, score.n_targets, score.on_target.value) == (6, 6, 100)


def test_a_task_gives_the_numbers_of_its_data(numbers, no_transform, monkeypatch):
    run = evaluate(numbers.path, model=read_room, **FREE)
    monkeypatch.undo()
    task = make_task("number", NUMBER)
    other = evaluate(ROOMS, model=read_room, task=task, presets=["case", "numbers"], severities=1.0, **FREE)
    assert run.results.contrasts == other.results.contrasts
    score = run.results.contrasts[0].score
    assert (score.n_targets, score.sensitivity.value, score.on_target.value) == (len(ROOMS), 100, 100)


def test_a_constant_model_is_invariant_and_not_sensitive(labels):
    results = evaluate(labels.path, model=constant, **FREE).results
    assert {one.score.consistency.value for one in results.conditions} == {100}
    assert {one.score.sensitivity.value for one in results.contrasts} == {0}


def test_a_run_is_outlined_resumed_and_scored_again_without_the_suite(labels, no_transform, tmp_path):
    assert outline(labels.path).contrasts == ("antonyms@1", "numbers@1")
    copy = shutil.copytree(labels.path, tmp_path / "suite")
    model = "python:tests.suites.test_contrasts:perfect"
    first = evaluate(copy, model=model, out=tmp_path / "run", **FREE)
    assert evaluate(copy, model=model, out=tmp_path / "run", resume=True, **FREE).results == first.results
    shutil.rmtree(copy)
    again = rescore(tmp_path / "run", effective_over=1.0)
    assert again.results.contrasts == first.results.contrasts
    with pytest.raises(UsageError, match="a suite has its right answers"):
        rescore(tmp_path / "run", contrast_labels=OPPOSITES)


def test_right_answers_are_those_of_the_suite(labels):
    with pytest.raises(
        UsageError, match="contrast_labels= is for labels of data; a suite has its right answers"
    ):
        evaluate(labels.path, model=perfect, contrast_labels=OPPOSITES, **FREE)


def test_a_suite_of_nothing_but_a_contrast_is_evaluated(tmp_path):
    suite = freeze(ROWS, tmp_path / "suite", presets="antonyms", severities=[0.5, 1.0])
    results = evaluate(suite.path, model=perfect, **FREE).results
    assert (results.conditions, len(results.contrasts)) == ((), 1)
    assert repr(suite).startswith("<Suite data in memory: 7 items, 0 conditions, 1 contrast, sha256:")


def test_contrasts_are_the_same_when_frozen_or_made_again(labels, numbers, tmp_path):
    usual = {"presets": PRESETS, "severities": [0.5, 1.0], "contrast_labels": OPPOSITES}
    assert freeze(ROWS, tmp_path / "suite", name="rooms", **usual).digest == labels.digest
    assert remake(labels) == remake(numbers) == []


def test_a_changed_byte_of_a_contrast_is_named(labels, tmp_path):
    copy = shutil.copytree(labels.path, tmp_path / "suite")
    line = change(copy / "twins.antonyms@1.jsonl", 400)
    (fault, *_) = verify(copy)
    assert (fault.path, fault.line) == (str(copy / "twins.antonyms@1.jsonl"), line)
    with pytest.raises(InputError, match=r"twins.antonyms@1.jsonl:\d: item 'r\d+' was changed"):
        evaluate(copy, model=perfect)


def test_unknown_opposites_are_refused_and_nothing_is_left(tmp_path):
    with pytest.raises(UsageError, match="the data has no label 'fine'"):
        freeze(ROWS, tmp_path / "suite", presets="antonyms", contrast_labels={"fine": "bad"})
    assert list(tmp_path.iterdir()) == []
