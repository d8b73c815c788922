"""Suites: evaluated as they are, with the same digest wherever they are made, and every change is found."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

import salva
from salva.errors import InputError, UsageError
from salva.evaluation import evaluate, rescore
from salva.questions import make_questions, open_suite
from salva.rows import reviews
from salva.tasks import make_task
from salva.transforms import Transform
from tests.conftest import ROOT
from tests.flat import flat
from tests.questions.conftest import ROWS
from tests.questions.test_table import FILMS, NUMBER, WORDS

TEXTS = reviews("test").slice(0, 40)
QUIET = {"noise": 4, "blame_calls": 4, "resamples": 100}
FILES = ["questions.parquet", "suite.json"]
ROOMS = [{"id": f"n{n}", "text": f"Room {n} has 2 beds.", "number": str(n)} for n in range(41, 53)]
OWN = [{**row, "own": f"Is {n} odd or even?"} for n, row in enumerate(ROWS)]


def answer(prompts):
    return ["A" if len(prompt) % 3 else "B" for prompt in prompts]


def judge(texts):
    return [next((label for word, label in WORDS.items() if f" {word} " in text), "bad") for text in texts]


def read_room(prompts):
    return [re.search(r"(?i)room (\d+)", prompt)[1] for prompt in prompts]


@pytest.fixture(scope="module")
def choices(tmp_path_factory):
    """A suite of questions with options."""
    path = tmp_path_factory.mktemp("choices") / "suite"
    given = {"task": "multiple-choice", "presets": ["natural", "misspellings"], "severities": 1.0}
    make_questions(ROWS, out=path, name="parity", licence="CC0", options=flat(slice_by="topic"), **given)
    return open_suite(path)


@pytest.fixture
def suite(choices, tmp_path):
    """A copy of the suite, to damage."""
    return shutil.copytree(choices.path, tmp_path / "suite")


def forbid_rewriting(monkeypatch):
    """Let whatever rewrites a text fail from now on."""

    def fail(*_, **__):
        raise AssertionError("a text is made again")

    monkeypatch.setattr(Transform, "_rewrite", fail)
    monkeypatch.setattr(Transform, "planner", property(fail))


SOURCES = {
    "texts": (
        TEXTS,
        "builtin:reviews",
        {"presets": ["typos", "case"], "severities": [0.5, 1.0]},
        {"copies": 2},
    ),
    "questions": (ROWS, answer, {"presets": ["natural", "misspellings"], "task": "multiple-choice"}, {}),
    "contrasts": (FILMS, judge, {"presets": ["typos", "antonyms"]}, {"opposites": {"good": "bad"}}),
    "only a contrast": (FILMS, judge, {"presets": "antonyms"}, {}),
    "new answers": (ROOMS, read_room, {"presets": "numbers", "task": make_task("number", NUMBER)}, {}),
    "paraphrases": (OWN, answer, {"task": "multiple-choice"}, {"variants": "own"}),
    "orders": (ROWS, answer, {"presets": "typos", "task": "multiple-choice"}, {"order": 2, "cross": True}),
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_suite_gives_the_numbers_of_its_data_and_makes_no_text(name, monkeypatch, tmp_path):
    data, model, given, options = SOURCES[name]
    usual = {**given, "options": flat(**QUIET, **options, model_id="m")}
    here = evaluate(data, model, **usual)
    make_questions(data, out=tmp_path / "suite", **usual)
    forbid_rewriting(monkeypatch)
    there = evaluate(tmp_path / "suite", model, options=flat(**QUIET, model_id="m"))
    first, second = (run.results.as_dict() for run in (here, there))
    assert {name for name in first if first[name] != second[name]} == {"settings", "signature"}
    assert (here.flips, here.unchanged) == (there.flips, there.unchanged)
    assert here.list_answers() == there.list_answers()


def test_the_signature_has_the_digest_of_the_suite(choices):
    results = evaluate(choices.path, answer, options=flat(**QUIET)).results
    assert f"suite:parity.{choices.digest.removeprefix('sha256:')[:12]}|" in results.signature
    assert results.settings["suite"] == f"parity.{choices.digest}"
    assert {one.name for one in results.slices[-1].slices} == {"numbers", "films"}


def test_a_run_over_a_suite_goes_on_and_is_scored_again_without_it(suite, monkeypatch, tmp_path):
    forbid_rewriting(monkeypatch)
    usual = {"model": "python:tests.questions.test_suite:answer", "out": tmp_path / "run"}
    with pytest.raises(UsageError, match="calls=12"):
        evaluate(suite, options=flat(**QUIET, calls=12), **usual)
    run = evaluate(suite, options=flat(**QUIET), resume=True, **usual)
    assert run.results == evaluate(suite, **{**usual, "out": tmp_path / "o"}, options=flat(**QUIET)).results
    shutil.rmtree(suite)
    again = rescore(tmp_path / "run", drop_limit=1.0).results
    assert (again.settings["drop_limit"], again.conditions) == (1.0, run.results.conditions)


@pytest.mark.parametrize(
    ("given", "options", "named"),
    [
        ({"presets": "typos"}, {}, "presets"),
        ({"severities": 0.5}, {}, "severities"),
        ({"seed": 1}, {}, "seed"),
        ({"task": "multiple-choice"}, {}, "task"),
        ({"sample": 5}, {}, "sample"),
        ({}, {"copies": 2}, "conditions"),
        ({}, {"limit": 5}, "data"),
        ({}, {"text": "question"}, "data"),
    ],
)
def test_what_would_change_the_questions_is_refused(choices, given, options, named):
    with pytest.raises(UsageError, match=f"is a suite, .+ leave out {named}="):
        evaluate(choices.path, answer, **given, options=flat(**options))


PROGRAM = """
import sys
from salva.questions import make_questions, open_suite
from tests.questions.test_suite import TEXTS
make_questions(TEXTS, presets=["case", "typos"], severities=[0.5, 1.0], out=sys.argv[1])
print(open_suite(sys.argv[1]).digest)
"""


@pytest.mark.slow
def test_a_suite_is_the_same_in_another_process_with_other_hashes_threads_and_locale(tmp_path):
    given = {"presets": ["case", "typos"], "severities": [0.5, 1.0], "options": flat(threads=1)}
    make_questions(TEXTS, out=tmp_path / "a", **given)
    environment = {**os.environ, "PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Kathmandu"}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "b")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == open_suite(tmp_path / "a").digest
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_the_digest_does_not_depend_on_the_format_of_the_data(tmp_path):
    pq.write_table(TEXTS, tmp_path / "reviews.parquet", compression="zstd")
    with (tmp_path / "reviews.jsonl").open("w") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in TEXTS.to_pylist())
    for suffix in ("parquet", "jsonl"):
        make_questions(tmp_path / f"reviews.{suffix}", presets="case", out=tmp_path / suffix)
    first, second = (open_suite(tmp_path / suffix) for suffix in ("parquet", "jsonl"))
    assert first.digest == second.digest
    assert first.about.data.digest != second.about.data.digest


def test_the_digest_depends_on_name_licence_seed_and_severity(tmp_path):
    given = [{}, {"licence": "CC0"}, {"seed": 1}, {"severities": 0.5}, {"name": "other"}]
    for k, one in enumerate(given):
        make_questions(TEXTS, out=tmp_path / str(k), **({"presets": "case", "severities": 1.0} | one))
    assert len({open_suite(tmp_path / str(k)).digest for k in range(len(given))}) == len(given)


def test_an_existing_suite_is_replaced_only_on_request(suite, choices):
    before = {name: (suite / name).read_bytes() for name in FILES}
    with pytest.raises(InputError, match=r"suite.json: exists; pass overwrite=True"):
        make_questions(TEXTS, presets="case", out=suite)
    broken = [{**ROWS[0], "answer": "C"}]
    with pytest.raises(InputError, match="which cannot be an answer"):
        make_questions(broken, task="multiple-choice", presets="case", out=suite, overwrite=True)
    assert {name: (suite / name).read_bytes() for name in FILES} == before
    make_questions(TEXTS, presets="case", out=suite, overwrite=True)
    assert open_suite(suite).digest != choices.digest
    assert sorted(path.name for path in suite.iterdir()) == FILES


def test_a_folder_with_other_files_is_refused_and_nothing_is_left_of_a_suite_that_fails(tmp_path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(InputError, match="is not empty and holds no suite"):
        make_questions(TEXTS, presets="case", out=tmp_path, overwrite=True)
    with pytest.raises(InputError, match=r"notes.txt: is a file; give a folder"):
        make_questions(TEXTS, presets="case", out=tmp_path / "notes.txt")
    with pytest.raises(InputError, match="which cannot be an answer"):
        make_questions([{**ROWS[0], "answer": "C"}], task="multiple-choice", out=tmp_path / "suite")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_copy_is_the_same_suite_whatever_is_next_to_its_files(suite, choices):
    (suite / "README.md").write_text("Our suite.")
    assert open_suite(suite, wanted=choices.digest).digest == choices.digest
    assert open_suite(suite, wanted=choices.digest[:15]).about == choices.about
    for wanted in ("sha256:0000000000000", "", choices.digest[:12]):
        with pytest.raises(InputError, match=r"has the digest sha256:\w+, not "):
            open_suite(suite, wanted=wanted)


@pytest.mark.parametrize("name", FILES)
def test_any_changed_byte_is_found_and_its_file_named(suite, choices, name, tmp_path):
    path = suite / name
    whole = path.read_bytes()
    for place in random.Random(0).sample(range(len(whole)), 60):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(InputError, match=rf"suite/{name}[: ]") as caught:
            open_suite(suite)
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError):
        evaluate(suite, answer, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    path.write_bytes(whole)
    assert open_suite(suite).digest == choices.digest


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 1}', '{"format": 99}', "{" * 9999])
def test_a_broken_manifest_is_one_line(suite, content):
    (suite / "suite.json").write_text(content)
    with pytest.raises(InputError, match=r"suite.json") as caught:
        open_suite(suite)
    assert "\n" not in str(caught.value)


def test_a_missing_file_or_a_link_is_named(suite, choices):
    (suite / "questions.parquet").unlink()
    for _ in range(2):
        with pytest.raises(InputError, match=r"questions.parquet: is missing; get the suite again"):
            open_suite(suite)
        (suite / "questions.parquet").unlink(missing_ok=True)
        (suite / "questions.parquet").symlink_to(choices.path / "questions.parquet")
    (suite / "suite.json").unlink()
    with pytest.raises(InputError, match="holds no suite"):
        open_suite(suite)


def test_pairs_of_texts_are_kept_whole(tmp_path):
    typos, options = salva.preset("typos", prob=1.0), flat(text=("a", "b"), rewrite="b")
    data = [{"a": "a very big film", "b": "they cannot begin", "label": "x"}]
    made = make_questions(data, presets=typos, options=options, out=tmp_path / "suite").to_arrow()
    assert open_suite(tmp_path / "suite").questions.to_arrow() == made
    assert {parts[0] for parts in made["parts"].to_pylist()} == {"a very big film"}
