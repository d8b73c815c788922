"""How replies become answers: parsed or not, right or not, the same or not."""

from __future__ import annotations

import re
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import UsageError
from salva.tasks import KINDS, Expected

SENTIMENT = KINDS["label"](labels={"negative": ("0", "bad"), "positive": ("1",)})
OPTIONS = {"A": "the sun was rising", "B": "the grass was cut", "C": "neither"}


def answer(kind, reply, *targets, options=OPTIONS):
    grade = kind.grade(reply, Expected(targets, options, {}))
    return None if grade is None else grade.answer


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("positive", "positive"),
        (" **Positive.** ", "positive"),
        ("Answer: negative", "negative"),
        ("Negative, because the acting is bad but positive people like it", "negative"),
        ("Let me think.\nThe label is positive", "positive"),
        ("I would call this a positive text", "positive"),
        ("<think>positive? no</think>negative", "negative"),
        ("0", "negative"),
        ("This is not positive", None),
        ("positive or negative", None),
        ("unpositive", None),
        ("", None),
        ("I cannot say", None),
    ],
)
def test_a_label_is_what_the_reply_says_or_it_is_unparsed(reply, label):
    assert answer(SENTIMENT, reply) == label


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        ("B", "B"),
        ("(b)", "B"),
        ("B. the grass was cut", "B"),
        ("A. The grass was cut.", "A"),
        ("A: the grass was cut", "A"),
        ("The answer is (B), since A is wrong.", "B"),
        ("I think the answer is A because it was early", "A"),
        ("The grass was cut.", "B"),
        ("It must be that the grass was cut, I think", "B"),
        ("A good question", None),
        ("The answer is A good question", None),
        ("either (A) or (B)", None),
        ("D", None),
        ("", None),
    ],
)
def test_a_choice_is_a_name_or_a_text_of_an_option(reply, name):
    assert answer(KINDS["choice"](), reply) == name


def test_without_options_there_is_no_choice():
    assert answer(KINDS["choice"](), "A", options={}) is None


def test_the_text_of_an_option_may_begin_like_a_name():
    authors = {"A": "B. Jones", "B": "A. Smith"}
    assert answer(KINDS["choice"](), "B. Jones", options=authors) == "A"


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        ("18", "18"),
        ("She makes 9 * 2 = $18.00 a day", "18"),
        ("#### 1,234.50 (of 5)", "1234.5"),
        ("The answer is 7. I checked 3 times", "7"),
        ("\\boxed{-0.5}", "-0.5"),
        ("−3", "-3"),
        ("1e3", "1000"),
        ("-0", "0"),
        ("none", None),
        ("9" * 1000, None),
    ],
)
def test_a_number_is_the_announced_or_the_last_one(reply, number):
    assert answer(KINDS["number"](), reply) == number


def test_a_number_within_the_tolerance_is_the_target():
    kind = KINDS["number"](tolerance=0.01)
    assert answer(kind, "3.14", "3.1416") == "3.1416"
    assert kind.grade("3.2", Expected(("3.1416",), {}, {})) == ("3.2", 0.0)


def test_an_accepted_answer_is_the_first_accepted_one_and_others_are_themselves():
    kind = KINDS["text"]()
    assert answer(kind, "The UK!", "united kingdom", "uk") == "united kingdom"
    assert kind.grade("France", Expected(("united kingdom", "uk"), {}, {})) == ("france", 0.0)
    assert kind.grade("France", Expected((), {}, {})) == ("france", None)
    assert answer(KINDS["text"](compare="contains"), "It is the UK, I think", "uk") == "uk"
    assert answer(KINDS["text"](compare="exact"), "uk", "UK") == "uk"


def squad_f1(answer: str, target: str) -> float:
    """Token F1 as the evaluation script of SQuAD describes it."""

    def words(text: str) -> list[str]:
        text = "".join(c for c in text.lower() if c not in string.punctuation)
        return re.sub(r"\b(a|an|the)\b", " ", text).split()

    ours, theirs = words(answer), words(target)
    common = sum((Counter(ours) & Counter(theirs)).values())
    if not ours or not theirs:
        return float(ours == theirs)
    if not common:
        return 0.0
    precision, recall = common / len(ours), common / len(theirs)
    return 2 * precision * recall / (precision + recall)


WORDS = st.lists(st.sampled_from(["The", "tower,", "of", "a", "Paris", "eiffel"])).map(" ".join)


@given(WORDS, WORDS)
def test_token_f1_is_that_of_squad(reply, target):
    kind = KINDS["text"](compare="f1")
    reply, target = f"{reply} in", f"in {target}"
    grade = kind.grade(reply, Expected((kind.read_target(target, {}),), {}, {}))
    assert grade.score == pytest.approx(squad_f1(reply, target))


def test_a_pattern_or_a_field_selects_what_counts_in_a_reply():
    number = KINDS["number"](reply_pattern=r"Result: (\S+)")
    assert answer(number, "Result: 5\nResult: 7 of 8") == "7"
    assert answer(number, "It is 7") is None
    assert answer(KINDS["number"](json_field="answer"), '```json\n{"answer": 5, "n": 6}\n```') == "5"
    for reply in ("5", '{"answer": }', '{"other": 5}', '{"answer": null}'):
        assert answer(KINDS["number"](json_field="answer"), reply) is None


def test_a_pattern_that_takes_too_long_is_refused():
    kind = KINDS["text"](reply_pattern=r"(a+)+$")
    with pytest.raises(UsageError, match="takes over 1 s on one text; make it simpler"):
        answer(kind, "a" * 20_000 + "!")


def test_a_function_grades_replies(tmp_path, monkeypatch):
    code = "def grade(reply, row):\n    if reply == 'odd': return None\n"
    code += "    if reply == 'The worst': return 0.2\n"
    code += "    return ('far', 2) if reply == 'two' else (reply[0], len(reply) / 10)\n"
    code += "def grade_alone(reply): return 1\n"
    (tmp_path / "own_grades.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    kind = KINDS["python"](function="own_grades:grade", right_from=0.5)
    expected = Expected(("target",), {}, {"question": "?"})
    assert kind.grade("abc", expected) == ("a", 0.3)
    assert kind.grade("The worst", expected) == ("worst", 0.2)
    assert kind.read_target(" Any thing ", {}) == "Any thing"
    assert kind.grade("abcdef", expected) == ("target", 0.6)
    assert kind.grade("odd", expected) is None
    with pytest.raises(UsageError, match=r"returned \('far', 2\): score=2 must be between 0 and 1"):
        kind.grade("two", expected)
    with pytest.raises(UsageError, match=r"failed: TypeError: .* it must take a reply and a row"):
        KINDS["python"](function="own_grades:grade_alone").grade("abc", expected)
