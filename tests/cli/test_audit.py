"""The commands audit sample, audit read and report --audit."""

from __future__ import annotations

import csv
import json
import re

import pytest

from salva.audit import QUESTIONS
from salva.rows import reviews
from tests.conftest import ROOT

DRAW = ("--preset", "natural", "-n", "12")


@pytest.fixture
def data(tmp_path):
    lines = (json.dumps(row) for row in reviews("test").slice(0, 40).to_pylist())
    (tmp_path / "data.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return "data.jsonl"


def judge(path, verdicts):
    """Fill in a csv sheet, one verdict per item, in turn."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for number, row in enumerate(rows):
        row["verdict"] = verdicts[number % len(verdicts)]
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_a_sheet_of_data_is_drawn_and_read(salva, data, tmp_path):
    outcome = salva("audit", "sample", data, *DRAW, "-o", "ann.csv")
    assert outcome.code == 0
    assert outcome.out.startswith("ann.csv: 12 edits of ")
    judge(tmp_path / "ann.csv", ["a", "a", "c", ""])
    outcome = salva("audit", "read", "ann.csv")
    assert outcome.code == 0
    assert "natural@1, unit edit: 9 of 12 items read by 1 reader, 3 unread" in outcome.out
    assert "invalid, %: 33.3 [12.1, 64.6]" in outcome.out
    assert "invalid by rule" in outcome.out
    assert "alpha" not in outcome.out


def test_two_readers_are_compared(salva, data, tmp_path):
    for name, verdicts in (("ann", ["a", "a", "c"]), ("bob", ["a", "b", "c"])):
        salva("audit", "sample", data, *DRAW, "-o", f"{name}.csv")
        judge(tmp_path / f"{name}.csv", verdicts)
    outcome = salva("audit", "read", "ann.csv", "bob.csv")
    assert "pairwise agreement on valid or not, %: 66.7" in outcome.out
    assert "readers disagree on 4 items" in outcome.out
    assert "ann: a, bob: b" in outcome.out
    [audit] = json.loads(salva("audit", "read", "ann.csv", "bob.csv", "--json").out)
    assert audit["verdicts"] == {"a": 4, "b": 4, "c": 4, "d": 0, "e": 0, "f": 0}


def test_every_format_is_written_and_described(salva, data, tmp_path):
    outcome = salva("audit", "sample", data, *DRAW, "-o", "sheet.html", "--json")
    about = json.loads(outcome.out)
    assert (about["items"], about["unit"], about["condition"]) == (12, "edit", "natural@1")
    assert (tmp_path / "sheet.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    outcome = salva("audit", "sample", data, *DRAW, "-o", "sheet.json")
    assert '<Choices name="verdict" toName="twin"' in outcome.out
    about = json.loads(salva("audit", "sample", data, *DRAW, "-o", "two.json", "--json").out)
    assert about["label_studio_config"].startswith("<View>")


def test_the_drop_of_a_run_is_corrected(salva, data, tmp_path):
    quick = ("--severity", "1", "-S", "noise=5", "-S", "blame_calls=0", "-q")
    salva("evaluate", data, "--model", "builtin:reviews", "--preset", "hybrid", "-o", "run", *quick)
    assert "twins of 40, hybrid@1" in salva("audit", "sample", "run", "-n", "20", "-o", "ann.csv").out
    judge(tmp_path / "ann.csv", ["valid", "valid", "invalid"])
    outcome = salva("report", "run", "--audit", "ann.csv")
    assert "without invalid twins" in outcome.out
    plain = json.loads(salva("report", "run", "--audit", "ann.csv", "--json").out)
    assert plain["conditions"][1]["audited"]["items"] == 20
    salva("report", "run", "--audit", "ann.csv", "-o", "r.html", "--results", "r.csv")
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as stream:
        assert [row["audited_items"] for row in csv.DictReader(stream)] == ["", "20"]
    assert "Without invalid twins" in (tmp_path / "r.html").read_text("utf-8")
    assert "without invalid twins" not in salva("report", "run").out
    wrong = salva("audit", "sample", "run", "--set", "keyboard=qwertz", "-o", "b.csv")
    assert (wrong.code, "a run has its own presets and seed" in wrong.err) == (2, True)
    wrong = salva("audit", "sample", "run", "--text-column", "text", "-o", "b.csv")
    assert (wrong.code, "a run has its own data" in wrong.err) == (2, True)


def test_settings_and_seeds_change_the_twins(salva, data):
    first, *others = (
        json.loads(salva("audit", "sample", data, *DRAW, "-o", f"{number}.csv", *more, "--json").out)["twins"]
        for number, more in enumerate(
            [(), ("--transform-seed", "3"), ("--severity", "0.5"), ("--set", "protect=false")]
        )
    )
    assert first not in others
    assert len(set(others)) == 3


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (("sample", "data.jsonl", "-o", "a.csv"), 2, "there is no preset; name one with --preset P"),
        (("sample", "data.jsonl", *DRAW, "-o", "a.xlsx"), 2, "must end with one of .html, .csv, .json"),
        (("sample", "data.jsonl", *DRAW, "-n", "0", "-o", "a.csv"), 2, "n=0 must be a whole number"),
        (("sample", "none.jsonl", *DRAW, "-o", "a.csv"), 3, "none.jsonl: no such file"),
        (("read", "data.jsonl"), 3, "data.jsonl: is not an audit sheet"),
        (("read", "none.csv"), 3, "none.csv: no such file"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(salva, data, arguments, code, problem):
    outcome = salva("audit", *arguments)
    assert outcome.code == code
    assert problem in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.slow
def test_the_commands_of_the_guide_run_in_their_order(salva, tmp_path):
    with (tmp_path / "reviews.csv").open("w", encoding="utf-8", newline="") as stream:
        rows = reviews("test").slice(0, 60).to_pylist()
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    guide = (ROOT / "docs/audit.md").read_text("utf-8")
    commands = re.findall(r"^salva (.+)$", guide, re.MULTILINE)
    assert len(commands) == 9
    for command in commands:
        assert salva(*command.split()).code == 0, command
        for sheet, name, verdicts in (("edits", "edits", "aab"), ("twins", "verdicts", ["valid"])):
            if f"-o {sheet}.csv" in command:
                for reader in ("Ann", "Ben"):
                    path = tmp_path / f"{name}-{reader}.csv"
                    path.write_bytes((tmp_path / f"{sheet}.csv").read_bytes())
                    judge(path, verdicts)
    shipped = (ROOT / "docs/validity/README.md").read_text("utf-8")
    for verdict in QUESTIONS["edit"].verdicts.values():
        assert f"| `{verdict.name}` | {verdict.meaning} |" in guide
        assert f"| {verdict.name} | {verdict.meaning} |" in shipped
