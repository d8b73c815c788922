"""Run directories: settings once, one owner, nothing mixed."""

from __future__ import annotations

import shutil

import pytest

from salva._results import as_json
from salva.errors import InputError, StorageError, UsageError
from salva.runs import RunFolder
from salva.runs.folder import read_run_file


def test_a_run_is_not_begun_twice_without_resume(tmp_path):
    with RunFolder.open(tmp_path / "run") as folder:
        folder.settle({"seed": 1})
    with pytest.raises(InputError, match="holds a run; pass --resume"), RunFolder.open(tmp_path / "run"):
        pass


def test_the_same_settings_go_on_also_after_a_move(tmp_path):
    with RunFolder.open(tmp_path / "run") as folder:
        folder.settle({"seed": 1, "severities": (0.5,)})
    shutil.move(tmp_path / "run", tmp_path / "moved")
    with RunFolder.open(tmp_path / "moved", resume=True) as folder:
        folder.settle({"seed": 1, "severities": [0.5]})


def test_other_settings_are_named(tmp_path):
    with RunFolder.open(tmp_path / "run") as folder:
        folder.settle({"model": {"name": "a", "digest": "x"}})
    with RunFolder.open(tmp_path / "run", resume=True) as folder, pytest.raises(UsageError) as caught:
        folder.settle({"model": {"name": "a", "digest": "y"}})
    assert 'model.digest was "x" and is "y"' in str(caught.value)
    assert "give a function that exists only in memory a version with model_id" in str(caught.value)


def test_two_processes_do_not_share_a_run(tmp_path):
    with (
        RunFolder.open(tmp_path / "run"),
        pytest.raises(StorageError, match="in use by process"),
        RunFolder.open(tmp_path / "run"),
    ):
        pass


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(InputError, match="is not empty and holds no run"), RunFolder.open(tmp_path):
        pass


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "run").write_text("")
    with pytest.raises(InputError, match="is a file"), RunFolder.open(tmp_path / "run"):
        pass


def test_what_a_kill_at_the_start_leaves_is_no_obstacle(tmp_path):
    (tmp_path / ".tmp-123").write_bytes(b"half")
    with RunFolder.open(tmp_path) as folder:
        folder.settle({"seed": 0})
    assert read_run_file(tmp_path / "run.json") == {"format": 1, "seed": 0}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"format": 1', "is not JSON, or cut off"),
        (b"[1]", "not a file of a Salva run"),
        (b'{"format": 99}', "this Salva reads only 1; use a newer Salva"),
        (b"[" * 100_000, "is not JSON, or cut off"),
    ],
)
def test_a_broken_or_newer_file_is_refused(tmp_path, content, problem):
    (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(InputError, match=problem):
        read_run_file(tmp_path / "run.json")


def test_json_has_no_nan():
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json({"drop": float("nan")})
