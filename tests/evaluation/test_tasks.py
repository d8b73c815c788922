"""Tasks: questions in place of texts; only what may change changes, and unparsed replies stay apart."""

from __future__ import annotations

import json
import logging
import random
import re
import sys
import threading

import pytest

from salva.errors import InputError, ModelError, UsageError
from salva.evaluation import load_run, rescore
from salva.questions import make_questions
from salva.tasks import make_task
from tests.evaluation.running import run as run_on
from tests.models.chat import running, said

ADDED = {"task": "arithmetic", "presets": "misspellings", "severities": 1.0}

QUESTION = {
    "prompt": "Background: {background}\nNote: {note}\nQuestion: {question}\n{options}",
    "edit": ["question", "background"],
    "target": "answer",
    "options": {"columns": ["a", "b"]},
    "protect_patterns": ["keep this"],
    "answer": {"kind": "choice"},
}
WORDS = re.findall(
    r"\S+",
    "the good movie was really very big and she bought 12 apples for $3.50 in twenty small shops because "
    "`print(x)` cannot begin {name} their happy children wanted to help quickly keep this however ___ don't",
)


def random_rows(count):
    chance = random.Random(5)

    def words(number):
        return " ".join(chance.choice(WORDS) for _ in range(number))

    for _ in range(count):
        a, b = words(2), words(1) + " thing"
        question = f"{words(8)} {chance.choice([a, b.upper(), ''])} {words(4)}?"
        yield {"question": question, "background": words(9), "note": words(3), "a": a, "b": b, "answer": "A"}


