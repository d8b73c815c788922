"""The version of Salva is known without an installed package: a checkout on PYTHONPATH is enough."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import salva
from tests.conftest import ROOT

COMMANDS = """
import importlib.metadata, sys
from salva.cli.main import main
try:
    importlib.metadata.version("salva")
except importlib.metadata.PackageNotFoundError:
    pass
else:
    sys.exit("the metadata of salva is there")
for arguments in (
    ["transform", "in.csv", "-o", "out.csv", "--preset", "case"],
    ["transform", "parts", "-o", "out", "--preset", "case"],
    ["twins", "generate", "-o", "corpus", "--lines", "20", "--no-conditions"],
):
    try:
        main([*arguments, "-q"])
    except SystemExit as stop:
        if stop.code:
            raise
"""


@pytest.mark.slow
def test_commands_work_without_the_metadata_of_salva(tmp_path):
    packages = tmp_path / "packages"
    packages.mkdir()
    for home in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for path in Path(home).iterdir():
            if "salva" not in path.name and not path.name.endswith(".pth"):
                (packages / path.name).symlink_to(path)
    (packages / "salva").symlink_to(ROOT / "src/salva")  # alone: an editable install puts metadata next to it
    (tmp_path / "parts").mkdir()
    for name in ("in.csv", "parts/1.csv"):
        (tmp_path / name).write_text("text\nA good film\n")
    # Without the module `site`, packages are only found on this path.
    done = subprocess.run(
        [sys.executable, "-S", "-c", COMMANDS],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    manifests = [path for path in tmp_path.rglob("*manifest.json") if packages not in path.parents]
    assert len(manifests) == 3
    assert {json.loads(path.read_text())["salva"] for path in manifests} == {salva.__version__}
