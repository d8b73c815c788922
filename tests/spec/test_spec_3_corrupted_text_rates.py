"""Spec 3 (corrupted-text), its numbers: how often each corruption comes, and what is chosen how often."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import pytest
from rapidfuzz.distance import Levenshtein

import salva
from salva.compat import CorruptionWeights
from salva.transforms import Transform
from tests.spec.candidates import TOKEN, Common, all_synsets, corruptible, most_frequent
from tests.spec.conftest import assert_rate, assert_shares, edits_of, to_the_letter, variants

SEED = 1
WEIGHTS = {"typo": 0.05, "autocomplete": 0.30, "autocorrect": 0.30, "synonym": 0.35}
# The share of words (with a letter) that corrupted-text 0.2.0 changes, token by token, in 2,000 reviews of
# IMDB test when it is fitted on train and test, at each severity.
CHANGED_BY_PACKAGE = {0.1: 0.0608, 0.3: 0.1822, 0.5: 0.3038, 0.7: 0.4258, 0.9: 0.5473, 1.0: 0.6081}
SIZE = 500  # few common words, so that many words have no near one


class Corrupted(NamedTuple):
    """What became of a word, and which corruptions it can have."""

    rule: str | None
    completed: bool
    corrected: bool
    translated: bool


def corrupted(texts: list[str], common: Common, **weights: float) -> list[Corrupted]:
    """Return all words of some texts, corrupted with the common words of all."""
    preset = to_the_letter("corrupt", vocabulary=common.words, **weights)
    rules = {edit.place: edit.rule for edit in edits_of(preset.transform(texts, seed=SEED, severity=1.0))}
    found = [(row, start, w.lower()) for row, text in enumerate(texts) for start, w in corruptible(text)]
    nearest = common.corrections(sorted({word for _, _, word in found}))
    return [
        Corrupted(
            rules.get((row, start)),
            bool(common.completions(word)),
            bool(nearest[word]),
            bool(all_synsets(word)),
        )
        for row, start, word in found
    ]


@pytest.fixture(scope="module")
def common(corpus) -> Common:
    return Common(most_frequent(corpus, SIZE))


@pytest.fixture(scope="module")
def words(corpus, common) -> list[Corrupted]:
    return corrupted(corpus, common)


def test_weights_are_those_of_the_package():
    assert {name: vars(CorruptionWeights())[f"{name}_weight"] for name in WEIGHTS} == WEIGHTS


@pytest.mark.parametrize("kind", WEIGHTS)
def test_words_that_can_have_all_corruptions_get_each_by_its_weight(words, kind):
    able = [word for word in words if word.completed and word.corrected and word.translated]
    assert_rate((word.rule == kind for word in able), WEIGHTS[kind])


@pytest.mark.parametrize(
    ("able", "rule", "rate"),
    [
        ((False, True), "autocorrect", 0.60),
        ((False, True), "autocomplete", 0.0),
        ((False, False), None, 0.60),
        ((True, False), None, 0.30),
        ((True, False), "autocomplete", 0.30),
    ],
)
def test_what_cannot_be_completed_is_corrected_and_what_cannot_be_corrected_stays(words, able, rule, rate):
    found = [word for word in words if (word.completed, word.corrected) == able]
    assert_rate((word.rule == rule for word in found), rate)


def test_what_has_no_synonym_gets_a_typo(words):
    assert_rate((word.rule == "typo" for word in words if not word.translated), 0.40)
    assert_rate((word.rule == "typo" for word in words if word.translated), 0.05)


@pytest.mark.parametrize("severity", CHANGED_BY_PACKAGE)
def test_a_corruptor_changes_as_many_words_as_the_package(imdb_texts, severity):
    package = {"share_of": "tokens", "look_up": "written", "correct": "common"}
    weights = {"autocorrect_weight": 0.35, "synonym_weight": 0.30}
    fitted = salva.preset("corrupt", **package, **weights).fit(imdb_texts)
    twins = fitted.transform(imdb_texts, seed=SEED, severity=severity)
    assert twins.transformed == salva.TextCorruptor(imdb_texts).corrupt(imdb_texts, severity, SEED)
    words = sum(any(map(str.isalpha, token)) for text in imdb_texts for token in TOKEN.findall(text))
    assert twins.summary.edits / words == pytest.approx(CHANGED_BY_PACKAGE[severity], abs=0.02)


def test_weights_of_the_user_are_relative_to_each_other(review_texts):
    weights = {"typo_weight": 3, "autocomplete_weight": 1, "autocorrect_weight": 0, "synonym_weight": 4}
    words = corrupted(review_texts, Common(most_frequent(review_texts, SIZE)), **weights)
    able = [word for word in words if word.completed and word.translated]
    for rule, share in [("typo", 3 / 8), ("autocomplete", 1 / 8), ("synonym", 4 / 8)]:
        assert_rate((word.rule == rule for word in able), share)


def only(kind: str, **settings) -> Transform:
    """Return the preset with one corruption alone."""
    return to_the_letter("corrupt", **{f"{name}_weight": float(name == kind) for name in WEIGHTS}, **settings)


def chosen(word: str, kind: str, vocabulary: list[str]) -> Counter[str]:
    twins = only(kind, vocabulary=vocabulary).transform(variants(word, 12000), seed=SEED, severity=1.0)
    return Counter(edit.new for edit in edits_of(twins) if edit.rule == kind)


@pytest.mark.parametrize(
    "vocabulary",
    [["movies", "moviest", "moviestr"], ["movies", "moved", "mouse", "moist", "mimic"], ["mimic", "moist"]],
)
def test_a_correction_is_chosen_by_one_over_its_distance(vocabulary):
    counts = chosen("movie", "autocorrect", vocabulary)
    weights = [1 / Levenshtein.distance("movie", word) for word in vocabulary]
    assert_shares([counts[word] for word in vocabulary], weights)


def test_completions_and_synonyms_are_chosen_equally_often():
    completions = chosen("movement", "autocomplete", ["movable", "moving", "movies", "mouse"])
    assert completions.keys() == {"movable", "moving", "movies"}
    assert_shares(list(completions.values()), [1] * 3)
    synonyms = chosen("great", "synonym", [])
    assert synonyms.keys() == all_synsets("great")
    assert_shares(list(synonyms.values()), [1] * len(synonyms))


def test_places_and_letters_of_typos_are_chosen_equally_often():
    counts = chosen("film", "typo", [])
    places = Counter({i: sum(n for new, n in counts.items() if new[i] != "film"[i]) for i in range(4)})
    assert_shares(list(places.values()), [1] * 4)
    letters = [n for new, n in counts.items() if new[1:] == "ilm"]
    assert len(letters) == 25
    assert_shares(letters, [1] * 25)


@pytest.mark.parametrize("severity", [0.2, 0.7])
def test_every_word_of_a_text_is_corrupted_equally_often(severity):
    text = "great film with good actors and bad songs in it"
    twins = only("typo").transform(variants(text, 4000), severity=severity)
    counts = Counter(twins.edits["old"].to_pylist())
    assert counts.keys() == set(text.split())
    assert_shares(list(counts.values()), [1] * 10)
