"""The extension of the kernels: missing, old, checked, and used by several threads and processes."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import salva._kernels
from salva.text import tag, tokenize
from tests.conftest import ROOT

ROOM = Path(salva._kernels.__file__).parent


@pytest.fixture
def room(tmp_path):
    """A copy of the kernels with their sources and what was compiled, in a package without anything else."""
    (tmp_path / "salva").mkdir()
    (tmp_path / "salva/__init__.py").touch()
    return Path(shutil.copytree(ROOM, tmp_path / "salva/_kernels"))


def error_of(room: Path) -> str:
    """Return what an import prints to standard error."""
    command = [sys.executable, "-c", "import salva._kernels"]
    environment = os.environ | {"PYTHONPATH": str(room.parents[1])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == ""
    return done.stderr


def test_an_extension_that_is_as_new_as_its_sources_says_nothing(room):
    assert error_of(room) == ""
    for path in room.iterdir():
        path.touch()  # a new time without a change, as after switching branches and back
    assert error_of(room) == ""


@pytest.mark.parametrize("name", ["rng.py", "constants.py", "_compiled.pyx"])
def test_an_extension_older_than_its_sources_says_so_in_one_line(room, name):
    with (room / name).open("a") as source:
        source.write("# changed\n")
    line = "salva: the compiled kernels are older than their sources; run: make kernels\n"
    assert error_of(room) == line


def test_a_missing_extension_says_what_to_do(room):
    for path in room.glob("_compiled.*"):
        if path.suffix in {".so", ".pyd"}:
            path.unlink()
    error = error_of(room)
    message = "the kernels are not compiled for this Python; in a clone, run: make kernels"
    assert error.splitlines()[-1] == f"ImportError: {message}"
    assert error.count("Traceback") == 1


PLANTED = """
import cython

@cython.cfunc
@cython.nogil
def fill(out: i64[::1], size: i64) -> cython.void:
    k: i64
    for k in range(size):
        out[k] = k

def overrun(out: i64[::1], size: i64) -> None:
    with cython.nogil:
        fill(out, size)
"""
USE = """
import array, salva._kernels
numbers = array.array("q", bytes(24))
salva._kernels.overrun(numbers, 3)
assert numbers.tolist() == [0, 1, 2]
salva._kernels.overrun(numbers, 4)
"""


@pytest.mark.slow
def test_the_checked_build_finds_a_planted_overrun_in_an_inner_function(tmp_path):
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    room = tmp_path / "src/salva/_kernels"
    room.mkdir(parents=True)
    (room.parent / "__init__.py").touch()
    (room.parent / "_version.py").write_text('__version__ = "0"\n')
    for name in ("__init__.py", "constants.py"):
        shutil.copy(ROOM / name, room)
    (room / "planted.py").write_text(PLANTED)
    lines = (ROOM / "_compiled.pyx").read_text().splitlines()
    kept = [line for line in lines if not line.startswith("include") or "constants.pxi" in line]
    (room / "_compiled.pyx").write_text("\n".join([*kept, 'include "planted.py"', ""]))
    subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
        cwd=tmp_path,
        env=os.environ | {"SALVA_KERNELS": "checked"},
        capture_output=True,
        check=True,
    )
    done = subprocess.run(
        [sys.executable, "-c", USE],
        env=os.environ | {"PYTHONPATH": str(room.parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.splitlines()[-1] == "IndexError: Out of bounds on buffer access (axis 0)"
    assert "in salva._kernels._compiled.fill" in done.stderr


def test_threads_share_kernels_and_agree():
    texts = ["One. Two's three, four?"] * 50
    expected = tag(texts).to_pylist()
    with ThreadPoolExecutor(8) as pool:
        assert all(found.to_pylist() == expected for found in pool.map(tag, [texts] * 32))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_can_use_kernels_after_its_parent_did():
    tokenize(["a b"] * 1000)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(tokenize, ["It's on."] * 4) == [["It", "'s", "on", "."]] * 4
