"""What a command reads, and what belongs to a run, is never replaced, however its path is spelled."""

from __future__ import annotations

import click
import pytest

from salva.cli.main import cli
from salva.cli.options import OUTPUT

# Options that name a file or folder to write; --edits is one in transform only.
WRITTEN = {"--output", "--results", "--junit", "--github-summary", "--save-vocabulary"}


def commands(group, name="salva"):
    for own in group.list_commands(None):
        command = group.get_command(None, own)
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} {own}")
        else:
            yield pytest.param(command, id=f"{name} {own}")


@pytest.mark.parametrize("command", list(commands(cli)))
def test_every_option_that_names_an_output_is_checked(command):
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert (parameter.type is OUTPUT) == bool(
                WRITTEN.intersection(parameter.opts)
                or (command.name, parameter.name) == ("transform", "edits")
            ), parameter.opts


@pytest.fixture
def folder(tmp_path):
    """A folder with files of every kind; none of them is read, because the paths are checked first."""
    for name in (
        "in.parquet",
        "out.parquet",
        "e.parquet",
        "v.txt",
        "sets/A/EN-A.txt",
        "pairs.jsonl",
        "a.out",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    for name in (
        "run/run.json",
        "run/results.json",
        "run/report.html",
        "run/questions/made-0000.parquet",
        "data/pos/1.txt",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "link.parquet").symlink_to("in.parquet")
    (tmp_path / "hard.parquet").hardlink_to(tmp_path / "in.parquet")
    (tmp_path / "other").symlink_to("data")
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        "transform in.parquet -o o.csv --preset typos --edits link.parquet",
        "transform in.parquet -o o.csv --preset typos --edits hard.parquet",
        "transform in.parquet -o o.csv --preset typos --edits data/../in.parquet",
        "transform in.parquet -o out.parquet --preset typos --edits ./out.parquet",
        "transform in.parquet -o new.parquet --preset typos --edits data/../new.parquet",
        "transform in.parquet -o o.csv --preset corrupt --fit self --save-vocabulary ./in.parquet",
        "transform in.parquet -o out.parquet --preset corrupt --fit self --save-vocabulary ./out.parquet",
        "transform in.parquet -o out.parquet --preset corrupt --fit ./out.parquet",
        "transform in.parquet -o v.txt --preset corrupt --set vocabulary=./v.txt",
        "transform in.parquet -o run/answers.parquet --preset typos",
        "transform in.parquet -o run/questions/made-0000.parquet --preset typos",
        "revert in.parquet --edits e.parquet -o ./e.parquet",
        "transform --preset none data -o data/pos/1.txt",
        "transform --preset none data -o other/pos/1.txt",
        "evaluate run/questions/made-0000.parquet --model builtin:reviews -o ./run",
        "evaluate in.parquet --task run/results.json --model builtin:reviews -o run",
        "questions in.parquet -o ./in.parquet",
        "questions run/report.html -o run/questions",
        "report run -o run/results.json",
        "report run -o run/report.html",
        "report run -o ./e.parquet --audit e.parquet",
        "report run --junit run/run.json",
        "report run --github-summary run/results.json",
        "report run --results run/answers.db",
        "report run --task v.txt --results ./v.txt",
        "compare run run -o run/results.json",
        "audit sample run -o run/report.html",
        "audit sample in.parquet --preset typos -o ./in.parquet",
        "outliers score sets --vectors v.txt -o sets/A/EN-A.txt",
        "outliers score sets/A/EN-A.txt --vectors v.txt -o ./v.txt",
        "outliers annotate sets -o sets/A/EN-A.txt",
        "outliers translate sets --to IT -o sets/A/EN-A.txt",
        "outliers translate sets --to IT --frequencies v.txt -o ./v.txt",
        "twins pair pairs.jsonl --preset typos -o ./pairs.jsonl",
    ],
)
def test_an_output_that_would_destroy_an_input_is_refused(salva, folder, arguments):
    overwritable = {"transform", "revert", "evaluate", "questions", "report", "compare", "audit", "outliers"}
    more = ["--overwrite"] if arguments.split()[0] in overwritable else []
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    outcome = salva(*arguments.split(), *more)
    assert (outcome.code, outcome.err.count("\n")) == (3, 1), outcome.err
    assert outcome.err.endswith("; choose another name\n")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    "arguments",
    [
        "outliers score sets --vectors v.txt -o sets/report.html --overwrite",
        "outliers annotate sets -o sets/page.html --overwrite",
        "report run --junit run/junit.xml",
        "audit sample run -o run/sheet.csv --overwrite",
    ],
)
def test_other_files_in_a_folder_that_is_read_may_be_written_again(salva, folder, arguments):
    for name in ("sets/report.html", "sets/page.html", "run/junit.xml", "run/sheet.csv"):
        (folder / name).write_text("")
    assert "choose another name" not in salva(*arguments.split()).err
