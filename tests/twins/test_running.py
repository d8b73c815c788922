"""Runs over pairs: each text asked once, kept, gone on with; and the commands that show what came of it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from salva.errors import InputError, ModelError, UsageError
from salva.models import ModelOptions
from salva.twins.pair import TwinPair, read_pair_lines, write_pair_lines
from salva.twins.pcfg.language import interpret
from salva.twins.pcfg.pairing import make_pairs, tally_pairs, write_pairs
from salva.twins.running import open_sequence_model, read_run, run
from tests.conftest import ROOT

LINES = ["append A1 B2 , C3 D4", "repeat E5 F6", "copy append A1 B2 , repeat G7 H8"]
PAIRS = make_pairs(LINES, per_function=9, functions=("append", "repeat"))


def solve(texts):
    """Know all functions and no twin of append: it is taken for prepend."""
    return [interpret(text.replace("append_twin", "prepend")) for text in texts]


class Counted:
    name, digest, classes, batch_size = "counted", "sha256:1", None, 2

    def __init__(self, fails=(), stops_after=99):
        self.fails, self.left, self.seen = fails, stops_after, []

    def predict(self, texts):
        from salva.models import Answers

        self.left -= 1
        if self.left < 0:
            raise ModelError("the power is gone")
        self.seen += texts
        return Answers.of([None if text in self.fails else solve([text])[0] for text in texts])

    def close(self):
        pass


def test_every_distinct_text_is_asked_once(tmp_path):
    model = Counted()
    done = run(PAIRS, model, tmp_path / "run", noise=0)
    assert sorted(model.seen) == sorted({text for pair in PAIRS for text in (pair.source, pair.twin)})
    assert [(group.name, group.consistency.value) for group in done.score.kinds] == [
        ("append", 0),
        ("repeat", 100),
    ]


def test_a_run_that_was_stopped_goes_on_and_ends_the_same(tmp_path):
    with pytest.raises(ModelError, match="the power is gone"):
        run(PAIRS, Counted(stops_after=2), tmp_path / "a")
    late, whole = Counted(), Counted()
    run(PAIRS, late, tmp_path / "a", resume=True)
    run(PAIRS, whole, tmp_path / "b")
    assert len(late.seen) == len(whole.seen) - 4
    for name in ("results.json", "report.html", "run.json", "pairs.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_121_a_text_that_failed_is_not_measured_and_asked_again(tmp_path):
    done = run(PAIRS, Counted(fails=["append_twin A1 B2 , C3 D4"]), tmp_path / "run")
    assert (done.score.overall.n_failed, done.score.failures[0].times) == (1, 1)
    again = Counted()
    assert run(PAIRS, again, tmp_path / "run", resume=True).score.overall.n_failed == 0
    assert again.seen == ["append_twin A1 B2 , C3 D4"]


def test_a_run_does_not_go_on_with_other_pairs(tmp_path):
    run(PAIRS, Counted(), tmp_path / "run")
    with pytest.raises(UsageError, match=r"was made with different settings: data\.pairs was 4 and is 3"):
        run(PAIRS[:3], Counted(), tmp_path / "run", resume=True)


def test_a_model_that_always_fails_stops_the_run(tmp_path):
    pairs = [TwinPair(f"copy A{i} B1", f"copy_twin A{i} B1", "", "", "copy", i) for i in range(20)]
    with pytest.raises(ModelError, match="of 20 texts failed, more than max_errors= allows; the first error"):
        run(pairs, lambda texts: None, tmp_path / "run", model_options=ModelOptions(batch_size=20))


def test_what_a_run_holds_can_be_read_again(tmp_path):
    done = run(PAIRS, Counted(), tmp_path / "run", data="small")
    kept = read_run(tmp_path / "run")
    assert (kept.pairs, kept.answers.answers, kept.data) == (PAIRS, done.answers.answers, "small")


def test_the_folder_of_another_kind_of_run_is_refused(tmp_path):
    (tmp_path / "run.json").write_text('{"format": 1}')
    with pytest.raises(InputError, match="holds a run of another command"):
        read_run(tmp_path)


def test_a_reference_model_that_is_not_there_is_one_line(tmp_path):
    pytest.importorskip("torch")
    with pytest.raises(InputError, match=r"model\.json: no such file"):
        open_sequence_model(f"reference:{tmp_path}")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    write_pairs(tmp_path / "pairs", PAIRS)
    return tmp_path


MODEL = ("--model", "python:tests.twins.test_running:solve")


def test_the_command_runs_and_shows_accuracy_beside_consistency(salva, home):
    outcome = salva("twins", "run", "pairs", *MODEL, "-o", "run")
    assert outcome.code == 0, outcome.err
    assert "twins right" in " ".join(outcome.out.split())
    assert "rule any: " in outcome.out
    assert (home / "run/report.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_json_is_the_result_and_a_run_can_be_scored_again(salva, home):
    first = salva("twins", "run", "pairs", *MODEL, "-o", "run", "--json")
    assert json.loads(first.out) == json.loads((home / "run/results.json").read_text("utf-8"))
    again = salva("twins", "score", "run", "--json")
    assert json.loads(again.out) == json.loads(first.out)


def test_a_broken_limit_ends_with_1_after_everything_is_written(salva, home):
    outcome = salva("twins", "run", "pairs", *MODEL, "-o", "run", "--fail-if", "consistency < 90")
    assert (outcome.code, "append has 0" in outcome.err) == (1, True)
    assert (home / "run/report.html").is_file()


def test_the_commands_of_evaluations_say_where_a_run_over_pairs_is_shown(salva, home):
    salva("twins", "run", "pairs", *MODEL, "-o", "run")
    outcome = salva("report", "run")
    assert (outcome.code, "holds a run over pairs; show it with salva twins score" in outcome.err) == (
        3,
        True,
    )


def test_answers_made_elsewhere_are_scored_and_put_on_a_page(salva, home):
    rows = [f"{text}\t{solve([text])[0]}" for pair in PAIRS for text in (pair.source, pair.twin)]
    (home / "a.tsv").write_text("\n".join(["source\tprediction", *dict.fromkeys(rows)]), "utf-8")
    outcome = salva("twins", "score", "pairs", "--answers", "a.tsv", "-o", "page.html")
    assert (outcome.code, "report: page.html" in outcome.out) == (0, True), outcome.err
    assert salva("twins", "score", "pairs", "--answers", "a.tsv", "-o", "page.html").code == 3


def test_natural_twins_run_from_plain_texts(salva, home):
    (home / "texts.txt").write_text("The lorry\nA car\n", "utf-8")
    (home / "s.tsv").write_text("lorry\ttruck\n", "utf-8")
    (home / "echo.py").write_text(
        "def echo(texts):\n    return [t.replace('truck', 'lorry') for t in texts]\n"
    )
    options = ("--synonyms", "s.tsv", "--model", "python:echo:echo", "-o", "run", "--json")
    outcome = salva("twins", "run", "texts.txt", *options)
    assert json.loads(outcome.out)["overall"]["consistency"]["value"] == 100, outcome.err


def test_natural_twins_are_exported_for_answers_made_elsewhere(salva, home):
    (home / "texts.txt").write_text("The lorry\nA car\n", "utf-8")
    (home / "s.tsv").write_text("lorry\ttruck\tvrachtwagen\n", "utf-8")
    assert salva("twins", "run", "texts.txt", "--synonyms", "s.tsv", "--export", "pairs.jsonl").code == 0
    (home / "a.tsv").write_text("source\tprediction\nThe lorry\tDe vrachtwagen\nThe truck\tVrachtwagen!\n")
    options = ("--answers", "a.tsv", "--compare", "accepted", "--synonyms", "s.tsv", "--json")
    outcome = salva("twins", "score", "pairs.jsonl", *options)
    assert json.loads(outcome.out)["overall"]["both_right"]["value"] == 100, outcome.err


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (("score", "pairs"), 2, "name the answers with --answers FILE"),
        (("score", "pairs", "--answers", "no.tsv"), 3, "no.tsv: no such file"),
        (("score", "nowhere", "--answers", "no.tsv"), 3, "no such file"),
        (("run", "pairs"), 2, "name a model with --model SPEC and a folder with -o RUN"),
        (("run", "pairs", "--model", "hff:x", "-o", "run"), 2, "did you mean 'hf:'?"),
        (("run", "pairs", *MODEL, "-o", "run", "--fail-if", "x"), 2, "must be NAME OP NUMBER"),
        (("run", "pairs", *MODEL, "-o", "run", "--compare", "exakt"), 2, "comparator 'exakt' is unknown"),
        (("run", "pairs.jsonl", *MODEL, "-o", "run", "--in-context", "0"), 2, "examples=0"),
        (
            ("run", "pairs.jsonl", *MODEL, "-o", "run", "--in-context", "1", "--seed", "-1"),
            2,
            "seed=-1 must be",
        ),
        (("run", "pairs", *MODEL, "-o", "run", "--max-errors", "0.1"), 2, "'0.1' must be a count (20) or"),
        (("run", "pairs", *MODEL, "-o", "run", "--noise", "-1"), 2, "noise=-1 must be a whole number"),
        (("run", "pairs", *MODEL, "-o", "run", "--both-ways"), 2, "--both-ways needs --synonyms"),
        (("run", "pairs", *MODEL, "-o", "run", "--severity", "0.5"), 2, "--severity needs --preset"),
        (
            ("run", "two.csv", "--preset", "typos", "--text-column", "a,b"),
            2,
            "--text-column names 2 columns; twins need exactly one",
        ),
        (("score", "pairs", "--answers", "a.tsv", "--seed", "-1"), 2, "seed=-1 must be a whole number"),
        (("run", "two.csv", *MODEL, "-o", "run"), 3, "two.csv: is a file; for plain texts, pass --synonyms"),
        (
            ("score", "a.tsv", "--answers", "a.tsv"),
            3,
            "a.tsv: is not a folder of pairs, a .jsonl file of pairs",
        ),
        (
            ("score", "pairs", "--answers", "a.tsv", "-o", "a.tsv", "--overwrite"),
            3,
            "a.tsv: is the input itself; choose",
        ),
        (
            ("run", "pairs", "--model", "python:no:no", "-o", "run", "--fail-if", "consistncy < 9"),
            2,
            "no number 'consistncy'; did you mean 'consistency'",
        ),
    ],
)
def test_faults_are_one_line_with_their_code(salva, home, arguments, code, problem):
    write_pair_lines(home / "pairs.jsonl", PAIRS)
    rows = [
        f"{text}\tA1\n" for text in dict.fromkeys(text for one in PAIRS for text in (one.source, one.twin))
    ]
    (home / "a.tsv").write_text("".join(["source\tprediction\n", *rows]))
    (home / "two.csv").write_text("a,b\nA wonderful film,fine\n")
    outcome = salva("twins", *arguments)
    assert (outcome.code, problem in outcome.err) == (code, True), outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


def test_a_run_of_an_older_version_is_read_with_what_it_lacks(tmp_path):
    run(PAIRS, Counted(), tmp_path / "run", noise=0)
    settings = json.loads((tmp_path / "run/run.json").read_text())
    del settings["noise"], settings["accepted"]
    (tmp_path / "run/run.json").write_text(json.dumps(settings))
    assert read_run(tmp_path / "run").answers.reruns.texts == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda home: (home / "run.json").write_text('{"format": 1, "kind": "twins"}'), "json: is damaged"),
        (lambda home: (home / "run.json").write_text('{"format":1,"kind":"twins","model":3}'), "is damaged"),
        (lambda home: (home / "run.db").unlink(), "run.db: no such file; the answers of the run are gone"),
        (
            lambda home: (home / "pairs.jsonl").write_text(cut(home)),
            r"jsonl: differs from what .*\(3 pairs, 4 then",
        ),
        (
            lambda home: (home / "pairs.jsonl").write_text(changed(home)),
            "jsonl: differs from what the run was made",
        ),
    ],
)
def test_a_damaged_run_is_refused_and_left_as_it_is(tmp_path, change, problem):
    run(PAIRS, Counted(), tmp_path / "run")
    change(tmp_path / "run")
    before = sorted(path.name for path in (tmp_path / "run").iterdir())
    with pytest.raises(InputError, match=problem):
        read_run(tmp_path / "run")
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == before


def cut(home):
    return "".join((home / "pairs.jsonl").read_text().splitlines(keepends=True)[:-1])


def changed(home):
    return (home / "pairs.jsonl").read_text().replace("A1", "B9")


def test_pairs_that_were_damaged_are_written_anew_when_the_run_goes_on(tmp_path):
    run(PAIRS, Counted(), tmp_path / "run")
    (tmp_path / "run/pairs.jsonl").write_text(cut(tmp_path / "run"))
    run(PAIRS, Counted(), tmp_path / "run", resume=True)
    assert read_run(tmp_path / "run").pairs == PAIRS


def test_scoring_a_run_writes_nothing_into_its_folder(salva, home):
    salva("twins", "run", "pairs", *MODEL, "-o", "run")
    before = {path.name: path.stat().st_mtime_ns for path in (home / "run", *(home / "run").iterdir())}
    assert salva("twins", "score", "run").code == 0
    assert before == {
        path.name: path.stat().st_mtime_ns for path in (home / "run", *(home / "run").iterdir())
    }


def test_failures_that_were_tolerated_are_tolerated_when_the_run_goes_on(tmp_path):
    pairs = [TwinPair(f"copy A{i} B1", f"copy_twin A{i} B1", "", "", "copy", i) for i in range(30)]
    model = Counted(fails=[pair.twin for pair in pairs[-3:]])
    for resume in (False, True):
        done = run(pairs, model, tmp_path / "run", noise=0, resume=resume)
        assert done.score.overall.n_failed == 3


def test_when_every_one_of_few_texts_fails_the_run_fails(tmp_path):
    with pytest.raises(ModelError, match="7 of 7 texts failed"):
        run(PAIRS, lambda texts: [None] * len(texts), tmp_path / "run", noise=0)


def test_a_limit_on_what_was_not_measured_is_broken(salva, home):
    (home / "silent.py").write_text("def say(texts):\n    return [None] * len(texts)\n")
    options = ("--model", "python:silent:say", "-o", "run", "--max-errors", "100%")
    outcome = salva("twins", "run", "pairs", *options, "--fail-if", "consistency < 90")
    assert (outcome.code, "consistency < 90: it was not measured" in outcome.err) == (1, True), outcome.err


def test_an_answer_with_half_a_character_is_a_failed_row(tmp_path):
    answers = {PAIRS[0].twin: "A1 \ud800"}
    done = run(PAIRS, lambda texts: [answers.get(text, "x") for text in texts], tmp_path / "run", noise=0)
    assert (done.score.overall.n_failed, "lone surrogate" in done.score.failures[0].error) == (1, True)


def test_a_pair_with_half_a_character_is_refused_with_its_line(salva, home):
    good = '{"source": "copy A1", "twin": "copy_twin A1"}\n'
    (home / "p.jsonl").write_text(good + '{"source": "copy \\ud800", "twin": "copy_twin A1"}\n')
    outcome = salva("twins", "run", "p.jsonl", *MODEL, "-o", "run")
    assert (outcome.code, "p.jsonl:2: contains a lone surrogate" in outcome.err) == (3, True)


def test_the_models_that_write_are_all_named():
    with pytest.raises(UsageError, match="one of python:, hf:, command:, openai:, log:, reference:"):
        open_sequence_model("nothing:x")


def test_answers_that_were_cut_off_are_told(tmp_path):
    from salva.models import Answers

    class Cut(Counted):
        def predict(self, texts):
            statuses = ["truncated" if "repeat" in text else "answered" for text in texts]
            return Answers.of(["A"] * len(texts), statuses=statuses, cut=["copy" in text for text in texts])

    done = run(PAIRS, Cut(), tmp_path / "run", noise=0)
    texts = {text for one in PAIRS for text in (one.source, one.twin)}
    wanted = sum("repeat" in text or "copy" in text for text in texts)
    assert f"texts or answers cut off by a token limit: {wanted}" in done.score.notes
    assert read_run(tmp_path / "run").answers.cut == wanted


def test_settings_of_the_score_are_refused_before_any_text_is_asked(tmp_path):
    model = Counted()
    with pytest.raises(UsageError, match="resamples=0"):
        run(PAIRS, model, tmp_path / "run", resamples=0)
    assert model.seen == []


@pytest.mark.slow
def test_the_page_may_go_to_standard_output(salva, home):
    salva("twins", "run", "pairs", *MODEL, "-o", "run", "-q")
    code, out, _ = run_in_a_process(home, "score", "run", "-o", "-")
    assert (code, out.startswith("<!DOCTYPE html>"), out.rstrip().endswith("</html>")) == (0, True, True)
    assert not (home / "-").exists()
    assert salva("twins", "score", "run", "-o", "-", "--json").code == 2


def run_in_a_process(home, *arguments):
    command = [sys.executable, "-m", "salva", "twins", *arguments]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, encoding="utf-8", check=False)
    return done.returncode, done.stdout, done.stderr


def test_how_many_pairs_have_a_target_stands_on_the_terminal(salva, home):
    rows = [{"source": f"lorry {i}", "twin": f"truck {i}", "target": "x" * (not i)} for i in range(4)]
    (home / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (home / "x.py").write_text("def say(texts):\n    return ['x'] * len(texts)\n")
    said = salva("twins", "run", "p.jsonl", "--model", "python:x:say", "-o", "run").out
    assert "4 pairs of 4 sources, 1 with a target" in said
    assert "4 (1)" in said
    assert "note: pairs without a target, which count only for consistency: 3" in said
    assert "p (Holm)" not in said


def test_a_limit_takes_the_same_share_of_every_function(salva):
    lines = [f"{name} A{i} , B{i}" for name in ("append", "remove_second") for i in range(1, 21)]
    lines += [f"{name} A{i} B{i}" for name in ("swap", "repeat") for i in range(1, 11)]
    write_pairs("pairs", make_pairs(lines))
    outcome = salva("twins", "run", "pairs", "--limit", "12", "--export", "some.jsonl")
    assert outcome.out == "12 pairs written: some.jsonl\n", outcome.err
    found = read_pair_lines("some.jsonl")
    assert tally_pairs(found) == {"append": 4, "swap_first_last": 2, "repeat": 2, "remove_second": 4}
    assert [pair.row for pair in found] == sorted(pair.row for pair in found)
    salva("twins", "run", "pairs", "--limit", "99", "--export", "all.jsonl")
    assert len(read_pair_lines("all.jsonl")) == 60


def test_a_function_that_a_limit_leaves_out_is_named_in_the_score_and_later(salva, home):
    outcome = salva("twins", "run", "pairs", "--limit", "1", *MODEL, "-o", "run")
    assert "note: kinds without pairs, which were not measured: repeat" in outcome.out, outcome.err
    assert "which were not measured: repeat" in salva("twins", "score", "run").out
    assert "1 pair of 1 source\n" in outcome.out


def test_the_rule_that_was_not_chosen_is_explained_beside_the_other(salva, home):
    outcome = salva("twins", "run", "pairs", *MODEL, "-o", "run")
    assert "rule any: equal answers are consistent, even if empty" in outcome.out
    assert "rule nonempty: equal answers are consistent unless they are empty" in outcome.out
    assert "(the published script's rule): consistency " in outcome.out
