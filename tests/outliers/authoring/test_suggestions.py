"""Suggestions: of the right kind, one part of speech, no names, nothing offensive, ranked, with reasons."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from salva.errors import InputError, UsageError
from salva.lexicon import WordNet, offensive_words
from salva.outliers import WordSet, check
from salva.outliers.authoring.suggestions import suggest
from salva.outliers.vectors import SourceInfo
from tests.outliers.small_sets import run

VEHICLES = ("car", "bus", "van", "bike", "motorbike")
TREES = ("oak", "elm", "birch")


class Similar:
    """Similarities by hand: each word is a number, and near numbers are similar."""

    info = SourceInfo("vectors", "by hand", "sha256:0")

    def __init__(self, places):
        self.places = places

    def known(self, word):
        return word in self.places

    def matrix(self, words):
        at = np.array([self.places[word] for word in words], dtype=float)
        return 1 - np.abs(at[:, None] - at[None, :])


@pytest.fixture(scope="module")
def vehicles():
    return suggest(VEHICLES, count=40)


def words_of(suggestions):
    return [one.word for one in suggestions]


def everything(found):
    return [one for part in (found.inliers, *found.outliers.values()) for one in part]


def kinds_of(word):
    above = WordNet.load().synsets(word, "n")[:5]
    found = set()
    while above:
        found |= {synset.name() for synset in above}
        above = [higher for synset in above for higher in synset.hypernyms()]
    return found


def test_inliers_are_of_the_kind_that_the_words_share(vehicles):
    assert vehicles.kind == "motor_vehicle"
    assert {"taxi", "ambulance"} < set(words_of(vehicles.inliers))
    assert all("motor_vehicle.n.01" in kinds_of(word) for word in words_of(vehicles.inliers))


def test_sub_set_1_is_near_but_of_another_kind(vehicles):
    assert "streetcar" in words_of(vehicles.outliers[1])
    assert all("motor_vehicle.n.01" not in kinds_of(one.word) for one in vehicles.outliers[1])
    assert vehicles.outliers[1][0].reason == "a kind of 'self-propelled_vehicle', but not a 'motor_vehicle'"


def test_sub_sets_2_and_3_are_related_things_and_then_ideas(vehicles):
    assert {"route", "depot"} < set(words_of(vehicles.outliers[2]))
    assert {"traffic", "ticket", "insurance"} < set(words_of(vehicles.outliers[3]))
    reasons = {one.word: one.reason for one in vehicles.outliers[3]}
    assert reasons["ticket"] == "in 'bus_ticket', which is named after 'bus'"


def test_sub_set_4_is_frequent_and_shares_no_kind(vehicles):
    assert len(vehicles.outliers[4]) == 40
    assert all(one.count > 0 for one in vehicles.outliers[4])
    assert not any("vehicle.n.01" in kinds_of(one.word) for one in vehicles.outliers[4])


@pytest.mark.slow
def test_the_seed_draws_the_unrelated_words_and_nothing_else():
    first, second = suggest(TREES, seed=1), suggest(TREES, seed=2)
    assert first == suggest(TREES, seed=1)
    assert first.outliers[4] != second.outliers[4]
    assert (first.inliers, first.outliers[1]) == (second.inliers, second.outliers[1])


@pytest.mark.slow
@pytest.mark.parametrize("words", [VEHICLES, TREES, ("river", "lake", "sea"), ("king", "queen", "prince")])
def test_no_name_nothing_offensive_no_word_twice_none_of_the_given(words):
    found = words_of(everything(suggest(words, count=60)))
    assert len(found) == len(set(found))
    assert not set(words) & set(found)
    assert not offensive_words() & {
        part for word in found for part in (word.replace("_", " "), *word.split("_"))
    }
    assert all(re.fullmatch(r"[a-z]{2,}([_-][a-z]+)*", word) for word in found)
    wordnet = WordNet.load()
    assert all(not all(s.instance_hypernyms() for s in wordnet.synsets(word, "n")) for word in found)


@pytest.mark.parametrize(
    ("words", "pos"), [(("run", "walk", "jump"), "verb"), (("happy", "sad"), "adjective")]
)
def test_all_suggestions_are_of_one_part_of_speech(words, pos):
    found = suggest(words, pos=pos)
    assert found.pos == pos
    assert all(WordNet.load().synsets(one.word, pos[0]) for one in everything(found))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "pos"),
    [
        (VEHICLES, "noun"),
        (("worm", "snail", "jellyfish"), "noun"),
        (("tractor", "bulldozer"), "noun"),
        (("cat", "dog", "cow"), "noun"),
        (("run", "walk", "jump"), "verb"),
        (("happy", "sad"), "adjective"),
    ],
)
def test_nothing_is_offered_that_a_check_would_find_fault_with(words, pos):
    offered = words_of(everything(suggest(words, pos=pos, count=60)))
    assert {"appendicularia", "angledozer"}.isdisjoint(offered)
    for start in range(0, len(offered), 8):
        made = WordSet("Things", "EN", words, tuple(offered[start : start + 8]))
        faults = [str(one) for one in check(made) if one.code not in ("F8", "F9") and one.word not in words]
        assert faults == []


def test_reasons_help_to_choose(vehicles):
    reasons = {one.word: one.reason for one in everything(vehicles)}
    assert reasons["taxi"] == "a kind of 'car', so a 'motor_vehicle' like car, bus, van, bike, motorbike"
    assert len({one.reason for one in vehicles.inliers}) > 5
    assert all(one.reason.startswith("a kind of ") for one in vehicles.outliers[4])
    assert all(one.reason.endswith("; shares no kind with the words") for one in vehicles.outliers[4])


def test_a_word_that_usually_means_something_else_says_what():
    found = {one.word: one.reason for one in suggest(["river", "lake", "sea"], count=40).inliers}
    assert found["branch"] == "a kind of 'stream', like river; usually a kind of 'division'"


def test_opposites_are_near():
    assert "unhappy" in words_of(suggest(["happy", "sad"], pos="adjective").outliers[1])


def test_with_vectors_words_in_the_band_of_their_list_come_first():
    plain = suggest(TREES, count=5)
    near, far = plain.inliers[4].word, plain.inliers[0].word
    places = {"oak": 0.0, "elm": 0.1, "birch": 0.05, near: 0.06, far: 3.0}
    places |= {one.word: 2.0 for one in plain.outliers[4]}
    found = suggest(TREES, vectors=Similar(places), count=5)
    assert words_of(found.inliers)[0] == near
    assert found.inliers[0].similarity == pytest.approx(0.96, abs=0.01)
    assert found.inliers[0].reason.endswith("; as similar as this list calls for")
    assert all(one.reason.endswith("not in the vectors") for one in found.inliers[1:])
    assert set(words_of(found.outliers[4])) == set(words_of(plain.outliers[4]))


def test_vectors_that_do_not_know_the_words_are_refused():
    with pytest.raises(InputError, match="by hand knows too few of"):
        suggest(TREES, vectors=Similar({"oak": 1.0}))


@pytest.mark.parametrize("words", [[], ["oak"], ["oak", "oak"], ["oak", " "]])
def test_one_word_is_too_few(words):
    with pytest.raises(UsageError, match=r"too few words to suggest others from: .*; give two or more"):
        suggest(words)


def test_words_that_are_not_english_are_refused():
    with pytest.raises(InputError, match=r"WordNet has none of .* as a noun; give English lemmas"):
        suggest(["quercia", "betulla"])


def test_the_command_prints_lists_and_json(capsys):
    run("suggest", *TREES, "--count", "3")
    out = capsys.readouterr().out
    assert "nouns; shared kind: tree" in out
    assert "outliers, sub-set 4" in out
    run("suggest", *TREES, "--count", "3", "--json")
    assert json.loads(capsys.readouterr().out)["inliers"][0]["word"] == suggest(TREES).inliers[0].word
