"""The commands evaluate, report and demo."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest

from salva.rows import reviews
from salva.transforms import preset
from tests.conftest import ROOT

MODEL = "python:tests.evaluation.keywords:classify"
QUICK = ("--preset", "typos", "--severity", "1", "-S", "noise=5", "-S", "flips=5")


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    table = reviews("test").slice(0, 60).to_pylist()
    lines = (json.dumps(row) for row in table)
    (tmp_path / "data.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return tmp_path / "data.jsonl"


def test_a_run_prints_a_table_with_intervals_and_the_page(salva, data):
    outcome = salva("evaluate", data, "--model", MODEL, "-o", "run", *QUICK)
    assert outcome.code == 0
    assert "typos@1" in outcome.out
    assert "95 % interval" in outcome.out
    assert "report: run/report.html" in outcome.out
    assert (data.parent / "run/report.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_data_that_cannot_be_read_is_refused_before_the_model_is_opened(salva, data):
    (data.parent / "heavy.py").write_text("open('opened', 'w').close()\ndef classify(texts): return texts\n")
    for given in (["missing.jsonl"], [data, "--text", "body"]):
        assert salva("evaluate", *given, "--model", "python:heavy:classify", "-o", "run").code == 3
    assert not (data.parent / "opened").exists()


def test_slices_and_groups_by_columns(salva, data):
    rows = [json.loads(line) for line in data.read_text("utf-8").splitlines()]
    lines = (
        json.dumps(row | {"genre": ("war", "love")[k % 2], "page": k // 3}) for k, row in enumerate(rows)
    )
    data.write_text("\n".join(lines) + "\n", "utf-8")
    columns = ("-S", "slice_by=genre,page", "--group", "page")
    outcome = salva("evaluate", data, "--model", MODEL, "-o", "run", *QUICK, *columns)
    assert "by genre" in outcome.out
    assert "60 rows share the 'page' of another one" in outcome.out
    results = json.loads((data.parent / "run/results.json").read_text("utf-8"))
    assert [one["column"] for one in results["slices"]] == [None, "genre", "page"]
    assert results["clusters"]["number"] == 20
    unknown = salva("evaluate", data, "--model", MODEL, "-o", "other", *QUICK, "-S", "slice_by=genres")
    assert (unknown.code, "no column 'genres'" in unknown.err) == (3, True)


def test_json_is_the_result_and_nothing_else(salva, data):
    outcome = salva("evaluate", data, "--model", MODEL, "-o", "run", *QUICK, "--json")
    assert json.loads(outcome.out) == json.loads((data.parent / "run/results.json").read_text("utf-8"))


def test_a_broken_limit_ends_with_1_after_everything_is_written(salva, data):
    outcome = salva("evaluate", data, "--model", MODEL, "-o", "run", *QUICK, "--fail-if", "drop >= 0")
    assert outcome.code == 1
    assert "drop >= 0: typos/render has 0" in outcome.err
    assert (data.parent / "run/report.html").is_file()


def test_a_wrong_rule_is_refused_before_the_model_is_asked(salva, data):
    outcome = salva("evaluate", data, "--model", MODEL, "-o", "run", "--fail-if", "drop => 4")
    assert (outcome.code, (data.parent / "run").exists()) == (2, False)


def test_the_settings_of_a_preset_come_from_its_file(salva, data):
    file = salva("presets", "typos").out
    assert "\nprob = 0.25\n" in file
    (data.parent / "mine.toml").write_text(file.replace("prob = 0.25", "prob = 0.75"), "utf-8")
    mine = ("--preset", "mine.toml", *QUICK[2:])
    outcome = salva("evaluate", data, "--model", MODEL, "-o", "run", *mine, "--json")
    assert json.loads(outcome.out)["settings"]["presets"]["typos"]["settings"]["prob"] == 0.75


def test_a_run_is_fitted_on_its_data_and_other_files(salva, data):
    (data.parent / "more.txt").write_text("zebras " * 1000 + "\n", "utf-8")
    presets = ("--preset", "corrupt", "--preset", "typos", *QUICK[2:], "-S", "fit=more.txt,self")
    outcome = salva("evaluate", data, "--model", MODEL, "-o", "run", *presets, "--json")
    vocabulary = json.loads(outcome.out)["settings"]["presets"]["corrupt"]["settings"]["vocabulary"]
    assert vocabulary[0] == "zebras"
    assert len(vocabulary) > 100


@pytest.mark.parametrize(
    ("options", "code", "problem"),
    [
        ((), 2, "give a model with --model SPEC"),
        (("--model", "bulitin:reviews", "-o", "run"), 2, "did you mean 'builtin:'?"),
        (("--model", "python:no.such:f", "-o", "run"), 2, "there is no module 'no'"),
        (("--model", MODEL, "-o", "run", "--preset", "typo"), 2, "did you mean 'typos'?"),
        (("--model", MODEL, "-o", "run", "--severity", "2"), 2, "must be between 0 and 1"),
        (("--model", MODEL, "-o", "run", "--preset", "document"), 2, "did you mean 'documents'?"),
        (
            ("--model", MODEL, "-o", "run", "--preset", "typos", "-S", "fit=self"),
            2,
            "typos has nothing to fit",
        ),
        (("--model", MODEL, "-o", "run", "--preset", "corrupt", "-S", "fit=nowhere.txt"), 3, "nowhere.txt"),
        (("--model", MODEL, "-o", "run", "--label-map", "POS"), 2, "must be MODEL=DATA"),
        (("--model", MODEL, "-o", "run", "--text", "txt"), 3, "did you mean 'text'?"),
        (("--model", MODEL, "-o", "run", "--resum"), 2, "resume"),
        (("--model", "hf:nowhere", "-o", "run"), 3, "nowhere"),
        (
            ("--model", "python:tests.evaluation.keywords:balance", "-o", "run"),
            4,
            "questions failed, more than -S max_errors allows",
        ),
    ],
)
def test_faults_are_one_line_with_their_code(salva, data, options, code, problem):
    outcome = salva("evaluate", data, *options)
    assert (outcome.code, problem in outcome.err) == (code, True), outcome.err
    assert "Traceback" not in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


def test_a_report_is_made_again_from_the_run_alone(salva, data):
    salva("evaluate", data, "--model", MODEL, "-o", "run", *QUICK)
    data.unlink()
    assert salva("report", "run", "-o", "again.html").code == 0
    home = data.parent
    assert (home / "again.html").read_bytes() == (home / "run/report.html").read_bytes()
    assert "typos@1" in salva("report", "run").out


def test_results_are_written_as_csv_too(salva, data):
    salva("evaluate", data, "--model", MODEL, "-o", "run", *QUICK)
    salva("report", "run", "--results", "run.csv")
    assert (data.parent / "run.csv").read_text("utf-8").splitlines()[1].startswith("typos/render,")


def test_a_metric_is_named_like_a_model(salva, data):
    metric = "python:tests.evaluation.keywords:balance"
    outcome = salva(
        "evaluate", data, "--model", MODEL, "-o", "run", *QUICK, "-S", f"metric={metric}", "--json"
    )
    assert json.loads(outcome.out)["conditions"][0]["metric"]["change"]["value"] == 0


STOPPED = """
import os, signal, threading, time

