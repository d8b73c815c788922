"""What is installed: the sdist, the wheel built from it, and what happens without a compiler."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow
MADE = (".*", "__pycache__", "build", "dist", "*.egg-info", "*.so", "*.pyd", "salva-demo")


@pytest.fixture(scope="module")
def clone(tmp_path_factory) -> Path:
    """A copy of the project without what was made in it."""
    folder = tmp_path_factory.mktemp("clone") / "salva"
    return Path(shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*MADE)))


@pytest.fixture(scope="module")
def built(clone) -> Path:
    """The folder with the sdist and the wheel."""
    run([sys.executable, "-m", "build"], cwd=clone, PIP_CONSTRAINT="constraints.txt")
    return clone / "dist"


@pytest.fixture(scope="module")
def empty(tmp_path_factory) -> dict[str, str]:
    """The variables of an environment in which nothing is installed, and no compiler can be found."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    assert not any(shutil.which(name, path=programs) for name in ("cc", "gcc", "clang", "cl"))
    return {"PATH": str(programs), "PYTHONPATH": "", "CC": ""}


def run(command: list[str | Path], *, cwd: Path, check: bool = True, **variables: str):
    done = subprocess.run(
        [shutil.which(command[0], path=variables.get("PATH")), *command[1:]],
        cwd=cwd,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


def test_the_sdist_has_every_file(clone, built):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        found = {
            "/".join(Path(name).parts[1:])
            for name in archive.getnames()
            if not archive.getmember(name).isdir()
        }
    there = {path.relative_to(clone).as_posix() for path in clone.rglob("*") if path.is_file()}
    ours = {name for name in there if not name.startswith(("dist/", "build/", "src/salva.egg-info/"))}
    assert ours - found == set()
    assert {name for name in found - ours if ".egg-info/" not in name} <= {
        ".gitignore",
        "PKG-INFO",
        "setup.cfg",
    }


def test_the_wheel_has_all_of_the_package_but_the_sources_of_kernels(clone, built):
    (path,) = built.glob("*.whl")
    assert "-cp311-abi3-" in path.name
    found = {name for name in zipfile.ZipFile(path).namelist() if name.startswith("salva/")}
    source = clone / "src"
    all_files = {
        path.relative_to(source).as_posix() for path in (source / "salva").rglob("*") if path.is_file()
    }
    kernels = {name for name in all_files if name.startswith("salva/_kernels/")}
    kept = {f"salva/_kernels/{name}" for name in ("__init__.py", "_compiled.pyi", "constants.py")}
    assert found - all_files == {name for name in found if name.startswith("salva/_kernels/_compiled.abi3")}
    assert len(found - all_files) == 1
    assert all_files - found == kernels - kept


def test_the_wheel_has_the_licences_and_the_entry_points(built):
    (path,) = built.glob("*.whl")
    archive = zipfile.ZipFile(path)
    (home,) = {name.split("/")[0] for name in archive.namelist() if ".dist-info/" in name}
    licences = {name.removeprefix(f"{home}/licenses/") for name in archive.namelist() if "/licenses/" in name}
    assert licences == {"LICENSE", "NOTICE", "LICENSES/Apache-2.0.txt", "LICENSES/Unicode-3.0.txt"}
    points = archive.read(f"{home}/entry_points.txt").decode()
    assert {line.strip("[]") for line in points.splitlines() if line.startswith("[")} == {
        "console_scripts",
        "inspect_ai",
        "pytest11",
    }


def test_the_wheel_rewrites_a_file_where_no_compiler_is(built, empty, tmp_path):
    (path,) = built.glob("*.whl")
    run(
        ["python", "-m", "pip", "install", "--constraint", ROOT / "constraints.txt", path],
        cwd=tmp_path,
        **empty,
    )
    (tmp_path / "in.csv").write_text("text,label\nI loved this movie! The acting was great.,1\n")
    command = ["salva", "transform", "in.csv", "-o", "out.csv", "--preset", "natural", "--seed", "38", "-q"]
    assert run(command, cwd=tmp_path, **empty).stderr == ""
    expected = "text,label\nI adored this film! The performances were fantastic.,1\n"
    assert (tmp_path / "out.csv").read_text() == expected


def test_a_clone_says_in_one_line_that_a_compiler_is_missing(clone, empty):
    done = run(["python", "-m", "pip", "install", "--no-deps", "."], cwd=clone, check=False, **empty)
    printed = done.stdout + done.stderr
    assert done.returncode != 0
    assert re.search(r"\[1 lines? of output\]", printed)
    assert "Traceback" not in printed
    (line,) = (line.strip() for line in printed.splitlines() if "salva: " in line)
    assert "was not found; to build a clone, install gcc and Python's headers" in line
