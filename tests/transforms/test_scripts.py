"""A typo is a letter of the script of its word; keyboards may have any letters."""

from __future__ import annotations

import pytest
import regex

import salva
from salva.lexicon import ALPHABETS, KEYBOARDS

TYPOS_ONLY = {"autocomplete_weight": 0, "autocorrect_weight": 0, "synonym_weight": 0}
WORDS = {
    "Cyrillic": "Великолепный фильм ЎЗБЕКИСТОН їжак ёлка",
    "Greek": "Εξαιρετική ταινία ΠΛΑΤΩΝ ὁδός",
    "Arabic": "فيلم رائع جدا پنجره",
    "Hebrew": "סרט נפלא שלום מים",
    "Armenian": "հիանալի Ֆիլմ",
    "Georgian": "შესანიშნავი ფილმი",
    "Devanagari": "नमक कलम घर",
    "Hangul": "영화 좋아요",
    "Latin": "Film schön ŁÓDŹ",
}
LAYOUTS = {"qwertz": "Latin", "azerty": "Latin", "jcuken": "Cyrillic", "greek": "Greek"} | {
    "arabic": "Arabic",
    "hebrew": "Hebrew",
}


def changes(transform, text: str) -> list[tuple[str, str]]:
    """Return the letters that were changed, and into what, over many rows."""
    edits = transform.transform([text + " " * n for n in range(150)], severity=1.0).edits.to_pylist()
    pairs = [pair for edit in edits for pair in zip(edit["old"], edit["new"], strict=True)]
    return [(old, new) for old, new in pairs if old != new]


@pytest.mark.parametrize("script", WORDS)
def test_a_wrong_letter_of_corrupt_is_of_the_script_of_its_word(script):
    found = changes(salva.preset("corrupt", **TYPOS_ONLY), WORDS[script])
    assert len(found) >= 150
    assert all(regex.fullmatch(rf"\p{{Script={script}}}", new) for _, new in found)
    assert all(new.lower() != old.lower() for old, new in found)
    assert all(new.isupper() == old.isupper() for old, new in found)


@pytest.mark.parametrize("script", ALPHABETS)
def test_alphabets_are_letters_of_their_script(script):
    letters, blocks = ALPHABETS[script]
    assert all(regex.fullmatch(rf"\p{{Script={script}}}", letter) for letter in letters)
    assert len(set(letters)) == len(letters) > 20
    assert letters == letters.lower()
    assert all(any(first <= ord(letter) <= last for first, last in blocks) for letter in letters)


@pytest.mark.parametrize(("layout", "script"), LAYOUTS.items())
def test_a_layout_types_letters_of_its_script(layout, script):
    own = salva.preset("typos", keyboard=layout, prob=1.0)
    found = changes(own, WORDS[script])
    assert len(found) >= 150
    assert all(new.lower() in KEYBOARDS[layout][old.lower()] for old, new in found)
    assert all(new.isupper() == old.isupper() for old, new in found if new not in "ß")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_neighbours_on_a_layout_are_mutual(layout):
    keys = KEYBOARDS[layout]
    assert all(key in keys[near] for key in keys for near in keys[key])
    assert all(len(near) >= 1 for near in keys.values())


@pytest.mark.parametrize(
    ("layout", "key", "near"), [("qwertz", "ä", "öü"), ("qwertz", "z", "tugh"), ("jcuken", "п", "аренми")]
)
def test_layouts_are_those_of_real_keyboards(layout, key, near):
    assert set(KEYBOARDS[layout][key]) == set(near)


def test_a_key_may_be_any_letter_of_any_size(tmp_path):
    (tmp_path / "k.toml").write_text('a = "ä"\n"ä" = "𐐨"\n"𐐨" = "a"\n"ß" = "s"\n', "utf-8")
    own = salva.preset("typos", keyboard=tmp_path / "k.toml", prob=1.0, typo_per_word=1.0)
    assert own.transform("aaa AAA äää ÄÄÄ 𐐨𐐨𐐨 ßaß").transformed == "äää ÄÄÄ 𐐨𐐨𐐨 𐐀𐐀𐐀 aaa säs"
    long = salva.preset("typos", keyboard={"a": "𐐨"}, prob=1.0, typo_per_word=1.0)
    assert long.transform("a" * 9000).transformed == "𐐨" * 9000
    hybrid = salva.preset("hybrid", keyboard=KEYBOARDS["hybrid"] | KEYBOARDS["jcuken"], p_typo=1.0)
    assert hybrid.transform("великолепно").edits.num_rows == 1


def test_a_letter_without_a_capital_of_its_own_stays_small():
    own = salva.preset("typos", keyboard={"s": "ß"}, prob=1.0, typo_per_word=1.0)
    assert own.transform("SSS sss").transformed == "ßßß ßßß"


def test_marks_keep_their_letters_on_any_keyboard():
    own = salva.preset("typos", keyboard="hebrew", prob=1.0, typo_per_word=1.0, render="splice")
    pointed = "שָׁלוֹם"
    changed = own.transform([pointed] * 20, seed=3).transformed
    assert all(regex.findall(r"\X", text)[0] == regex.findall(r"\X", pointed)[0] for text in changed)
