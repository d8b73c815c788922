"""Asking with a store: nothing twice, within a budget, and texts once more when noise is measured."""

from __future__ import annotations

import pytest

from salva.errors import ModelError, UsageError
from salva.models import Answers
from salva.runs import AnswerStore, Asker, Budget, Reruns, Sample


class Echo:
    name, digest, classes, batch_size = "echo", "sha256:1", None, 4

    def __init__(self, fails=()):
        self.fails, self.batches = fails, []

    def predict(self, texts):
        self.batches.append(list(texts))
        return Answers.of([None if text in self.fails else f"{text}!" for text in texts])

    def close(self):
        pass


@pytest.fixture
def store(tmp_path):
    with AnswerStore(tmp_path / "run.db", Echo.digest) as found:
        yield found


def test_a_text_is_asked_once_however_often_it_comes(store):
    model = Echo()
    for _ in range(2):
        answers = Asker(model, store, Budget()).answers(["a", "b", None, "a"])
        assert [one and one.label for one in answers] == ["a!", "b!", None, "a!"]
    assert model.batches == [["a", "b"]]


def test_a_rerun_asks_again_in_batches_and_one_at_a_time(store):
    model = Echo()
    found = Asker(model, store, Budget()).rerun(["a", "b", "c"], alone=2)
    assert found == Reruns(["a", "b", "c"], *[["a!", "b!", "c!"]] * 2, ["a!", "b!"])
    assert model.batches == [["a", "b", "c"], ["a", "b", "c"], ["a"], ["b"]]


def test_no_more_texts_are_asked_than_the_budget_allows(store):
    model = Echo()
    with pytest.raises(UsageError, match="the run needs more texts than max_calls=6 allows"):
        Asker(model, store, Budget(calls=6)).answers(list("abcdefgh"))
    assert (len(model.batches), store.count()) == (1, 4)


def test_failures_are_counted_and_too_many_stop_the_run(store):
    asker = Asker(Echo(fails="ab"), store, Budget(errors=2))
    asker.answers(list("abcd"))
    assert asker.failures() == {"the model gave no answer": 2}
    with pytest.raises(ModelError, match="3 of 10 texts failed, more than max_errors= allows"):
        Asker(Echo(fails="xyz"), store, Budget(errors=2)).answers(list("mnopxyzq"))


def test_a_sample_does_not_depend_on_the_order():
    first, second = Sample(3), Sample(3)
    for text in "abcdefgh":
        first.offer(text)
    for text in reversed("abcdefghaabb"):
        second.offer(text)
    assert first.texts() == second.texts()
    assert len(set(first.texts())) == 3


def test_a_run_that_goes_on_counts_what_it_holds_when_it_counts_failures(store):
    texts = [f"{i:02}" for i in range(30)]
    for _ in range(2):  # the second time only what failed is asked
        asker = Asker(Echo(fails=texts[-3:]), store, Budget(errors=0.1))
        asker.answers(texts)
        asker.finish()
        assert len(asker.failures()) == 1


@pytest.mark.parametrize(("texts", "fails"), [("ab", "ab"), ("abcdefgh", "abc")])
def test_a_share_of_few_texts_is_judged_at_the_end(store, texts, fails):
    asker = Asker(Echo(fails=fails), store, Budget(errors=0.1))
    asker.answers(list(texts))
    with pytest.raises(ModelError, match=f"{len(fails)} of {len(texts)} texts failed, more than"):
        asker.finish()


def test_two_failures_of_few_texts_are_no_fault_of_the_model(store):
    asker = Asker(Echo(fails="ab"), store, Budget(errors=0.1))
    asker.answers(list("abcdefgh"))
    asker.finish()


def test_a_text_that_fails_again_is_one_text(store):
    """Twelve texts that failed, and again when noise was measured, were "20 of 20 texts"."""
    texts = list("abcdefghijkl")
    asker = Asker(Echo(fails=texts), store, Budget(errors=0.1))
    asker.rerun(texts)
    assert asker.failures() == {"the model gave no answer": 12}
    with pytest.raises(ModelError, match="12 of 12 texts failed"):
        asker.finish()


def test_texts_that_are_asked_again_do_not_thin_out_failures(store):
    texts = [f"{i:02}" for i in range(40)]
    asker = Asker(Echo(fails=texts[-5:]), store, Budget(errors=0.1))
    with pytest.raises(ModelError, match="5 of 40 texts failed"):
        asker.rerun(texts)
    Asker(Echo(), store, Budget()).rerun(texts[:35])
    with pytest.raises(ModelError, match="4 of 39 texts failed"):
        Asker(Echo(fails=texts[-5:]), store, Budget(errors=0.1)).answers(texts)


def test_a_text_or_a_reply_that_was_cut_is_stored_as_such(store):
    class Cutting(Echo):
        def predict(self, texts):
            statuses = ["truncated" if text == "a" else None for text in texts]
            return Answers.of(texts, statuses=statuses, cut=[text == "b" for text in texts])

    answers = Asker(Cutting(), store, Budget()).answers(list("abc"))
    assert [answer.truncated for answer in answers] == [True, True, False]


def test_a_refused_text_has_failed(store):
    class Refusing(Echo):
        def predict(self, texts):
            return Answers.of(texts, statuses=["refused" if text == "a" else None for text in texts])

    asker = Asker(Refusing(), store, Budget(errors=1))
    assert [answer and answer.label for answer in asker.answers(list("ab"))] == [None, "b"]
    assert asker.failures() == {"the model refused to answer: 'a'": 1}
