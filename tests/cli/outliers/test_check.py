"""`salva outliers check`: lines, JSON, exit codes."""

from __future__ import annotations

import json
import sys

import pytest

from tests.outliers.sets import INLIERS, OUTLIERS, TEXT, replaced, write


def test_errors_exit_with_1_and_name_their_line(salva, tmp_path):
    write(tmp_path, replaced("bus", "Bus"))
    done = salva("outliers", "check", ".")
    assert done.code == 1
    assert done.out.splitlines() == [
        (
            "Roads/EN-Roads.txt:2: error W5: "
            "A word has a capital letter that its spelling does not call for: 'Bus'"
        ),
        "1 set: 1 error, 0 warnings, 0 hints, 0 waived",
    ]
    assert done.err == "salva: 1 error in 1 set; see above\n"


def test_warnings_and_waived_errors_exit_with_0(salva, tmp_path):
    write(tmp_path, replaced("bus", "Bus").replace("boat", "boats"))
    write(tmp_path, '[waivers]\nW5 = "*"\n', "Roads/Roads.toml")
    done = salva("outliers", "check", "Roads/EN-Roads.txt", "--level", "error")
    assert (done.code, done.out) == (0, "1 set: 0 errors, 1 warning, 0 hints, 1 waived\n")


def test_fix_repairs_first_and_says_so(salva, tmp_path):
    write(tmp_path, TEXT[:-1])
    done = salva("outliers", "check", ".", "--fix", "--json")
    answer = json.loads(done.out)
    assert (done.code, answer["findings"]) == (0, [])
    assert answer["fixed"] == [{"path": "Roads/EN-Roads.txt", "changes": ["added the final newline"]}]


def test_frequencies_are_of_a_language(salva, tmp_path):
    write(tmp_path)
    write(tmp_path, "the\t9\n", "words.tsv")
    done = salva("outliers", "check", "Roads", "--frequencies", "en=words.tsv", "--json")
    assert json.loads(done.out)["counts"]["hint"] == 16
    assert salva("outliers", "check", "Roads", "--frequencies", "a", "--frequencies", "b").code == 2


def test_vectors_find_missing_words(salva, tmp_path):
    write(tmp_path)
    lines = [
        f"{word} 1 0.{i}\n" for i, word in enumerate(INLIERS + OUTLIERS) if word not in ("bus", "car_crash")
    ]
    write(tmp_path, "".join(lines), "vectors.txt")
    done = salva("outliers", "check", "Roads", "--vectors", "vectors.txt", "--json")
    missing = [one["word"] for one in json.loads(done.out)["findings"] if one["code"] == "M2"]
    assert (done.code, missing) == (0, ["bus"])


def test_check_takes_languages_and_codes_to_ignore(salva, tmp_path):
    write(tmp_path, replaced("bus", "Bus"))
    write(tmp_path, replaced("car", "automobile"), "Roads/FR-Roads.txt")
    done = salva(
        "outliers", "check", ".", "--language", "fr", "--ignore", "X4", "--ignore", "x5,M1", "--json"
    )
    answer = json.loads(done.out)
    assert (done.code, answer["sets"], answer["findings"]) == (0, 1, [])
    assert salva("outliers", "check", ".", "--ignore", "Q1").code == 2
    assert salva("outliers", "check", ".", "--language", "cs").code == 3


def test_fix_mends_the_wanted_language_alone(salva, tmp_path):
    write(tmp_path, TEXT[:-1])
    write(tmp_path, TEXT[:-1], "Roads/FR-Roads.txt")
    done = salva("outliers", "check", ".", "--fix", "--language", "FR", "--json")
    assert [one["path"] for one in json.loads(done.out)["fixed"]] == ["Roads/FR-Roads.txt"]


def test_what_extras_would_add_is_one_line(salva, tmp_path, monkeypatch):
    pytest.importorskip("wordfreq")
    write(tmp_path)
    write(tmp_path, TEXT, "Roads/FR-Roads.txt")
    assert "not run" not in salva("outliers", "check", ".").out
    monkeypatch.setitem(sys.modules, "simplemma", None)
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    done = salva("outliers", "check", ".", "--ignore", "X4,X5")
    lemmas, lists = "(pip install 'salva[lemmas]')", "(pip install 'salva[frequencies]')"
    line = f"not run: L9, L10 in FR {lemmas}; M1 in FR {lists}"
    assert (done.code, done.out.splitlines()[-2]) == (0, line)
    assert "not run" not in salva("outliers", "check", ".", "--language", "EN").out
    answer = json.loads(salva("outliers", "check", ".", "--ignore", "X4,X5,L9,L10", "--json").out)
    assert answer["not_run"] == [{"extra": "frequencies", "codes": ["M1"], "languages": ["FR"]}]


@pytest.mark.parametrize("name", ["none.txt", "."])
def test_what_is_not_there_is_one_line(salva, name):
    done = salva("outliers", "check", name)
    assert (done.code, done.err.count("\n")) == (3, 1)
