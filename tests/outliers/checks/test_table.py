"""Checks: one tiny bad file a code, levels, waivers, profiles; and the published sets."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from salva.errors import InputError, UsageError
from salva.outliers import CHECKS, WordSet, check
from salva.outliers.checks import PROFILES, tally
from salva.outliers.vectors import SourceInfo
from tests.conftest import ROOT, SHARED
from tests.outliers.sets import INLIERS, OUTLIERS, TEXT, replaced, write

VERBS = "eat dine fast chew bite feed devour swallow  drink sip cook serve buy sell learn sing ".replace(
    " ", "\n"
)
GERMAN = "Auto Bus Rad Boot Zug Kahn Floß Roller  Weg Stau Radweg Tor Hut Ohr Bild Ton ".replace(" ", "\n")
FRENCH = (
    "auto bus camion vélo moto planche van tram  bateau train route pont bouchon choc tomate four ".replace(
        " ", "\n"
    )
)

ADJECTIVES = "grand heureuse gros bas haut long rond vif  vieux neuf vert bleu doux dur cher sec ".replace(
    " ", "\n"
)
NUMBERED = "".join(f"01\t{line}\n" if line else "\n" for line in TEXT.splitlines())
# What reads dictionaries and lists of frequencies, for seconds.
SLOW = {"L9", "L10", "M1"}

# One file beside a good English set; its name; the line of the finding.
BAD = {
    "F1": (TEXT.encode().replace(b"bike", b"b\xefke"), "Roads/EN-Roads.txt", 4),
    "F2": ("\ufeff" + TEXT, "Roads/EN-Roads.txt", 1),
    "F3": (TEXT.replace("\n", "\r\n"), "Roads/EN-Roads.txt", 1),
    "F4": (TEXT[:-1], "Roads/EN-Roads.txt", 17),
    "F5": (replaced("bus", "bus\u00a0"), "Roads/EN-Roads.txt", 2),
    "F6": (replaced("bus", "cafe\u0301"), "Roads/EN-Roads.txt", 2),
    "F7": (TEXT.replace("\n\n", "\n"), "Roads/EN-Roads.txt", 9),
    "F8": (TEXT.removeprefix("car\n"), "Roads/EN-Roads.txt", 7),
    "F9": (TEXT + "spoon\n", "Roads/EN-Roads.txt", 18),
    "F10": (TEXT, "Roads/english-Roads.txt", None),
    "F11": (TEXT, "Road/EN-Roads.txt", None),
    "F12": (replaced("bus", "b\u200bus"), "Roads/EN-Roads.txt", 2),
    "F13": (NUMBERED, "Roads/EN-Roads.txt", 1),
    "W1": (replaced("bus", "car"), "Roads/EN-Roads.txt", 2),
    "W2": (replaced("boat", "car"), "Roads/EN-Roads.txt", 10),
    "W3": (replaced("car_crash", "car crash"), "Roads/EN-Roads.txt", 15),
    "W4": (replaced("bus", "bus2"), "Roads/EN-Roads.txt", 2),
    "W5": (replaced("bus", "Bus"), "Roads/EN-Roads.txt", 2),
    "W6": (GERMAN.replace("Bus", "bus"), "Roads/DE-Roads.txt", 2),
    "W7": (replaced("bus", "#bus"), "Roads/EN-Roads.txt", 2),
    "W8": (replaced("bus", "_bus"), "Roads/EN-Roads.txt", 2),
    "W9": (replaced("bus", "bu\u0455"), "Roads/EN-Roads.txt", 2),
    "L1": (replaced("bus", "which"), "Roads/EN-Roads.txt", 2),
    "L2": (replaced("bus", "trucks"), "Roads/EN-Roads.txt", 2),
    "L3": (VERBS.replace("chew", "ate"), "Eating/EN-Eating.txt", 4),
    "L4": (replaced("bus", "huge"), "Roads/EN-Roads.txt", 2),
    "L5": (replaced("tomato", "neptune"), "Roads/EN-Roads.txt", 16),
    "L6": (replaced("bus", "busz"), "Roads/EN-Roads.txt", 2),
    "L7": (FRENCH, "Eating/FR-Eating.txt", 1),
    "L8": (ADJECTIVES, "Features/FR-Features.txt", 2),
    "L9": (FRENCH.replace("camion", "camions"), "Roads/FR-Roads.txt", 3),
    "L10": (FRENCH.replace("camion", "avaler"), "Roads/FR-Roads.txt", 3),
    "L11": (replaced("bus", "gold_fish"), "Roads/EN-Roads.txt", 2),
    "M1": (replaced("bus", "angledozer"), "Roads/EN-Roads.txt", 2),
    "X1": (TEXT, "Other/EN-Other.txt", None),
    "X2": (FRENCH, "Other/FR-Other.txt", None),
    "X3": (FRENCH.replace("camion", "bus"), "Roads/FR-Roads.txt", 3),
    "X4": (FRENCH, "Roads/FR-Roads.txt", 2),
    "X5": (TEXT, "Roads/FR-Roads.txt", None),
    "X6": (FRENCH.replace("planche", "planches"), "Roads/FR-Roads.txt", 6),
    "X7": (FRENCH.replace("auto", "voiture"), "Streets/FR-Streets.txt", 1),
    "N1": ("kind = 3\n", "Roads/EN-Roads.toml", None),
    "N2": ('[senses]\noil = "petroleum"\n', "Roads/EN-Roads.toml", None),
    "N3": ('[waivers]\nG9 = "*"\n', "Roads/EN-Roads.toml", None),
}


class Bands:
    """Similarities by the place of a word in the good set."""

    info = SourceInfo("by hand", "bands", "bands")

    def __init__(self, shares: list[float]) -> None:
        self.share = dict(zip(OUTLIERS, shares, strict=True))

    def known(self, word: str) -> bool:
        return word in INLIERS or word in self.share

    def matrix(self, words):
        shares = np.array([self.share.get(word, 1.0) for word in words])
        return np.outer(shares, shares)


def codes(findings) -> Counter:
    return Counter(finding.code for finding in findings if not finding.waived)


@pytest.fixture
def folder(tmp_path):
    """English, and French where a language may be missing."""
    write(tmp_path)
    write(tmp_path, FRENCH, "Roads/FR-Roads.txt")
    write(tmp_path, VERBS, "Eating/EN-Eating.txt")
    write(tmp_path, TEXT, "Streets/EN-Streets.txt")
    write(tmp_path, 'pos = "adjective"\n', "Features/Features.toml")
    return tmp_path


@pytest.mark.parametrize("code", BAD)
def test_a_bad_file_is_found_with_its_line(folder, code):
    content, name, line = BAD[code]
    path = write(folder, content, name)
    found = [finding for finding in check(folder, ignore=SLOW - {code}) if finding.code == code]
    assert any(finding.line == line for finding in found)
    assert all(finding.level == CHECKS[code][0] for finding in found)
    assert code in {"N1", "X1", "X2"} or any(finding.path == str(path) for finding in found)


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        (TEXT.replace("\n\n", "\n"), "F7", 9),
        (TEXT.replace("\n\n", "\n\n\n"), "F7", 10),
        (TEXT.replace("\n\n", "\n \n"), "F5", 9),
        (TEXT + "\n", "F7", 18),
        ("taxi\n" + TEXT, "F8", 9),
        (TEXT.removesuffix("toaster\n"), "F9", 16),
        (replaced("car_crash", "car\tcrash"), "W3", 15),
        ("", "F8", 1),
    ],
    ids=["no-blank", "two-blank", "space", "blank-at-end", "nine", "seven", "tab", "empty"],
)
def test_other_shapes_of_a_bad_file_are_found_too(tmp_path, content, code, line):
    assert (code, line) in {(finding.code, finding.line) for finding in check(write(tmp_path, content))}


def test_every_check_has_a_bad_file_a_message_and_a_level():
    assert set(BAD) | {"M2", "M3", "M4"} == set(CHECKS)
    assert all(function.__doc__.endswith(".") for _, function in CHECKS.values())


@pytest.mark.parametrize("code", CHECKS)
def test_every_check_is_documented_with_its_level_and_message(code):
    text = " ".join((ROOT / "docs/outliers.md").read_text("utf-8").split())
    level, function = CHECKS[code]
    assert f"### {code} {level}: {function.__doc__}".lower() in text.lower()


def test_a_good_set_has_no_findings(tmp_path):
    assert check(write(tmp_path)) == []
    assert check(WordSet("Roads", "EN", INLIERS, OUTLIERS)) == []
    assert check(write(tmp_path, VERBS, "EN-Eating.txt")) == []
    assert check(write(tmp_path, GERMAN, "DE-Roads.txt"), ignore=SLOW) == []


def test_a_finding_says_where_and_what(tmp_path):
    path = write(tmp_path, replaced("bus", "Bus"))
    message = "A word has a capital letter that its spelling does not call for: 'Bus'"
    assert str(check(path)[0]) == f"{path}:2: error W5: {message}"


@pytest.mark.parametrize("words", ["trousers", "jeans", "glasses", "scissors"])
def test_nouns_without_a_singular_are_lemmas(tmp_path, words):
    assert codes(check(write(tmp_path, replaced("bus", words)))) == {}


@pytest.mark.parametrize(("word", "wrong"), [("Tisch_decken", 0), ("Essen", 1), ("zu_Abend_essen", 0)])
def test_german_verbs_end_in_lower_case(tmp_path, word, wrong):
    words = [f"{letter}en" for letter in "abcdefghijklmno"]
    path = write(tmp_path, "\n".join([word, *words[:7], "", *words[7:], ""]), "DE-Tun.txt")
    assert codes(check(path, ignore=SLOW))["W6"] == wrong


def test_a_noted_part_of_speech_decides(tmp_path):
    path = write(tmp_path)
    write(tmp_path, 'pos = "verb"\n', "Roads/Roads.toml")
    assert {"lorry", "tomato"} <= {finding.word for finding in check(path) if finding.code == "L4"}


def test_what_is_waived_is_kept_and_does_not_count(tmp_path):
    path = write(tmp_path, replaced("bus", "Bus"))
    write(tmp_path, '[waivers]\nW5 = ["Bus"]\n', "Roads/EN-Roads.toml")
    found = check(path)
    assert [(finding.code, finding.waived) for finding in found] == [("W5", True)]
    assert tally(found) == {"error": 0, "warning": 0, "hint": 0, "waived": 1}


def test_the_older_profiles_allow_names_plurals_and_crlf(tmp_path):
    text = replaced("bus", "Mercedes").replace("tomato", "Neptune").replace("boat", "boats")
    path = write(tmp_path, text.replace("\n", "\r\n"), "Cars.txt")
    assert codes(check(path)).keys() >= {"F3", "F10", "W5"}
    assert PROFILES.keys() == {"hamod", "8-8-8", "50-8-8"}
    assert tally(check(path, profile="8-8-8")) == tally(check(path, profile="50-8-8")) == tally([])


def test_rare_words_are_hints(tmp_path):
    path = write(tmp_path)
    lines = "".join(f"{word.replace('_', ' ')}\t1000\n" for word in INLIERS + OUTLIERS if word != "tram")
    found = check(path, frequencies=write(tmp_path, f"the\t100000000\n{lines}van\t1\n", "words.tsv"))
    assert [(one.code, one.level, one.word) for one in found] == [("M1", "hint", "tram")]


@pytest.mark.parametrize(("content", "line"), [("a 1\n", 1), ("a\t1\nb\t-1\n", 2), ("a\t1\n\xffb\n", 2)])
def test_a_bad_frequency_list_is_refused_with_its_line(tmp_path, content, line):
    path = write(tmp_path, content.encode("latin-1"), "words.tsv")
    with pytest.raises(InputError, match=rf"words.tsv:{line}: "):
        check(write(tmp_path), frequencies=path)


def test_a_frequency_list_is_of_one_language(folder):
    with pytest.raises(UsageError, match="EN=FILE"):
        check(folder, frequencies="words.tsv")


def test_words_missing_from_the_vectors_are_hints(tmp_path):
    path = write(tmp_path, replaced("bus", "truck"))
    found = check(path, vectors=Bands([0.8, 0.8, 0.6, 0.6, 0.4, 0.4, 0.1, 0.1]))
    assert [(one.code, one.level, one.line) for one in found] == [("M2", "hint", 2)]


@pytest.mark.parametrize(("kind", "lines"), [("category", [12]), ("topic", [])])
def test_similarity_falls_from_sub_set_to_sub_set_in_categories(tmp_path, kind, lines):
    path = write(tmp_path)
    write(tmp_path, f'kind = "{kind}"\n', "Roads/Roads.toml")
    found = check(path, vectors={"EN": Bands([0.5, 0.5, 0.6, 0.6, 0.4, 0.4, 0.1, 0.1])})
    assert [one.line for one in found if one.code == "M3"] == lines


def test_the_last_two_outliers_look_random_in_topics_too(tmp_path):
    found = check(write(tmp_path), vectors=Bands([0.5, 0.5, 0.6, 0.6, 0.4, 0.4, 1.1, 0.1]))
    assert [(one.code, one.word) for one in found] == [("M4", "tomato")]


def test_a_language_that_one_topic_lacks_is_named_by_its_path(folder):
    found = {finding.path for finding in check(folder) if finding.code == "X1"}
    assert found == {str(folder / "Eating/FR-Eating.txt"), str(folder / "Streets/FR-Streets.txt")}
    assert codes(check([folder / "Roads/EN-Roads.txt", folder / "Eating/EN-Eating.txt"]))["X1"] == 0


def test_a_sense_note_settles_two_translations(folder):
    write(folder, FRENCH.replace("auto", "voiture"), "Streets/FR-Streets.txt")
    assert codes(check(folder))["X7"] == 1
    write(folder, '[senses]\ncar = "the road vehicle"\n', "Streets/Streets.toml")
    assert codes(check(folder))["X7"] == 0


def test_an_unknown_profile_and_an_empty_folder_are_refused(tmp_path):
    with pytest.raises(UsageError, match="profile='x' must be one of hamod"):
        check(tmp_path, profile="x")
    with pytest.raises(InputError, match="no sets"):
        check(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "line", "code"),
    [("bus", "Car", 2, "W1"), ("boat", "Car", 10, "W2"), ("bus", "motor-bike", 5, "W1")],
)
def test_a_word_in_another_spelling_stands_twice_too(tmp_path, old, new, line, code):
    found = {(one.code, one.line) for one in check(write(tmp_path, replaced(old, new)))}
    assert (code, line) in found


@pytest.mark.parametrize("word", ["German", "Polish", "DIY", "DVD", "Latin_alphabet", "T-shirt"])
def test_capitals_that_spelling_demands_are_no_errors(tmp_path, word):
    assert codes(check(write(tmp_path, replaced("bus", word))))["W5"] == 0


@pytest.mark.parametrize("word", ["Tea", "BUS", "bUs", "Masaryk", "Car_crash"])
def test_capitals_that_it_does_not_demand_are(tmp_path, word):
    assert codes(check(write(tmp_path, replaced("bus", word))))["W5"] == 1


def test_a_name_with_its_capital_is_a_name_and_no_misspelling(tmp_path):
    assert codes(check(write(tmp_path, replaced("bus", "Neptune")))) == {"L5": 1}
    assert codes(check(write(tmp_path, replaced("bus", "Turkey")))) == {"L5": 1}


def test_a_capital_that_english_demands_is_right_where_the_word_is_kept(tmp_path):
    write(tmp_path, replaced("bus", "DVD"))
    path = write(tmp_path, FRENCH.replace("bus", "DVD").replace("moto", "Moto"), "Roads/FR-Roads.txt")
    assert [one.word for one in check(tmp_path) if one.code == "W5" and one.path == str(path)] == ["Moto"]


@pytest.mark.parametrize(
    ("word", "better"), [("gold_fish", "goldfish"), ("t_shirt", "t-shirt"), ("rain_boots", None)]
)
def test_a_term_that_is_written_as_one_word_is_found(tmp_path, word, better):
    found = [one for one in check(write(tmp_path, replaced("bus", word))) if one.code == "L11"]
    assert [better in one.message for one in found] == [True] * bool(better)


def test_missing_english_sets_are_one_finding_of_a_run(tmp_path):
    for topic in ("Art", "Birds", "Cars"):
        write(tmp_path, FRENCH, f"{topic}/FR-{topic}.txt")
    found = [one for one in check(tmp_path) if one.code == "X2"]
    assert [one.path for one in found] == [str(tmp_path / "Art/EN-Art.txt")]
    assert found[0].message.endswith(": Art, Birds, Cars")


def test_one_language_is_checked_against_english_all_the_same(folder):
    write(folder, replaced("bus", "Bus"), "Other/EN-Other.txt")
    found = check(folder, languages=["fr"])
    assert {one.code for one in found} == {"X1", "X4"}
    assert {one.path.rpartition("/")[2][:2] for one in found} == {"FR"}
    with pytest.raises(InputError, match="no sets in CS"):
        check(folder, languages=["cs"])


def test_ignored_checks_are_not_run(folder):
    assert {one.code for one in check(folder, ignore=["X1"])} == {one.code for one in check(folder)} - {"X1"}
    with pytest.raises(UsageError, match="no check 'Q1'"):
        check(folder, ignore=["Q1"])


def test_the_offenders_of_the_published_sets_are_found_and_no_others():
    folder = SHARED / "data/hamod"
    if not folder.is_dir():
        pytest.skip("needs HAMOD in ../shared, which is not part of the project")
    errors = [finding for finding in check(folder, ignore=SLOW) if finding.level == "error"]
    names = {
        code: Counter(one.path.rpartition("/")[2] for one in errors if one.code == code) for code in CHECKS
    }
    assert names.pop("W1") == {"DE-Verbs_Plants.txt": 1}
    assert len(names["F5"]) == names.pop("F5").total() == 7
    assert names.pop("F4").total() == 18
    assert all(not counts for counts in names.values())
    shoes = check(folder / "Shoes/EN-Shoes.txt")
    assert [one.line for one in shoes if one.code == "L2"] == [1, 2, 3, 4, 5, 6, 7, 8, 10]


@pytest.mark.slow
def test_hints_about_the_published_sets_are_few_and_find_their_slips():
    folder = SHARED / "data/hamod"
    if not folder.is_dir():
        pytest.skip("needs HAMOD in ../shared, which is not part of the project")
    found = check(folder, ignore=["X4", "X6", "X7"])
    words = {code: {one.word for one in found if one.code == code} for code in CHECKS}
    assert {"cuisinier", "avaler"} == words["L10"]
    assert {"sandali", "Turnschuhe", "bottes", "scarpe_da_tennis"} < words["L9"]
    assert {"sale", "porta", "souris", "Tanne", "crisi"}.isdisjoint(words["L9"])
    assert "Hülsenfrücht" in words["M1"]
    # Of 8,192 words; each of these lists was read.
    few = {"L7": 0, "L8": 1, "L9": 40, "L11": 15, "M1": 80}
    assert {code: len(words[code]) for code in few if len(words[code]) > few[code]} == {}
