"""`TextCorruptor`, and the other names of the specs."""

from __future__ import annotations

import logging

import pytest

import salva
from salva import compat
from salva.errors import InputError, StorageError, UsageError

BASE = ["some better movies were moving", "the movie moves better people", "moving movies"]


def test_the_calls_of_the_package_work(tmp_path):
    corruptor = salva.TextCorruptor(base_dataset=BASE, cache_dir=str(tmp_path / "cache"))
    texts = ["A movie that moves me, really.", "Better than others"]
    out = corruptor.corrupt(texts, severity=1.0, seed=1)
    assert len(out) == 2
    assert out != texts
    assert out == corruptor.corrupt(texts, severity=1.0, seed=1)
    assert out != corruptor.corrupt(texts, severity=1.0, seed=2)
    assert corruptor.common_words == ["better", "moves", "movie", "movies", "moving", "people"]


def test_words_and_results_come_from_the_cache(tmp_path, caplog):
    caplog.set_level(logging.INFO, "salva")
    first = salva.TextCorruptor(BASE, tmp_path).corrupt(["some movie"], 0.5, 1)
    again = salva.TextCorruptor(BASE, tmp_path).corrupt(["some movie"], 0.5, 1)
    assert first == again
    assert "common words from the cache" in caplog.text
    assert "1 corrupted texts from the cache" in caplog.text
    kinds = {path.suffix for path in tmp_path.rglob("*") if path.is_file()}
    assert kinds == {".txt", ".arrow"}


def test_the_cache_tells_lists_apart_that_join_alike(tmp_path):
    corruptor = salva.TextCorruptor(BASE, tmp_path)
    assert corruptor.corrupt([], 1.0, 1) == []
    assert corruptor.corrupt([""], 1.0, 1) == [""]
    assert len(corruptor.corrupt(["a b", "c"], 1.0, 1)) == 2
    assert len(corruptor.corrupt(["a", "b c"], 1.0, 1)) == 2
    assert corruptor.corrupt(["", "x"], 1.0, 1) == ["", "x"]
    assert corruptor.corrupt([None, "x"], 1.0, 1) == [None, "x"]


def test_a_cache_can_be_cleared_and_passed_by(tmp_path):
    salva.TextCorruptor(BASE, tmp_path).corrupt(["movie"], 1.0, 1)
    kept = next(tmp_path.rglob("*.arrow"))
    before = kept.read_bytes()
    kept.write_bytes(b"broken")
    assert salva.TextCorruptor(BASE, tmp_path).corrupt(["movie"], 1.0, 1, force_recalculate=True)
    assert kept.read_bytes() == before
    salva.TextCorruptor(BASE, tmp_path, clear_cache=True)
    assert not list(tmp_path.rglob("*.arrow"))


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError):
        salva.TextCorruptor(BASE, tmp_path / "file" / "cache")


def test_weights_are_honoured_and_checked():
    corruptor = salva.TextCorruptor(BASE)
    weights = compat.CorruptionWeights(1, 0, 0, 0)
    out = corruptor.corrupt(["Better"], 1.0, 1, weights=weights)[0]
    assert sum(a != b for a, b in zip(out, "Better", strict=True)) == 1
    with pytest.raises(UsageError, match="typo_weight=-1 must be between"):
        compat.CorruptionWeights(-1)
    with pytest.raises(UsageError, match="must be a CorruptionWeights"):
        corruptor.corrupt(["a"], 1.0, 1, weights={"typo_weight": 1})
    with pytest.raises(UsageError, match="single string; pass a list"):
        corruptor.corrupt("text", 1.0, 1)


def test_custom_transform_takes_a_dict_and_gives_a_dict():
    example = {"text": "This film was terrible. The plot made no sense.", "label": 0}
    out = compat.custom_transform(example)
    assert out.keys() == example.keys()
    assert out["label"] == 0
    assert out["text"] == salva.preset("hybrid").transform(example["text"], seed=0).transformed
    assert compat.custom_transform(example, seed=5) != out
    for wrong in ({"label": 1}, "text", {"text": None}):
        with pytest.raises(InputError, match="an example needs a text under 'text'"):
            compat.custom_transform(wrong)


def test_groups_are_there_under_the_names_of_the_document():
    assert {"movie", "film", "picture", "flick"} in compat.SYNONYM_GROUP_SETS
    assert compat.SYNONYM_GROUPS["movie"] == ["film", "flick", "picture"]
    found = {compat.get_synonym_from_group("MOVIE", seed=seed) for seed in range(40)}
    assert found == {"FILM", "FLICK", "PICTURE"}
    assert compat.get_synonym_from_group("Titanic") is None


def test_wordnet_synonyms_are_letters_of_a_part_of_speech():
    assert "motion picture" not in compat.get_wordnet_synonyms("film", "n")
    assert "movie" in compat.get_wordnet_synonyms("Films", "n")
    assert "shoot" in compat.get_wordnet_synonyms("film", "v")
    with pytest.raises(UsageError, match="pos_tag='NN' is unknown"):
        compat.get_wordnet_synonyms("film", "NN")


def test_a_typo_is_an_inner_letter():
    typos = {compat.introduce_typo("Acting", seed=seed) for seed in range(60)}
    assert "Actibg" in typos
    assert all(word[0] == "A" and word[-1] == "g" and len(word) == 6 for word in typos)
    assert compat.introduce_typo("the") == "the"
    assert compat.introduce_typo("cannot") != "cannot"
    for draws in (compat.introduce_typo, compat.get_synonym_from_group):
        with pytest.raises(UsageError, match="seed=-1 must be a whole number"):
            draws("movie", seed=-1)


def test_capitals_are_kept():
    pairs = [("great", "fine"), ("Great", "Fine"), ("GREAT", "FINE"), ("gReat", "fine")]
    assert [compat.preserve_capitalization(word, "fine") for word, _ in pairs] == [new for _, new in pairs]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'typo'"):
        _ = compat.typo
