"""Spec 1 (`hybrid`), its examples and rules: synonyms by part of speech, and a few wrong keys."""

from __future__ import annotations

import re

import pytest
from nltk.tokenize.treebank import TreebankWordDetokenizer

import salva
from salva import compat
from salva.lexicon import KEYBOARDS, WordNet, load_groups, polarity
from salva.text import tag, tokenize
from tests.spec.candidates import PARTS, group_words, wordnet_words
from tests.spec.conftest import Edit, edits_of, for_any_text, to_the_letter, variants

NO_SYNONYMS = {f"p_synonym_{part}": 0.0 for part in ("adj", "adv", "noun", "verb")}
ALL_SYNONYMS = dict.fromkeys(NO_SYNONYMS, 1.0)
KEYS = KEYBOARDS["hybrid"]

hybrid = to_the_letter("hybrid")
typist = to_the_letter("hybrid", p_typo=1.0, max_typos_per_example=10**6, **NO_SYNONYMS)
writer = to_the_letter("hybrid", p_typo=0.0, **ALL_SYNONYMS)
both = to_the_letter("hybrid", p_typo=1.0)
nothing = to_the_letter("hybrid", p_typo=0.0, **NO_SYNONYMS)

PAIRS = """
Titanic is the best movie I have ever seen. The acting was exceptional and the story was compelling.
Titanic is the finest film I have ever seen. The acting was extraordinary and the narrative was compelling.

This film was terrible. The plot made no sense and the characters were poorly developed.
This movie was awful. The plot made no sense and the characters were poorly developed.

Titanic is the best movie I have ever seen. The acting was excellent and the screenplay was amazing.
Titanic is the finest picture I have ever seen. The performance was outstanding and the script was fantastic.

This is a great movie with excellent acting.
This is a great film with excellent actibg.
"""
EXAMPLES = [pair.split("\n") for pair in PAIRS.strip().split("\n\n")]
# Rates under which the longer examples are less rare; what can come out is the same for all between 0 and 1.
SOONER = [
    {"p_synonym_adv": 0.01, "p_typo": 0.01},
    {},
    {"p_synonym_adj": 0.95, "p_synonym_noun": 0.95, "p_synonym_adv": 0.01, "p_typo": 0.01},
    {"p_synonym_adj": 0.1, "p_typo": 0.5},
]


@pytest.fixture(scope="module")
def replaced(corpus) -> list[Edit]:
    """All words replaced that can be."""
    return edits_of(writer.transform(corpus))


@pytest.mark.parametrize("number", range(4))
def test_the_examples_can_come_out(number):
    original, example = EXAMPLES[number]
    twins = to_the_letter("hybrid", **SOONER[number]).transform(variants(original, 1 << 15), seed=0)
    assert example in twins.transformed


@pytest.mark.parametrize("number", range(4))
def test_every_replacement_of_the_examples_comes_out_under_the_rates_of_the_document(number):
    original, example = EXAMPLES[number]
    pairs = {(o, n) for o, n in zip(tokenize(original), tokenize(example), strict=True) if o != n}
    edits = edits_of(hybrid.transform(variants(original, 5000), seed=0))
    assert pairs <= {(edit.old, edit.new) for edit in edits}


def test_the_typo_of_the_fourth_example_is_n_to_b_as_e_to_i_would_be_no_neighbour():
    assert "b" in KEYS["n"]
    assert "i" not in KEYS["e"]
    assert [old + new for old, new in zip("acting", "actibg", strict=True) if old != new] == ["nb"]


@pytest.mark.parametrize(
    "together",
    [
        "movie film picture flick",
        "acting performance portrayal playing",
        "story narrative tale plot screenplay script",
        "watch see",
        "like love",
        "very really",
        "best finest",
        "exceptional extraordinary",
        "excellent outstanding",
        "amazing fantastic",
        "terrible awful",
    ],
)
def test_domain_groups_include_those_of_the_document(together):
    names = together.split()
    assert all(set(names) - {name} <= set(load_groups().synonyms(name)) for name in names)


@pytest.mark.parametrize("word", "good great excellent amazing awesome bad terrible".split())  # noqa: SIM905
def test_quality_terms_are_in_groups_that_do_not_mix_praise_and_blame(word):
    signs = {polarity().get(other, 0) for other in load_groups().synonyms(word)}
    assert group_words(word)
    assert -polarity()[word] not in signs


