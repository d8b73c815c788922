"""`salva questions`: what would be asked, at what cost; suites to share; answers made elsewhere."""

from __future__ import annotations

import io
import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from salva.rows import reviews
from tests.conftest import ROOT
from tests.evaluation.keywords import classify

MODEL = "python:tests.evaluation.keywords:classify"
QUICK = ("--preset", "typos", "--severity", "1", "-S", "noise=5", "-S", "flips=5")
FILMS = """\
id,text,label,own
a,It was a good film in 1987.,positive,In 1987 it was a good film.
b,It was a bad film in 1988.,negative,It was a bad film in 1988!
c,It was a great film in 1989.,positive,
"""


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    lines = (json.dumps(row) for row in reviews("test").slice(0, 60).to_pylist())
    (tmp_path / "data.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "films.csv").write_text(FILMS, "utf-8")
    return tmp_path / "data.jsonl"


def count(salva, *arguments):
    return json.loads(salva("questions", *arguments, "--json").out)


def read_questions(folder):
    return pq.read_table(folder / "questions.parquet").to_pylist()


def test_questions_are_counted_and_nobody_is_asked(salva, data):
    before = sorted(data.parent.rglob("*"))
    cost = count(salva, data, *QUICK)
    assert cost["conditions"] == ["typos/render", "typos@1"]
    assert 60 < cost["distinct"] <= 180
    assert (cost["noise_calls"], cost["most_blame_calls"], cost["digest"]) == (10, 5 * 32, None)
    shown = salva("questions", data, *QUICK).out
    assert (
        f"60 rows, 2 conditions: {cost['distinct']} different questions to ask, 10 to measure noise" in shown
    )
    assert f"{cost['characters']:,} characters in the questions" in shown
    assert "established: 11.7 points, if 7 independent rows get worse" in shown
    assert sorted(data.parent.rglob("*")) == before


def test_a_sample_is_drawn_and_a_limit_warns(salva, data):
    assert count(salva, data, "--sample", "20", *QUICK)["rows"] == 20
    outcome = salva("questions", data, "-R", "limit=1", *QUICK)
    assert "warning: data.jsonl: no row of class" in outcome.err
    assert "use --sample 1" in outcome.err
    both = salva("questions", data, "-R", "limit=1", "--sample", "2")
    assert (both.code, "-R limit" in both.err) == (2, True)


def test_a_bundle_is_mixed_with_names(salva, data):
    names = ("--preset", "typos", "--preset", "documents", "--preset", "natural", *QUICK[2:])
    edited = [name for name in count(salva, data, *names)["conditions"] if "@" in name]
    assert edited == ["typos@1", "hybrid@1", "synonyms@1", "corrupt@1", "natural@1"]


@pytest.mark.parametrize("key", [bytes, bytes.hex])
def test_answers_from_elsewhere_are_joined_by_key(salva, data, key):
    assert salva("questions", data, "-o", "suite", *QUICK).code == 0
    asked = [row for row in read_questions(data.parent / "suite") if row["key"]]
    answers = [{"key": key(row["key"]), "label": classify(row["parts"])[0]} for row in reversed(asked)]
    pq.write_table(pa.Table.from_pylist(answers), data.parent / "suite/answers.parquet")
    there = salva("evaluate", data, "--model", "answers:suite", "-o", "a", *QUICK, "--json")
    here = salva("evaluate", data, "--model", MODEL, "-o", "b", *QUICK, "--json")
    assert json.loads(there.out)["conditions"] == json.loads(here.out)["conditions"]
    assert json.loads(there.out)["noise"] is None
    assert "noise floor: unknown" in salva("report", "a").out
    assert "the answers come from files" in (data.parent / "a/report.html").read_text("utf-8")
    same = salva("evaluate", "suite", "--model", "answers:suite", "-o", "c", "--json")
    assert json.loads(same.out)["conditions"] == json.loads(here.out)["conditions"]


def test_answers_to_other_questions_are_explained(salva, data):
    salva("questions", data, "-o", "suite", *QUICK)
    asked = [row for row in read_questions(data.parent / "suite") if row["key"]]
    answers = "".join(json.dumps({"key": row["key"].hex(), "label": "positive"}) + "\n" for row in asked)
    (data.parent / "suite/answers.jsonl").write_text(answers, "utf-8")
    other = ("--preset", "corrupt", *QUICK[2:])
    refused = salva("evaluate", data, "--model", "answers:suite", "-o", "run", *other)
    assert refused.code == 4
    again = "make them again with the presets, severities, seed and rows of this run"
    assert f"the question is not among those in questions.parquet; {again}" in refused.err


def test_a_suite_has_a_name_and_a_digest_and_is_evaluated_as_it_is(salva, data):
    given = ("--preset", "case", "--preset", "antonyms", "--severity", "1", "--axis", "variants=own")
    more = ("-S", "opposites=positive/negative", "--name", "films", "--licence", "CC0")
    made = salva("questions", "films.csv", *given, *more, "-o", "suite", "--json")
    digest = json.loads(made.out)["digest"]
    manifest = json.loads((data.parent / "suite/suite.json").read_text("utf-8"))
    assert [manifest[name] for name in ("name", "licence", "digest")] == ["films", "CC0", digest]
    assert json.loads(salva("questions", "suite", "--digest", digest[:20], "--json").out)["digest"] == digest
    assert "1 row is not asked" in salva("questions", "suite").out
    done = salva("evaluate", "suite", "--model", "builtin:reviews", "-o", "run", "-S", "noise=0", "--json")
    results = json.loads(done.out)
    assert [one["name"] for one in results["conditions"]] == ["case@1", "variants=own"]
    assert results["contrasts"][0]["score"]["n_targets"] == 3


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (("data.jsonl", "-o", "suite"), 3, "suite/suite.json: exists; "),
        (("suite", "--digest", "sha256:00000000"), 3, "get the suite again, or correct --digest"),
        (("suite", "-o", "other"), 2, "is a suite already; copy its folder"),
        (("suite", "--preset", "typos"), 2, "is a suite, which is evaluated as it is; leave out --preset"),
        (("suite", "--to", "lm-eval"), 2, "--to writes files; name a folder with -o DIR"),
        (
            ("suite", "--to", "lm-eval", "-o", "tasks"),
            2,
            "has texts without a task, which no harness can ask",
        ),
        (("data.jsonl", "--to", "lm-eval", "-o", "tasks"), 2, "--to needs a suite"),
        (("data.jsonl", "--digest", "sha256:00000000"), 2, "--digest needs a suite"),
        (("data.jsonl", "--name", "films"), 2, "--name is for what is written; name a folder with -o SUITE"),
        (("films.csv", "--axis", "variants=owm"), 3, "did you mean 'own'?"),
        (("nowhere.csv",), 3, "nowhere.csv: no such file"),
    ],
)
def test_faults_are_one_line_with_their_code(salva, data, arguments, code, problem):
    salva("questions", "data.jsonl", "-o", "suite", *QUICK)
    outcome = salva("questions", *arguments)
    assert (outcome.code, problem in outcome.err) == (code, True), outcome.err
    assert len(outcome.err.strip().splitlines()) == 1
    assert not (data.parent / "other").exists()
    assert not (data.parent / "tasks").exists()


