"""The scores of replies: equal to one token after the other, whatever shares the batch."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from salva.models.hugging_face_text import OptionScorer
from tests.language_model import WORDS, write_language_model
from tests.reference.likelihood import load, log_probability

pytest.importorskip("transformers")
words = st.lists(st.sampled_from(WORDS[2:]), min_size=1, max_size=7).map(" ".join)
questions = st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=4)), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_language_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def scorer(folder):
    return OptionScorer(*load(folder), limit=512)


def slow_scores(folder, prompt, replies):
    """Score the whole text without the prompt's share, one token after the other."""
    before = log_probability(folder, prompt)
    return [log_probability(folder, f"{prompt} {reply}") - before for reply in replies]


def encode(scorer, prompt, replies):
    [choice] = scorer.encode([(prompt, [f" {reply}" for reply in replies])])
    return choice._replace(prompt=[0, *choice.prompt])  # the slow twin begins with this token


@pytest.mark.slow
@settings(max_examples=12)
@given(asked=questions)
def test_replies_are_scored_as_one_token_after_the_other(asked, scorer, folder):
    found = scorer.score([encode(scorer, *question) for question in asked])
    for scores, question in zip(found, asked, strict=True):
        assert scores == pytest.approx(slow_scores(folder, *question), abs=1e-4)


def test_small_batches_give_the_same_scores(scorer, monkeypatch):
    asked = [encode(scorer, "I saw the movie", WORDS[2 : 2 + size]) for size in (1, 5, 2, 4)]
    whole = scorer.score(asked)
    monkeypatch.setattr("salva.models.hugging_face_text._SCORED", {"cpu": 1})
    for own, other in zip(whole, scorer.score(asked), strict=True):
        assert own == pytest.approx(other, abs=1e-5)


def test_spaces_at_the_end_of_a_prompt_belong_to_the_reply(scorer):
    assert scorer.encode([("I saw ", ["the movie"])]) == scorer.encode([("I saw", [" the movie"])])


def test_a_long_prompt_loses_its_beginning(folder):
    short = OptionScorer(*load(folder), limit=6)
    long = "I saw the old movie at the end and it was good"
    [choice] = short.encode([(long, [" fine and nice", " nice"])])
    assert choice.cut
    assert len(choice.prompt) == 3
    assert choice.prompt[-1] == WORDS.index("good")


def test_an_empty_prompt_begins_with_the_token_that_begins_a_text(scorer):
    assert scorer.encode([("", ["the movie"])])[0].prompt == [0]


def test_many_prompts_are_encoded_as_one_after_the_other(scorer):
    asked = [("I saw the", [" movie", " old film"]), ("it was ", ["nice"]), ("", ["the movie"])]
    assert scorer.encode(asked) == [choice for one in asked for choice in scorer.encode([one])]
