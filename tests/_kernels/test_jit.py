"""The cache of compiled code: private, or none; torn files and full disks are no harm; one message."""

from __future__ import annotations

import importlib
import logging
import multiprocessing
import os
import pkgutil
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import pyarrow as pa
import pytest

import salva._kernels
import salva._types
from salva.cli import show
from salva.text import casing, detokenize, sentences, tag, tokenize

jit = importlib.import_module("salva._kernels.jit")

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="there is no compiler to look at")

CODE = """
import logging, sys
logging.basicConfig(level=20, format="%(message)s", stream=sys.stdout)
from salva._kernels.jit import cache_folder
from salva._kernels.rng import bounded
import numpy as np
print(bounded(np.uint64(1) << np.uint64(63), 10), bool(cache_folder()))
"""


def run(folder: Path, before: str = "", **environment: str) -> str:
    variables = os.environ | {"SALVA_CACHE_DIR": str(folder)} | environment
    command = [sys.executable, "-c", before + CODE]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path):
    tmp_path.chmod(0o700)
    return tmp_path / "cache"


def kept(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_kernels_are_compiled_once_and_kept_in_a_private_folder(folder):
    assert run(folder).splitlines() == [
        "compiling kernels, once for this machine; this takes a minute or two",
        "5 True",
    ]
    assert run(folder) == "5 True\n"
    assert kept(folder)
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.rglob("*") if path.is_dir())


@pytest.mark.skipif(os.name != "posix", reason="needs modes")
@pytest.mark.parametrize("loose", ["", "kernels"])
def test_a_folder_that_others_may_write_to_is_not_used(folder, loose):
    (folder / "kernels").mkdir(parents=True)
    (folder / loose).chmod(0o777)
    out = run(folder)
    assert "compiled kernels are not kept: others may write to" in out
    assert "compiling kernels, in every process" in out
    assert out.endswith("5 False\n")
    assert kept(folder) == []


@pytest.mark.slow
def test_a_folder_is_private_whatever_the_umask(folder):
    """With umask 002, the default of many systems, a folder made without care could be written by a group."""
    assert run(folder / "new/deep", "import os; os.umask(0o002)").endswith("5 True\n")
    assert run(folder / "new/deep") == "5 True\n"


def _leaf(folder: Path) -> Path:
    run(folder)
    return kept(folder)[0].parent


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs modes")
def test_a_folder_that_others_may_read_is_not_used(folder):
    _leaf(folder).chmod(0o755)
    assert "is not a folder of this user with mode 0700" in run(folder)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives folders away")
def test_a_folder_of_somebody_else_is_not_used(folder):
    os.chown(_leaf(folder), 65534, 65534)
    assert "is not a folder of this user" in run(folder)


@pytest.mark.slow
def test_a_link_in_place_of_the_folder_is_not_followed(folder, tmp_path):
    leaf = _leaf(folder)
    leaf.rename(tmp_path / "elsewhere")
    leaf.symlink_to(tmp_path / "elsewhere")
    assert "is not a folder of this user" in run(folder)


def test_numba_s_own_folder_is_not_looked_at(folder, tmp_path):
    run(folder, NUMBA_CACHE_DIR=str(tmp_path / "numba"))
    assert not (tmp_path / "numba").exists()


@pytest.mark.slow
@pytest.mark.parametrize("damage", [b"", b"\x80\x04", b"junk"])
def test_a_torn_file_is_compiled_and_written_again(folder, damage):
    run(folder)
    for path in kept(folder):
        path.write_bytes(damage)
    assert "compiling kernels" in run(folder)
    assert run(folder) == "5 True\n"


@pytest.mark.slow
def test_a_file_that_another_process_tears_before_it_is_written_is_no_harm(folder):
    run(folder)
    for path in kept(folder):
        path.write_bytes(b"junk")
    out = run(folder, "from salva._kernels import jit\njit._Cache._forget = lambda self: None\n")
    assert "compiled kernels are not kept: " in out
    assert out.endswith("5 True\n")


@pytest.mark.slow
def test_where_nothing_can_be_kept_kernels_run_all_the_same(tmp_path):
    tmp_path.chmod(0o700)
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert run(blocked).endswith("5 False\n")


@pytest.mark.slow
def test_a_package_inside_an_archive_compiles_in_every_process(tmp_path, folder):
    archive = shutil.make_archive(
        str(tmp_path / "salva"), "zip", Path(salva._kernels.__file__).parents[2], "salva/_kernels"
    )
    with zipfile.ZipFile(archive, "a") as package:
        package.writestr("salva/__init__.py", "")
        for name in ("_arguments", "_files", "_temporaries", "_types", "errors"):
            package.write(Path(salva._types.__file__).with_name(f"{name}.py"), f"salva/{name}.py")
    before = f"import sys; sys.path.insert(0, {archive!r})\n"
    assert run(folder, before).endswith("5 False\n")
    assert kept(folder) == []


@pytest.mark.slow
def test_a_full_disk_is_no_harm(folder):
    run(folder)  # makes the folders
    for path in kept(folder):
        path.unlink()
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))\n"
    out = run(folder, full)
    assert "compiled kernels are not kept: [Errno 27]" in out
    assert out.endswith("5 True\n")


@pytest.mark.slow
def test_checked_and_unchecked_kernels_are_kept_apart(folder):
    run(folder, NUMBA_BOUNDSCHECK="0")
    run(folder, NUMBA_BOUNDSCHECK="1")
    assert len(list((folder / "kernels").iterdir())) == 2


def announced(capsys) -> str:
    jit._announce.cache_clear()
    jit._announce()
    jit._announce()
    return capsys.readouterr().err


def test_the_message_comes_once_on_the_command_line(capsys, monkeypatch):
    monkeypatch.setattr(logging.getLogger("salva"), "handlers", [])
    show.log_to_terminal(0)
    assert announced(capsys).count("compiling kernels") == 1
    show.log_to_terminal(-1)
    assert announced(capsys) == ""


def test_the_message_reaches_those_who_have_set_up_no_log(capsys, monkeypatch):
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    monkeypatch.setattr(logging.getLogger("salva"), "handlers", [logging.NullHandler()])
    assert announced(capsys).startswith("salva: compiling kernels")


def test_every_kernel_is_compiled_for_one_set_of_types():
    """Other types would be compiled anew, which takes seconds that nobody expects."""
    texts = ["He said. It's it.", None, ""]
    for column in (
        texts,
        pa.array(texts),
        pa.array(["x", *texts]).slice(1),
        pa.chunked_array([texts, ["a"]]),
    ):
        spans = tokenize(column)
        for lists in (spans, spans.strings, spans.to_pylist()):
            tag(lists)
            detokenize(lists)
        spans.starts, sentences(column).ends, tokenize(column, by="word"), tokenize(column, by="space")
    casing.apply("title", [casing.detect("film")])
    signatures = {}
    for module in pkgutil.iter_modules(salva._kernels.__path__):
        for name, kernel in vars(importlib.import_module(f"salva._kernels.{module.name}")).items():
            own = getattr(getattr(kernel, "py_func", None), "__module__", "").endswith(f".{module.name}")
            if own and isinstance(kernel._cache, jit._Cache) and module.name != "rng":
                signatures[name] = len(kernel.signatures)
    assert {name for name, count in signatures.items() if count > 1} == set()
    assert {"cut_words", "split_sentences", "tag_rows", "join_words"} <= signatures.keys()


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
