"""Spec 1 (`hybrid`), its numbers: how often words are replaced and mistyped in real texts."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest

from salva.lexicon import KEYBOARDS
from tests.spec.candidates import PARTS, group_words, wordnet_words
from tests.spec.conftest import Edit, assert_rate, assert_shares, edits_of, to_the_letter, variants

KEYS = KEYBOARDS["hybrid"]
SEED = 1
UNCAPPED = 10**6


@pytest.fixture(scope="module")
def edits(corpus) -> dict[tuple[int, int], Edit]:
    """The edits of the document's own settings by their places, but for the limit of typos."""
    twins = to_the_letter("hybrid", max_typos_per_example=UNCAPPED).transform(corpus, seed=SEED)
    return {edit.place: edit for edit in edits_of(twins)}


@pytest.fixture(scope="module")
def rules(edits) -> dict[tuple[int, int], str]:
    return {place: edit.rule for place, edit in edits.items()}


@pytest.mark.parametrize("part", PARTS)
def test_words_of_no_group_are_replaced_at_the_rate_of_their_part_of_speech(corpus_words, rules, part):
    able = [word for word in corpus_words if word.part == part and word.wordnet and not word.group]
    assert_rate((rules.get(word.place) == "wordnet" for word in able), PARTS[part].rate)


@pytest.mark.parametrize("part", PARTS)
def test_words_of_a_group_are_replaced_by_it_at_the_rate_of_their_part_of_speech(corpus_words, rules, part):
    able = [word for word in corpus_words if word.part == part and word.group]
    assert_rate((rules.get(word.place) == "group" for word in able), PARTS[part].rate)


@pytest.mark.parametrize("part", PARTS)
def test_words_that_their_group_did_not_replace_get_the_draw_of_wordnet_too(corpus_words, rules, part):
    both = [word for word in corpus_words if word.part == part and word.group and word.wordnet]
    lost = [word for word in both if rules.get(word.place) != "group"]
    assert_rate((rules.get(word.place) == "wordnet" for word in lost), PARTS[part].rate)
    replaced = (rules.get(word.place) in {"group", "wordnet"} for word in both)
    assert_rate(replaced, 1 - (1 - PARTS[part].rate) ** 2)


def typable(words, rules) -> list[tuple[tuple[int, int], float]]:
    """Return the words left by synonyms, and the share of their inner letters that have keys."""
    left = [w for w in words if len(w.lower) >= 4 and rules.get(w.place) not in {"group", "wordnet"}]
    inner = [(word.place, word.lower[1:-1]) for word in left]
    return [(place, sum(letter in KEYS for letter in letters) / len(letters)) for place, letters in inner]


def test_a_typo_is_tried_in_a_tenth_of_the_words_that_were_not_replaced(corpus_words, rules):
    """A tenth exactly where all inner letters have keys; elsewhere some of the tries find none."""
    found = typable(corpus_words, rules)
    assert_rate((rules.get(place) == "typo" for place, share in found if share == 1), 0.10)
    assert not any(rules.get(place) == "typo" for place, share in found if share == 0)
    chances = [0.10 * share for _, share in found]
    typos, spread = Counter(rules.values())["typo"], sqrt(sum(p * (1 - p) for p in chances))
    assert abs(typos - sum(chances)) < 3.29 * spread


def test_no_text_has_more_than_two_typos_and_long_ones_have_two(corpus):
    edits = edits_of(to_the_letter("hybrid").transform(corpus, seed=SEED))
    typos = Counter(edit.row for edit in edits if edit.rule == "typo")
    assert max(typos.values()) == 2
    long = [row for row, text in enumerate(corpus) if len(text.split()) > 400]
    assert all(typos[row] == 2 for row in long)


@pytest.mark.parametrize("rate", [0.15, 0.85])
@pytest.mark.parametrize("part", PARTS)
def test_another_rate_is_the_rate_of_its_part_of_speech_alone(review_words, review_texts, part, rate):
    preset = to_the_letter("hybrid", **{PARTS[part].setting: rate})
    rules = {edit.place: edit.rule for edit in edits_of(preset.transform(review_texts, seed=SEED))}
    for name in PARTS:
        expected = rate if name == part else PARTS[name].rate
        able = [word for word in review_words if word.part == name and word.wordnet and not word.group]
        assert_rate((rules.get(word.place) == "wordnet" for word in able), expected)


@pytest.mark.parametrize("p_typo", [0.3, 0.8])
def test_another_p_typo_is_the_rate_of_typos(review_words, review_texts, p_typo):
    preset = to_the_letter("hybrid", p_typo=p_typo, max_typos_per_example=UNCAPPED)
    rules = {edit.place: edit.rule for edit in edits_of(preset.transform(review_texts, seed=SEED))}
    found = typable(review_words, rules)
    assert_rate((rules.get(place) == "typo" for place, share in found if share == 1), p_typo)


@pytest.mark.parametrize(
    ("word", "rule", "expected"),
    [
        ("movie", "group", group_words("movie")),
        ("story", "group", group_words("story")),
        ("movie", "wordnet", wordnet_words("movie", "n")),
    ],
)
def test_all_words_that_may_be_chosen_are_chosen_equally_often(word, rule, expected):
    edits = edits_of(to_the_letter("hybrid").transform(variants(f"The {word} was long.", 10000), seed=SEED))
    chosen = Counter(edit.new for edit in edits if edit.old == word and edit.rule == rule)
    assert chosen.keys() == expected
    assert_shares(list(chosen.values()), [1] * len(chosen))


def test_all_inner_places_and_all_neighbours_are_chosen_equally_often():
    rates = dict.fromkeys((PARTS[part].setting for part in PARTS), 0.0)
    preset = to_the_letter("hybrid", p_typo=1.0, **rates)
    edits = edits_of(preset.transform(variants("resident", 8000), seed=SEED))
    assert len(edits) == 8000
    places = Counter(edit.changed[0] for edit in edits)
    assert places.keys() == set(range(1, 7))
    assert_shares(list(places.values()), [1] * 6)
    keys = Counter(edit.new[2] for edit in edits if edit.changed == [2])
    assert keys.keys() == set(KEYS["s"])
    assert_shares(list(keys.values()), [1] * 6)
