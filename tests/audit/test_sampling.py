"""Items are drawn at random by seed, id and edit alone, and show what was edited."""

from __future__ import annotations

import re

import pytest

from salva.audit import correct, sample
from salva.errors import InputError, UsageError
from salva.evaluation import load_run
from salva.questions import Data
from salva.rows import reviews
from salva.transforms import preset
from tests.audit.conftest import TEXTS, filled
from tests.evaluation.running import run as run_on


def keys(sheet):
    return [(item.id, item.place) for item in sheet.items]


def rows(texts=TEXTS):
    return {"id": [f"r{i}" for i in range(len(texts))], "text": texts, "label": ["1"] * len(texts)}


def test_the_same_seed_draws_the_same_items_whatever_the_order_of_rows():
    table = rows()
    turned = {name: column[::-1] for name, column in table.items()}
    first, second = (sample(data, preset="natural", n=9, seed=5) for data in (table, turned))
    assert keys(first) == keys(second)
    assert [item.twin for item in first.items] == [item.twin for item in second.items]


def test_another_seed_draws_other_items():
    drawn = [keys(sample(rows(), preset="natural", n=9, seed=seed)) for seed in (1, 2)]
    assert drawn[0] != drawn[1]


@pytest.mark.parametrize("unit", ["edit", "text"])
def test_a_longer_sheet_begins_with_the_shorter_one(unit):
    short, long = (sample(reviews("test"), preset="natural", unit=unit, n=n) for n in (10, 40))
    assert keys(long)[:10] == keys(short)
    assert short.id != long.id
    assert short.twins == long.twins


def test_every_edit_is_as_likely_as_any_other():
    """Over 100 seeds, each of 24 edits is drawn 50 times on average, give or take 5."""
    natural, table = preset("natural"), rows()
    times = dict.fromkeys(keys(sample(table, preset=natural, n=99)), 0)
    assert len(times) == 24
    for seed in range(100):
        for key in keys(sample(table, preset=natural, n=12, seed=seed)):
            times[key] += 1
    assert 30 <= min(times.values()) <= max(times.values()) <= 70


def test_an_edit_is_shown_alone_in_its_context():
    text = "Once upon a time. " * 40 + "A movie that I've liked. " + "The end is near. " * 40
    sheet = sample([(text, 1)], preset="natural", n=50, seed=1)
    for item in sheet.items:
        [edit] = item.edits
        assert item.original[edit.start : edit.end] == edit.old
        assert item.twin[edit.new_start : edit.new_end] == edit.new
        assert item.original[: edit.start] == item.twin[: edit.new_start]
        assert item.original[edit.end :] == item.twin[edit.new_end :]
        start, end = map(int, item.place.split(".."))
        assert text[start:end] == edit.old
        assert len(item.original) < 560
    cut = next(item for item in sheet.items if item.edits[0].old == "movie")
    assert cut.original.startswith("… ")
    assert cut.original.endswith(" …")


def test_a_twin_is_shown_whole_with_all_its_edits():
    sheet = sample(rows(), preset="natural", n=3, unit="text")
    twins = dict(zip(rows()["id"], preset("natural").transform(TEXTS).transformed, strict=True))
    for item in sheet.items:
        assert item.twin == twins[item.id]
        assert [item.twin[e.new_start : e.new_end] for e in item.edits] == [e.new for e in item.edits]
        assert [item.original[e.start : e.end] for e in item.edits] == [e.old for e in item.edits]


def test_edits_have_their_rule_and_part_of_speech():
    sheet = sample(rows(["A good movie."]), preset="natural", n=3)
    assert [(e.old, e.new, e.rule, e.part) for e in sheet.items[0].edits] == [
        ("movie", "film", "pair", "noun")
    ]


def test_twins_that_equal_their_original_are_not_drawn():
    sheet = sample(rows(["A good movie.", "Zzz.", "", "A fine movie."]), preset="natural", unit="text")
    assert {item.id for item in sheet.items} == {"r0", "r3"}
    assert sheet.population == 2


def test_missing_texts_are_no_items():
    table = {"id": ["a", "b"], "text": ["A good movie.", None], "label": ["1", "2"]}
    assert [item.id for item in sample(table, preset="natural", unit="text").items] == ["a"]


