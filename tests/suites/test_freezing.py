"""A suite has what an evaluation asks, and the same digests wherever it is frozen."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys

import pytest

import salva
from salva.errors import InputError, UsageError
from salva.evaluation import freeze, remake
from salva.evaluation.data import read_data
from salva.evaluation.inputs import TwinMaker
from salva.evaluation.settings import EvaluationSettings, named_transforms
from salva.models import Prompt
from salva.rows import ReadOptions, reviews
from salva.runs import RunRows
from salva.suites import is_suite, open_suite, verify
from salva.suites.lines import seal
from salva.suites.manifest import MANIFEST, seal_manifest
from salva.tasks import read_task
from tests.suites.conftest import ROWS

TEXTS = reviews("test").slice(0, 30)


def test_a_suite_asks_what_an_evaluation_asks(choices, tmp_path):
    task = read_task("multiple-choice")
    presets = named_transforms(["natural", "misspellings"])
    settings = EvaluationSettings(transforms=presets, severities=(1.0,), task=task)
    read_data(ROWS, tmp_path / "data", ReadOptions(), keep=settings.kept_columns, task=task)
    maker = TwinMaker(RunRows(tmp_path / "data"), settings)
    (group,) = maker.rows
    frozen = list(choices)
    assert [row.item.input for row in frozen] == maker.clean_inputs(group)
    assert [row.item.targets for row in frozen] == [key.targets for key in maker.find_keys(group)]
    for k, twins in enumerate(maker.make_twins(group)):
        assert [row.twins[k].input for row in frozen] == maker.twin_inputs(group, twins)
        assert sum(len(row.twins[k].edits) for row in frozen) == twins.summary.edits > 0


def test_an_item_has_its_question_options_answer_and_columns(choices):
    item = next(iter(choices)).item
    assert (item.id, item.label, item.targets, item.options) == ("q0", "B", ("B",), {"A": "odd", "B": "even"})
    assert item.columns["topic"] == "films"
    assert isinstance(item.prompt, Prompt)
    assert item.prompt.options == ("A", "B")


def test_the_edits_of_a_twin_lead_from_the_item_to_it(choices):
    for row in choices:
        for twin in row.twins:
            for edit in twin.edits:
                assert row.item.texts[edit.column][edit.start : edit.end] == edit.old
                assert twin.texts[edit.column][edit.new_start : edit.new_end] == edit.new


def test_pairs_of_texts_are_frozen_whole(tmp_path):
    typos = salva.preset("typos", prob=1.0, render="splice")
    rows = [{"a": "a very big film", "b": "they cannot begin", "label": "x"}]
    suite = freeze(rows, tmp_path / "suite", text_column=["a", "b"], presets=typos, transformed_column=1)
    (row,) = suite
    assert row.item.input == ("a very big film", "they cannot begin")
    assert row.twins[-1].input[0] == "a very big film"
    assert row.twins[-1].input[1] != "they cannot begin"
    assert remake(suite) == []


def test_a_missing_text_stays_missing(tmp_path):
    suite = freeze([{"text": "a big film"}, {"text": None}], tmp_path / "suite", presets="case")
    assert [row.item.input for row in suite] == ["a big film", None]
    assert list(suite)[1].twins[0].input is None


PROGRAM = """
import sys
from salva.evaluation import freeze
from tests.suites.test_freezing import TEXTS
print(freeze(TEXTS, sys.argv[1], presets=["case", "typos"], severities=[0.5, 1.0]).digest)
"""


@pytest.mark.slow
def test_the_digest_is_the_same_in_another_process_with_other_hashes_threads_and_locale(tmp_path):
    here = freeze(TEXTS, tmp_path / "a", presets=["case", "typos"], severities=[0.5, 1.0], threads=1)
    environment = {**os.environ, "PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Kathmandu"}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "b")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == here.digest
    for name in here.manifest.files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_the_digest_does_not_depend_on_the_format_of_the_data(tmp_path):
    import pyarrow.parquet as pq

    pq.write_table(TEXTS, tmp_path / "reviews.parquet", compression="zstd")
    with (tmp_path / "reviews.jsonl").open("w") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in TEXTS.to_pylist())
    suites = [
        freeze(tmp_path / f"reviews.{suffix}", tmp_path / suffix, presets="case")
        for suffix in ("parquet", "jsonl")
    ]
    assert suites[0].digest == suites[1].digest
    assert suites[0].manifest.made != suites[1].manifest.made


def test_the_digest_depends_on_the_licence_the_seed_and_the_severity(tmp_path):
    usual = {"presets": "case", "severities": 1.0}
    given = [{}, {"licence": "CC0"}, {"seed": 1}, {"severities": 0.5}, {"name": "other"}]
    digests = {freeze(TEXTS, tmp_path / str(k), **(usual | one)).digest for k, one in enumerate(given)}
    assert len(digests) == len(given)


def test_an_existing_suite_is_replaced_only_on_request(tmp_path):
    freeze(TEXTS, tmp_path / "suite", presets=["spaces", "case"], severities=1.0)
    with pytest.raises(InputError, match=r"suite.json: exists; pass overwrite=True"):
        freeze(TEXTS, tmp_path / "suite", presets="case", severities=1.0)
    suite = freeze(TEXTS, tmp_path / "suite", presets="case", severities=1.0, overwrite=True)
    assert verify(suite.path) == []
    assert sorted(p.name for p in suite.path.iterdir()) == ["items.jsonl", "suite.json", "twins.case@1.jsonl"]


def test_nothing_is_left_of_a_suite_that_cannot_be_frozen(tmp_path):
    with pytest.raises(InputError, match="which cannot be an answer"):
        freeze([{**ROWS[0], "answer": "C"}], tmp_path / "suite", task="multiple-choice")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_other_files_is_refused(tmp_path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(InputError, match="is not empty and holds no suite"):
        freeze(TEXTS, tmp_path, presets="natural", overwrite=True)
    with pytest.raises(InputError, match="is a file; give a folder"):
        freeze(TEXTS, tmp_path / "notes.txt", presets="natural")


def test_a_setting_that_a_suite_does_not_have_is_refused(tmp_path):
    with pytest.raises(UsageError, match="has no setting 'prest'"):
        freeze(TEXTS, tmp_path / "suite", prest="natural")


def test_only_a_folder_with_a_manifest_is_a_suite(choices, tmp_path):
    assert is_suite(choices.path)
    assert not is_suite(tmp_path)
    with pytest.raises(InputError, match="holds no suite"):
        open_suite(tmp_path)


def test_twins_that_would_be_different_today_are_named(choices, tmp_path):
    assert remake(choices) == []
    copy = shutil.copytree(choices.path, tmp_path / "suite")
    frozen = list(choices)
    changed = dataclasses.replace(frozen[3].twins[0], edits=())
    lines = [seal((changed if k == 3 else row.twins[0]).as_record()) for k, row in enumerate(frozen)]
    (copy / "twins.natural@1.jsonl").write_bytes(b"".join(lines))
    (fault,) = remake(open_suite(copy))
    assert (fault.line, fault.item) == (4, "q3")
    assert "would have other edits today" in fault.problem


def test_twins_of_another_version_of_a_preset_cannot_be_made_again(choices, tmp_path):
    copy = shutil.copytree(choices.path, tmp_path / "suite")
    plain = json.loads((copy / MANIFEST).read_text())
    plain["presets"]["natural"]["about"]["version"] = 0
    (copy / MANIFEST).write_text(json.dumps(seal_manifest(plain)))
    with pytest.raises(InputError, match="cannot be made again: preset natural was version 0"):
        remake(open_suite(copy))
