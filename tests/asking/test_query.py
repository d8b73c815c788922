"""Items 100 to 111: whatever a model does, the answers to other texts stand and the run goes on."""

from __future__ import annotations

import math
import os
import random
import re
import signal
import threading
import time

import numpy as np
import pytest

from salva.asking.pipeline import query
from salva.errors import ModelError
from salva.models import Answers, open_model
from tests.models.conftest import all_positive

TEXTS = [f"text {i}" for i in range(100)]


def fails_on(*bad):
    def predict(texts):
        for text in texts:
            if text in bad:
                raise ValueError(f"cannot read {text!r}")
        return all_positive(texts)

    return predict


def test_100_a_text_that_raises_is_found_and_the_others_are_answered(counted):
    model = counted(fails_on("text 37"))
    answers = query(model, TEXTS)
    assert [i for i, label in enumerate(answers.labels) if label is None] == [37]
    assert re.fullmatch(r"ValueError: cannot read 'text 37' \(.*test_query.py:\d+\)", answers.errors[37])
    assert len(model.batches) <= 2 * math.ceil(math.log2(100)) + 1


def test_100_several_texts_that_raise_are_found(counted):
    answers = query(counted(fails_on("text 0", "text 1", "text 99")), TEXTS)
    assert [i for i, error in enumerate(answers.errors) if error] == [0, 1, 99]


def test_100_every_other_text_raises_and_is_found(counted):
    bad = TEXTS[::2]
    answers = query(counted(fails_on(*bad)), TEXTS)
    assert [text for text, label in zip(TEXTS, answers.labels, strict=True) if label is None] == bad


@pytest.mark.parametrize("count", [1, 2, 3, 5, 16, 100, 1024])
def test_101_a_model_that_always_raises_costs_few_calls(counted, count):
    def predict(texts):
        raise RuntimeError("no GPU")

    model = counted(predict)
    answers = query(model, ["x"] * count)
    assert len(set(answers.errors)) == 1
    assert answers.errors[0].startswith("RuntimeError: no GPU (")
    assert answers.labels == answers.probabilities == [None] * count
    assert len(model.batches) <= 2 * math.log2(count) + 16


def test_101_a_model_that_says_it_is_of_no_use_stops_the_run(counted):
    def predict(texts):
        raise ModelError("the key is wrong")

    with pytest.raises(ModelError, match="the key is wrong"):
        query(counted(predict), TEXTS)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (lambda texts: ["pos"] * 31, "model returned 31 results for 32 texts"),
        (lambda texts: ["pos"] * 33, "model returned 33 results for 32 texts"),
        (lambda texts: (text for text in texts), "model returned one generator, not a list of 32 answers"),
        (lambda texts: None, "model returned None, not a list of 32 answers"),
        (lambda texts: 1, "model returned one int (1), not a list of 32 answers"),
        (lambda texts: "pos", "model returned one str ('pos'), not a list of 32 answers"),
        (lambda texts: {"pos": 1}, "model returned one dict, not a list of 32 answers"),
        (set, "model returned one set, not a list of 32 answers"),
        (
            lambda texts: np.float64(1),
            "model returned one float64 (np.float64(1.0)), not a list of 32 answers",
        ),
        (lambda texts: [["pos"]] * 32, "model returned ['pos'] for one text, not one label"),
        (
            lambda texts: [[[0.5, 0.5]]] * 32,
            "model returned numbers of shape (32, 1, 2), not (texts, classes)",
        ),
        (
            lambda texts: [[0.5, 0.5], [1.0]] * 16,
            "model returned rows that do not make a table of numbers",
        ),
        (
            lambda texts: [object] * 32,
            "model returned a wrong answer: label <class 'object'> must be a string",
        ),
    ],
)
def test_102_an_answer_of_another_shape_fails_the_batch(answer, error):
    calls = []

    def predict(texts):
        calls.append(len(texts))
        return answer(texts)

    answers = query(open_model(predict), ["x"] * 32)
    assert answers.labels == [None] * 32
    assert {said[: len(error)] for said in answers.errors} == {error}
    assert calls == [32], "parts of it would fare no better"


def test_102_a_coroutine_is_no_answer():
    async def predict(texts):
        return ["pos"]

    answers = query(open_model(predict), ["x"])
    assert answers.errors[0].startswith("model returned one coroutine")


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        (["pos"], "model returned one list, not Answers"),
        (Answers(["pos"], [None], ["answered"], [], [False]), "model returned 0 errors for 1 text"),
        (
            Answers([1], [None], ["answered"], [None], [False]),
            "model returned the label 1, which is not a string",
        ),
        (
            Answers(["pos"], [None], ["ok"], [None], [False]),
            "model returned the status 'ok'; it must be one of answered, truncated, refused, failed",
        ),
        (Answers([None], [None], ["answered"], [None], [False]), "the model gave no answer"),
    ],
)
def test_102_a_model_that_speaks_the_protocol_badly_fails_the_batch(counted, answers, error):
    assert query(counted(lambda texts: answers), ["x"]).errors == [error]


def test_107_a_model_that_draws_lots_is_not_made_to_look_steady():
    model = open_model(lambda texts: [random.random() < 0.5 for _ in texts])
    random.seed(1)
    assert query(model, TEXTS).labels != query(model, TEXTS).labels


