"""Batches under way at once: in order, within limits, and never in the way of an error or of Ctrl-C."""

from __future__ import annotations

import gc
import os
import signal
import sqlite3
import sys
import threading
import weakref
from contextlib import closing

import pytest

from salva.errors import ModelError, UsageError
from salva.models import Answers
from salva.models.guard import Worker
from salva.runs import AnswerStore, Asker, Budget, Texts
from salva.runs.ahead import Line, MadeAhead


class Echo:
    """Answers in a thread of its own, like a model that tokenises one batch while it computes another."""

    name, digest, classes, batch_size, ahead = "echo", "sha256:1", None, 2, 3

    def __init__(self, fails=()):
        self.fails, self.begun, self.asked, self.worker = fails, [], [], Worker()

    def begin(self, texts):
        self.begun.append(list(texts))
        return self.worker.begin(lambda: self._answers(texts))

    def predict(self, texts):
        self.asked.append(list(texts))
        return self._answers(texts)

    def _answers(self, texts):
        if set(texts) & set(self.fails):
            raise ValueError("cannot read it")
        return Answers.of([f"{text}!" for text in texts])

    def close(self):
        self.worker.stop()
        self.worker = Worker()


@pytest.fixture
def store(tmp_path):
    with AnswerStore(tmp_path / "run.db", Echo.digest) as found:
        yield found


def labels(groups):
    return [[answer and answer.label for answer in answers] for answers in groups]


def test_a_text_of_two_groups_is_asked_once_while_the_first_is_under_way(store):
    model = Echo()
    found = labels(Asker(model, store, Budget()).answer_groups(map(Texts, ["abc", "bcd", "abd", "xa"])))
    assert found == [["a!", "b!", "c!"], ["b!", "c!", "d!"], ["a!", "b!", "d!"], ["x!", "a!"]]
    assert model.begun == [["a", "b"], ["c"], ["d"], ["x"]]
    assert not model.asked


def test_the_next_batches_are_begun_before_an_answer_is_read():
    model = Echo()
    answers = Line(model).answers(iter([["a"], ["b"], ["c"], ["d"]]))
    assert next(answers).labels == ["a!"]
    assert model.begun == [["a"], ["b"], ["c"]]
    assert [one.labels for one in answers] == [["b!"], ["c!"], ["d!"]]


def test_by_default_a_batch_is_sent_when_the_answers_to_the_last_one_are_stored(store, tmp_path):
    class Plain:
        name, digest, classes, batch_size, seen = "plain", "sha256:1", None, 2, []

        def predict(self, texts):
            with closing(sqlite3.connect(tmp_path / "run.db")) as other:
                self.seen += other.execute("SELECT count(*) FROM answers").fetchone()
            return Answers.of(texts)

    labels(Asker(Plain(), store, Budget()).answer_groups(map(Texts, ["abcde", "fg"])))
    assert Plain.seen == [0, 2, 4, 5]


def test_a_batch_that_fails_in_stages_is_asked_again_and_the_text_at_fault_found(store):
    model = Echo(fails="c")
    asker = Asker(model, store, Budget(errors=1))
    assert labels(asker.answer_groups(map(Texts, ["abcdef"]))) == [["a!", "b!", None, "d!", "e!", "f!"]]
    assert "ValueError: cannot read it (" in "".join(asker.failures())
    assert model.asked == [["c", "d"], ["c"], ["d"]]


def test_answers_before_a_limit_are_stored_and_those_after_a_failure_are_not(store):
    with pytest.raises(UsageError, match="more texts than max_calls=5 allows"):
        labels(Asker(Echo(), store, Budget(calls=5)).answer_groups(map(Texts, ["abcdefgh"])))
    assert store.count() == 4
    with pytest.raises(ModelError, match="1 of 6 texts failed"):
        labels(Asker(Echo(fails="i"), store, Budget(errors=0)).answer_groups(map(Texts, ["ijklmn"])))
    assert store.count() == 5


def test_a_batch_that_hangs_fails_and_those_behind_it_are_answered(store):
    free = threading.Event()

    class Hangs(Echo):
        def _answers(self, texts):
            return super()._answers(texts) if "a" not in texts else free.wait(600)

    found = labels(Asker(Hangs(), store, Budget(errors=2), timeout=0.5).answer_groups([Texts("abcdef")]))
    assert found == [[None, None, "c!", "d!", "e!", "f!"]]
    free.set()


def test_ctrl_c_stops_the_wait_and_gives_everything_back(store, capsys):
    free, interval = threading.Event(), sys.getswitchinterval()

    class Waits(Echo):
        def _answers(self, texts):
            os.kill(os.getpid(), signal.SIGINT)
            free.wait(600)

    with pytest.raises(KeyboardInterrupt):
        labels(Asker(Waits(), store, Budget()).answer_groups([Texts("ab")]))
    free.set()
    print("ours")
    assert capsys.readouterr().out == "ours\n"
    assert (sys.getswitchinterval(), gc.isenabled()) == (interval, True)


def test_what_a_batch_leaves_behind_is_collected_and_nothing_else(store):
    class Cycle:
        def __init__(self):
            self.itself = self

    left: list[weakref.ref[Cycle]] = []

    class Litters(Echo):
        def _answers(self, texts):
            left.append(weakref.ref(Cycle()))
            return super()._answers(texts)

    for _ in Asker(Litters(), store, Budget()).answer_groups(map(Texts, ["ab", "cd", "ef"])):
        assert not gc.isenabled()
    assert [cycle() for cycle in left] == [None] * 3


def test_what_we_print_while_a_model_works_stays_on_standard_output(store, capsys):
    class Prints(Echo):
        def _answers(self, texts):
            print("theirs")
            return super()._answers(texts)

    for _ in Asker(Prints(), store, Budget()).answer_groups(map(Texts, ["ab", "cd", "ef"])):
        print("ours")
    assert capsys.readouterr() == ("ours\n" * 3, "theirs\n" * 3)


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
