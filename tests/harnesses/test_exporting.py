"""An exported suite asks exactly what Salva asks, and its files are whole."""

from __future__ import annotations

import importlib
import json
import runpy
import sys

import pytest

from salva.errors import InputError, MissingExtraError, UsageError
from salva.evaluation import evaluate
from salva.harnesses import HARNESSES
from salva.questions import export
from salva.questions.export import grade_reply
from salva.tasks import make_task
from tests.flat import flat
from tests.harnesses.conftest import SHORT, list_asked, make_suite


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_questions_are_those_of_the_suite(choices, tmp_path):
    export(choices, tmp_path / "out", to="lm-eval")
    for name in ("clean", "contractions@1", "misspellings@1"):
        asked = list_asked(choices, name)
        questions = lines(tmp_path / "out" / f"films_{name.replace('@', '_')}.jsonl")
        assert [[one["prompt"]] for one in questions] == [row["parts"] for row in asked]
        options = [[option["text"] for option in row["options"]] for row in asked]
        assert [one["replies"] for one in questions] == options
        assert [one["salva"] for one in questions] == [row["key"].hex() for row in asked]
        right = [dict(one["options"])[one["targets"][0]] for one in questions]
        assert [one["replies"][one["target"]] for one in questions] == right


def test_a_task_of_lm_eval_is_plain_yaml_with_one_key_per_line(choices, tmp_path):
    export(choices, tmp_path / "out", to="lm-eval")
    text = (tmp_path / "out/films_clean.yaml").read_text()
    keys = {line.partition(": ")[0]: line.partition(": ")[2] for line in text.splitlines()}
    assert keys.pop("custom_dataset") == "!function salva_functions.load"
    values = {key: json.loads(value) for key, value in keys.items()}
    assert values["output_type"] == "multiple_choice"
    assert values["metadata"]["suite"] == choices.digest
    group = (tmp_path / "out/films.yaml").read_text()
    assert 'task: ["films_clean", "films_contractions_1", "films_misspellings_1"]' in group


@pytest.mark.parametrize("to", HARNESSES)
def test_python_files_can_be_read_by_python(replies, tmp_path, to):
    for name in export(replies, tmp_path / "out", to=to):
        if name.endswith(".py"):
            compile((tmp_path / "out" / name).read_text(), name, "exec")


def test_a_name_that_is_a_number_and_conditions_of_any_name_give_python(tmp_path):
    rows = [row | {'"""; raise SystemExit': "Was it good?"} for row in SHORT[:1]]
    asked = {"presets": "case", "severities": 1.0, "options": flat(variants='"""; raise SystemExit')}
    suite = make_suite(rows, tmp_path / "suite", task="short-answer", name="2024", **asked)
    export(suite, tmp_path / "out", to="inspect")
    text = (tmp_path / "out/salva_tasks.py").read_text("utf-8")
    compile(text, "salva_tasks.py", "exec")
    assert "def suite_2024_clean():" in text
    assert "raise" not in text.replace("suite_2024_variants_raise_SystemExit", "")


def test_without_inspect_its_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    monkeypatch.delitem(sys.modules, "salva.inspect_plugin", raising=False)
    with pytest.raises(
        MissingExtraError, match=r"'inspect_ai' is not installed; pip install 'salva\[inspect\]'"
    ):
        importlib.import_module("salva.inspect_plugin")


def test_a_reply_is_graded_in_a_harness_as_in_salva(replies, tmp_path):
    export(replies, tmp_path / "out", to="lm-eval")
    functions = runpy.run_path(str(tmp_path / "out/salva_functions.py"))
    (first, *_) = lines(tmp_path / "out/short_clean.jsonl")
    assert functions["grade"](first, ["Story."]) == {"acc": 1.0, "score": 1.0, "parsed": 1.0}
    assert functions["grade"](first, ["a tale"]) == {"acc": 0.0, "score": 0.0, "parsed": 1.0}
    assert functions["grade"](first, [" "]) == {"acc": 0.0, "score": 0.0, "parsed": 0.0}


def test_promptfoo_gets_messages_and_grades(replies, tmp_path):
    export(replies, tmp_path / "out", to="promptfoo")
    config = json.loads((tmp_path / "out/promptfooconfig.yaml").read_text())
    assert config["tests"][0] == "file://short_clean.json"
    (first, *_) = json.loads((tmp_path / "out/short_clean.json").read_text())
    context = {"vars": first["vars"]}
    prompt = runpy.run_path(str(tmp_path / "out/salva_prompt.py"))["get_prompt"](context)
    assert json.loads(prompt) == [{"role": "user", "content": list_asked(replies, "clean")[0]["parts"][0]}]
    grade = runpy.run_path(str(tmp_path / "out/salva_grade.py"))["get_assert"]
    assert grade("story", context)["pass"] is True
    assert grade("film", context) == {"pass": False, "score": 0.0, "reason": "the answer is 'film'"}


