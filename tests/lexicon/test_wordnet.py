"""WordNet: equal to NLTK's reader, on a fifth of it; `SHARE = 1` compares everything, for five minutes."""

from __future__ import annotations

import re
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from salva.errors import UsageError
from salva.lexicon import Synset, WordNet
from salva.lexicon.shipped import DATA

POS = (None, "n", "v", "a", "s", "r")
SHARE = 5


@pytest.fixture(scope="module")
def wordnet() -> WordNet:
    return WordNet.load()


def key(synset):
    return synset.offset(), synset.pos()


def antonyms(lemmas):
    return [
        [(a.name(), key(a.synset if isinstance(a.synset, Synset) else a.synset())) for a in x.antonyms()]
        for x in lemmas
    ]


def test_a_few_words_by_hand(wordnet):
    assert [s.name() for s in wordnet.synsets("films", "v")] == ["film.v.01", "film.v.02"]
    assert wordnet.synsets("movie")[0].lemma_names()[:3] == ["movie", "film", "picture"]
    assert wordnet.synsets("good", "a")[0].lemmas()[0].antonyms()[0].name() == "bad"
    assert [s.name() for s in wordnet.synsets("dog", "n")[0].hypernyms()] == [
        "canine.n.02",
        "domestic_animal.n.01",
    ]
    assert [s.name() for s in wordnet.synsets("Einstein")[0].instance_hypernyms()] == ["physicist.n.01"]
    assert repr(wordnet.synsets("dog")[0].lemmas()[0]) == "Lemma('dog.n.01.dog')"
    assert wordnet.synsets("dog")[0].lemmas()[0].count() == 42


@pytest.mark.parametrize("word", ["", "no such word", "İ", "\ud800", "dog\0", "_", "s", "\U0010ffff" * 9])
def test_words_that_are_not_there_give_nothing(wordnet, word):
    assert wordnet.synsets(word, "v") == []
    assert wordnet.morphy(word, "v") is None


def test_an_unknown_part_of_speech_is_refused(wordnet):
    with pytest.raises(UsageError, match="part of speech 'x' is unknown; use one of n, v, a, s, r"):
        wordnet.synsets("dog", "x")


def test_words_become_ids_in_one_call(wordnet):
    ids = wordnet.word_ids(pa.array(["dog", "Dog", "no such word", None, ""]))
    assert [wordnet.word(i) if i >= 0 else None for i in ids] == ["dog", None, None, None, None]
    senses = wordnet.senses["n"]
    assert [s.id for s in wordnet.synsets("dog", "n")] == senses.row(ids[0])
    assert senses.values.dtype == wordnet.members.values.dtype == np.int32


def test_the_lexicon_takes_under_six_megabytes_of_a_wheel():
    assert sum(len(zlib.compress(path.read_bytes())) for path in DATA.iterdir()) < 6_000_000


@pytest.mark.slow
def test_a_lemma_has_the_synsets_and_base_forms_of_nltk(wordnet, nltk_wordnet):
    lemmas = list(wordnet.lemmas())
    assert sorted(nltk_wordnet.all_lemma_names()) == sorted(lemmas)
    different = [
        (lemma, pos)
        for lemma in lemmas[::SHARE]
        for pos in POS
        if list(map(key, wordnet.synsets(lemma, pos))) != list(map(key, nltk_wordnet.synsets(lemma, pos)))
        or wordnet.morphy(lemma, pos) != nltk_wordnet.morphy(lemma, pos)
    ]
    assert different == []


@pytest.mark.slow
def test_a_synset_has_the_names_counts_and_relations_of_nltk(wordnet, nltk_wordnet):
    relations = ("hypernyms", "hyponyms", "instance_hypernyms", "instance_hyponyms")
    for number in range(0, len(wordnet.synset_pos), SHARE):
        ours = Synset(wordnet, number)
        theirs = nltk_wordnet.synset_from_pos_and_offset(ours.pos(), ours.offset())
        assert (ours.name(), ours.lemma_names()) == (theirs.name(), theirs.lemma_names())
        for relation in relations:
            found = sorted(map(key, getattr(ours, relation)()))
            assert found == sorted(map(key, getattr(theirs, relation)())), (ours, relation)
        assert [x.count() for x in ours.lemmas()] == [x.count() for x in theirs.lemmas()], ours
        assert antonyms(ours.lemmas()) == antonyms(theirs.lemmas()), ours


@pytest.mark.slow
def test_a_word_of_imdb_has_the_base_forms_and_synsets_of_nltk(wordnet, nltk_wordnet, imdb):
    text = " ".join(pq.read_table(imdb / "train.parquet").column("text").to_pylist())
    types = set(re.findall(r"\w+", text)) | set(text.split())
    assert len(types) > 250_000
    some = sorted(types)[::SHARE]
    different = [w for w in some for pos in POS if wordnet.morphy(w, pos) != nltk_wordnet.morphy(w, pos)]
    assert different == []
    assert [
        w for w in some[::2] if list(map(key, wordnet.synsets(w))) != list(map(key, nltk_wordnet.synsets(w)))
    ] == []


@pytest.mark.slow
def test_the_shipped_table_is_what_the_tool_makes(wordnet, nltk_wordnet):
    from pathlib import Path

    from tools.build_wordnet import compile_tables

    for name, array in compile_tables(Path("/usr/share/wordnet")).items():
        assert array.equals(wordnet._tables[name]), name
