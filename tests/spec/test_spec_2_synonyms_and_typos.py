"""Spec 2 (`synonyms`, `typos`), its examples and rules: synonyms of WordNet, and neighbouring keys."""

from __future__ import annotations

import re

import pytest

from salva.lexicon import KEYBOARDS, WordNet, stop_words
from salva.text import tokenize
from tests.spec.candidates import all_synsets, first_synsets, has_synonyms, how_many_typos
from tests.spec.conftest import Edit, edits_of, for_any_text, to_the_letter, variants

KEYS = KEYBOARDS["typos"]

synonyms = to_the_letter("synonyms")
all_synonyms = to_the_letter("synonyms", prob=1.0)
typos = to_the_letter("typos")
all_typos = to_the_letter("typos", prob=1.0)

SYNONYM_EXAMPLE = (
    "This movie was really great and entertaining",
    "This film was genuinely great and entertaining",
)
TYPO_EXAMPLE = "This movie was really great", "Thos movid was reakly grfat"


@pytest.fixture(scope="module")
def synonym_edits(corpus) -> list[Edit]:
    return edits_of(all_synonyms.transform(corpus))


def test_parameters_have_the_names_and_defaults_of_the_document(document):
    named = re.findall(r"(\w+)=([\d.]+)\)", document(2))
    assert named == [("prob", "0.5"), ("prob", "0.25"), ("typo_per_word", "0.4")]
    assert synonyms.settings.prob == 0.5
    assert (typos.settings.prob, typos.settings.typo_per_word) == (0.25, 0.4)
    assert (synonyms.settings.max_synsets, typos.settings.min_word_length) == (3, 3)


# Synonyms


def test_the_example_of_synonyms_can_come_out():
    original, example = SYNONYM_EXAMPLE
    twins = synonyms.transform(variants(original, 1 << 14), seed=0)
    assert example in twins.transformed
    assert {("movie", "film"), ("really", "genuinely")} <= {(e.old, e.new) for e in edits_of(twins)}


@pytest.mark.parametrize("change", [str.lower, str.upper, str.title])
def test_stop_words_stay(change):
    whole = [
        word for word in stop_words() if "'" not in word
    ]  # mustn't is two tokens, and must is no stop word
    text = " ".join(change(word) for word in sorted(whole))
    assert not edits_of(all_synonyms.transform(text))
    assert len(stop_words()) == 198


@for_any_text
def test_stop_words_and_words_that_are_not_alphabetic_stay(text, seed):
    for edit in edits_of(all_synonyms.transform(text, seed=seed)):
        assert edit.old.isalpha()
        assert edit.old.lower() not in stop_words()


def test_words_that_wordnet_knows_stay_if_they_are_not_alphabetic():
    assert WordNet.load().synsets("well-known")
    assert WordNet.load().synsets("1990s")
    assert not edits_of(all_synonyms.transform("well-known 1990s 20th x-ray"))


def test_a_synonym_is_a_lemma_of_the_first_three_synsets_and_not_the_word(synonym_edits):
    for edit in synonym_edits:
        assert edit.new.lower() in first_synsets(edit.old.lower())


def test_every_lemma_of_the_first_three_synsets_comes_out_and_none_of_a_fourth():
    assert len(WordNet.load().synsets("picture")) > 3
    edits = edits_of(all_synonyms.transform(variants("picture", 3000)))
    assert {edit.new for edit in edits} == first_synsets("picture")
    assert {edit.new for edit in edits} < all_synsets("picture")


def test_the_first_three_synsets_are_over_all_parts_of_speech():
    """Of great the noun comes first; two of six adjectives follow."""
    assert [synset.pos() for synset in WordNet.load().synsets("great")[:3]] == ["n", "s", "s"]
    edits = edits_of(all_synonyms.transform(variants("great", 500)))
    assert {edit.new for edit in edits} == first_synsets("great")


@pytest.mark.parametrize("most", [1, 2, 5])
def test_max_synsets_is_how_many_are_asked(most):
    edits = edits_of(to_the_letter("synonyms", prob=1.0, max_synsets=most).transform(variants("great", 2000)))
    assert {edit.new for edit in edits} == first_synsets("great", most)


def test_underscores_become_spaces(synonym_edits):
    assert not any("_" in edit.new for edit in synonym_edits)
    assert any(" " in edit.new for edit in synonym_edits)
    edits = edits_of(all_synonyms.transform(variants("movie", 200)))
    assert "motion picture" in {edit.new for edit in edits}


def test_all_words_change_at_prob_1_and_none_at_0(review_texts):
    edits = edits_of(all_synonyms.transform(review_texts))
    expected = [word for words in tokenize(review_texts).to_pylist() for word in words if has_synonyms(word)]
    assert [edit.old for edit in edits] == expected
    assert not edits_of(to_the_letter("synonyms", prob=0.0).transform(review_texts))


@for_any_text
def test_tokens_are_joined_by_single_spaces(text, seed):
    twins = synonyms.transform(text, seed=seed)
    twin = twins.transformed
    for edit in reversed(twins.edits.to_pylist()):
        twin = twin[: edit["new_start"]] + edit["old"] + twin[edit["new_end"] :]
    assert twin == " ".join(tokenize(text))


