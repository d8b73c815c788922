"""Run directories: settings once, one owner, nothing mixed."""

from __future__ import annotations

import shutil

import pytest

from salva._results import as_json
from salva.errors import InputError, StorageError, UsageError
from salva.runs import Answer, AnswerStore, RunFolder
from salva.runs.folder import read_run_file


def test_a_run_is_not_begun_twice_without_resume(tmp_path):
    with RunFolder.open(tmp_path / "run") as folder:
        folder.settle({"seed": 1})
    ways = (
        "holds a run; pass resume=True to continue it, overwrite=True to start over, or give another folder"
    )
    with pytest.raises(InputError, match=ways), RunFolder.open(tmp_path / "run"):
        pass


def test_a_new_run_replaces_the_old_one_only_when_it_begins(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")  # what is not part of a run stays
    with RunFolder.open(tmp_path / "run") as folder:
        folder.settle({"seed": 1})
        folder.write("results.json", b"old")
    (tmp_path / "run/notes.txt").write_text("mine")
    with pytest.raises(KeyboardInterrupt), RunFolder.open(tmp_path / "run", overwrite=True):
        raise KeyboardInterrupt
    assert (tmp_path / "run/results.json").read_bytes() == b"old"
    with RunFolder.open(tmp_path / "run", overwrite=True) as folder:
        folder.settle({"seed": 2})
    assert read_run_file(tmp_path / "run/run.json") == {"format": 1, "seed": 2}
    assert not (tmp_path / "run/results.json").exists()
    assert (tmp_path / "run/notes.txt").read_text() == "mine"


def test_what_is_no_run_is_not_overwritten(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with (
        pytest.raises(InputError, match="is not empty and holds no run"),
        RunFolder.open(tmp_path, overwrite=True),
    ):
        pass
    assert (tmp_path / "thesis.tex").read_text() == "mine"


def test_one_cannot_both_continue_and_start_over(tmp_path):
    with (
        pytest.raises(UsageError, match="exclude each other"),
        RunFolder.open(tmp_path / "run", resume=True, overwrite=True),
    ):
        pass
    assert not (tmp_path / "run").exists()


def stop(path, answers):
    """Begin a run, store some answers, and stop it."""
    with RunFolder.open(path) as folder:
        folder.settle({"seed": 1})
        with AnswerStore(folder.path / "run.db", "sha256:0") as store:
            store.add(answers)
            raise SystemExit


@pytest.mark.parametrize("name", ["", "run", "a/b/run"])
def test_a_run_without_an_answer_leaves_nothing(tmp_path, name):
    with pytest.raises(SystemExit):
        stop(tmp_path / name, [])
    assert list(tmp_path.iterdir()) == []


def test_a_run_with_an_answer_stays(tmp_path):
    with pytest.raises(SystemExit):
        stop(tmp_path / "run", {b"0" * 16: Answer("yes", None, truncated=False)})
    assert (tmp_path / "run/run.json").is_file()


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
    assert "the code or the files of the model changed since" in str(caught.value)
    ways = "pass same_model=True to keep its answers, overwrite=True to start over, or give another folder"
    assert ways in str(caught.value)


def test_the_same_model_keeps_its_first_digest(tmp_path):
    with RunFolder.open(tmp_path / "run") as folder:
        folder.settle({"model": {"name": "a", "digest": "x"}, "seed": 0})
    with RunFolder.open(tmp_path / "run", resume=True) as folder:
        kept = folder.settle({"model": {"name": "b", "digest": "y"}, "seed": 0}, same_model=True)
    assert kept == {"name": "a", "digest": "x"}
    assert read_run_file(tmp_path / "run/run.json")["model"] == kept


def test_free_settings_may_change(tmp_path):
    with RunFolder.open(tmp_path / "run") as folder:
        folder.settle({"metric": None, "settings": {"seed": 1, "noise": 10}})
    free = ("metric", "settings.noise", "settings.new")
    with RunFolder.open(tmp_path / "run", resume=True) as folder:
        folder.settle({"metric": "f", "settings": {"seed": 1, "noise": 20, "new": 1}}, free=free)
    assert read_run_file(tmp_path / "run/run.json")["settings"] == {"seed": 1, "noise": 20, "new": 1}
    other = {"metric": None, "settings": {"seed": 2, "noise": 20}}
    with (
        RunFolder.open(tmp_path / "run", resume=True) as folder,
        pytest.raises(UsageError, match=r"settings\.seed was 1 and is 2"),
    ):
        folder.settle(other, free=free)


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


@pytest.mark.parametrize("name", ["results.json", "run.db", ".lock", ".tmp-data.parquet"])
@pytest.mark.parametrize("how", ["resume", "overwrite"])
def test_a_link_in_a_run_is_refused_and_what_it_points_to_stays(tmp_path, name, how):
    (tmp_path / "mine").write_text("mine")
    with RunFolder.open(tmp_path / "run") as folder:
        folder.settle({"seed": 1})
    (tmp_path / "run" / name).unlink(missing_ok=True)
    (tmp_path / "run" / name).symlink_to(tmp_path / "mine")
    problem = rf"run/{name}: is a symbolic link; replace it by the file, or remove it"
    with pytest.raises(InputError, match=problem), RunFolder.open(tmp_path / "run", **{how: True}) as folder:
        folder.write("results.json", b"{}")
    assert (tmp_path / "mine").read_text() == "mine"


@pytest.mark.parametrize("model", [[], "name", {"name": "a"}, {"name": [], "digest": "b"}])
def test_65_a_model_of_another_shape_is_one_line(tmp_path, model):
    (tmp_path / "run.json").write_bytes(as_json({"format": 1, "model": model}))
    wanted = {"model": {"name": "a", "digest": "sha256:0"}}
    for same_model in (False, True):
        with RunFolder.open(tmp_path, resume=True) as folder, pytest.raises(InputError, match=r"is broken"):
            folder.settle(wanted, same_model=same_model)


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
