"""Batches under way at once: in order, within limits, and never in the way of an error or of Ctrl-C."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import weakref

import pytest

from salva.asking.asker import Asker
from salva.asking.pipeline import MadeAhead, Pipeline
from salva.errors import ModelError, UsageError
from salva.evaluation import evaluate
from salva.models import Answers
from salva.models.guard import Worker
from salva.questions import Limits
from tests.asking.tables import ABOUT, Echo, ask, block_of, logged, open_log, replies
from tests.flat import flat


class Staged(Echo):
    """Answers in a thread of its own, like a model that tokenises one batch while it computes another."""

    batch_size, ahead = 2, 3

    def __init__(self, fails=()):
        super().__init__(fails)
        self.begun, self.worker = [], Worker()

    def begin(self, texts):
        self.begun.append(list(texts))
        return self.worker.begin(lambda: self.answer(texts))

    def predict(self, texts):
        self.batches.append(list(texts))
        return self.answer(texts)

    def answer(self, texts):
        if set(texts) & set(self.fails):
            raise ValueError("cannot read it")
        return Answers.of([f"{text}!" for text in texts])

    def close(self):
        self.worker.stop()
        self.worker = Worker()


def test_a_question_of_two_groups_is_asked_once_while_it_is_under_way(log):
    model = Staged()
    ask(model, log, "abc", "bcd", "abd", "xa")
    assert model.begun == [["a", "b"], ["c", "d"], ["x"]]
    assert replies(log, "abcdx") == ["a!", "b!", "c!", "d!", "x!"]
    assert not model.batches


def test_the_next_batches_are_begun_before_an_answer_is_read():
    model = Staged()
    answers = Pipeline(model).answers(iter([["a"], ["b"], ["c"], ["d"]]))
    assert next(answers).labels == ["a!"]
    assert model.begun == [["a"], ["b"], ["c"]]
    assert [one.labels for one in answers] == [["b!"], ["c!"], ["d!"]]


def test_by_default_a_batch_is_sent_when_the_answers_to_the_last_one_are_kept(tmp_path, log, monkeypatch):
    class Plain(Echo):
        batch_size = 2

        def predict(self, texts):
            seen.append(len(logged(tmp_path / "answers.db")))
            return super().predict(texts)

    seen = []
    monkeypatch.setattr("salva.asking.log._AT_ONCE", -1.0)  # as if every batch had taken a while
    ask(Plain(), log, "abcde", "fg")
    assert seen == [0, 2, 4, 6]


def test_the_next_batch_is_made_while_the_model_answers(log):
    made = threading.Event()

    class Waits(Echo):
        def predict(self, texts):
            assert "a" not in texts or made.wait(600)
            return super().predict(texts)

    def blocks():
        yield block_of("abcd")
        made.set()  # if the model were waited for, it would be waiting for this
        yield block_of("efgh")

    Asker(Waits(), log, Limits()).ask(blocks(), ABOUT)
    assert replies(log, "ah") == ["a!", "h!"]


def test_a_batch_that_fails_in_stages_is_asked_again_and_the_text_at_fault_found(log):
    model = Staged(fails="c")
    ask(model, log, "abcdef", limits=Limits(errors=1))
    assert replies(log, "abcdef") == ["a!", "b!", None, "d!", "e!", "f!"]
    assert "ValueError: cannot read it (" in "".join(log.count_failures())
    assert model.batches == [["c", "d"], ["c"], ["d"]]


def test_answers_before_a_limit_are_kept_and_those_after_a_failure_are_not(tmp_path, log):
    with pytest.raises(UsageError, match="more calls than calls=5 allows"):
        ask(Staged(), log, "abcdefgh", limits=Limits(calls=5))
    assert replies(log, "abcdefgh") == ["a!", "b!", "c!", "d!", None, None, None, None]
    with open_log(tmp_path) as again, pytest.raises(ModelError, match="1 of 6 questions failed"):
        ask(Staged(fails="i"), again, "ijklmn", limits=Limits(errors=0))
    with open_log(tmp_path) as again:
        assert replies(again, "ijklmn") == [None, "j!", None, None, None, None]


def test_a_batch_that_hangs_fails_and_those_behind_it_are_answered(log):
    free = threading.Event()

    class Hangs(Staged):
        def answer(self, texts):
            return super().answer(texts) if "a" not in texts else free.wait(600)

    ask(Hangs(), log, "abcdef", limits=Limits(errors=2), timeout=0.5)
    assert replies(log, "abcdef") == [None, None, "c!", "d!", "e!", "f!"]
    free.set()


def test_ctrl_c_stops_the_wait_and_gives_everything_back(log, capsys):
    free, interval = threading.Event(), sys.getswitchinterval()

    class Waits(Staged):
        def answer(self, texts):
            os.kill(os.getpid(), signal.SIGINT)
            free.wait(600)

    with pytest.raises(KeyboardInterrupt):
        ask(Waits(), log, "ab")
    free.set()
    print("ours")
    assert capsys.readouterr().out == "ours\n"
    assert (sys.getswitchinterval(), gc.isenabled()) == (interval, True)


def test_what_a_batch_leaves_behind_is_collected_and_nothing_else():
    class Cycle:
        def __init__(self):
            self.itself = self

    left: list[weakref.ref[Cycle]] = []

    class Litters(Staged):
        def answer(self, texts):
            left.append(weakref.ref(Cycle()))
            return super().answer(texts)

    for _ in Pipeline(Litters()).answers(iter([["a", "b"], ["c", "d"], ["e", "f"]])):
        assert not gc.isenabled()
    assert [cycle() for cycle in left] == [None] * 3


def test_what_we_print_while_a_model_works_stays_on_standard_output(capsys):
    class Prints(Staged):
        def answer(self, texts):
            print("theirs")
            return super().answer(texts)

    for _ in Pipeline(Prints()).answers(iter([["a"], ["b"], ["c"]])):
        print("ours")
    assert capsys.readouterr() == ("ours\n" * 3, "theirs\n" * 3)


def test_a_slow_source_does_not_delay_the_first_answer(monkeypatch):
    """The end of the data comes when the model has answered questions about its beginning."""
    answered, (reading, writing) = threading.Event(), os.pipe()
    line = b"%s,positive\n" % (b"a fine film " * 80)

    def model(texts):
        answered.set()
        return ["positive"] * len(texts)

    def write():
        with open(writing, "wb") as stream:  # noqa: PTH123 - it is no path
            stream.write(b"text,label\n" + line * 4 * (1 << 20 >> 10))
            stream.flush()
            stream.write(line * 10 if answered.wait(600) else b"")

    writer = threading.Thread(target=write)
    writer.start()
    with open(reading) as stream:  # noqa: PTH123
        monkeypatch.setattr("sys.stdin", stream)
        options = flat(noise=0, blame_calls=0, resamples=100, format="csv")
        run = evaluate("-", model, presets="case", severities=1, options=options)
    writer.join()
    assert (answered.is_set(), run.results.data.rows) == (True, 4106)


def test_items_are_made_ahead_in_order_and_an_error_comes_in_its_place():
    made = []

    def items():
        for k in range(3):
            made.append(k)
            yield k + 1
        raise ValueError("no more")

    ahead = iter(MadeAhead(items()))
    assert [next(ahead) for _ in range(3)] == [1, 2, 3]
    with pytest.raises(ValueError, match="no more"):
        next(ahead)
    assert made == [0, 1, 2]


def test_closing_does_not_wait_for_an_item_that_takes_long():
    free, begun = threading.Event(), threading.Event()

    def items():
        begun.set()
        free.wait(600)
        yield 1

    ahead = MadeAhead(items())
    assert begun.wait(600)
    ahead.close()
    assert not free.is_set()
    free.set()
