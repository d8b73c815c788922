"""No command runs code from data, starts a program, opens a connection, or writes anywhere else."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pytest

from salva._files import user_cache
from salva.cli.main import cli
from salva.rows import reviews
from salva.rows.write import write_table

DRIVER = Path(__file__).with_name("watched.py")
SETS = "\n".join([*"abcdefgh", "", *"ijklmnop"]) + "\n"
# One or more invocations of every command, in an order in which each finds what it reads.
INVOCATIONS = """
presets
presets natural+typos
completion bash
transform --preset none reviews.csv -o reviews.jsonl
transform --preset none reviews.csv -o reviews.parquet
transform --preset none reviews.parquet -o reviews.csv.gz
transform reviews.csv -o twins.jsonl --preset natural+misspellings --edits edits.parquet --set protect=true
transform reviews.csv -o typos.csv --preset typos --render splice --edits typos.arrow
transform reviews.parquet -o corrupted.parquet --preset corrupt --fit self
transform reviews.csv --preset hybrid --preview 2
revert typos.csv --edits typos.arrow -o back.csv
evaluate reviews.csv --model builtin:reviews -o run --preset typos --preset natural --severity 1 -S noise=5
evaluate reviews.jsonl --model builtin:reviews -o other --preset typos --severity 1 -S noise=5
evaluate reviews.csv --model builtin:reviews -o third --preset typos --axis repeat=1 --copies 2 -S cross=true
report run
report run -o page.html
compare run other
report run --drop-limit 2 -S flips=3 --junit junit.xml --results table.csv
audit sample run -o sheet.csv --preset typos -n 3
audit sample reviews.csv -o sheet.html --preset natural -n 3
audit read sheet.csv
lexicon check groups.toml
lexicon groups
lexicon synonyms film
outliers check sets/Letters
outliers score sets/Letters --vectors vectors.txt
outliers score sets/Letters --vectors array.npy --vocabulary words.txt
outliers score sets/Letters --thesaurus thesaurus.tsv -o scores.html --min-coverage 0
outliers compare vectors.txt other.txt --sets sets/Letters
outliers annotate sets/Letters -o annotate.html
outliers agreement sets/Letters answers.jsonl
outliers translate sets/Letters --to DE -o table.tsv
tasks
tasks show sentiment
tasks check sentiment reviews.csv
questions reviews.csv
questions reviews.csv --task sentiment --preset misspellings --severity 1 -o suite
questions suite
questions suite --to lm-eval -o harness
twins generate -o corpus --lines 200 --depth 1-2 --per-function 2
twins pair corpus/pcfgset/test.src -o pairs --per-function 2
twins pair reviews.csv -o texts.pairs.jsonl --preset typos
evaluate pairs --model python:echo_model:echo -o twin-run -S noise=2
evaluate texts.pairs.jsonl --model python:echo_model:echo -o text-run
demo -o demo
"""
# The first names another command, and does nothing; the second needs the extra torch, whose own imports and
# generated code would hide what Salva does.
NOT_WATCHED = {"twins score"}
# What is imported beyond the declared packages and theirs, and by whom, if it happens to be installed.
OPTIONAL = {
    "_sysconfigdata__linux_x86_64-linux-gnu": "Python's own settings",
    "cloudpickle": "pyarrow, for functions of the user, of which there are none",
    "pandas": "pyarrow, to recognise values of pandas",
    "dateutil": "pandas",
    "pytz": "pandas",
    "_cyutility": "scipy, whose extensions share it",
    "charset_normalizer": "numpy, which lists its modules",
    "typing_extensions": "msgspec, if another package has installed it",
    "echo_model": "the model that the command line names",
}
PLANTED = """
import os, pickle, socket, sqlite3, subprocess, decimal, marshal

def unpickle(): pickle.loads(pickle.dumps(decimal.Decimal(1)))
def start(): subprocess.run(["true"])
def shell(): os.system("true")
def fork(): os.fork() or os._exit(0)
def connect():
    with socket.socket() as made:
        made.connect_ex(("127.0.0.1", 1))
