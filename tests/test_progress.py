"""Progress: what is reported, the rate and the time left, and the line in a terminal."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import pty
import signal
import subprocess
import sys

import numpy as np
import pytest

import salva
from salva import transform_file
from salva._progress import Progress, ProgressLine, Tracker, tracking
from salva.audit import sample
from salva.outliers.vectors import open_vectors
from tests.conftest import ROOT
from tests.flat import flat
from tests.rows.passing import pass_through


class Clock:
    """A clock that goes on only when it is told to."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def watched():
    """Return a tracker, the lines that it shows, and their clock."""
    lines, clock = [], Clock()
    return Tracker(ProgressLine(lines.append, clock)), lines, clock


def test_a_line_has_what_is_done_the_rate_and_the_time_left(watched):
    tracker, lines, clock = watched
    tracker.begin("asking", "texts", 4200)
    clock.now += 10
    tracker.advance(1200)
    assert lines == [
        "asking: 0 of 4,200 texts",
        "asking: 1,200 of 4,200 texts, 120 texts/s, 25 s left",
    ]


def test_texts_from_the_store_count_neither_for_the_rate_nor_as_time(watched):
    tracker, lines, clock = watched
    tracker.begin("asking", "texts", 1000)
    clock.now += 50  # a long look into the store
    tracker.advance(600, stored=500, repeated=100)
    clock.now += 10
    tracker.advance(20)
    assert lines[1:] == [
        "asking: 600 of 1,000 texts, 83 % from the store",
        "asking: 620 of 1,000 texts, 2 texts/s, 3 min 10 s left, 80 % from the store",
    ]


def test_every_phase_has_its_own_rate(watched):
    tracker, lines, clock = watched
    tracker.begin("asking", "texts", 10)
    clock.now += 1
    tracker.advance(10)
    tracker.begin("blame", "texts")
    clock.now += 10
    tracker.advance(5)
    assert lines[-1] == "blame: 5 texts, 0.5 texts/s"


def test_the_line_changes_at_most_ten_times_per_second(watched):
    tracker, lines, clock = watched
    tracker.begin("asking", "texts", 1000)
    for _ in range(1000):
        clock.now += 0.001
        tracker.advance(1)
    assert 5 <= len(lines) <= 11


def test_a_phase_may_count_nothing_and_a_total_may_be_an_estimate(watched):
    tracker, lines, clock = watched
    tracker.begin("opening the model")
    tracker.begin("converting", "rows")
    clock.now += 2
    tracker.advance(100, total=1000, about=True, note="loss 0.5")
    assert lines == [
        "opening the model",
        "converting: 0 rows",
        "converting: 100 of about 1,000 rows, 50 rows/s, 18 s left, loss 0.5",
    ]


def test_a_function_gets_every_report():
    seen = []
    with tracking(seen.append) as tracker:
        tracker.begin("asking", "texts", 3)
        tracker.advance(2, stored=1)
    assert seen == [Progress("asking", "texts", 0, 3), Progress("asking", "texts", 2, 3, stored=1)]


@pytest.mark.parametrize("progress", [True, False, None])
def test_in_a_pipe_nothing_is_shown(monkeypatch, progress):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with tracking(progress) as tracker:
        tracker.begin("asking", "texts", 3)
        tracker.advance(2)
    assert sys.stderr.getvalue() == ""


MODEL = """
import sys
def classify(texts):
    if {stop}:
        import os, signal
        os.kill(os.getpid(), signal.SIGINT)
    print("a line of the model", file=sys.stderr)
    return ["positive" if "good" in text else "negative" for text in texts]
"""


def read_all(main: int) -> str:
    shown = b""
    with contextlib.suppress(OSError):
        while chunk := os.read(main, 100_000):
            shown += chunk
    os.close(main)
    return shown.decode()


def run_in_terminal(folder, *, stop=False, **environment) -> tuple[int, str]:
    """Run an evaluation with standard error in a terminal; return its exit code and what was shown."""
    (folder / "judge.py").write_text(MODEL.format(stop=stop))
    rows = "".join(f"film {i} is good,positive\nfilm {i} is bad,negative\n" for i in range(20))
    (folder / "data.csv").write_text("text,label\n" + rows)
    main, worker = pty.openpty()
    command = [sys.executable, "-m", "salva", "evaluate", "data.csv", "--model", "python:judge:classify"]
    command += ["-o", "run", "--preset", "typos", "--severity", "1", "--json"]
    paths = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=worker,
        env=paths | {"TERM": "xterm", "COLUMNS": "100"} | environment,
        check=False,
    )
    os.close(worker)
    return done.returncode, read_all(main)


@pytest.mark.slow
def test_in_a_terminal_the_line_is_removed_at_the_end_and_the_model_s_own_lines_stay(tmp_path):
    code, shown = run_in_terminal(tmp_path)
    assert code == 0, shown
    assert "asking: 0 of 120 questions" in shown
    assert "noise: " in shown
    assert "a line of the model\r\n" in shown
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") == 1  # the cursor is back
    assert shown.endswith("\x1b[2K")


