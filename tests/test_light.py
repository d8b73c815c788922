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
    code = "import random\nbefore = random.getstate()\nimport salva.rows, salva.lexicon, salva._kernels.rng"
    assert python(f"{code}\nassert random.getstate() == before") == ""


@pytest.mark.parametrize("source", ["csv", "jsonl"])
@pytest.mark.parametrize("target", ["csv", "jsonl"])
@pytest.mark.parametrize("rows", [1, 9_000])
def test_files_are_converted_without_pandas(source, target, rows, tmp_path):
    line = {"csv": "1,a short text,x\n", "jsonl": '{"text": "a short text", "n": [1, null]}\n'}[source]
    head = "id,text,label\n" if source == "csv" else ""
    (tmp_path / f"a.{source}").write_text(head + line * rows)
    code = f"import salva\nsalva.transform_file('a.{source}', 'b.{target}', preset='none')"
    assert python(f"{code}\nimport sys\nprint('pandas' in sys.modules)", tmp_path) == "False\n"


def test_a_command_ends_without_a_search_for_garbage(tmp_path):
    code = """
import atexit, gc, sys
atexit.register(lambda: print(gc.get_freeze_count() > 1000))
sys.argv = ["salva", "--version"]
from salva.__main__ import run
run()
"""
    assert python(code, tmp_path).splitlines()[-1] == "True"


def test_words_are_found_without_pandas():
    code = """
import sys
from salva.text import casing, detokenize, sentences, tag, tokenize
tag([["a"], None]).parts, tag(["a b"]).spans.starts, tokenize("a"), sentences(["a"]).strings
detokenize(["a"]), casing.apply("upper", "a")
print("pandas" in sys.modules, "nltk" in sys.modules)
"""
    assert python(code) == "False False\n"
