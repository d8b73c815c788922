"""Folders of runs: one owner, one model, nothing mixed, and nothing of anybody else's touched."""

from __future__ import annotations

import json
import shutil

import pytest

from salva.asking.run_folder import RunFolder, read_run_file
from salva.errors import InputError, ModelError, SalvaError, StorageError, UsageError
from salva.evaluation import evaluate, load_run
from tests.evaluation.keywords import classify
from tests.flat import flat

ROWS = [("a fine film", "positive"), ("a dull film", "negative")]
QUIET = flat(noise=0, blame_calls=0, resamples=100, model_id="m")


def ask(folder, model=classify, options=QUIET, **more):
    return evaluate(ROWS, model, presets="typos", severities=1, out=folder, options=options, **more)


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


@pytest.fixture
def folder(tmp_path):
    """The folder of a finished run."""
    ask(tmp_path / "run")
    return tmp_path / "run"


def failing(texts):
    raise ValueError


def stopping(texts):
    raise ModelError("the key is wrong")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "holds a run; pass resume=True to continue it, overwrite=True to start over, or give another"),
        ({"resume": True, "overwrite": True}, "exclude each other; continue the run, or start over"),
        (
            {"resume": True, "options": flat(noise=0, blame_calls=0, model_id="n")},
            "its options, or it exists only in memory; pass same_model=True to keep its answers, overwrite=",
        ),
    ],
)
def test_a_run_is_neither_begun_twice_nor_mixed_with_another(folder, arguments, problem):
    before = contents(folder)
    with pytest.raises(SalvaError) as caught:
        ask(folder, **arguments)
    assert problem in str(caught.value)
    assert contents(folder) == before


def test_a_new_run_replaces_the_old_one_when_it_begins_and_nothing_else(folder):
    (folder / "notes.txt").write_text("mine")
    before = contents(folder)
    with pytest.raises(UsageError, match="there is no module 'nowhere'"):
        ask(folder, "python:nowhere:model", overwrite=True)
    assert contents(folder) == before
    with pytest.raises(ModelError):
        ask(folder, stopping, overwrite=True)
    assert [path.name for path in contents(folder)] == ["notes.txt"]


@pytest.mark.parametrize("model", [failing, stopping])
@pytest.mark.parametrize("name", ["", "run", "a/b/run"])
def test_a_run_without_an_answer_leaves_nothing(tmp_path, name, model):
    with pytest.raises(ModelError):
        ask(tmp_path / name, model)
    assert list(tmp_path.iterdir()) == []


def test_a_run_goes_on_after_a_move(folder, tmp_path):
    before = (folder / "results.json").read_bytes()
    moved = shutil.move(folder, tmp_path / "moved")
    assert ask(moved, resume=True).results == load_run(moved).results
    assert (moved / "results.json").read_bytes() == before


def test_the_same_model_keeps_its_first_name_and_digest(folder):
    before = json.loads((folder / "run.json").read_text())["model"]

    def changed(texts):
        raise AssertionError("everything is answered")

    options = QUIET.replace(model={"model_id": "n"}, limits={"same_model": True})
    run = ask(folder, changed, options, resume=True)
    assert json.loads((folder / "run.json").read_text())["model"] == before
    assert (run.results.model.name, run.results.model.digest) == (before["name"], before["digest"])


def test_two_processes_do_not_share_a_run(tmp_path):
    with RunFolder.open(tmp_path / "run"), pytest.raises(StorageError, match="in use by process"):
        ask(tmp_path / "run")


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path, overwrite):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(InputError, match="is not empty and holds no run; give another folder"):
        ask(tmp_path, overwrite=overwrite)
    with pytest.raises(InputError, match=r"thesis.tex: is a file; give a folder for the run"):
        ask(tmp_path / "thesis.tex", overwrite=overwrite)
    assert [path.name for path in contents(tmp_path)] == ["thesis.tex"]


@pytest.mark.parametrize("name", ["results.json", "answers.db", "questions", ".lock", ".tmp-results.json"])
@pytest.mark.parametrize("how", ["resume", "overwrite"])
def test_a_link_in_a_run_is_refused_and_what_it_points_to_stays(folder, tmp_path, name, how):
    (tmp_path / "mine").write_text("mine")
    if name == "questions":
        shutil.rmtree(folder / name)
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(tmp_path / "mine")
    problem = rf"run/{name}: is a symbolic link; replace it by the file, or remove it"
    with pytest.raises(InputError, match=problem):
        ask(folder, **{how: True})
    assert (tmp_path / "mine").read_text() == "mine"


@pytest.mark.parametrize("model", [[], "name", {"name": "a"}, {"name": [], "digest": "b"}])
def test_65_a_model_of_another_shape_is_one_line(folder, model):
    settings = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(settings | {"model": model}))
    for same_model in (False, True):
        with pytest.raises(InputError, match=r"run.json: is broken \(model\)$"):
            ask(folder, options=QUIET.replace(limits={"same_model": same_model}), resume=True)


def test_what_a_kill_at_the_start_leaves_is_not_an_obstacle(tmp_path):
    (tmp_path / ".tmp-123").write_bytes(b"half")
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions/.tmp-456").write_bytes(b"half")
    run = ask(tmp_path)
    assert run.results == load_run(tmp_path).results
    assert not list(tmp_path.rglob(".tmp-*"))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"format": 2', "is not JSON, or cut off"),
        (b"[1]", "is not a file of a Salva run"),
        (b'{"format": 1}', "has format 1, and this Salva reads format 2; start a new run"),
        (b'{"format": 99}', "has format 99, and this Salva reads format 2; start a new run"),
        (b"[" * 100_000, "is not JSON, or cut off"),
    ],
)
def test_a_broken_older_or_newer_file_is_refused(folder, content, problem):
    (folder / "run.json").write_bytes(content)
    with pytest.raises(InputError, match=problem):
        read_run_file(folder / "run.json")
    with pytest.raises(InputError, match=problem):
        ask(folder, resume=True)
