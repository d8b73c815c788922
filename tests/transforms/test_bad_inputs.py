"""Hard texts: marks, emoji, scripts, spaces, case, and sizes."""

from __future__ import annotations

from itertools import product

import pyarrow as pa
import pytest

import salva
from tests.transforms.conftest import PRESETS

EMOJI = "👨‍👩‍👧 👍🏽 🇩🇪🇫🇷 1️⃣ ❤️ e\u0301\u0301 क्षि ท\u0e33"


def spliced(name: str, text: str, **settings):
    settings = {"render": "splice", "severity": 1.0} | settings
    severity = settings.pop("severity")
    return salva.preset(name, **settings).transform(text, seed=1, severity=severity)


WORDLESS = ("", " ", "\t\n", "...", "?!", "a", "I", "\x00", "\ufeff", "\u200b")


@pytest.mark.parametrize(
    ("text", "name"),
    [*product(WORDLESS, PRESETS), *(("12", name) for name in PRESETS if name != "numbers")],
)
def test_texts_without_words_stay_as_they_are(name, text):
    assert spliced(name, text).transformed == text
    assert salva.preset(name).transform(text).edits.num_rows == 0


@pytest.mark.parametrize("name", PRESETS)
def test_characters_made_of_several_stay_whole(name):
    twins = (
        spliced(name, f"{EMOJI} loved {EMOJI}", prob=1.0)
        if name in ("typos", "synonyms")
        else spliced(name, EMOJI)
    )
    for piece in EMOJI.split():
        assert piece in twins.transformed


@pytest.mark.parametrize("name", PRESETS)
def test_a_million_marks_on_a_letter_stay(name):
    """With a loop inside a loop this takes hours, which the time limit of all tests does not give it."""
    marked = "a" + "\u0301" * 1_000_000
    assert marked in spliced(name, f"great {marked} movie " + "e\u0301" * 500_000).transformed


@pytest.mark.parametrize(
    "text", ["这部电影非常好看", "映画はとても面白かった", "หนังเรื่องนี้ดีมาก", "这部 电影 非常"]
)
def test_scripts_without_spaces_are_left_alone_and_the_summary_says_so(name, text):
    twins = salva.preset(name, render="splice").transform([text], severity=1.0)
    assert twins.transformed == [text]
    assert str(twins.summary) == "0 edits; 0 eligible words in 100 % of rows"


@pytest.mark.parametrize("text", ["שלום עולם", "مرحبا بالعالم", "a\u202egreat\u202c b", "\u2066great\u2069"])
def test_text_from_right_to_left_and_overrides_pass(name, text):
    twins = salva.preset(name, render="splice").transform(text, severity=1.0)
    assert twins.revert() == text


@pytest.mark.parametrize("word", ["gr\u200beat", "gr\u00adeat", "great\u2060", "gr\u200deat"])
def test_what_is_not_seen_inside_a_word_is_kept(name, word):
    text = f"a {word} movie"
    twins = salva.preset(name, render="splice").transform(text, severity=1.0, seed=2)
    assert twins.revert() == text


@pytest.mark.parametrize("space", ["\u00a0", "\u2009", "\u3000", "\t", "\u2028"])
def test_spaces_are_kept_by_a_splice_and_become_blanks_otherwise(space):
    text = f"great{space}movie"
    assert space in spliced("typos", text, prob=1.0).transformed
    assert salva.preset("typos", prob=1.0).transform(text).transformed.count(" ") == 1


@pytest.mark.parametrize("word", ["İSTANBUL", "STRASSE", "straße", "ﬁlm", "ŉot", "ǰazz", "ΟΔΟΣ", "ǅungla"])
def test_letters_that_change_their_length_with_their_case_are_no_trap(name, word):
    text = f"{word} was GREAT {word.lower()} {word.upper()}"
    twins = salva.preset(name, render="splice").transform([text] * 3, severity=1.0, seed=3)
    assert twins.revert() == [text] * 3


def test_composed_and_decomposed_words_are_both_kept(name):
    text = "caf\u00e9 cafe\u0301 caf\u00e9"
    assert salva.preset(name, render="splice").transform(text, severity=1.0).revert() == text


@pytest.mark.parametrize("text", ["NA", "null", "None", "nan", "true", "1e5", "2020-01-01"])
def test_what_looks_like_no_text_is_text(text):
    assert salva.preset("typos", prob=0).transform([text]).transformed == [text]


def test_digits_of_other_scripts_are_no_letters():
    text = "٣٤٥ ²³¹ ४५६ ⅣⅤ"
    assert salva.preset("typos", prob=1.0).transform(text).transformed == text
    assert salva.preset("corrupt").transform("٣٤٥ ²³¹ ४५६", severity=1.0).transformed == "٣٤٥ ²³¹ ४५६"


def test_private_and_unassigned_characters_pass(name):
    text = "great \ue000\ufffe\U0010ffff\u0378 movie"
    assert salva.preset(name, render="splice").transform(text, severity=1.0).revert() == text


def test_words_that_english_writes_oddly_have_their_rules():
    text = "I don't, O'Neil's C++ well-made don’t :-)"
    assert salva.preset("typos", prob=0).transform(text).transformed == text
    split = salva.preset("synonyms", prob=0).transform(text).transformed
    assert split == "I do n't , O'Neil 's C++ well-made don ’ t : - )"
    joined = salva.preset("corrupt").transform("Well-made. Isn't it, 10/10?", severity=1e-9).transformed
    assert joined == "Well - made. Isn ' t it, 10 / 10?"


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_a_text_of_a_hundred_megabytes_works(name):
    """For most presets 20, which would take a day if the time grew with the square of the length."""
    sentence = "It is good. I don't know a really great movie of 10 hours, but Mary was fine. "
    text = sentence * ((100_000_000 if name == "hybrid" else 20_000_000) // len(sentence))
    transform = salva.preset(name, render="splice")
    contrast = transform.family == "contrast"  # one edit per text, or all mentions of one word
    twins = transform.transform(pa.array([text], pa.large_string()), severity=1.0 if contrast else 0.5)
    assert twins.summary.edits >= (1 if contrast else 10_000)
    assert twins.revert()[0].as_py() == text


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_a_word_of_ten_megabytes_works(name):
    text = "great" * 2_000_000 + " movie"
    twins = salva.preset(name, render="splice").transform([text], severity=1.0)
    assert twins.revert() == [text]
