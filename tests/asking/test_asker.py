"""Asking: nothing twice, within limits, and a run stops if too many questions fail."""

from __future__ import annotations

import pytest

from salva.asking.asker import Asker
from salva.errors import ModelError, UsageError
from salva.models import Answers
from salva.questions import Limits
from salva.questions.table import ALONE
from tests.asking.tables import ABOUT, Echo, ask, block_of, open_log, replies

MANY = [f"{k:02}" for k in range(40)]


class Refuser(Echo):
    """Refuses what another model would fail on."""

    def predict(self, texts):
        self.batches.append(list(texts))
        return Answers.of(texts, statuses=["refused" if text in self.fails else None for text in texts])


def test_a_question_is_asked_once_however_often_it_comes(log):
    model = Echo()
    for _ in range(2):
        ask(model, log, ["a", "b", None, "a"])
        assert replies(log, ["a", "b", None, "a"]) == ["a!", "b!", None, "a!"]
    assert model.batches == [["a", "b"]]


def test_questions_are_asked_alone_after_those_in_batches(log):
    model = Echo()
    alone, usual = block_of("ab", purpose=ALONE, time=1), block_of("cdefg")
    Asker(model, log, Limits()).ask([alone, usual], ABOUT)
    assert model.batches == [["a"], ["b"], [*"cdef"], ["g"]]
    assert replies(log, "ab", purpose=ALONE, time=1) == ["a!", "b!"]
    assert replies(log, "ab") == [None, None]


def test_no_more_calls_are_made_than_allowed_whichever_model_gets_them(tmp_path, log):
    model, judge = Echo(), Echo()
    asker = ask(model, log, "abcd", limits=Limits(calls=7))
    with open_log(tmp_path, "sha256:2") as verdicts:
        other = asker.beside(judge, verdicts, "judge")
        with pytest.raises(UsageError, match="the run needs more calls than calls=7 allows"):
            other.ask([block_of("efghi")], ABOUT)
    assert (model.batches, judge.batches) == ([[*"abcd"]], [])


@pytest.mark.parametrize("kind", [Echo, Refuser])
def test_failures_are_counted_and_too_many_stop_the_run(log, kind):
    ask(kind("ab"), log, "abcd", limits=Limits(errors=2))
    assert sum(log.count_failures().values()) == 2
    with pytest.raises(ModelError, match="3 of 12 questions failed, more than errors= allows; the first"):
        ask(kind("xyz"), log, "mnopxyzq", limits=Limits(errors=2))


@pytest.mark.parametrize("kind", [Echo, Refuser])
def test_a_run_that_goes_on_counts_what_it_has_when_it_counts_failures(tmp_path, kind):
    for _ in range(2):  # the second time, at most what failed is asked
        with open_log(tmp_path) as log:
            ask(kind(MANY[-3:]), log, MANY)
            assert sum(log.count_failures().values()) == 3
    with open_log(tmp_path) as log, pytest.raises(ModelError, match="3 of 40 questions failed"):
        ask(kind(MANY[-3:]), log, MANY, limits=Limits(errors=0.05))


@pytest.mark.parametrize(("texts", "fails"), [("ab", "ab"), ("abcdefgh", "abc")])
def test_a_share_of_few_questions_is_judged_at_the_end(log, texts, fails):
    with pytest.raises(ModelError, match=f"{len(fails)} of {len(texts)} questions failed, more than"):
        ask(Echo(fails), log, texts)
    assert [one is None for one in replies(log, texts)] == [text in fails for text in texts]


def test_two_failures_of_few_questions_are_not_the_models_fault(log):
    ask(Echo("ab"), log, "abcdefgh")


def test_a_question_that_fails_again_is_one_question(tmp_path):
    for _ in range(2):
        with open_log(tmp_path) as log, pytest.raises(ModelError, match="12 of 12 questions failed"):
            ask(Echo("abcdefghijkl"), log, "abcdefghijkl")
    with open_log(tmp_path) as log:
        assert log.count_failures() == {"the model gave no answer": 12}


def test_questions_that_were_answered_are_not_asked_again_after_a_failure(tmp_path):
    with open_log(tmp_path) as log:
        ask(Echo("b"), log, "abc", limits=Limits(errors=1))
        ask(model := Echo("b"), log, "abc")
        assert model.batches == []  # not in the same process
    with open_log(tmp_path) as log:
        ask(model := Echo(), log, "abc")
        assert (model.batches, replies(log, "abc")) == ([["b"]], ["a!", "b!", "c!"])
