"""Bad inputs that no other test has; the numbers are those of the page of faults."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time

import pytest

from salva.evaluation import evaluate
from salva.evaluation.page import report_page
from salva.outliers.authoring import translation_table
from tests.conftest import ROOT
from tests.evaluation.keywords import classify
from tests.flat import flat
from tests.outliers.small_sets import word_set

BACKWARDS = iter(range(10**9, 0, -(10**5)))
ROWS = [("a great film", "positive"), ("a dull film", "negative")] * 4
RUN = {"presets": ["typos"], "severities": [1.0], "options": flat(model_id="m")}


def test_66_yaml_is_never_read(salva, tmp_path):
    (tmp_path / "mine.yaml").write_text("!!python/object/apply:os.system ['touch ran']\n")
    (tmp_path / "in.txt").write_text("A film\n")
    done = salva("transform", "in.txt", "-o", "out.txt", "--preset", "mine.yaml")
    assert (done.code, len(done.err.splitlines())) == (2, 1), done.err
    assert "'mine.yaml' is not a preset" in done.err
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("clock", [lambda: 0.0, lambda: float(next(BACKWARDS))], ids=["1970", "backwards"])
def test_91_a_wrong_clock_changes_no_number_and_makes_no_negative_time(monkeypatch, clock):
    right = evaluate(ROWS, classify, **RUN)
    monkeypatch.setattr(time, "time", clock)
    wrong = evaluate(ROWS, classify, **RUN)
    assert wrong.results == right.results
    assert min(wrong.timings.values()) >= 0


@pytest.mark.slow
def test_93_one_core_and_little_memory_give_the_same_bytes(tmp_path):
    (tmp_path / "in.txt").write_text("a great movie that nobody has seen before\n" * 2000)

    def limit() -> None:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        resource.setrlimit(resource.RLIMIT_DATA, (512 << 20, 512 << 20))

    for name, before in (("plain.txt", None), ("limited.txt", limit)):
        command = [sys.executable, "-m", "salva", "transform", "in.txt", "-o", name, "--preset", "typos"]
        place = {"cwd": tmp_path, "env": os.environ | {"PYTHONPATH": str(ROOT / "src")}}
        done = subprocess.run(command, **place, preexec_fn=before, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "plain.txt").read_bytes() == (tmp_path / "limited.txt").read_bytes()


@pytest.mark.parametrize("payload", ["{{1234*5678}}", "{% raw %}", "{# none #}"])
def test_g3_a_template_in_a_text_is_text(payload):
    rows = [*ROWS, *((f"great {payload} {i}", "positive") for i in range(8))]
    run = evaluate(rows, classify, **RUN)
    page = report_page(run.results, run.flips)
    assert run.flips
    assert payload in page
    assert str(1234 * 5678) not in page


@pytest.mark.parametrize("topic", ["../evil", "/etc/evil", "..\\evil", "C:evil", "a/b", "%2e%2e", ""])
def test_g8_a_topic_is_never_a_path(salva, tmp_path, topic):
    table = translation_table([word_set(topic), word_set(topic, "IT")], "IT")
    (tmp_path / "table.tsv").write_text(table.as_tsv(), "utf-8")
    done = salva("outliers", "translate", "--read", "table.tsv", "-o", "sets")
    assert (done.code, len(done.err.splitlines())) == (3, 1), done.err
    assert [path.name for path in tmp_path.rglob("*")] == ["table.tsv"]


@pytest.mark.parametrize("label", ["'; DROP TABLE answers; --", 'a"b', "a]b", "%s", "?1"])
def test_g22_sql_in_labels_and_texts_is_plain_text(tmp_path, label):
    rows = [(f"{label} {i}", label) for i in range(4)]
    usual = {"presets": ["typos"], "severities": [1.0], "out": tmp_path / "run"}
    run = evaluate(rows, lambda texts: [label] * len(texts), **usual)
    assert run.answers["before"].to_pylist() == [label] * run.answers.num_rows