asked = []

def stopping(texts):
    asked.extend(texts)
    if len(asked) > 40:
        number = signal.SIGINT if os.path.exists("interrupt") else signal.SIGTERM
        os.kill(os.getpid(), number)
        time.sleep(60)
    return ["positive" for _ in texts]

def going(texts):
    return ["positive" for _ in texts]
"""


@pytest.mark.parametrize(
    ("name", "code", "said"), [("interrupt", 130, "salva: interrupted\n"), ("other", 143, "")]
)
def test_a_run_that_is_stopped_says_how_to_go_on(data, name, code, said):
    folder = data.parent
    (folder / "stopped.py").write_text(STOPPED, "utf-8")
    (folder / name).touch()
    options = ["--model", "python:stopped:stopping", "-M", "batch_size=16", "-M", "model_id=one", "-o", "run"]
    command = ["evaluate", "data.jsonl", *options, *QUICK]
    salva_ = [sys.executable, "-m", "salva"]
    done = subprocess.run([*salva_, *command], cwd=folder, capture_output=True, text=True, check=False)
    line = f"stopped; every answer so far is kept. To continue: salva {shlex.join(command)} --resume\n"
    assert (done.returncode, done.stderr) == (code, line + said)
    again = [part.replace(":stopping", ":going") for part in command]
    asked = [*salva_, *again, "--resume", "-S", "same_model=true", "--json"]
    done = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    timings = json.loads((folder / "run/timings.json").read_text("utf-8"))
    assert timings["texts_asked"] < json.loads(done.stdout)["distinct_texts"]


def test_a_run_is_scored_again_without_its_model(salva, data):
    salva("evaluate", data, "--model", MODEL, "-o", "run", *QUICK, "-S", "slice_by=label")
    home = data.parent / "run"
    whole = (home / "results.json").read_bytes()
    data.unlink()
    changed = json.loads(salva("report", "run", "--drop-limit", "-100", "-S", "flips=1", "--json").out)
    assert changed["settings"]["drop_limit"] == -100
    assert changed["blame"]["rows"] <= 2
    assert json.loads((home / "results.json").read_bytes()) == changed
    turned = ("--label-map", "positive=negative", "--label-map", "negative=positive")
    labels = json.loads(salva("report", "run", *turned, "--json").out)["model"]["labels"]
    assert labels == {"positive": "negative", "negative": "positive"}
    same = ("--drop-limit", "4", "-S", "flips=5", "--label-map", "positive=positive", "--label-map")
    assert salva("report", "run", *same, "negative=negative", "-q").code == 0
    again = json.loads((home / "results.json").read_bytes())
    assert again["conditions"] == json.loads(whole)["conditions"]
    before = (home / "results.json").read_bytes()
    assert "typos@1" in salva("report", "run").out
    assert (home / "results.json").read_bytes() == before


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (
            ("-S", "noise=50"),
            "the run lacks answers that are needed to measure noise; ask for them with salva",
        ),
        (("-S", "cross=true"), "-S cross is for asking; make a new run with salva evaluate"),
        (("-S", "nois=5"), "did you mean 'noise'?"),
        (("--task", "sentiment"), "--task asks other questions than the run did"),
        (("-S", "flips=2"), "give it again with -S metric, or leave it out with -S metric=none"),
    ],
)
def test_what_cannot_be_scored_again_is_refused_in_one_line(salva, data, options, problem):
    metric = "metric=python:tests.evaluation.keywords:balance"
    salva("evaluate", data, "--model", MODEL, "-o", "run", *QUICK, "-S", metric)
    kept = (data.parent / "run/results.json").read_bytes()
    more = () if "leave it out" in problem else ("-S", "metric=none")
    outcome = salva("report", "run", *options, *more)
    assert (outcome.code, problem in outcome.err) == (2, True), outcome.err
    assert len(outcome.err.strip().splitlines()) == 1
    assert (data.parent / "run/results.json").read_bytes() == kept


@pytest.mark.slow
def test_the_demo_leaves_a_page(salva, tmp_path):
    outcome = salva("demo")
    assert outcome.code == 0
    order = [outcome.out.index(part) for part in ("natural@1", "Corruptions", "corrupt@1")]
    assert order == sorted(order)
    assert (tmp_path / "salva-demo/report.html").is_file()
    assert "to open the report: salva demo --open" in outcome.out


@pytest.mark.slow
@pytest.mark.parametrize(("found", "line"), [(True, None), (False, "no browser was found; open the report")])
def test_the_demo_opens_its_page(salva, tmp_path, monkeypatch, found, line):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or found)
    outcome = salva("demo", "--open")
    assert outcome.code == 0
    assert opened == [(tmp_path / "salva-demo/report.html").as_uri()]
    assert "salva demo --open" not in outcome.out
    assert line is None or line in outcome.out


def test_a_composition_is_a_preset_like_any_other(salva, data):
    options = ["--preset", "natural+typos", *QUICK, "--model", MODEL, "--copies", "2"]
    outcome = salva("evaluate", data, "-o", "run", *options, "--fail-if", "drop >= -100")
    assert outcome.code == 1
    assert "natural+typos@1#1" in outcome.err
    whole = (data.parent / "run/results.json").read_bytes()
    (data.parent / "run/results.json").unlink()
    assert salva("evaluate", data, "-o", "run", *options, "--resume").code == 0
    assert (data.parent / "run/results.json").read_bytes() == whole
    assert "natural+typos@1" in (data.parent / "run/report.html").read_text("utf-8")
    assert salva("report", "run", "-o", "again.html").code == 0
    assert salva("compare", "run", "run").code == 0
    version = json.loads(whole)["settings"]["presets"]["natural+typos"]["version"]
    assert version == preset("natural+typos").version