@pytest.mark.slow
def test_an_interrupted_run_leaves_the_terminal_clean(tmp_path):
    code, shown = run_in_terminal(tmp_path, stop=True)
    assert code == 128 + signal.SIGINT, shown
    last = shown[shown.index("\x1b[?25h") :]
    assert "asking" not in last
    assert last.endswith("salva: interrupted\r\n")


@pytest.mark.slow
def test_a_dumb_terminal_gets_no_line(tmp_path):
    code, shown = run_in_terminal(tmp_path, TERM="dumb")
    assert code == 0, shown
    assert "\x1b" not in shown
    assert "asking" not in shown


def classify(texts):
    return ["positive" if "good" in text else "negative" for text in texts]


DATA = [(f"film {i} is {word}", label) for i in range(9) for word, label in (("good", 1), ("bad", 0))]
LABELS = {"positive": "1", "negative": "0"}
OPTIONS = {
    "presets": ["typos"],
    "severities": [1.0],
    "options": flat(label_map=LABELS, model_id="judge", batch_size=4),
}


def last_by_phase(reports):
    return {now.phase: now for now in reports if now.unit}


def test_an_evaluation_reports_its_questions_batch_by_batch_and_its_phases(tmp_path):
    seen = []
    salva.evaluate(DATA, classify, out=tmp_path / "run", progress=seen.append, **OPTIONS)
    asked = [now for now in seen if now.phase == "asking"]
    assert {now.total for now in asked} == {18 * 3}
    assert asked[-1].done == 18 * 3
    assert asked[-1].stored == 0  # although the first batch is asked about before, to check the labels
    assert all(after.worked - before.worked <= 4 for before, after in itertools.pairwise(asked))
    assert [now.phase for now in seen if not now.unit] == [
        "opening the model",
        "making questions",
        "checking the labels",
        "scoring and writing the report",
    ]
    noise = last_by_phase(seen)["noise"]
    assert (noise.done, noise.total, noise.repeated) == (18 + 16, 18 + 16, 0)
    assert last_by_phase(seen)["blame"].done > 0


def test_a_resumed_run_reports_what_came_from_the_store(tmp_path):
    salva.evaluate(DATA, classify, out=tmp_path / "run", **OPTIONS)
    seen = []
    salva.evaluate(DATA, classify, out=tmp_path / "run", resume=True, progress=seen.append, **OPTIONS)
    phases = last_by_phase(seen)
    assert {name: (now.worked, now.done == now.stored) for name, now in phases.items()} == {
        "asking": (0, True),
        "noise": (0, True),
        "blame": (0, True),
    }


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "jsonl.gz", "parquet", "folder"])
def test_files_report_rows_of_about_all(tmp_path, form):
    rows = "".join(f"{'a good film ' * 30}{i}\n" for i in range(20_000))
    (tmp_path / "a.csv").write_text(f"text\n{rows}")
    source = tmp_path / f"b.{form}"
    if form == "folder":
        for k in range(1200):
            path = source / ("neg", "pos")[k % 2] / f"{k}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("a good film")
    else:
        pass_through(tmp_path / "a.csv", source)
    seen = []
    transform_file(source, tmp_path / "c.csv", preset="spaces", progress=seen.append)
    totals = [now.total for now in seen if now.total]
    count = 1200 if form == "folder" else 20_000
    assert seen[-1] == Progress("transforming", "rows", count, count, about=True)
    assert len(totals) > 1
    assert abs(totals[len(totals) // 2] - count) < 0.3 * count


@pytest.mark.parametrize(("name", "about"), [("word2vec", True), ("binary", False)])
def test_reading_vectors_reports_words(tmp_path, name, about):
    count, dimension = 6000, 200
    header, numbers = f"{count} {dimension}\n".encode(), np.ones(dimension, "<f4")
    plain, packed = b" ".join([b"1.0"] * dimension) + b"\n", numbers.tobytes() + b"\n"
    lines = (b"w%d " % k + (plain if name == "word2vec" else packed) for k in range(count))
    (tmp_path / "v").write_bytes(header + b"".join(lines))
    seen = []
    assert open_vectors(tmp_path / "v", ["w7"], format=name, progress=seen.append).known("w7")
    assert seen[0] == Progress("reading vectors", "words")
    middle = seen[len(seen) // 2]
    assert 0 < middle.done < count
    assert abs(middle.total - count) <= 0.1 * count
    assert middle.about is about


def test_drawing_a_sheet_reports_rows():
    seen = []
    sample([("A good movie.", 1), ("A bad film.", 0)], preset="natural", n=1, progress=seen.append)
    assert [seen[0], seen[-1]] == [Progress("drawing", "rows", 0, 2), Progress("drawing", "rows", 2, 2)]
