"""Logs of the real harnesses, read back: the same questions, and their own accuracy item by item.

`tools/record_harness_logs.py` recorded them; `logs/versions.json` says with which versions.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import salva
from salva.errors import InputError, ModelError
from salva.harnesses import read_log, read_samples
from salva.harnesses.inspect import _MOST_SAMPLE
from salva.models import ModelOptions, open_generator
from salva.tasks import Expected, make_task, read_task
from tests.harnesses.conftest import CHOICE, ROWS, SHORT, USUAL, list_asked

LOGS = Path(__file__).parent / "logs"
PARTS = ("clean", "contractions_1", "misspellings_1")
CONDITIONS = ("clean", "contractions@1", "misspellings@1")
INSPECT = [
    LOGS / "inspect" / kind / f"short-{part}.{kind}"
    for kind in ("eval", "json")
    for part in ("clean", "contractions-1", "misspellings-1")
]


def grades(suite, part, replies, task):
    """Return whether Salva takes each recorded reply for right, by the id of the question."""
    asked = {row["key"].hex(): row for row in list_asked(suite, CONDITIONS[part])}
    assert {reply.salva for reply in replies} == set(asked)  # exactly the prompts of today
    right = {}
    for reply in replies:
        row = asked[reply.salva]
        options = {one["name"]: one["text"] for one in row["options"] or ()}
        grade = task.answer.grade(reply.text, Expected(tuple(row["expected"]), options, {}))
        right[reply.salva] = grade is not None and grade.answer == row["expected"][0]
    return right


@pytest.mark.parametrize("part", range(3))
def test_the_accuracy_of_lm_eval_is_salvas_item_by_item(choices, replies, part):
    for suite, task in ((choices, make_task("films", CHOICE)), (replies, read_task("short-answer"))):
        name = suite.name
        log = list(read_samples(LOGS / "lm-eval" / name / f"samples_{name}_{PARTS[part]}.jsonl"))
        assert grades(suite, part, log, task) == {reply.salva: reply.score == 1 for reply in log}


@pytest.mark.parametrize("path", INSPECT, ids=lambda path: path.name)
def test_the_accuracy_of_inspect_is_salvas_item_by_item(replies, path):
    log = list(read_log(path))
    part = INSPECT.index(path) % 3
    right = grades(replies, part, log, read_task("short-answer"))
    assert right == {reply.salva: reply.score == 1 for reply in log}
    assert len(set(right.values())) == 2


def test_an_evaluation_of_a_log_has_the_accuracies_of_the_harness():
    task = make_task("films", CHOICE)
    run = salva.evaluate(ROWS, f"log:{LOGS / 'lm-eval/films'}", task=task, **USUAL)
    own = json.loads((LOGS / "lm-eval/films/results.json").read_text())["results"]
    for condition, part in zip(run.results.conditions, PARTS[1:], strict=True):
        assert condition.score.accuracy_before.value == pytest.approx(100 * own["films_clean"]["acc,none"])
        assert condition.score.accuracy_after.value == pytest.approx(100 * own[f"films_{part}"]["acc,none"])
    assert run.results.noise is None


def test_a_log_is_scored_per_character_as_lm_eval_does(choices):
    path = LOGS / "lm-eval/films/samples_films_clean.jsonl"
    log = {reply.salva: reply.text for reply in read_samples(path, per_character=True)}
    for line in path.read_text("utf-8").splitlines():
        sample = json.loads(line)
        right = sample["doc"]["replies"][sample["doc"]["target"]]
        assert sample["acc_norm"] == (log[sample["doc"]["salva"]] == right)


def test_lm_eval_was_given_the_prompts_of_the_suite(choices):
    asked = list_asked(choices, "clean")
    for line in (LOGS / "lm-eval/films/samples_films_clean.jsonl").read_text("utf-8").splitlines():
        sample = json.loads(line)
        given = [sample["arguments"][f"gen_args_{k}"] for k in range(3)]
        row = asked[sample["doc_id"]]
        assert {one["arg_0"] for one in given} == set(row["parts"])
        assert [one["arg_1"] for one in given] == [f" {option['text']}" for option in row["options"]]


def test_a_log_of_another_suite_answers_nothing():
    with pytest.raises(ModelError, match="the logs have no reply to this question"):
        salva.evaluate(SHORT[:3], f"log:{LOGS / 'lm-eval/films'}", task="short-answer", presets="case")


@pytest.mark.parametrize("name", ["missing.eval", "notes.txt", "empty"])
def test_a_path_without_a_log_is_one_line(tmp_path, name):
    (tmp_path / "notes.txt").touch()
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=f"{name}: holds no log"):
        open_generator(f"log:{tmp_path / name}", ModelOptions())


def test_logs_of_two_runs_are_refused(tmp_path):
    (line, *_) = (LOGS / "lm-eval/short/samples_short_clean.jsonl").read_text("utf-8").splitlines()
    other = json.loads(line) | {"filtered_resps": ["something else"]}
    (tmp_path / "samples_a.jsonl").write_text(line + "\n")
    (tmp_path / "samples_b.jsonl").write_text(json.dumps(other) + "\n")
    with pytest.raises(InputError, match="two different replies"):
        open_generator(f"log:{tmp_path}", ModelOptions())


@pytest.mark.parametrize(
    "line", ["{", "[]", "{}", '{"doc": {"replies": []}}', '{"doc": 1, "filtered_resps": 2}']
)
def test_a_broken_sample_is_named_by_its_line(tmp_path, line):
    good = (LOGS / "lm-eval/short/samples_short_clean.jsonl").read_text("utf-8").splitlines()[0]
    (tmp_path / "samples_a.jsonl").write_text(f"{good}\n{line}\n")
    with pytest.raises(InputError, match=r"samples_a.jsonl:2: is not"):
        list(read_samples(tmp_path / "samples_a.jsonl"))


def archive(path, **files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in files.items():
            out.writestr(name.replace("__", "/"), content)
    return path


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"header.json": "{}"}, "has no samples"),
        ({"samples__a": "{"}, "samples/a is not JSON"),
        ({"samples__a": "[]"}, "samples/a is not a sample"),
        ({"samples__a": '{"metadata": {}}'}, "samples/a is not a sample"),
        ({"samples__..__a": '{"metadata": null}'}, r"samples/\.\./a is not a sample"),
    ],
)
def test_a_broken_archive_is_one_line(tmp_path, files, problem):
    with pytest.raises(InputError, match=problem):
        list(read_log(archive(tmp_path / "a.eval", **files)))


def test_a_sample_that_unpacks_to_too_much_is_refused(tmp_path):
    path = archive(tmp_path / "a.eval", samples__a=b"0" * (_MOST_SAMPLE + 1))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(InputError, match="is longer than 64 MB, the limit for a sample"):
        list(read_log(path))


def test_a_damaged_archive_is_one_line(tmp_path):
    content = INSPECT[0].read_bytes()
    for k in range(0, len(content), max(1, len(content) // 60)):
        for damaged in (content[:k], content[:k] + bytes([content[k] ^ 255]) + content[k + 1 :]):
            (tmp_path / "a.eval").write_bytes(damaged)
            try:
                list(read_log(tmp_path / "a.eval"))
            except InputError as error:
                assert "\n" not in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("choice", "status", "error"),
    [
        ({"message": {"content": "yes"}, "stop_reason": "stop"}, "answered", None),
        ({"message": {"content": "yes"}}, "answered", None),
        ({"message": {"content": "yes"}, "stop_reason": "max_tokens"}, "truncated", None),
        ({"message": {"content": "yes"}, "stop_reason": "model_length"}, "truncated", None),
        (
            {"message": {"content": "No."}, "stop_reason": "content_filter"},
            "refused",
            "the model refused to answer: 'No.'",
        ),
        (
            {
                "message": {"content": [{"type": "text", "text": "No.", "refusal": True}]},
                "stop_reason": "stop",
            },
            "refused",
            "the model refused to answer: 'No.'",
        ),
    ],
)
def test_a_log_of_inspect_says_why_a_reply_ends_early(tmp_path, choice, status, error):
    sample = {"metadata": {"salva": salva.models.text_id("Well?").hex()}, "output": {"choices": [choice]}}
    (tmp_path / "log.json").write_text(json.dumps({"samples": [sample]}))
    answers = open_generator(f"log:{tmp_path / 'log.json'}").predict(["Well?"])
    assert (answers.statuses, answers.errors) == ([status], [error])
    assert answers.labels == ["yes" if error is None else None]