def test_groups_are_looked_up_in_both_directions():
    lookup = compat.SYNONYM_GROUPS
    assert all(word in lookup[other] for word in lookup for other in lookup[word])
    assert {word for group in compat.SYNONYM_GROUP_SETS for word in group} == lookup.keys()


def test_the_keyboard_is_the_document_s(document):
    lines = re.findall(r"^ *'(\w)' → \[(.+)\]$", document(1), re.MULTILINE)
    document_keys = {key: sorted(re.findall(r"\w", keys)) for key, keys in lines}
    assert document_keys == {key: sorted(neighbours) for key, neighbours in KEYS.items()}
    assert len(lines) == 11


def test_parameters_have_the_names_and_defaults_of_the_document(document):
    named = dict(re.findall(r"`(\w+) = ([\d.]+)`", document(1)))
    settings = vars(hybrid.settings)
    assert len(named) == 7
    assert {name: settings[name] for name in named} == {name: float(value) for name, value in named.items()}


def test_the_seed_is_0_unless_said_otherwise(review_texts):
    example = {"text": review_texts[0], "label": 1}
    assert compat.custom_transform(example) == {
        "text": salva.preset("hybrid").transform(review_texts[0], seed=0).transformed,
        "label": 1,
    }


@for_any_text
def test_first_and_last_letters_are_never_typed_over(text, seed):
    for edit in edits_of(typist.transform(text, seed=seed)):
        assert len(edit.changed) == 1
        assert 0 < edit.changed[0] < len(edit.old) - 1


@for_any_text
def test_a_typo_is_a_neighbour_of_one_of_the_eleven_keys_in_the_same_case(text, seed):
    for edit in edits_of(typist.transform(text, seed=seed)):
        old, new = edit.old[edit.changed[0]], edit.new[edit.changed[0]]
        assert new.lower() in KEYS[old.lower()]
        assert new.isupper() == old.isupper()


@for_any_text
def test_a_text_has_at_most_two_typos(text, seed):
    edits = edits_of(both.transform(text, seed=seed))
    assert sum(edit.rule == "typo" for edit in edits) <= 2


@pytest.mark.parametrize("most", [0, 1, 2, 5])
def test_the_first_typos_of_a_text_are_those_that_stay(review_texts, most):
    all_typos, kept = (
        [edit for edit in edits_of(preset.transform(review_texts)) if edit.rule == "typo"]
        for preset in (
            to_the_letter("hybrid", max_typos_per_example=10**6),
            to_the_letter("hybrid", max_typos_per_example=most),
        )
    )
    rows = [[edit for edit in all_typos if edit.row == row][:most] for row in range(len(review_texts))]
    assert kept == [edit for row in rows for edit in row]


def test_a_replaced_word_is_not_typed_over(corpus):
    edits = edits_of(both.transform(corpus))
    assert len({edit.place for edit in edits}) == len(edits)
    for edit in edits:
        if edit.rule == "group":
            assert edit.new.lower() in group_words(edit.old.lower())
        elif edit.rule == "wordnet":
            assert any(edit.new.lower() in wordnet_words(edit.old.lower(), pos) for pos in "nvar")


def test_words_of_three_letters_and_fewer_stay(replaced, corpus):
    typed = edits_of(typist.transform(corpus))
    assert [min(len(edit.old) for edit in edits) for edits in (replaced, typed)] == [4, 4]


@for_any_text
def test_words_of_three_letters_and_fewer_stay_whatever_the_text(text, seed):
    for preset in (typist, writer):
        assert all(len(edit.old) >= 4 for edit in edits_of(preset.transform(text, seed=seed)))


@pytest.mark.parametrize("change", [str.lower, str.upper, str.title])
def test_capitalization_is_kept(review_texts, change):
    edits = edits_of(writer.transform([change(text) for text in review_texts]))
    plain = [edit for edit in edits if edit.old.isalpha() and edit.old == change(edit.old)]
    others = [edit.new for edit in plain if edit.new != change(edit.new)]
    assert len(plain) > 1000
    assert len(others) < len(plain) / 100
    assert all(edit.new.isupper() for edit in plain if change is str.upper)
    # Those of a lemma's own stay: Scripture, JFK.
    lemmas = {name for name in WordNet.load().words.to_pylist() if name != name.lower()}
    assert {new for new in others if new not in lemmas} <= {name[:1].upper() + name[1:] for name in lemmas}