def test_promptfoo_finds_no_template_in_a_question(replies, tmp_path):
    export(replies, tmp_path / "out", to="promptfoo")
    escape = runpy.run_path(str(tmp_path / "out/salva_prompt.py"))["escape"]
    assert escape("{a} {{b}} {% c %} {#") == '{a} {{ "{" }}{b}} {{ "{" }}% c %} {{ "{" }}#'


def test_a_choice_is_graded_by_name_and_text(choices, tmp_path):
    export(choices, tmp_path / "out", to="inspect")
    (first, *_) = lines(tmp_path / "out/films_clean.jsonl")
    task = tmp_path / "out/task.json"
    assert grade_reply(task, first, "fine story").right
    assert grade_reply(task, first, "A").right
    assert not grade_reply(task, first, "B").right
    assert grade_reply(task, first, "?").answer is None


def test_texts_without_a_task_cannot_be_exported(tmp_path):
    suite = make_suite(["a big film"], tmp_path / "suite", presets="case")
    with pytest.raises(UsageError, match="texts without a task"):
        export(suite, tmp_path / "out", to="inspect")
    assert not (tmp_path / "out").exists()


def test_files_are_replaced_only_on_request(replies, tmp_path):
    first = export(replies, tmp_path / "out", to="inspect")
    with pytest.raises(InputError, match="exists; pass overwrite=True"):
        export(replies, tmp_path / "out", to="inspect")
    assert export(replies, tmp_path / "out", to="inspect", overwrite=True) == first
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(first)
    with pytest.raises(UsageError, match="to='helm' must be one of"):
        export(replies, tmp_path / "out", to="helm")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a file"):
        export(replies, tmp_path / "file", to="inspect")


YES_NO = {
    "prompt": "{text}\nIs that good? Answer yes or no.",
    "edit": ["text"],
    "target": "good",
    "answer": {"kind": "label", "labels": ["yes", "no"]},
    "contrast": {"opposites": {"yes": "no"}},
}
FILMS = [
    {"id": f"f{n}", "text": f"It was a {word} film.", "own": f"That film was {word}.", "good": good}
    for n, (word, good) in enumerate([("good", "yes"), ("bad", "no"), ("great", "yes"), ("odd", "no")])
]


@pytest.fixture(scope="module")
def contrasts(tmp_path_factory):
    """A suite with paraphrases, and a contrast that edits all items but the last."""
    path = tmp_path_factory.mktemp("contrasts") / "suite"
    task = make_task("films", YES_NO)
    asked = {"presets": "antonyms", "severities": 1.0, "options": flat(variants="own")}
    return make_suite(FILMS, path, task=task, name="films", **asked)


def test_contrasts_go_apart_with_their_new_answers(contrasts, tmp_path):
    export(contrasts, tmp_path / "out", to="lm-eval")
    questions = lines(tmp_path / "out/films_antonyms_1.jsonl")
    assert [one["id"] for one in questions] == ["f0", "f1", "f2"]
    assert [one["targets"] for one in questions] == [["no"], ["yes"], ["no"]]
    assert 'task: ["films_clean", "films_variants_own"]' in (tmp_path / "out/films.yaml").read_text()
    assert 'task: ["films_antonyms_1"]' in (tmp_path / "out/films_contrasts.yaml").read_text()
    assert len(lines(tmp_path / "out/films_variants_own.jsonl")) == len(FILMS)


def test_promptfoo_adds_up_contrasts_and_other_conditions_apart(contrasts, tmp_path):
    files = export(contrasts, tmp_path / "out", to="promptfoo")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(files)
    configs = ("promptfooconfig.yaml", "promptfooconfig.contrasts.yaml")
    tests = [json.loads((tmp_path / "out" / name).read_text())["tests"] for name in configs]
    assert tests == [
        ["file://films_clean.json", "file://films_variants_own.json"],
        ["file://films_antonyms_1.json"],
    ]


def test_a_contrast_whose_answers_must_only_differ_is_not_exported(tmp_path):
    task = make_task("films", {**YES_NO, "contrast": {}})
    suite = make_suite(FILMS, tmp_path / "suite", task=task, presets="antonyms", severities=1.0)
    with pytest.raises(
        UsageError, match="3 answers of antonyms@1 must only differ from the clean one, which no"
    ):
        export(suite, tmp_path / "out", to="inspect")
    assert not (tmp_path / "out").exists()


def test_the_log_of_a_harness_gives_the_sensitivity_of_exported_contrasts(contrasts, tmp_path):
    export(contrasts, tmp_path / "out", to="inspect")
    questions = [one for path in sorted((tmp_path / "out").glob("*.jsonl")) for one in lines(path)]
    samples = [
        {"metadata": {"salva": one["salva"]}, "output": {"completion": one["targets"][0]}}
        for one in questions
    ]
    (tmp_path / "log.json").write_text(json.dumps({"samples": samples}))
    results = evaluate(contrasts.path, f"log:{tmp_path / 'log.json'}").results
    score = results.contrasts[0].score
    assert (score.n, score.sensitivity.value, score.on_target.value) == (3, 100, 100)
    assert [one.score.consistency.value for one in results.conditions] == [100]
