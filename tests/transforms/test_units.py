"""An output, its edits and its manifest appear together, wherever the process is killed."""

from __future__ import annotations

import subprocess
import sys

import pytest

import salva
from salva.errors import StorageError
from salva.rows import WriteOptions

# Transforms in one child process per step that names, links or removes a file, and kills it at that step.
# What is left must be finished by a reader, and must not be in the way of the same command.
KILLED = """
import os, shutil, signal, sys
import salva
from salva.rows import WriteOptions

overwrite = sys.argv[1] == "overwrite"
options = WriteOptions(overwrite=overwrite)
files = ("out.txt", "out.txt.manifest.json", "e.parquet")

def transform(seed, folder):
    settings = {"preset": "typos", "render": "splice", "prob": 1.0, "seed": seed, "threads": 1}
    settings |= {"edits": f"{folder}/e.parquet", "output": options}
    salva.transform_file("in.txt", f"{folder}/out.txt", **settings)

def state(folder):
    paths = [os.path.join(folder, name) for name in files]
    return [open(path, "rb").read() if os.path.exists(path) else None for path in paths]

def in_child(work):
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def killed(step):
    def watch(event, arguments):
        nonlocal step
        if event in ("os.rename", "os.link", "os.remove") and ".tmp-" in str(arguments[0]):
            if not step:
                os.kill(os.getpid(), signal.SIGKILL)
            step -= 1
    sys.addaudithook(watch)
    transform(2, "work")

for seed, folder in ((1, "old"), (2, "new")):
    os.mkdir(folder)
    transform(seed, folder)  # in this process, so that the children need not load the kernels
old, new = state("old") if overwrite else [None] * 3, state("new")
outcomes = set()
for step in range(20):
    shutil.rmtree("work", ignore_errors=True)
    shutil.copytree("old", "work") if overwrite else os.mkdir("work")
    code = in_child(lambda: killed(step))
    if code == 0:
        break
    assert code == -signal.SIGKILL
    outcomes.add(tuple(a == b for a, b in zip(state("work"), new)))
    if state("work")[0] is not None:
        shutil.copytree("work", "copy")
        salva.revert_file("copy/out.txt", "copy/back.txt", edits="copy/e.parquet")
        assert open("copy/back.txt", "rb").read() == open("in.txt", "rb").read()
        assert state("copy") in (old, new)
        shutil.rmtree("copy")
    assert in_child(lambda: transform(2, "work")) == 0
    assert state("work") == new and sorted(os.listdir("work")) == sorted(files)
assert state("work") == new
print(step, len(outcomes))
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["new", "overwrite"])
def test_a_kill_leaves_no_half_of_output_and_edits(tmp_path, how):
    (tmp_path / "in.txt").write_text("a great movie\nthat nobody has seen before\n")
    command = [sys.executable, "-c", KILLED, how]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    steps, outcomes = map(int, done.stdout.split())
    assert steps >= 5  # the journal, three names, and the journal again
    assert outcomes >= 4


def test_edits_stay_as_they_were_if_the_output_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_text("a great movie\n" * 10)
    (tmp_path / "e.parquet").write_bytes(b"old")
    options = WriteOptions(format="txt", overwrite=True)
    with pytest.raises(StorageError, match="no space left"):
        salva.transform_file("in.txt", "/dev/full", preset="typos", edits="e.parquet", output=options)
    assert (tmp_path / "e.parquet").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["e.parquet", "in.txt"]
