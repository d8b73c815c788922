"""Spec 4 (HAMOD's guidelines): their examples, and every rule that a program can check."""

from __future__ import annotations

import pytest

from salva.outliers import WordSet, check, read_set
from salva.outliers.notes import Adaptation, Notes, read_notes, write_notes

TRANSPORT = (
    ("motorbike", "ship", "car", "tram", "bus", "train", "plane", "helicopter"),
    ("exercise_bike", "treadmill", "pavement", "road", "driver", "pilot", "needle", "shoe"),
)
ROAD = (
    ("car", "bus", "campervan", "bike", "motorbike", "skateboard", "van", "e-scooter"),
    ("boat", "train", "road", "roundabout", "traffic", "car_crash", "tomato", "toaster"),
)
MUSIC = (
    ("note", "composer", "guitar", "rock", "flute", "sound", "microphone", "singer"),
    ("letter", "color", "picture", "sculpture", "writer", "bird", "helicopter", "pig"),
)
EXAMPLES = {"Means_of_Transport": TRANSPORT, "Road_Means_of_Transport": ROAD, "Music": MUSIC}


def grave(words: WordSet) -> set[tuple[str, str | None]]:
    """Codes and words of all that is no hint."""
    return {(one.code, one.word) for one in check(words) if one.level != "hint"}


def with_word(word: str, *, language: str = "EN") -> WordSet:
    return WordSet("Road_Means_of_Transport", language, (word, *ROAD[0][1:]), ROAD[1])


@pytest.mark.parametrize("topic", EXAMPLES)
def test_the_examples_of_the_guidelines_pass(topic):
    assert grave(WordSet(topic, "EN", *EXAMPLES[topic])) == set()


def test_the_file_of_means_of_transport_is_read(tmp_path):
    path = tmp_path / "EN-Means_of_Transport.txt"
    path.write_text("".join(f"{line}\n" for line in [*TRANSPORT[0], "", *TRANSPORT[1]]))
    found = read_set(path)
    assert (found.topic, found.language) == ("Means_of_Transport", "EN")
    assert (found.inliers, found.outliers) == TRANSPORT


def test_outliers_are_four_sub_sets_of_two():
    words = WordSet("Road_Means_of_Transport", "EN", *ROAD)
    by_subset = {n: {one.outlier for one in words.exercises() if one.subset == n} for n in (1, 2, 3, 4)}
    assert by_subset == {
        1: {"boat", "train"},
        2: {"road", "roundabout"},
        3: {"traffic", "car_crash"},
        4: {"tomato", "toaster"},
    }


@pytest.mark.parametrize("planet", ["Neptune", "Uranus", "Argentina", "Masaryk"])
def test_named_entities_and_proper_names_are_avoided(planet):
    assert grave(with_word(planet)) & {("L5", planet), ("W5", planet)}


@pytest.mark.parametrize("word", ["tram", "guitar", "square", "teacher"])
def test_common_nouns_are_no_entities(word):
    assert grave(with_word(word)) == set()


@pytest.mark.parametrize("word", ["which", "during", "until"])
def test_the_criterion_is_meaning_not_grammar(word):
    assert grave(with_word(word)) == {("L1", word)}


@pytest.mark.parametrize("word", ["huge", "devour"])
def test_a_set_has_one_part_of_speech(word):
    assert grave(with_word(word)) == {("L4", word)}


def test_a_word_of_two_parts_of_speech_is_taken_as_the_others():
    words = ("eat", "dine", "fast", "chew", "bite", "feed", "devour", "swallow")
    others = ("drink", "sip", "cook", "serve", "buy", "sell", "learn", "sing")
    assert grave(WordSet("Verbs_Eating", "EN", words, others)) == set()


@pytest.mark.parametrize("word", ["peanut_butter", "salle_de_bain", "cambiamento_climatico"])
def test_multiword_expressions_are_joined_with_underscores(word):
    assert grave(with_word(word)) == set()
    assert grave(with_word(word.replace("_", " "))) == {("W3", word.replace("_", " "))}


@pytest.mark.parametrize(("word", "wrong"), [("cars", True), ("trousers", False), ("bus", False)])
def test_plurals_are_not_lemmas_but_for_pluralia_tantum(word, wrong):
    words = WordSet("Things", "EN", (word, *MUSIC[0][1:]), MUSIC[1])
    assert (("L2", word) in grave(words)) is wrong


def test_a_verb_is_an_infinitive_in_italian_too():
    eating = ("eat", "dine", "fast", "chew", "bite", "feed", "sip", "cook")
    english = WordSet("Verbs_Eating", "EN", eating, ("be",) * 8)
    words = ("mangiare", "cenare", "digiunare", "mastica", "mordere", "nutrire", "bere", "cucinare")
    found = check([english, WordSet("Verbs_Eating", "IT", words, ("essere",) * 8)])
    assert [one.word for one in found if one.code == "L7"] == ["mastica"]


def test_every_language_has_its_own_file_and_english_is_the_source(tmp_path):
    for name in ("Music/EN-Music.txt", "Music/IT-Music.txt", "War/IT-War.txt", "Art/EN-Art.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("a\n")
    found = {(one.code, one.path.rpartition("/")[2]) for one in check(tmp_path) if one.code in ("X1", "X2")}
    assert found == {("X2", "EN-War.txt"), ("X1", "IT-Art.txt")}


def test_adaptations_have_one_of_three_reasons(tmp_path):
    path = tmp_path / "CS-Dairy_Products.txt"
    notes = Notes("category", "noun", adaptations={"tvaroh": Adaptation(3, "custard is not known")})
    write_notes(notes, path.with_suffix(".toml"))
    assert read_notes(path) == notes


def test_oil_is_two_words_in_italian_when_the_sense_is_noted(tmp_path):
    english = [WordSet(topic, "EN", ("oil",) * 8, ("pig",) * 8) for topic in ("Cooking", "Sources_of_Energy")]
    italian = [
        WordSet("Cooking", "IT", ("olio",) * 8, ("maiale",) * 8),
        WordSet("Sources_of_Energy", "IT", ("petrolio",) * 8, ("maiale",) * 8),
    ]
    found = [one for one in check([*english, *italian]) if one.code == "X7"]
    assert {one.word for one in found} == {"petrolio"}
    assert "'oil' is 'petrolio' here and 'olio' in Cooking" in found[0].message
