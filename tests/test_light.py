"""`import salva` and `salva --help` load nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"numba", "scipy", "pandas", "torch", "polars", "nltk", "rich", "pyarrow", "numpy"}
HELP = """
from salva.cli.main import main
try:
    main(["--help"])
except SystemExit as stop:
    assert not stop.code
"""


def python(code: str, folder: Path | None = None) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("code", ["import salva", HELP], ids=["import", "help"])
def test_nothing_heavy_is_imported(code):
    loaded = python(f"{code}\nimport sys\nprint('\\n' + ' '.join(sys.modules))").splitlines()[-1].split()
    assert not HEAVY.intersection(loaded)


def test_import_prints_nothing_and_leaves_the_generators_alone():
    code = (
        "import random\nbefore = random.getstate()\nimport salva.datasets, salva.lexicon, salva._kernels.rng"
    )
    assert python(f"{code}\nassert random.getstate() == before") == ""


def test_words_are_found_without_pandas():
    code = """
import sys
from salva.text import casing, detokenize, sentences, tag, tokenize
tag([["a"], None]).parts, tag(["a b"]).spans.starts, tokenize("a"), sentences(["a"]).strings
detokenize(["a"]), casing.apply("upper", "a")
print("pandas" in sys.modules, "nltk" in sys.modules)
"""
    assert python(code) == "False False\n"


def test_a_small_csv_file_is_converted_without_kernels_transforms_or_pandas(tmp_path):
    (tmp_path / "a.csv").write_text("text\na\n")
    code = """
import sys
from salva.cli.main import main
try:
    main(["convert", "a.csv", "-o", "b.csv", "-q"])
except SystemExit as stop:
    assert not stop.code
print({"numba", "pandas", "salva.transforms"} & set(sys.modules))
"""
    assert python(code, tmp_path) == "set()\n"