@pytest.mark.parametrize("size", [500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_only_what_may_change_changes(size):
    task, rows = make_task("own", QUESTION), list(random_rows(size))
    presets = ["natural+misspellings", "hybrid", "spaces+case"]
    questions = make_questions(rows, presets=presets, severities=1.0, task=task)
    edits = 0
    for block in questions.blocks(["item", "condition", "parts", "edits"]):
        for asked in block.to_pylist():
            row, (prompt,) = rows[asked["item"]], asked["parts"]
            before = task.fill(row).prompt.messages[0].content
            if asked["condition"] == "clean":
                assert prompt == before
                continue
            note, options = f"\nNote: {row['note']}\nQuestion: ", before[before.index("\nA. ") :]
            pattern = f"Background: (.*){re.escape(note)}(.*){re.escape(options)}"
            background, question = re.fullmatch(pattern, prompt, re.DOTALL).groups()
            check_protected(task, row, {"background": background, "question": question})
            check_edits(task, row, before, asked["edits"] or [])
            edits += len(asked["edits"] or [])
    assert edits > 5 * size


def check_protected(task, row, twin):
    """Check that every protected span is in the twin byte for byte."""
    for name, value in twin.items():
        assert all(row[name][first:last] in value for first, last in task.protected(name, row))


def check_edits(task, row, prompt, edits):
    """Check that edits are in columns that may change, and that none touches a protected span."""
    places = {"background": len("Background: "), "question": prompt.index("\nQuestion: ") + 11}
    columns = [(at, at + len(row[name])) for name, at in places.items()]
    spans = [(at + a, at + b) for name, at in places.items() for a, b in task.protected(name, row)]
    for edit in edits:
        start, end = edit["old_start"], edit["old_start"] + len(edit["old"])
        assert any(first <= start and end <= last for first, last in columns)
        assert all(end <= first or last <= start for first, last in spans)


ADDING = [
    {"question": f"What is {n} and {n + 1} taken together, my good friend?", "answer": 2 * n + 1}
    for n in range(40)
]


def add(prompts):
    """Add two numbers; some replies have no answer, some are wrong if the words changed."""
    replies = []
    for prompt in prompts:
        first = int(prompt.split()[2])
        changed = "good friend" not in prompt
        if first % 10 == 3 or (changed and first % 10 == 4):
            replies.append("I would rather not say")
        else:
            replies.append(f"It is #### {2 * first + 1 + (changed and first % 4 == 1)}")
    return replies


def test_questions_may_have_nothing_to_protect():
    rows = [{"question": "Is the Danube longer than the Rhine?", "answer": "yes"}]
    run = run_on(rows, lambda texts: ["Yes."] * len(texts), task="yes-no", presets="typos")
    assert run.results.conditions[-1].score.accuracy_after.value == 100


def test_unparsed_replies_are_apart_from_right_and_wrong():
    run = run_on(ADDING, add, **ADDED)
    (condition,) = run.results.conditions
    score, replies = condition.score, condition.replies
    assert (score.n + score.n_unparsed, score.n_failed, score.n_unlabelled) == (40, 0, 0)
    assert score.n_unparsed >= 4
    assert replies.unparsed_before.value == 10.0
    assert replies.unparsed_after.value >= 10.0
    assert score.accuracy_before.value == 100.0
    assert score.right_to_wrong == score.changed > 0
    assert score.accuracy_after.value == pytest.approx(100 * (1 - score.changed / score.n))
    assert score.macro_f1_before is None
    assert run.results.classes == run.results.by_class == ()
    assert "10.0 % of the clean replies are unparsed" in run.summary()
    table = run.to_pandas()
    assert table["replies_unparsed_before"].tolist() == [10.0]
    before = dict(zip(run.answers["id"].to_pylist(), run.answers["before"].to_pylist(), strict=True))
    assert (before["2"], before["3"]) == ("5", None)


def test_a_flip_shows_the_question_and_the_word_to_blame(tmp_path):
    run = run_on(ADDING, add, **ADDED, out=tmp_path / "run", blame_calls=16)
    flip = run.flips[0]
    assert flip.text.endswith("as a number after ####.")
    assert all(flip.text[edit.start : edit.end] == edit.new for edit in flip.edits)
    assert {edit.old for edit in flip.edits if edit.blamed} <= {"good", "friend?", "friend"}
    assert flip.cause is not None
    assert int(flip.after) == int(flip.before) + 1
    page = (tmp_path / "run/report.html").read_text()
    assert "as a number after ####." in page
    assert "unparsed<br>before" in page
    assert load_run(tmp_path / "run").results == run.results


def test_scores_between_right_and_wrong_have_their_mean_and_interval():
    rows = [
        {"question": f"Who is number {k}, tell me quickly?", "answer": "old John Smith"} for k in range(30)
    ]

    def name(prompts):
        return ["John Smith" if "quickly" in prompt else "Smith, or else Jones" for prompt in prompts]

    run = run_on(rows, name, **ADDED | {"task": "short-answer"})
    replies = run.results.conditions[0].replies
    assert replies.score_before == pytest.approx(80.0)
    assert 28.0 < replies.score_after < 80.0
    assert replies.score_drop.low <= replies.score_drop.value == pytest.approx(80 - replies.score_after)
    assert "The mean score goes from 80.0 to" in run.summary()


def test_stored_replies_are_graded_again_without_the_model(tmp_path):
    task = {"prompt": "{question}", "edit": ["question"], "target": "answer", "answer": {"kind": "number"}}
    given = ADDED | {"task": make_task("own", task), "out": tmp_path / "run"}
    first = run_on(ADDING, lambda prompts: ["Sum: 1, or perhaps 7"] * len(prompts), **given)
    assert set(first.answers["before"].to_pylist()) == {"7"}
    other = make_task("own", task | {"answer": {"kind": "number", "reply_pattern": r"Sum: (\d+)"}})
    again = rescore(tmp_path / "run", task=other)
    assert set(again.answers["before"].to_pylist()) == {"1"}
    assert again.results.settings["task"]["answer"]["reply_pattern"] == r"Sum: (\d+)"
    exact = make_task("own", task | {"answer": {"kind": "text", "compare": "contains"}})
    last = rescore(tmp_path / "run", task=exact)
    assert last.results.conditions[0].score.accuracy_before.value == 100 * 2 / 40
    assert set(last.answers["label"].to_pylist()) == {str(row["answer"]) for row in ADDING}
    with pytest.raises(UsageError, match="task= asks other questions than the run did"):
        rescore(tmp_path / "run", task=make_task("own", task | {"prompt": "Q: {question}"}))


CHAT = {
    "messages": [
        {"role": "system", "content": "Choose one of {labels}."},
        {"role": "user", "content": "{text}"},
    ],
    "edit": ["text"],
    "target": "label",
    "answer": {"kind": "label", "labels": {"good": [], "bad": []}},
}
TEXTS = [{"text": f"A really wonderful film, number {k}, I believe", "label": "good"} for k in range(8)]


def evaluate_server(server, **options):
    options = ADDED | {"task": make_task("own", CHAT), "noise": 2, "alone": 1, "blame_calls": 16} | options
    return run_on(TEXTS, f"openai:m@http://127.0.0.1:{server.server_port}/v1", **options)


@pytest.fixture
def chat(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with running() as made:
        yield made


def test_a_server_gets_the_messages_and_its_replies_are_parsed(chat):
    chat.answer = lambda request: request.reply(said("Good." if "wonderful" in request.text else "I refuse"))
    run = evaluate_server(chat)
    sent = [body["messages"] for _, _, body in chat.requests]
    assert [
        {"role": "system", "content": "Choose one of good, bad."},
        {"role": "user", "content": TEXTS[0]["text"]},
    ] in sent
    assert all(messages[0] == sent[0][0] for messages in sent)
    score = run.results.conditions[0].score
    assert (score.accuracy_before.value, score.n + score.n_unparsed) == (100.0, 8)


@pytest.mark.slow
def test_a_server_that_fails_stalls_or_changes_is_treated_as_for_labels(chat, caplog, tmp_path):
    import stamina

    versions = iter(["m-1"] * 3 + ["m-2"] * 1000)

    def answer(request):
        if "number 3" in request.text:
            request.reply("no", status=500)
        elif "number 4" in request.text:
            request.reply("<html>welcome</html>")
        else:
            request.reply(said("good", model=next(versions)))

    chat.answer = answer
    with stamina.set_testing(True, attempts=2, cap=True), caplog.at_level(logging.WARNING, "salva"):
        run = evaluate_server(chat, errors=0.5, out=tmp_path / "run")
    assert "the server changed its model from 'm-1' to 'm-2'" in caplog.text
    score = run.results.conditions[0].score
    assert (score.n, score.n_failed, score.n_unparsed) == (6, 2, 0)
    errors = {failure.error for failure in run.results.failures}
    assert errors == {"HTTP 500: 'no'", "the reply is not a chat completion: '<html>welcome</html>'"}
    chat.answer = lambda request: request.server.release.wait(300)
    chat.release = threading.Event()
    try:
        with pytest.raises(ModelError, match=r"no answer within 0\.2 seconds"):
            evaluate_server(chat, deadline=0.2)
    finally:
        chat.release.set()


def test_a_program_gets_the_prompt_and_the_options(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    assert asked['text'].startswith('Background: '), asked\n"
        "    print(json.dumps({'id': asked['id'], 'output': asked['options'][0]}), flush=True)\n"
    )
    rows = list(random_rows(20))
    given = ADDED | {"task": make_task("own", QUESTION)}
    run = run_on(rows, f"command:{sys.executable} {program}", **given)
    score = run.results.conditions[0].score
    assert (score.n, score.accuracy_after.value, score.consistency.value) == (20, 100.0, 100.0)


def test_what_a_task_decides_cannot_be_given_again(tmp_path):
    with pytest.raises(UsageError, match="text= and task= exclude each other; edit the task"):
        run_on(ADDING, add, **ADDED, text="question")
    with pytest.raises(UsageError, match="prompt= and task= exclude each other"):
        run_on(ADDING, add, **ADDED, prompt="{text}")
    own = {
        "prompt": "{question}",
        "edit": ["question"],
        "answer": {"kind": "python", "function": "no_module:f"},
    }
    with pytest.raises(UsageError, match="there is no module 'no_module'"):
        run_on(ADDING, lambda prompts: pytest.fail("asked"), task=make_task("own", own))
    with pytest.raises(UsageError, match="model 'builtin:reviews' does not write text"):
        run_on(ADDING, "builtin:reviews", task="arithmetic")


def test_questions_are_exported_and_replies_read_back(tmp_path):
    task, rows = make_task("own", {**QUESTION, "edit": ["question"]}), list(random_rows(8))
    given = {"presets": "misspellings", "severities": 1.0, "task": task}
    asked = make_questions(rows, out=tmp_path / "suite", **given).to_arrow().to_pylist()
    assert all(
        [one["text"] for one in row["options"]] == [rows[row["item"]][k] for k in "ab"] for row in asked
    )
    keys = list(dict.fromkeys(row["key"].hex() for row in asked))
    replies = ("It is (A).", "B", "who knows?")
    answers = tmp_path / "answers.jsonl"
    with answers.open("w") as stream:
        for k, key in enumerate(keys[:-1]):
            stream.write(json.dumps({"key": key, "output": replies[k % 3]}) + "\n")
    for data, more in ((tmp_path / "suite", {}), (rows, given)):
        run = run_on(data, f"answers:{answers}", errors=1.0, noise=5, **more)
        score = run.results.conditions[0].score
        assert score.n + score.n_unparsed + score.n_failed == 8
        assert score.n_unparsed
        assert (run.results.noise, sum(failure.times for failure in run.results.failures)) == (None, 1)
    answers.write_text(json.dumps({"key": keys[0], "label": "A"}))
    with pytest.raises(InputError, match="has key and 'label'; expected key and output, the whole reply"):
        run_on(rows, f"answers:{answers}", **given)


def test_messages_are_exported_as_they_are(tmp_path):
    task = make_task("own", CHAT)
    questions = make_questions(TEXTS, task=task, presets="misspellings", severities=1.0)
    assert {one.roles for one in questions.about.conditions} == {("system", "user")}
    first = questions.to_arrow().to_pylist()[0]
    assert first["parts"] == ["Choose one of good, bad.", TEXTS[0]["text"]]
    assert first["options"] is None