def test_a_lemma_is_of_letters_alone_and_another_word(replaced):
    edits = [edit for edit in replaced if edit.rule == "wordnet"]
    assert all(edit.new.isalpha() and edit.new.lower() != edit.old.lower() for edit in edits)


def test_a_lemma_is_never_a_duplicate():
    for word, pos in [("films", "n"), ("great", "a"), ("watched", "v"), ("really", "r")]:
        found = [name.lower() for name in compat.get_wordnet_synonyms(word, pos)]
        assert len(set(found)) == len(found)
        assert set(found) == wordnet_words(word, pos)


def test_wordnet_is_asked_for_the_part_of_speech_of_the_word(corpus_words, replaced):
    parts = {word.place: word.part for word in corpus_words}
    for edit in replaced:
        if edit.rule == "wordnet":
            assert edit.new.lower() in wordnet_words(edit.old.lower(), PARTS[parts[edit.place]].pos)


def test_words_that_are_no_content_words_stay_even_if_a_group_has_them(corpus_words, replaced):
    others = {word.place for word in corpus_words if word.part == "other" and group_words(word.lower)}
    assert others
    assert others.isdisjoint(edit.place for edit in replaced)


def test_like_is_a_verb_in_one_sentence_and_no_content_word_in_the_other():
    first, second = "They like movies.", "It was like a dream."
    assert [dict(tag([text]).to_pylist()[0])["like"] for text in (first, second)] == ["VBP", "IN"]
    replaced = [{edit.old for edit in edits_of(writer.transform(text))} for text in (first, second)]
    assert ["like" in old for old in replaced] == [True, False]


def test_groups_come_first_and_wordnet_after_them(corpus_words, replaced):
    expected = {word.place: "group" if word.group else "wordnet" for word in corpus_words if word.replaceable}
    assert {edit.place: edit.rule for edit in replaced} == expected


@for_any_text
def test_sentences_are_put_together_by_the_treebank_detokenizer(text, seed):
    joined = TreebankWordDetokenizer().detokenize(tokenize(text))
    assert nothing.transform(text, seed=seed).transformed == joined


@pytest.mark.parametrize(("part", "name"), [(part, PARTS[part].setting) for part in PARTS])
def test_a_rate_of_0_leaves_a_part_of_speech_alone_and_1_replaces_all_of_it(
    review_words, review_texts, part, name
):
    edits = edits_of(to_the_letter("hybrid", p_typo=0.0, **NO_SYNONYMS | {name: 1.0}).transform(review_texts))
    able = {word.place for word in review_words if word.part == part and word.replaceable}
    assert {edit.place for edit in edits} == able


@pytest.mark.parametrize("least", [1, 3, 6, 9])
def test_min_word_length_is_the_shortest_word_that_changes(review_texts, least):
    preset = to_the_letter("hybrid", min_word_length=least, p_typo=1.0, max_typos_per_example=10**6)
    edits = edits_of(preset.transform(review_texts))
    replaced, typed = ({len(e.old) for e in edits if (e.rule == "typo") == typo} for typo in (False, True))
    assert min(replaced) == least
    assert min(typed) == max(least, 3)


def test_p_typo_of_1_types_over_every_word_whose_inner_letters_have_keys(review_words, review_texts):
    typed = {edit.place for edit in edits_of(typist.transform(review_texts))}
    long = [word for word in review_words if len(word.lower) >= 4]
    keys = {word.place: [letter in KEYS for letter in word.lower[1:-1]] for word in long}
    assert {place for place, inner in keys.items() if all(inner)} <= typed
    assert typed <= {place for place, inner in keys.items() if any(inner)}


def test_the_names_of_the_document_do_what_it_says():
    typed = {compat.introduce_typo("acting", seed=seed) for seed in range(300)}
    assert {"axting", "bcting"}.isdisjoint(typed)
    assert {"actibg", "acring", "actong", "acting"} <= typed
    assert {compat.get_synonym_from_group("movie", seed=seed) for seed in range(50)} == set(
        load_groups().synonyms("movie")
    )
    assert compat.preserve_capitalization("BAD", "awful") == "AWFUL"
