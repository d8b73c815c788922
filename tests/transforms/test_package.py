"""The settings of `corrupt` for what the corrupted-text package does, and `TextCorruptor`, which has them."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

import salva
from salva.errors import UsageError

TOKEN = re.compile(r"\w+|[^\w\s]+")
SEVERITIES = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
KINDS = ("typo", "autocomplete", "autocorrect", "synonym")
PACKAGE = {"share_of": "tokens", "look_up": "written", "correct": "common"}


def only(kind: str, **settings):
    weights = {f"{name}_weight": float(name == kind) for name in KINDS}
    return salva.preset("corrupt", **weights, **settings)


def edits(transform, text: str, **draw) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for seed in range(30):
        for row in transform.transform(text, seed=seed, **draw).edits.to_pylist():
            found.setdefault(row["old"], set()).add(row["rule"])
    return found


def test_a_share_of_tokens_is_picked_of_which_marks_and_single_characters_stay():
    tokens = only("typo", share_of="tokens")
    text = "I saw a film , - a good one . " * 10
    old = tokens.transform(text, severity=1.0).edits["old"].to_pylist()
    assert old == ["saw", "film", "good", "one"] * 10
    counts = [len(tokens.transform(text, severity=0.5, seed=seed).edits) for seed in range(200)]
    assert 19 < sum(counts) / len(counts) < 21
    assert min(counts) < 20 < max(counts)


def test_words_are_picked_by_their_own_number_unless_said_otherwise():
    text = "I saw a film , - a good one . " * 10
    words = only("typo")
    assert {len(words.transform(text, severity=0.5, seed=seed).edits) for seed in range(20)} == {20}


def test_what_is_edited_at_a_severity_is_edited_the_same_way_at_a_higher_one(review_texts):
    package = salva.preset("corrupt", **PACKAGE)
    found = [package.transform(review_texts, severity=s).edits.to_pylist() for s in SEVERITIES]
    keys = [{(e["row"], e["start"], e["new"], e["rule"]) for e in edits} for edits in found]
    assert all(fewer < more for fewer, more in pairwise(keys))


def test_words_are_looked_up_as_they_are_written():
    written = {"look_up": "written", "vocabulary": ["movies", "moved"]}
    text = "movie Movie MOVIE movies Paris paris"
    synonyms = edits(only("synonym", **written), text, severity=1.0)
    assert {word for word, rules in synonyms.items() if rules == {"synonym"}} == {"movie", "Paris"}
    assert synonyms.keys() == set(text.split())
    completed = edits(only("autocomplete", correct="common", **written), text, severity=1.0)
    assert completed.keys() == {"movie", "movies"}


def test_a_word_in_capitals_is_not_corrected_to_itself():
    written = only("autocorrect", look_up="written", vocabulary=["movie", "moves"])
    assert written.transform("Movie", severity=1.0).transformed == "Moves"


def test_a_thesaurus_is_looked_up_as_it_is_written(tmp_path):
    path = tmp_path / "de.tsv"
    path.write_text("Film\tStreifen\n", "utf-8")
    written = only("synonym", look_up="written", thesaurus=path)
    assert edits(written, "Film film", severity=1.0) == {"Film": {"synonym"}, "film": {"typo"}}
    lowered = only("synonym", thesaurus=path)
    assert edits(lowered, "Film film", severity=1.0) == {"Film": {"synonym"}, "film": {"synonym"}}


def test_only_common_words_are_corrected():
    common = {"correct": "common", "vocabulary": ["movie", "moved", "other"]}
    corrected = edits(only("autocorrect", **common), "movie Moved mover others", severity=1.0)
    assert corrected == {"movie": {"autocorrect"}, "Moved": {"autocorrect"}}
    completed = edits(only("autocomplete", **common), "mover mothers", severity=1.0)
    assert completed == {"mover": {"autocomplete"}}


def test_a_corruptor_has_the_settings_and_the_realised_weights_of_the_package(review_texts):
    realised = {"autocomplete_weight": 0.30, "autocorrect_weight": 0.35, "synonym_weight": 0.30}
    package = salva.preset("corrupt", **PACKAGE, **realised).fit(review_texts)
    corruptor = salva.TextCorruptor(review_texts)
    expected = package.transform(review_texts, severity=0.7, seed=3).transformed
    assert corruptor.corrupt(review_texts, 0.7, 3) == expected
    assert corruptor.corrupt(review_texts, 0.7, 3, weights=salva.CorruptionWeights()) == expected


def test_weights_that_are_not_the_default_count_by_their_names():
    corruptor = salva.TextCorruptor(["some movie"])
    weights = salva.CorruptionWeights(0, 0, 0, 1)
    synonyms = only("synonym", **PACKAGE).transform("such a movie", severity=1.0, seed=1).transformed
    assert corruptor.corrupt(["such a movie"], 1.0, 1, weights=weights) == [synonyms]


@pytest.mark.parametrize(
    ("setting", "known"), [("share_of", "words"), ("look_up", "lower"), ("correct", "any")]
)
def test_a_wrong_choice_is_refused(setting, known):
    with pytest.raises(UsageError, match=f"{setting}='all' is unknown; use one of {known}, "):
        salva.preset("corrupt", **{setting: "all"})


GERMAN = {"Film": ["Streifen"], "schön": ["hübsch"]}
SYNONYMS = salva.CorruptionWeights(0, 0, 0, 1)


class German(salva.TextCorruptor):
    def load_bad_translations(self):
        return GERMAN | {"leer": []}


class Added(salva.TextCorruptor):
    def load_bad_translations(self):
        return {**super().load_bad_translations(), "movie": ["flickering"]}


def test_a_thesaurus_is_given_as_a_mapping_or_a_file(tmp_path):
    path = tmp_path / "de.tsv"
    path.write_text("Film\tStreifen\nschön\thübsch\n", "utf-8")
    for thesaurus in (GERMAN, path):
        corruptor = salva.TextCorruptor(["ein Film"], thesaurus=thesaurus)
        assert corruptor.corrupt(["Film schön"], 1.0, 1, weights=SYNONYMS) == ["Streifen hübsch"]
        assert dict(corruptor.load_bad_translations()) == GERMAN


@pytest.mark.slow
def test_bad_translations_are_those_of_a_class_of_its_own():
    assert German(["ein Film"]).corrupt(["Film schön"], 1.0, 1, weights=SYNONYMS) == ["Streifen hübsch"]
    added = Added(["some movie"])
    assert added.corrupt(["movie"], 1.0, 1, weights=SYNONYMS) == ["flickering"]
    wordnet = salva.TextCorruptor(["some movie"])
    assert "film" in wordnet.load_bad_translations()["movie"]
    texts = ["an awful movie plot"] * 3
    assert added.corrupt(texts, 1.0, 1)[0].split()[1] == wordnet.corrupt(texts, 1.0, 1)[0].split()[1]


def test_the_cache_tells_thesauri_apart(tmp_path):
    plain = salva.TextCorruptor(["ein Film"], tmp_path).corrupt(["Film schön"], 1.0, 1, weights=SYNONYMS)
    own = salva.TextCorruptor(["ein Film"], tmp_path, thesaurus=GERMAN)
    assert own.corrupt(["Film schön"], 1.0, 1, weights=SYNONYMS) == ["Streifen hübsch"] != plain