def test_108_a_batch_is_asked_as_it_was_given(counted):
    model = counted(all_positive)
    query(model, TEXTS)
    query(model, TEXTS[:1])
    assert model.batches == [TEXTS, TEXTS[:1]]


def test_109_a_model_may_change_its_list(counted):
    def predict(texts):
        answers = all_positive(texts)
        texts.clear()
        return answers

    texts = ["a", "b"]
    assert query(counted(predict), texts).labels == ["pos", "pos"]
    assert texts == ["a", "b"]


def test_109_what_a_model_prints_stays_off_standard_output(counted, capsys):
    def predict(texts):
        print("epoch 1")
        return all_positive(texts)

    query(counted(predict), ["a"])
    print("ours")
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("ours\n", "epoch 1\n")


def test_109_standard_output_is_given_back_when_two_threads_ask_at_once(counted, capsys):
    slow = counted(lambda texts: time.sleep(0.2) or all_positive(texts))
    threads = [threading.Thread(target=query, args=(slow, ["a"])) for _ in range(3)]
    for thread in threads:
        thread.start()
        time.sleep(0.05)
    for thread in threads:
        thread.join()
    print("ours")
    assert capsys.readouterr().out == "ours\n"


@pytest.mark.parametrize("stop", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
def test_109_a_model_that_ends_the_program_has_failed(counted, stop):
    def predict(texts):
        if "b" in texts:
            raise stop
        return all_positive(texts)

    answers = query(counted(predict), ["a", "b"])
    assert answers.labels == ["pos", None]
    assert answers.errors[1].startswith(type(stop).__name__)


def test_109_os_exit_fails_its_text_and_ends_no_process():
    """A child that the model forks may end with it, and afterwards it is what it was."""

    def model(texts):
        if not os.fork():
            os._exit(0)
        os.wait()
        if "die" in texts:
            os._exit(0)
        return texts

    before = os._exit
    answers = query(open_model(model), ["a", "die", "b"])
    assert answers.labels == ["a", None, "b"]
    said = "SystemExit: the code called os._exit(0) (tests/asking/test_query.py:"
    assert answers.errors[1].startswith(said)
    assert os._exit is before


def test_109_a_model_that_seeds_the_generators_does_not_change_what_others_get(counted):
    def predict(texts):
        random.seed(0)
        np.random.seed(0)
        return Answers.of([str(random.random()) for _ in texts])

    model = counted(predict)
    assert query(model, ["a", "b"]).labels == query(model, ["a", "b"]).labels


def test_110_a_model_that_hangs_fails_its_batch_and_is_told_to_stop(counted):
    free = threading.Event()
    model = counted(lambda texts: free.wait(600) and all_positive(texts))
    answers = query(model, TEXTS, timeout=0.2)
    assert answers.errors == ["no answer within 0.2 seconds"] * 100
    assert not free.is_set()
    assert model.batches == [TEXTS, "closed"], "a hang is not looked for in parts"
    free.set()


def test_110_a_model_is_asked_on_after_a_hang(counted):
    free = threading.Event()
    model = counted(lambda texts: all_positive(texts) if "quick" in texts else free.wait(600))
    query(model, ["slow"], timeout=0.1)
    assert query(model, ["quick"], timeout=300).labels == ["pos"]
    free.set()


def test_84_ctrl_c_of_the_user_still_stops_us(counted):
    free = threading.Event()

    def predict(texts):
        os.kill(os.getpid(), signal.SIGINT)
        free.wait(600)
        return all_positive(texts)

    with pytest.raises(KeyboardInterrupt):
        query(counted(predict), ["a"])
    free.set()


def test_111_tensors_with_gradients_and_of_sixteen_bits_are_read():
    torch = pytest.importorskip("torch")

    def predict(texts):
        return torch.tensor([[0.25, 0.75]] * len(texts), dtype=torch.bfloat16, requires_grad=True)

    predict.classes = ("neg", "pos")
    answers = query(open_model(predict), ["a", "b"])
    assert (answers.labels, answers.probabilities) == (["pos", "pos"], [0.75, 0.75])
    assert query(open_model(lambda texts: [torch.tensor(1)] * 2), ["a", "b"]).labels == ["1", "1"]


def test_an_error_is_one_short_line_whatever_it_says(counted):
    class NastyError(Exception):
        def __str__(self):
            raise RuntimeError

    def raising(error):
        def predict(texts):
            raise error

        return query(counted(predict), ["a"]).errors[0]

    shown = raising(ValueError("two\nlines \x1b[31m\u202e"))
    assert shown.startswith(r"ValueError: two lines \x1b[31m\u202e (")
    assert len(raising(ValueError("x" * 10**6))) == 300
    assert raising(NastyError()).startswith("NastyError (")


def test_no_texts_are_no_call(counted):
    model = counted(all_positive)
    assert query(model, []) == Answers([], [], [], [], [])
    assert model.batches == []


def test_calls_come_from_one_thread_that_is_kept(counted):
    model = counted(lambda texts: Answers.of([str(threading.get_ident())]))
    assert len({query(model, ["a"]).labels[0] for _ in range(5)}) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_92_a_forked_child_can_ask(counted):
    model = counted(all_positive)
    query(model, ["a"])
    child = os.fork()
    if child == 0:
        os._exit(0 if query(model, ["a"], timeout=300).labels == ["pos"] else 1)
    assert os.waitpid(child, 0)[1] == 0