def test_a_suite_that_was_changed_is_refused(salva, data):
    salva("questions", data, "-o", "suite", *QUICK)
    place = data.parent / "suite/suite.json"
    place.write_text(
        place.read_text("utf-8").replace('"seed":0', '"seed":1').replace('"seed": 0', '"seed": 1')
    )
    for command in (("questions", "suite"), ("evaluate", "suite", "--model", MODEL, "-o", "run")):
        outcome = salva(*command)
        assert (outcome.code, "was changed since the suite was written" in outcome.err) == (3, True)


def test_a_suite_of_a_task_is_written_for_another_harness(salva, data):
    (data.parent / "odd.csv").write_text("question,answer\nIs the number 5 odd?,yes\nIs 4 odd?,no\n")
    made = ("odd.csv", "--task", "yes-no", "--preset", "natural", "--severity", "1", "-o", "suite")
    assert salva("questions", *made).code == 0
    done = salva("questions", "suite", "--to", "lm-eval", "-o", "tasks")
    assert (done.code, done.out.endswith(" files for lm-eval\n")) == (0, True)
    assert list((data.parent / "tasks").glob("*.yaml"))
    files = json.loads(salva("questions", "suite", "--to", "inspect", "-o", "more", "--json").out)["files"]
    assert sorted(files) == sorted(path.name for path in (data.parent / "more").iterdir())


def test_data_from_standard_input_becomes_a_suite(salva, data, monkeypatch):
    with (data.parent / "films.csv").open("rb") as stream:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
        done = salva("questions", "-", "-R", "format=csv", "-o", "suite", "--preset", "case")
    assert (done.code, done.err) == (0, "")
    assert json.loads((data.parent / "suite/suite.json").read_text("utf-8"))["data"]["name"] == "<stdin>"