def bind():
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
def resolve(): socket.getaddrinfo("localhost", 1)
def run_text(): exec("1 + 1")
def evaluate_text(): eval("1 + 1")
def load_code(): marshal.loads(marshal.dumps(1))
def write(): open(os.environ["ELSEWHERE"] + "/a", "w").close()
def store(): sqlite3.connect(os.environ["ELSEWHERE"] + "/b").close()
def remove(): os.remove(os.environ["ELSEWHERE"] + "/a")
"""
CAUGHT = {
    "unpickle": "pickle.find_class",
    "start": "subprocess.Popen",
    "shell": "os.system",
    "fork": "os.fork",
    "connect": "socket.connect",
    "bind": "socket.bind",
    "resolve": "socket.getaddrinfo",
    "run_text": "exec",
    "evaluate_text": "compile",
    "load_code": "marshal.loads",
    "write": "open",
    "store": "sqlite3.connect",
    "remove": "os.remove",
}


def every_command(group: click.Group = cli, *before: str) -> set[str]:
    """Return the names of all commands, those of groups with the name of their group."""
    context, names = click.Context(group), set()
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inside = isinstance(command, click.Group)
        names |= every_command(command, *before, name) if inside else {" ".join([*before, name])}
    return names


def requirements(package: str, extras: set[str], known: set[str]) -> set[str]:
    """Return a package and all that it needs, as far as it is installed."""
    try:
        lines = importlib.metadata.requires(package) or []
    except importlib.metadata.PackageNotFoundError:
        return known
    known.add(re.sub(r"[-_.]+", "-", package).lower())
    for line in lines:
        name = re.match(r"[\w.-]+", line)[0]
        extra = re.search(r"extra == ['\"](.+?)['\"]", line)
        if (extra is None or extra[1] in extras) and re.sub(r"[-_.]+", "-", name).lower() not in known:
            requirements(name, set(), known)
    return known


def declared_modules() -> set[str]:
    """Return the modules that belong to the packages that Salva declares, or that these declare."""
    packages = requirements("salva", {"frequencies", "lemmas"}, set())
    owners = importlib.metadata.packages_distributions()
    return {
        module
        for module, names in owners.items()
        if any(re.sub(r"[-_.]+", "-", name).lower() in packages for name in names)
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with everything that the invocations read."""
    table = reviews("test").slice(0, 12)
    write_table(tmp_path / "reviews.csv", table, text_column="text")
    (tmp_path / "groups.toml").write_text('[[group]]\nwords = ["movie", "film"]\n')
    home = tmp_path / "sets/Letters"
    home.mkdir(parents=True)
    (home / "EN-Letters.txt").write_text(SETS)
    words = SETS.split()
    vectors = "".join(f"{word} {k} 1 0.5\n" for k, word in enumerate(words))
    (tmp_path / "vectors.txt").write_text(vectors)
    (tmp_path / "other.txt").write_text(vectors.replace(" 1 ", " 2 "))
    np.save(tmp_path / "array.npy", np.ones((len(words), 3)))
    (tmp_path / "words.txt").write_text("\n".join(words) + "\n")
    (tmp_path / "thesaurus.tsv").write_text("".join(f"{word}\ta\t0.5\n" for word in words))
    answer = {"annotator": "a", "exercise": "x", "words": words[:9], "answer": words[8], "at": "2026"}
    (tmp_path / "answers.jsonl").write_text(json.dumps(answer))
    (tmp_path / "echo_model.py").write_text("def echo(texts):\n    return texts\n")
    (tmp_path / "planted.py").write_text(PLANTED)
    return tmp_path


def watched(folder: Path, commands: list[list[str]], **environment: str) -> dict:
    """Run commands in one process; return their exit codes, what they did, and what they imported."""
    report = folder / "report.json"
    done = subprocess.run(
        [sys.executable, DRIVER, report, folder, user_cache()],
        input=json.dumps(commands),
        cwd=folder,
        # Python's own compiled modules are not what commands write.
        env=os.environ | {"TMPDIR": str(folder), "PYTHONDONTWRITEBYTECODE": "1"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(report.read_text()) | {"printed": done.stderr}


def test_every_command_is_watched():
    lines = INVOCATIONS.strip().splitlines()
    missing = [
        name for name in every_command() if not any(f"{line} ".startswith(f"{name} ") for line in lines)
    ]
    assert set(missing) == NOT_WATCHED


@pytest.mark.slow
def test_no_command_runs_code_starts_a_program_connects_or_writes_elsewhere(folder):
    commands = [shlex.split(line) for line in INVOCATIONS.strip().splitlines()]
    report = watched(folder, commands)
    failed = [command for command, code in zip(commands, report["codes"], strict=True) if code not in (0, 1)]
    assert not failed, report["printed"]
    assert not report["found"]
    known = {"salva", *sys.stdlib_module_names, *declared_modules(), *OPTIONAL}
    assert not {name: by for name, by in report["modules"].items() if name not in known}


def test_what_no_command_may_do_is_noticed(folder, tmp_path_factory):
    """Each function of `PLANTED` does one such thing."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    report = watched(folder, [["planted", name] for name in CAUGHT], ELSEWHERE=str(elsewhere))
    noticed = {(name.removeprefix("planted "), event) for name, event, _ in report["found"]}
    assert set(CAUGHT.items()) <= noticed
    assert "planted" in report["modules"]
    assert "planted" not in {*sys.stdlib_module_names, *declared_modules(), *OPTIONAL}
