"""`import salva` and `salva --help` load nothing heavy and reach for no network."""

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
NO_NETWORK = """
import os, sys, traceback
def refuse(event, arguments):
    if event not in {"socket.connect", "pickle.find_class", "subprocess.Popen", "os.system"}:
        return
    callers = traceback.extract_stack()
    if not any(caller.filename.endswith("numba/core/caching.py") for caller in callers):
        print("refused:", event, arguments, *callers, sep="\\n", file=sys.stderr, flush=True)
        os._exit(1)
sys.addaudithook(refuse)
from salva.cli.main import main
main(["demo"])
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


def test_the_demo_needs_no_network_no_other_program_and_no_pickle_but_numba_s(tmp_path):
    assert "film" in python(NO_NETWORK, tmp_path)


@pytest.mark.parametrize(
    "attempt",
    [
        "import pickle, decimal; pickle.loads(pickle.dumps(decimal.Decimal(1)))",
        "import os; os.system('true')",
    ],
)
def test_what_the_demo_must_not_do_is_named_when_it_does_it(attempt):
    code = NO_NETWORK.replace('main(["demo"])', attempt)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("refused:\n")