def test_the_second_text_of_a_row_is_shown_as_it_is():
    table = {"text": ["A good movie."], "other": ["It's a movie."], "label": ["1"]}
    [item] = sample(table, preset="natural", data=Data(text=("text", "other"))).items
    assert (item.original, item.other) == ("A good movie.", "It's a movie.")


def test_labels_are_there_only_on_demand():
    without, with_label = (sample(rows(), preset="natural", n=2, label=flag) for flag in (False, True))
    assert "label" not in without.columns()
    assert {record["label"] for record in with_label.records()} == {"1"}


def test_a_run_and_its_data_have_the_same_twins(run):
    table = reviews("test").slice(0, 120)
    of_run = sample(run, severity=1, n=20)
    of_data = sample(table, preset="hybrid", unit="text", n=20)
    assert of_run.unit == "text"
    assert keys(of_run) == keys(of_data)
    assert [item.twin for item in of_run.items] == [item.twin for item in of_data.items]
    assert of_run.twins == of_data.twins
    assert sample(table.slice(0, 119), preset="hybrid", unit="text", n=20).twins != of_run.twins


def test_a_sheet_contains_no_answer(run):
    """The answers of the run are 1 and 0 for labels positive and negative; a sheet has no such column."""
    sheet = sample(run, severity=1, n=20)
    for record in sheet.records():
        assert not {"label", "answer", "before", "after", "clean"} & set(record)


def test_a_condition_that_is_not_the_only_one_must_be_named(run):
    with pytest.raises(
        UsageError, match=r"several conditions: hybrid@0.5, hybrid@1; choose one with preset= and se"
    ):
        sample(run)
    with pytest.raises(UsageError, match=r"no such condition; it has hybrid@0.5, hybrid@1"):
        sample(run, preset="typos")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"n": 0}, "n=0 must be a whole number from 1"),
        ({"seed": -1}, "seed=-1 must be"),
        ({"unit": "word"}, "unit='word' must be one of edit, text"),
        ({"preset": None}, "there is no preset"),
        ({"preset": "natrual"}, "did you mean 'natural'"),
        ({"severity": 3}, "severity=3 must be between 0 and 1"),
    ],
)
def test_wrong_arguments_are_refused(options, problem):
    with pytest.raises(UsageError, match=problem):
        sample(rows(), **{"preset": "natural", **options})


def test_a_run_takes_no_options_of_data(run):
    with pytest.raises(UsageError, match="a run has its own data and seed"):
        sample(run, severity=1, transform_seed=3)


def test_nothing_to_read_is_said():
    with pytest.raises(InputError, match="natural@1 changes no text; there is nothing to read"):
        sample(rows(["Zzz."]), preset="natural")


def test_a_run_of_a_task_is_audited_with_its_prompts_and_protected_words_kept(tmp_path):
    questions = [f"Is the really big number {k} an odd or an even one?" for k in range(12)]
    rows = [{"question": question, "answer": "yes"} for question in questions]
    run = tmp_path / "run"
    run_on(rows, lambda texts: ["Yes."] * len(texts), task="yes-no", presets="typos", severities=1.0, out=run)
    sheet = sample(run, n=100)
    assert len(sheet.items) >= 3
    for item in sheet.items:
        assert sum(question in item.original for question in questions) == 1
        assert re.findall(r"\d+", item.twin) == re.findall(r"\d+", item.original)
        assert [item.original[e.start : e.end] for e in item.edits] == [e.old for e in item.edits]
        assert [item.twin[e.new_start : e.new_end] for e in item.edits] == [e.new for e in item.edits]
    path = filled(sheet, tmp_path / "ann.csv", lambda item: "valid")
    assert correct(load_run(run), path).results.conditions[-1].audited.items == len(sheet.items)


def test_all_columns_that_a_task_rewrites_are_audited_together(tmp_path):
    rows = [{"premise": "A movie.", "hypothesis": "The movie is good.", "label": "entailment"}]
    run_on(rows, lambda texts: ["neutral"] * len(texts), task="nli", presets="natural", out=tmp_path / "run")
    [item] = sample(tmp_path / "run", severity=1).items
    assert item.twin == item.original.replace("movie", "film")
    assert [(edit.old, edit.new) for edit in item.edits] == [("movie", "film")] * 2
