"""Several runs at once: published traces as they are; mean and spread as text, as JSON and on a page."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest

from salva.errors import InputError, UsageError
from salva.twins import TwinRuns, make_pairs, score, summarise_runs, write_pairs
from salva.twins.answers import find_traces
from salva.twins.page import report_page
from tests.evaluation.test_page import text_of

LINES = [f"append A{i} B{i} , C{i}" for i in range(1, 11)] + [f"repeat A{i} B{i}" for i in range(1, 11)]
PAIRS = make_pairs(LINES, functions=("append", "repeat"))


def answers(wrong: int, empty: int = 0) -> list[str]:
    """Right answers but for the first ones, which are wrong, and the last, which are empty."""
    right = ["wrong"] * wrong + [pair.target for pair in PAIRS[wrong:]]
    return right[: len(right) - empty] + [""] * empty


def trace(path: Path, texts: list[str], said: list[str]) -> None:
    """Write a file as it was published with PCFG SET."""
    rows = zip(texts, [pair.target for pair in PAIRS], said, strict=True)
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{chr(9).join(row)}\n" for row in [("source", "target", "prediction"), *rows]))


@pytest.fixture
def traces(tmp_path, monkeypatch):
    """Three runs of a model, laid out as the published ones: run=1.txt and run=1_synonym.txt."""
    monkeypatch.chdir(tmp_path)
    write_pairs("pairs", PAIRS)
    for number, wrong in ((1, 0), (2, 2), (10, 4)):
        home = Path("primitive")
        trace(home / f"run={number}.txt", [pair.source for pair in PAIRS], answers(0, empty=1))
        trace(home / f"run={number}_synonym.txt", [pair.twin for pair in PAIRS], answers(wrong, empty=1))
    return home


def test_published_traces_are_found_by_their_names(traces):
    names = [(one.name, two.name) for one, two in find_traces(traces)]
    assert names == [(f"run={n}.txt", f"run={n}_synonym.txt") for n in (1, 2, 10)]


def test_a_folder_of_traces_is_scored_with_mean_and_spread(salva, traces):
    outcome = salva("twins", "score", "pairs", "--answers", traces, "--json")
    found = json.loads(outcome.out)
    assert [run["model"] for run in found["runs"]] == ["run=1.txt", "run=2.txt", "run=10.txt"]
    consistency = [run["overall"]["consistency"]["value"] for run in found["runs"]]
    assert consistency == [100, 90, 80]
    said = {"mean": 90, "sd": statistics.stdev(consistency), "least": 80, "most": 100, "runs": 3}
    assert found["overall"]["consistency"] == said
    assert found["overall"]["by_rule"]["nonempty"]["consistency"]["mean"] == 85
    assert [one["name"] for one in found["kinds"]] == ["append", "repeat"]


def test_runs_may_be_named_one_by_one(salva, traces):
    files = [
        ("--answers", f"{traces}/run={n}.txt", "--twin-answers", f"{traces}/run={n}_synonym.txt")
        for n in (1, 2)
    ]
    one_by_one = salva("twins", "score", "pairs", *files[0], *files[1], "--json")
    assert json.loads(one_by_one.out)["overall"]["consistency"]["mean"] == 95
    assert "overall" in json.loads(salva("twins", "score", "pairs", *files[0], "--json").out)


def test_the_table_shows_mean_and_spread_beside_every_run(salva, traces):
    outcome = salva("twins", "score", "pairs", "--answers", traces)
    assert outcome.code == 0, outcome.err
    assert "3 runs of 20 pairs" in outcome.out
    assert "90.0±10.0" in outcome.out
    assert "run=10.txt" in outcome.out
    assert "rule nonempty: " in outcome.out
    assert "consistency 85.0±10.0" in outcome.out


def test_the_page_shows_mean_and_spread_beside_every_run(salva, traces):
    outcome = salva("twins", "score", "pairs", "--answers", traces, "-o", "page.html")
    assert (outcome.code, "report: page.html" in outcome.out) == (0, True), outcome.err
    said = text_of(Path("page.html").read_text("utf-8"))
    assert "3 runs" in said
    assert "90.0 ± 10.0" in said
    assert "run=10.txt" in said
    assert "Rule nonempty: equal answers are consistent unless they are empty" in said


def test_a_limit_holds_for_every_run(salva, traces):
    outcome = salva("twins", "score", "pairs", "--answers", traces, "--fail-if", "consistency < 85")
    assert (outcome.code, "run=10.txt, all has 80" in outcome.err) == (1, True)


def test_runs_that_salva_made_are_summarised_too(salva, traces):
    for name in ("a", "b"):
        Path(f"{name}.py").write_text("def answer(texts):\n    return ['x'] * len(texts)\n")
        assert (
            salva("twins", "run", "pairs", "--model", f"python:{name}:answer", "-o", f"run-{name}").code == 0
        )
    found = json.loads(salva("twins", "score", "run-a", "run-b", "--json").out)
    assert (len(found["runs"]), found["overall"]["consistency"]["sd"]) == (2, 0)
    outcome = salva("twins", "score", "run-a", "pairs")
    assert (outcome.code, "pairs: is not a run" in outcome.err) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["--answers", "primitive/run=1.txt"] * 2 + ["--twin-answers", "x"],
            2,
            "2 files of answers and 1 of twin",
        ),
        (
            ["--answers", "primitive", "--twin-answers", "x"],
            2,
            "'primitive' is a folder, which also has the twin answers",
        ),
        (
            ["--answers", "empty"],
            3,
            "empty: holds no answers; expected files such as run=1.txt and run=1_synonym.txt",
        ),
        (["--answers", "half"], 3, "half/run=1_synonym.txt: answers twins, but run=1.txt is not next to it"),
    ],
)
def test_what_makes_no_runs_is_one_line(salva, traces, arguments, code, message):
    Path("empty").mkdir()
    trace(Path("half/run=1_synonym.txt"), [pair.twin for pair in PAIRS], answers(0))
    outcome = salva("twins", "score", "pairs", *arguments)
    assert (outcome.code, message in outcome.err, outcome.err.count("\n")) == (code, True, 1), outcome.err


def test_a_trace_without_its_twin_is_named(traces):
    trace(traces / "run=4.txt", [pair.source for pair in PAIRS], answers(0))
    with pytest.raises(
        InputError, match=r"run=4\.txt: has no twin answers next to it, such as run=4_synonym\.txt"
    ):
        find_traces(traces)


def test_scores_are_summarised_in_python():
    runs = [score(PAIRS, answers(0), answers(wrong), resamples=10) for wrong in (0, 4)]
    found = summarise_runs(runs)
    assert isinstance(found, TwinRuns)
    assert (found.overall.twin_accuracy.mean, found.overall.accuracy.sd) == (90, 0)
    assert found.overall.among_incorrect.runs == 1  # one run has no wrong pair
    assert summarise_runs(runs[:1]).overall.consistency.sd is None
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["pairs"] == 20


def test_scores_that_differ_in_more_than_answers_are_not_summarised():
    one = score(PAIRS, answers(0), answers(0), resamples=10)
    for other in (score(PAIRS, answers(0), answers(0), rule="nonempty", resamples=10), score([], [], [])):
        with pytest.raises(UsageError, match="runs differ in"):
            summarise_runs([one, other])
    with pytest.raises(UsageError, match="there is no run"):
        summarise_runs([])


def test_a_name_on_the_page_is_text_and_nothing_more():
    hostile = score(PAIRS, answers(0), answers(0), model="<img src=x>", data="</title><script>", resamples=10)
    said = report_page(summarise_runs([hostile, hostile]))
    assert "<img" not in said
    assert "</title><script>" not in said
    assert "&lt;img src=x&gt;" in said
