"""`import salva` and `salva --help` load nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"salva._kernels", "scipy", "pandas", "torch", "polars", "nltk", "rich", "pyarrow", "numpy"}
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
    code = "import random\nbefore = random.getstate()\nimport salva.rows, salva.lexicon, salva._kernels"
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


UNUSED = {"asyncio", "filelock", "jinja2", "pandas", "polars", "rich", "scipy", "sqlite3"}
TRANSFORM = """
import sys
from salva.cli.main import main
try:
    main(["transform", "a.csv", "--preset", "{preset}", "-o", "b.csv", "-q"])
except SystemExit as stop:
    assert not stop.code
from salva.lexicon.wordnet import WordNet
from salva.text.tagger import Tagger
from salva.text.tokens import load_punkt
tables = {{"tagger": Tagger.default, "wordnet": WordNet.load, "punkt": load_punkt}}
print(*(name for name, load in tables.items() if load.cache_info().currsize), "salva.models" in sys.modules)
print(*sys.modules)
"""


@pytest.mark.parametrize(
    ("preset", "tables"),
    [
        ("typos", []),
        ("misspellings", []),
        ("case", []),
        ("corrupt", ["wordnet"]),
        ("synonyms", ["wordnet", "punkt"]),
        ("natural", ["tagger", "punkt"]),
        ("hybrid", ["tagger", "wordnet", "punkt"]),
    ],
)
def test_a_preset_loads_the_tables_that_it_uses_and_no_model(preset, tables, tmp_path):
    (tmp_path / "a.csv").write_text("text\nA film about people that I liked.\n")
    *used, loaded = python(TRANSFORM.format(preset=preset), tmp_path).splitlines()[-2:]
    assert used == [" ".join([*tables, "False"])]
    assert not UNUSED.intersection(loaded.split())


def test_a_small_evaluation_loads_neither_scipy_nor_pandas_nor_models_of_others():
    code = """
import sys, salva
rows = [{"text": text, "label": label} for text, label in [("A fine film.", 1), ("A dull film.", 0)] * 3]
run = salva.evaluate(rows, model=lambda texts: ["1" if "fine" in text else "0" for text in texts])
assert run.results.data.rows == 6
print(*sys.modules)
"""
    loaded = python(code).splitlines()[-1].split()
    adapters = {f"salva.models.{name}" for name in ("command", "hugging_face", "onnx", "openai")}
    assert not (UNUSED - {"filelock", "sqlite3"} | adapters).intersection(loaded)
