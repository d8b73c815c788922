"""Synonyms from WordNet: what `WordNet.synsets`, and NLTK, would give one word after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva._arrow import as_strings
from salva.edits.wordnet import Synonyms
from salva.lexicon import WordNet, offensive_words, stop_words
from tests.edits.conftest import COMPILED, spelled
from tests.text.conftest import hostile_words, unicode

POS = "nvar"
EXCLUDED = {"Motion Picture", "flick", "GOOD", "x", *offensive_words()}
STOPPED = {"Film", "GOOD", "s", "no such word", *stop_words()}
SETTINGS = {
    "by class": {"by_part": True, "letters_only": True},
    "first three": {"most_synsets": 3},
    "all": {},
    "first of a class": {"by_part": True, "most_synsets": 1},
    "with exclusions": {"by_part": True, "exclude": EXCLUDED},
    "with stop words": {"by_part": True, "stop_words": STOPPED},
    "three with exclusions": {"most_synsets": 3, "letters_only": True, "exclude": EXCLUDED},
}
WORDS = ["film", "films", "geese", "better", "axes", "ran", "ice_cream", "moving-picture_show", "s", "", "22"]
WORDS += ["paris", "o'clock", "a.m.", "were", "wolves", "quickest", "dying", "men", "mousses", "he'd", "_"]
WORDS += ["dies", "lies", "ties", "leaves", "boxes", "hoes", "hoed", "finest", "latter"]
ENDED = ["s", "es", "ed", "ing", "er", "est", "men", "ies"]


@pytest.fixture(scope="module")
def sources() -> dict[str, Synonyms]:
    return {name: Synonyms(**options) for name, options in SETTINGS.items()}


def slow_list(synsets, word, pos, *, letters_only=False, most_synsets=None, exclude=()):
    """Return the lemmas of the first synsets, each once in any case, without the word or what is excluded."""
    lemmas = [name for synset in synsets(word, pos)[:most_synsets] for name in synset.lemma_names()]
    found: dict[str, str] = {}
    for name in lemmas:
        spaced = name.replace("_", " ")
        usable = spaced.lower() not in exclude and (name.isalpha() or not letters_only)
        if usable and name.lower() != word.lower():
            found.setdefault(name.lower(), spaced)
    return list(found.values())


def slow_lists(synsets, words, *, by_part=False, exclude=(), stop_words=(), **options):
    parts, excluded = POS if by_part else [None], {other.lower() for other in exclude}
    stopped = {other.lower() for other in stop_words}
    return [
        [] if word.lower() in stopped else slow_list(synsets, word, pos, exclude=excluded, **options)
        for word in words
        for pos in parts
    ]


def fast_lists(source: Synonyms, words: list[str]) -> list[list[str]]:
    column = as_strings(words)
    return spelled(source, source.lists(column, np.arange(len(words))))


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_frequent_words_have_the_synonyms_of_the_slow_twin(sources, word_types, name):
    expected = slow_lists(WordNet.load().synsets, word_types, **SETTINGS[name])
    assert fast_lists(sources[name], word_types) == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_inflected_and_irregular_forms_have_those_of_their_bases(sources, name):
    irregular = [form[:-1] for form in WordNet.load().irregular_forms()[0]]
    words = WORDS + irregular[:: 2 if COMPILED else 40]
    assert fast_lists(sources[name], words) == slow_lists(WordNet.load().synsets, words, **SETTINGS[name])


@pytest.mark.parametrize("name", SETTINGS)
@given(words=hostile_words | st.lists(st.text(unicode, max_size=5)))
def test_hostile_words_have_the_synonyms_of_the_slow_twin(sources, name, words):
    words = [word.lower() for word in words]
    expected = slow_lists(WordNet.load().synsets, words, **SETTINGS[name])
    assert fast_lists(sources[name], words) == expected


@given(words=st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(ENDED))))
def test_detached_endings_lead_where_the_slow_twin_goes(sources, words):
    words = [word + ending for word, ending in words]
    expected = slow_lists(WordNet.load().synsets, words, **SETTINGS["by class"])
    assert fast_lists(sources["by class"], words) == expected


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_words_have_the_synonyms_that_nltk_gives(sources, word_types, nltk_wordnet, name):
    words = word_types[100:400] + WORDS
    assert fast_lists(sources[name], words) == slow_lists(nltk_wordnet.synsets, words, **SETTINGS[name])


def test_all_lemmas_of_wordnet_have_the_synonyms_of_the_slow_twin(sources):
    words = [word.lower() for word in WordNet.load().lemmas()][:: 20 if COMPILED else 2000]
    expected = slow_lists(WordNet.load().synsets, words)
    assert fast_lists(sources["all"], words) == expected


def test_no_list_has_a_word_twice_or_the_word_itself_or_what_is_excluded(sources, word_types):
    excluded = {word.lower() for word in EXCLUDED}
    found = fast_lists(sources["with exclusions"], word_types)
    owners = [word for word in word_types for _ in POS]
    for word, names in zip(owners, found, strict=True):
        lowered = [name.lower() for name in names]
        assert len(set(lowered)) == len(lowered)
        assert not {word, *excluded} & set(lowered)


def test_one_word_is_asked_by_its_part_of_speech(sources):
    assert sources["by class"].of("Film", "v") == ["shoot", "take"]
    assert sources["first three"].of("films")[:3] == ["movie", "film", "picture"]
    assert sources["all"].of("no such word") == []


def test_only_the_words_at_the_places_asked_for_are_looked_up(sources):
    words = as_strings(["film", "good", "geese", "film"])
    found = sources["all"].lists(words, np.array([2, 3]))
    assert spelled(sources["all"], found) == [sources["all"].of("geese"), sources["all"].of("film")]
    assert sources["all"].lists(words, np.array([], np.int64)).starts.tolist() == [0]


def test_lists_longer_than_the_first_room_are_whole(sources):
    words = ["break"] * 500
    found = fast_lists(sources["all"], words)
    assert sum(map(len, found)) > 16 * 500 + 4096
    assert found == [sources["all"].of("break")] * 500
