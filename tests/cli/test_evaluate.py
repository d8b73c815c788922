"""The commands evaluate, report, compare and demo."""

from __future__ import annotations

import json
import sys

import pytest

from salva.rows import reviews
from salva.transforms import preset
from tests.conftest import ROOT

MODEL = "python:tests.evaluation.keywords:classify"
QUICK = ("--preset", "typos", "--severity", "1", "--noise", "5", "--flips", "5")


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


def test_slices_and_groups_by_columns(salva, data):
    rows = [json.loads(line) for line in data.read_text("utf-8").splitlines()]
    lines = (
        json.dumps(row | {"genre": ("war", "love")[k % 2], "page": k // 3}) for k, row in enumerate(rows)
    )
    data.write_text("\n".join(lines) + "\n", "utf-8")
    columns = ("--slice-by", "genre", "--slice-by", "page", "--group-column", "page")
    outcome = salva("evaluate", data, "--model", MODEL, "-o", "run", *QUICK, *columns)
    assert "by genre" in outcome.out
    assert "60 rows share the 'page' of another one" in outcome.out
    results = json.loads((data.parent / "run/results.json").read_text("utf-8"))
    assert [one["column"] for one in results["slices"]] == [None, "genre", "page"]
    assert results["clusters"]["number"] == 20
    unknown = salva("evaluate", data, "--model", MODEL, "-o", "other", *QUICK, "--slice-by", "genres")
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


def test_a_dry_run_counts_and_asks_nothing(salva, data):
    outcome = salva("evaluate", data, "--dry-run", *QUICK, "--json")
    plan = json.loads(outcome.out)
    assert plan["conditions"] == ["typos/render", "typos@1"]
    assert 60 < plan["distinct_texts"] <= 180
    assert plan["most_blame_calls"] == 5 * 32


def test_a_dry_run_with_a_model_tells_the_time_and_leaves_nothing_behind(salva, data):
    before = sorted(data.parent.rglob("*"))
    outcome = salva("evaluate", data, "--model", MODEL, "-o", "run", "--dry-run", *QUICK)
    assert outcome.code == 0
    assert sorted(data.parent.rglob("*")) == before
    assert "established: 11.7 points, if 7 independent rows get worse" in outcome.out
    assert "time: about" in outcome.out
    assert f"{MODEL} was asked about 20 texts now" in outcome.out
    assert "these answers are not kept" in outcome.out
    limited = ("--max-calls", "3", "--json")
    plan = json.loads(
        salva("evaluate", data, "--model", MODEL, "-o", "run", "--dry-run", *QUICK, *limited).out
    )
    assert plan["trial"]["texts"] == 3
    assert plan["expected_seconds"] <= plan["most_seconds"]


def test_a_dry_run_without_a_model_says_how_to_learn_the_time(salva, data):
    outcome = salva("evaluate", data, "--dry-run", *QUICK)
    assert "time: not known; with --model SPEC" in outcome.out
    assert json.loads(salva("evaluate", data, "--dry-run", *QUICK, "--json").out)["trial"] is None


def test_a_sample_is_drawn_and_a_limit_warns(salva, data):
    plan = json.loads(salva("evaluate", data, "--dry-run", "--sample", "20", *QUICK, "--json").out)
    assert plan["rows"] == 20
    outcome = salva("evaluate", data, "--dry-run", "--limit", "1", *QUICK)
    assert "warning: data.jsonl: no row of class" in outcome.err
    assert "use --sample 1" in outcome.err
    assert salva("evaluate", data, "--dry-run", "--limit", "1", "--sample", "2").code == 2


def test_a_bundle_is_mixed_with_names(salva, data):
    names = ("--preset", "typos", "--preset", "documents", "--preset", "natural", *QUICK[2:])
    plan = json.loads(salva("evaluate", data, "--dry-run", *names, "--json").out)
    edited = [name for name in plan["conditions"] if "@" in name]
    assert edited == ["typos@1", "hybrid@1", "synonyms@1", "corrupt@1", "natural@1"]


def test_settings_go_to_the_presets_that_have_them(salva, data):
    presets = ("--preset", "typos", "--preset", "synonyms", "--preset", "corrupt", *QUICK[2:])
    settings = ("--set", "prob=0.75", "--set", "look_up=written", "--set", "exclude=[]")
    outcome = salva("evaluate", data, "--model", MODEL, "-o", "run", *presets, *settings, "--json")
    found = {name: one["settings"] for name, one in json.loads(outcome.out)["settings"]["presets"].items()}
    assert (found["typos"]["prob"], found["synonyms"]["prob"]) == (0.75, 0.75)
    assert found["corrupt"]["look_up"] == "written"
    assert all(one["exclude"] == [] for one in found.values())


def test_a_run_is_fitted_on_its_data_and_other_files(salva, data):
    (data.parent / "more.txt").write_text("zebras " * 1000 + "\n", "utf-8")
    presets = ("--preset", "corrupt", "--preset", "typos", *QUICK[2:])
    fit = ("--fit", "more.txt", "--fit", "self")
    outcome = salva("evaluate", data, "--model", MODEL, "-o", "run", *presets, *fit, "--json")
    vocabulary = json.loads(outcome.out)["settings"]["presets"]["corrupt"]["settings"]["vocabulary"]
    assert vocabulary[0] == "zebras"
    assert len(vocabulary) > 100
    assert salva("evaluate", data, "--dry-run", *presets, *fit).code == 0


def test_answers_from_elsewhere_are_joined_by_id(salva, data):
    from tests.evaluation.keywords import classify

    assert salva("evaluate", data, "--export", "out", *QUICK).code == 0
    rows = [json.loads(line) for line in (data.parent / "out/texts.jsonl").read_text("utf-8").splitlines()]
    answers = [{"id": row["id"], "label": classify([row["text"]])[0]} for row in reversed(rows)]
    (data.parent / "out/answers.jsonl").write_text("\n".join(map(json.dumps, answers)), "utf-8")
    there = salva("evaluate", data, "--model", "answers:out", "-o", "a", *QUICK, "--json")
    here = salva("evaluate", data, "--model", MODEL, "-o", "b", *QUICK, "--json")
    assert json.loads(there.out)["conditions"] == json.loads(here.out)["conditions"]
    assert json.loads(there.out)["noise"] is None
    assert "noise floor: unknown" in salva("report", "a").out
    assert "the answers come from files" in (data.parent / "a/report.html").read_text("utf-8")


def test_other_presets_than_those_of_the_export_are_explained(salva, data):
    from tests.evaluation.keywords import classify

    exported = salva("evaluate", data, "--export", "out", *QUICK)
    assert "calls" not in exported.out
    assert "noise" not in exported.out
    rows = [json.loads(line) for line in (data.parent / "out/texts.jsonl").read_text("utf-8").splitlines()]
    assert f"{len(rows)} distinct texts with " in exported.out
    answers = [{"id": row["id"], "label": classify([row["text"]])[0]} for row in rows]
    (data.parent / "out/answers.jsonl").write_text("\n".join(map(json.dumps, answers)), "utf-8")
    other = ("--preset", "corrupt", *QUICK[2:])
    refused = salva("evaluate", data, "--model", "answers:out", "-o", "run", *other)
    assert refused.code == 4
    assert "use --export again with the presets, severities, seed and rows of this run" in refused.err


def test_an_export_is_not_overwritten(salva, data):
    salva("evaluate", data, "--export", "out", *QUICK)
    outcome = salva("evaluate", data, "--export", "out", *QUICK)
    assert (outcome.code, "exists" in outcome.err) == (3, True)


@pytest.mark.parametrize(
    ("options", "code", "problem"),
    [
        ((), 2, "give a model with --model SPEC"),
        (("--model", "bulitin:reviews", "-o", "run"), 2, "did you mean 'builtin:'?"),
        (("--model", "python:no.such:f", "-o", "run"), 2, "there is no module 'no'"),
        (("--model", MODEL, "-o", "run", "--preset", "typo"), 2, "did you mean 'typos'?"),
        (("--model", MODEL, "-o", "run", "--severity", "2"), 2, "must be between 0 and 1"),
        (("--model", MODEL, "-o", "run", "--preset", "typos", "--set", "prb=1"), 2, "did you mean 'prob'?"),
        (("--model", MODEL, "-o", "run", "--preset", "documents", "--set", "prb=1"), 2, "a setting 'prb'"),
        (("--model", MODEL, "-o", "run", "--preset", "document"), 2, "did you mean 'documents'?"),
        (
            ("--model", MODEL, "-o", "run", "--preset", "typos", "--fit", "self"),
            2,
            "typos has nothing to fit",
        ),
        (("--model", MODEL, "-o", "run", "--preset", "corrupt", "--fit", "nowhere.txt"), 3, "nowhere.txt"),
        (("--model", MODEL, "-o", "run", "--max-errors", "many"), 2, "--max-errors 'many'"),
        (("--model", MODEL, "-o", "run", "--label-map", "POS"), 2, "must be MODEL=DATA"),
        (("--model", MODEL, "-o", "run", "--text-column", "txt"), 3, "did you mean 'text'?"),
        (("--model", MODEL, "-o", "run", "--resum"), 2, "resume"),
        (("--model", "hf:nowhere", "-o", "run"), 3, "nowhere"),
        (("--model", "python:tests.evaluation.keywords:balance", "-o", "run"), 4, "texts failed"),
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
    salva("evaluate", data, "--model", MODEL, "-o", "run", *QUICK, "--results", "run.csv")
    assert (data.parent / "run.csv").read_text("utf-8").splitlines()[1].startswith("typos/render,")


def test_a_metric_is_named_like_a_model(salva, data):
    metric = "python:tests.evaluation.keywords:balance"
    outcome = salva("evaluate", data, "--model", MODEL, "-o", "run", *QUICK, "--metric", metric, "--json")
    assert json.loads(outcome.out)["conditions"][0]["metric"]["change"]["value"] == 0


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
    options = ["--preset", "natural+typos", *QUICK, "--model", MODEL, "--replicates", "2"]
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
