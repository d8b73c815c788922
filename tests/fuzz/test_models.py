"""What servers, programs, functions and files answer: an answer, or one line that says why there is none."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import strategies as st

from salva.errors import SalvaError
from salva.models import ModelOptions, align_labels, label_name, open_model
from salva.models.command import CommandGenerator, CommandModel, _parsed, _place
from salva.models.openai import OpenAIModel, RequestFaultError, _retry_after, chat_reply
from salva.models.outputs import OutputError, answers_of, checked, texts_of
from salva.models.protocol import MOST_ERROR, Answers, text_id
from salva.tasks.labelled_spans import read_reply
from tests.fuzz.strategies import check_line as check_message
from tests.fuzz.strategies import damaged, fuzz, json_values, one_line_errors, texts

REPLY = b'{"model": "m", "choices": [{"message": {"content": "pos"}, "finish_reason": "length"}]}'
CHAT = OpenAIModel("m", "http://localhost/v1", ModelOptions(labels=("pos", "neg")))


def check_answers(answers: Answers, count: int) -> None:
    """Check what every list of answers has: a label or a short line that says why there is none."""
    assert len(answers) == len(answers.cut) == count
    for label, status, error in zip(answers.labels, answers.statuses, answers.errors, strict=True):
        assert (label is None) == (error is not None) == (status in {"refused", "failed"})
        assert error is None or (len(error.splitlines()) == 1 and len(error) <= MOST_ERROR)


def check_reply(path: Path) -> None:
    """Read the body of a reply from a chat server."""
    try:
        assert CHAT._label(chat_reply(path.read_bytes().decode("utf-8", "replace"))) in ("pos", "neg")
    except RequestFaultError as error:
        check_message(str(error))


@fuzz(
    content=damaged([REPLY], [b"null", b"[]", b"{}", b'"neg"', b"[" * 50_000])
    | json_values.map(json.dumps).map(str.encode)
)
def test_a_reply_is_a_label_or_one_line(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "reply.json"
    path.write_bytes(content)
    check_reply(path)


DATES = [b"Wed, 21 Oct 2099 07:28:00 GMT", b"Wed, 21 Oct 2015 07:28:00 -0000", b"120", b"1e3"]


def check_wait(path: Path) -> None:
    wait = _retry_after(path.read_bytes().decode("latin-1"))
    assert wait is None or 0 <= wait <= 30


@fuzz(content=damaged(DATES, [b"-9999", b"+2359", b"99999", b":", b"GMT", b"Oct", b"0001"]))
def test_a_wait_is_a_number_of_seconds_or_none(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "wait.txt"
    path.write_bytes(content)
    check_wait(path)


LINES = [
    b'{"id": 0, "label": "pos"}',
    b'{"id": 1, "probabilities": {"pos": 0.75, "neg": 0.25}}',
    b'{"id": 0, "error": "x"}',
    b'{"id": 1, "output": "y", "status": "truncated", "cut": true}',
    b'{"id": 0, "label": "neg", "status": "refused"}',
]


class Silent:
    """The answers of a program that is not run."""

    _logits = False


def check_line(path: Path) -> None:
    """Read a line that a program wrote, as the answer to the first of two texts."""
    for kind in (CommandModel, CommandGenerator):
        try:
            answer = _parsed(path.read_bytes(), kind.fields)
            place = _place(answer, {0: 0, 1: 1})
            replies = [{}, {}]
            replies[place] = answer
            check_answers(kind._answers(Silent(), replies), 2)
        except OutputError as error:
            check_message(str(error))


@fuzz(content=damaged(LINES, [b"null", b"[]", b"{}", b"1e999", b'"label": ', b'"id": ']))
def test_a_line_of_a_program_is_an_answer_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "line.json"
    path.write_bytes(content)
    check_line(path)


@fuzz(raw=json_values | st.lists(json_values, max_size=3), count=st.integers(0, 3), logits=st.booleans())
def test_whatever_a_function_returns_is_answers_or_refused(raw, count, logits):
    for read in (
        lambda: answers_of(raw, count, classes=("pos", "neg"), logits=logits),
        lambda: texts_of(raw, count),
    ):
        try:
            check_answers(checked(read(), count), count)
        except OutputError as error:
            check_message(str(error))


@fuzz(
    model=st.lists(texts, max_size=4),
    data=st.lists(texts, max_size=4),
    mapping=st.dictionaries(texts, texts, max_size=2),
)
def test_labels_are_aligned_or_refused(model, data, mapping):
    with one_line_errors():
        aligned = align_labels(model, data, mapping)
        assert set(aligned) == set(model)


@fuzz(value=json_values, answer=st.booleans())
def test_a_label_has_one_spelling(value, answer):
    try:
        name = label_name(value, answer=answer)
    except SalvaError:
        return
    assert name is None or label_name(name, answer=True) == name


ID = text_id("a").hex().encode()
ANSWERS = {
    "answers.jsonl": [
        b'{"id": "%s", "label": "pos"}\n' % ID,
        b'{"id": "%s", "p_pos": 0.5, "p_neg": 0.5}\n' % ID,
        b'{"key": "%s", "label": "neg", "status": "refused"}\n' % ID,
    ],
    "answers.csv": [b"id,label\n%s,pos\n" % ID, b"id,p_pos,p_neg\n%s,0.75,0.25\n" % ID],
}


def check_recorded(path: Path) -> None:
    for other in ANSWERS:
        if other != path.name:
            path.with_name(other).unlink(missing_ok=True)
    for logits in (False, True):
        with one_line_errors():
            model = open_model(f"answers:{path.parent}", ModelOptions(logits=logits))
            check_answers(model.predict(["a", "b"]), 2)


@fuzz(name=st.sampled_from(list(ANSWERS)), data=st.data())
def test_damaged_answers_are_read_or_refused(tmp_path_factory, name, data):
    folder = tmp_path_factory.getbasetemp() / "answers"
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(
        data.draw(damaged(ANSWERS[name], [ID, b"p_", b"[]", b"1e999", b"-1", b"nan"]))
    )
    check_recorded(folder / name)


TAGGED = "Maria Lopez was in Paris, too."
TAGS = [
    b'["B-PER", "I-PER", "O", "O", "B-LOC", "O"]',
    b"Maria B-PER\nLopez I-PER\nwas O\nin O\nParis B-LOC\n, O\ntoo O\n. O",
    b'[[0, 11, "PER"], {"start": 19, "end": 24, "label": "LOC"}]',
]


@fuzz(
    reply=damaged(TAGS, [b"B-", b"-PER", b"E-LOC", b"[]", b"[" * 5_000, b"1e999", b"\xe2\x80\xa8"]),
    text=texts,
)
def test_a_reply_has_spans_or_tags_or_is_unparsed(reply, text):
    for own in (TAGGED, text):
        found = read_reply(reply.decode("utf-8", "replace"), own)
        assert found is None or all(0 <= one.start < one.end for one in found)