# Typos


def test_the_keyboard_is_the_document_s(document):
    lines = re.findall(r"^'(\w)' → \[(.+)\]$", document(2), re.MULTILINE)
    document_keys = {key: sorted(re.findall(r"\w", keys)) for key, keys in lines}
    assert document_keys == {key: sorted(neighbours) for key, neighbours in KEYS.items()}
    assert len(lines) == 26


@pytest.mark.parametrize(
    ("old", "new", "neighbours"), [("i", "o", True), ("e", "d", True), ("l", "k", True), ("e", "f", False)]
)
def test_three_of_the_four_changes_of_the_example_are_neighbours(old, new, neighbours):
    assert (new in KEYS[old]) == neighbours


def test_of_the_words_of_the_example_only_the_first_can_come_out():
    """This has one place of four; movie, really and great have two, and all letters have keys."""
    original, example = TYPO_EXAMPLE
    pairs = {(o, n) for o, n in zip(original.split(), example.split(), strict=True) if o != n}
    edits = edits_of(typos.transform(variants(original, 20000), seed=0))
    assert pairs & {(edit.old, edit.new) for edit in edits} == {("This", "Thos")}
    assert {(edit.old, len(edit.changed)) for edit in edits} == {
        ("This", 1),
        ("movie", 2),
        ("was", 1),
        ("really", 2),
        ("great", 2),
    }


def test_all_of_the_example_but_e_to_f_comes_out_with_one_place_a_word():
    original, example = TYPO_EXAMPLE
    edits = edits_of(to_the_letter("typos", typo_per_word=0.2).transform(variants(original, 20000), seed=0))
    pairs = {(o, n) for o, n in zip(original.split(), example.split(), strict=True) if o != n}
    assert pairs - {(edit.old, edit.new) for edit in edits} == {("great", "grfat")}


def test_a_mark_at_the_end_is_a_place_without_a_key():
    """Of six characters two are chosen, and one of them may be the comma: one change in great after all."""
    edits = edits_of(all_typos.transform(variants("great,", 500)))
    assert {len(edit.changed) for edit in edits} == {1, 2}
    assert all(edit.new.endswith(",") for edit in edits)


@for_any_text
def test_words_of_two_characters_and_fewer_stay(text, seed):
    assert all(len(edit.old) >= 3 for edit in edits_of(all_typos.transform(text, seed=seed)))


@for_any_text
def test_no_more_characters_change_than_max_of_1_and_two_fifths_of_the_word(text, seed):
    for edit in edits_of(all_typos.transform(text, seed=seed)):
        assert 1 <= len(edit.changed) <= how_many_typos(edit.old)


def test_words_of_letters_alone_get_exactly_that_many_changes(corpus):
    edits = edits_of(all_typos.transform(corpus))
    plain = [edit for edit in edits if edit.old.isascii() and edit.old.isalpha()]
    assert len(plain) > 10000
    assert all(len(edit.changed) == how_many_typos(edit.old) for edit in plain)


@for_any_text
def test_a_typo_is_an_adjacent_key_in_the_same_case(text, seed):
    for edit in edits_of(all_typos.transform(text, seed=seed)):
        for i in edit.changed:
            assert edit.new[i].lower() in KEYS[edit.old[i].lower()]
            assert edit.new[i].isupper() == edit.old[i].isupper()


@for_any_text
def test_words_stay_as_many_and_are_joined_by_single_spaces(text, seed):
    twin = all_typos.transform(text, seed=seed).transformed
    words = twin.split(" ") if twin else []
    assert [len(word) for word in words] == [len(word) for word in text.split()]


@pytest.mark.parametrize("share", [0.0, 0.2, 0.6, 1.0])
def test_typo_per_word_is_the_share_of_characters(review_texts, share):
    edits = edits_of(to_the_letter("typos", prob=1.0, typo_per_word=share).transform(review_texts[:100]))
    plain = [edit for edit in edits if edit.old.isascii() and edit.old.isalpha()]
    assert all(len(edit.changed) == how_many_typos(edit.old, share) for edit in plain)


@pytest.mark.parametrize("least", [1, 2, 5])
def test_min_word_length_is_the_shortest_word_that_gets_typos(review_texts, least):
    edits = edits_of(to_the_letter("typos", prob=1.0, min_word_length=least).transform(review_texts))
    assert min(len(edit.old) for edit in edits) == least


def test_all_words_get_typos_at_prob_1_and_none_at_0(review_texts):
    edited = {edit.place for edit in edits_of(all_typos.transform(review_texts))}
    found = [(row, word) for row, text in enumerate(review_texts) for word in re.finditer(r"\S+", text)]
    assert {(row, w.start()) for row, w in found if len(w[0]) > 2 and w[0].isalpha()} <= edited
    assert edited <= {(row, word.start()) for row, word in found}
    assert not edits_of(to_the_letter("typos", prob=0.0).transform(review_texts))
