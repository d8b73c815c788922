"""Checks beyond English: base forms, parts of speech and gender, by endings and by dictionaries of forms."""

from __future__ import annotations

import sys

import pytest

from salva.outliers import CHECKS, WordSet, check

ADJECTIVES = (
    "alto lungo stretto largo piccolo duro chiaro scuro  sporco nuovo vecchio freddo caldo ricco povero raro"
)
VERBS = {
    "CS": (
        "jíst žvýkat polknout péci strávit vařit moct krást  "
        "zvracet obědvat večeřet přibírat ukázat bušit lhát otáčet_se"
    ),
    "DE": (
        "essen kauen beißen trinken kochen tun sein wandern  "
        "lächeln atmen baden lesen malen singen tanzen laufen"
    ),
    "ES": (
        "comer masticar morder beber reír freír cocinar cenar  "
        "dormir correr nadar leer pintar cantar bailar ducharse"
    ),
    "ET": (
        "sööma närima neelama mäluma hammustama näksima õgima petma  "
        "paastuma näitama lööma lugema käima tulema ujuma ära_minema"
    ),
    "FR": (
        "manger mâcher mordre boire cuire haïr rôtir dîner  "
        "dormir courir nager lire peindre chanter danser sauter"
    ),
    "IT": (
        "mangiare masticare mordere bere digerire cenare abbuffarsi cuocere  "
        "dormire correre nuotare leggere cantare ballare produrre dire"
    ),
    "NL": (
        "eten kauwen bijten drinken koken bakken gaan staan  "
        "slapen rennen zien doen zingen dansen springen zijn"
    ),
    "PL": (
        "jeść żuć gryźć pić piec gotować smażyć móc  spać biec pływać czytać malować tańczyć skakać myć_się"
    ),
    "PT": (
        "comer mastigar morder beber cozinhar fritar jantar pôr  "
        "dormir correr nadar ler pintar cantar dançar saltar"
    ),
    "SK": (
        "jesť žuť prehltnúť požiť pohrýzť zhltnúť stráviť piecť  "
        "vracať obedovať večerať pribrať ukázať búšiť klamať otáčať_sa"
    ),
}
NOT_VERBS = {
    "CS": "vězení", "DE": "Gefängnis", "ES": "prisión", "ET": "vangla", "FR": "prison",
    "IT": "prigione", "NL": "gevangenis", "PL": "więzienie", "PT": "prisão", "SK": "väzenie",
}  # fmt: skip


def words(text: str, language: str, topic: str = "Things") -> WordSet:
    inliers, outliers = (half.split() for half in text.split("  "))
    return WordSet(topic, language, tuple(inliers), tuple(outliers))


def found(one: WordSet | list[WordSet], *codes: str) -> set[tuple[str, str | None]]:
    """Run these checks alone: dictionaries that no check asks for are not read."""
    return {(finding.code, finding.word) for finding in check(one, ignore=CHECKS.keys() - codes)}


@pytest.mark.parametrize("language", VERBS)
def test_what_is_no_infinitive_is_found_in_ten_languages(language):
    verbs = VERBS[language].split()
    stranger = NOT_VERBS[language]
    assert found(words(VERBS[language], language), "L7") == set()
    assert found(words(VERBS[language].replace(verbs[2], stranger), language), "L7") == {("L7", stranger)}


def test_an_italian_adjective_set_with_feminines_plurals_a_verb_and_a_noun_is_found_out():
    pytest.importorskip("wordfreq")
    bad = ADJECTIVES
    for old, new in zip(
        ["alto", "lungo", "stretto", "largo", "piccolo"],
        ["buona", "cattivi", "bassi", "correre", "tavolo"],
        strict=True,
    ):
        bad = bad.replace(old, new)
    assert found(words(ADJECTIVES, "IT"), "L7", "L8", "L9", "L10") == set()
    assert {word for _, word in found(words(bad, "IT"), "L8", "L9", "L10")} == {
        "buona", "cattivi", "bassi", "correre", "tavolo",
    }  # fmt: skip


def test_the_part_of_speech_is_told_by_forms_where_nobody_notes_it():
    fem = "bello buona caldo freddo nero bianco rosso vecchio  nuovo lungo basso pieno vuoto secco ricco raro"
    assert found(words(fem, "IT"), "L8") == {("L8", "buona")}


def test_a_noun_among_verbs_and_a_verb_among_nouns_are_told_by_their_forms():
    verbs = "cuisinier boire nager lire danser sauter courir rire  dormir voir dire faire aller venir partir"
    nouns = "oiseau aigle avaler canard corbeau moineau hibou cygne  chat chien nid œuf plume ciel vis pont"
    english = WordSet("Birds", "EN", ("bird",) * 8, ("nest",) * 8)
    assert found(words(verbs, "FR"), "L10") == {("L10", "cuisinier")}
    assert found([english, words(nouns, "FR", "Birds")], "L10") == {("L10", "avaler")}


SANDALS = "sandali sale porta letto occhiali scarpe_da_tennis torta  pera uva noce pane miele latte tè olio"
BOOTS = "bottes tapis souris lunettes nez riz croix bras  dos bus bois corps pays temps os ours"


@pytest.mark.parametrize(
    ("language", "text", "plurals"),
    [("IT", SANDALS, {"sandali", "scarpe_da_tennis"}), ("FR", BOOTS, {"bottes"})],
)
def test_plurals_are_told_from_singulars_that_look_like_them(language, text, plurals):
    assert {word for _, word in found(words(text, language), "L9")} == plurals


def test_a_noun_without_a_singular_in_english_may_have_none_here():
    english = WordSet("Clothes", "EN", ("trousers", *"abcdefg"), tuple("hijklmno"))
    slovak = WordSet("Clothes", "SK", ("nohavice", *"abcdefg"), tuple("hijklmno"))
    assert found([english, slovak], "L9") == set()


def test_rare_words_are_hints_in_other_languages_and_compounds_of_common_ones_are_not(monkeypatch):
    pytest.importorskip("wordfreq")
    monkeypatch.setitem(sys.modules, "simplemma", None)
    german = "Baum Ast Blatt Pfirsichbaum Kyrilliza Fuß Straße Gießkanne  Weg Tor Hut Ohr Bild Ton Uhr Tuch"
    assert found(words(german, "DE"), "M1") == {("M1", "Kyrilliza")}


def test_without_wordfreq_wordnet_says_what_a_child_may_not_know(monkeypatch):
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    rare = ("appendicularia", "angledozer", "gelid")
    english = f"airship rainforest spicy tree bus {' '.join(rare)}  a b c d e f g h"
    assert {word for _, word in found(words(english, "EN"), "M1")} == set(rare)
    assert found(words("Kyrilliza a b c d e f g  h i j k l m n o", "DE"), "M1") == set()


def test_languages_have_a_capital_where_the_dictionary_writes_one():
    english = WordSet("Languages", "EN", ("German", "French", *"abcdef"), tuple("ghijklmn"))
    dutch = WordSet("Languages", "NL", ("Duits", "Frans", "A", *"bcdef"), tuple("ghijklmn"))
    french = WordSet("Languages", "FR", ("Allemand", "français", *"abcdef"), tuple("ghijklmn"))
    assert found([english, dutch], "W5") == {("W5", "A")}
    assert found([english, french], "W5") == {("W5", "Allemand")}


def test_without_simplemma_endings_still_speak(monkeypatch):
    monkeypatch.setitem(sys.modules, "simplemma", None)
    verbs = words(VERBS["SK"].replace("žuť", "väzenie"), "SK")
    assert found(verbs, "L7", "L8", "L9", "L10") == {("L7", "väzenie")}
