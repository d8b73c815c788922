"""`salva outliers score` and `compare`: tables, JSON, pages, exit codes."""

from __future__ import annotations

import json
import re

import pytest

from salva.outliers import WordSet, write_set
from salva.outliers.scoring import score
from salva.outliers.sets import set_path
from tests.outliers.letters import LETTERS, vectors_of
from tests.outliers.vector_files import write


@pytest.fixture
def files(tmp_path):
    """One set, and two files of vectors: the second takes a for the outlier."""
    path = set_path(tmp_path / "sets", LETTERS.topic, LETTERS.language)
    path.parent.mkdir(parents=True)
    write_set(LETTERS, path)
    for name, angles in (("good.txt", {}), ("bad.txt", {"a": 2.5})):
        vectors = vectors_of(angles=angles)
        rows = (f"{word} {' '.join(map(str, vectors.unit(word)))}\n" for word in LETTERS.words)
        write(tmp_path / name, "".join(rows))
    return tmp_path


@pytest.fixture
def outliers(salva, files):
    return lambda *arguments: salva("outliers", *arguments)


def test_coverage_and_both_opps_are_named(outliers):
    done = outliers("score", "sets", "--vectors", "good.txt")
    assert done.code == 0
    assert "coverage: 16 of 16 words known (100.00 %), 8 of 8 exercises complete" in done.out
    assert "OPP (OP/n)  OPP (1-based)" in done.out
    assert "policy:default|lookup:exact+lower+parts" in done.out


def test_the_winners_over_outliers_are_shown(outliers):
    done = outliers("score", "sets/Letters/EN-Letters.txt", "--vectors", "bad.txt", "--policy", "50-8-8")
    assert "inliers that beat the outlier" in done.out
    assert "8 of 8" in done.out


def test_as_many_digits_are_shown_as_the_interval_bears(outliers, files):
    """One topic is found and one is not: that was 50.0000 %, with an interval from 0 to 100."""
    path = set_path(files / "sets", "Other", "EN")
    path.parent.mkdir()
    write_set(WordSet("Other", "EN", ("p", *LETTERS.inliers[1:]), ("a", *LETTERS.outliers[1:])), path)
    done = outliers("score", "sets", "--vectors", "good.txt", "-o", "report.html")
    assert re.search(r"all +16 +8 +50 +\[0, 100\] ", done.out)
    page = (files / "report.html").read_text("utf-8")
    assert "found in 50&nbsp;% of 16 exercises</strong> [0, 100]" in page


def test_json_is_the_result_and_the_page_is_written(outliers, files):
    done = outliers("score", "sets", "--vectors", "good.txt", "--json", "-o", "report.html")
    assert json.loads(done.out)["figures"]["counted"] == 8
    assert (files / "report.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_a_thesaurus_is_scored_too(outliers, files):
    pairs = [f"{a}\t{b}\t1\n" for a in LETTERS.inliers for b in LETTERS.inliers if a != b]
    write(files / "t.tsv", "".join(pairs) + "".join(f"{word}\ta\t0.1\n" for word in LETTERS.outliers))
    done = outliers("score", "sets", "--thesaurus", "t.tsv", "--json")
    assert json.loads(done.out)["figures"]["hits"] == 8


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["sets"], 2, "nothing to score; pass --vectors SPEC or --thesaurus FILE"),
        (
            ["sets", "--vectors", "good.txt", "--thesaurus", "t.tsv"],
            2,
            "--vectors and --thesaurus cannot be combined; score one at a time",
        ),
        (["sets", "--thesaurus", "t.tsv", "--vocabulary", "v"], 2, "--vocabulary is for --vectors"),
        (["sets", "--thesaurus", "t.tsv", "--format", "npy"], 2, "--format is for --vectors"),
        (["sets", "--vectors", "absent.txt"], 3, "absent.txt: no such file"),
        (["sets", "--vectors", "good.txt", "--language", "XX"], 3, "no sets in XX"),
        (
            ["sets", "--vectors", "good.txt", "--lookup", "exakt"],
            2,
            "look-up step 'exakt' must be one of exact, lower",
        ),
        (["sets", "--vectors", "good.txt", "--format", "csv"], 2, "format='csv' must be one of npy"),
        (["sets", "--vectors", "good.txt", "--vocabulary", "v"], 2, "contains its words"),
        (["sets", "--vectors", "glove", "--vocabulary", "v"], 2, "has its own vocabulary"),
        (["sets", "--vectors", "few.txt"], 3, "1 of 16 words (6.2 %) are in few.txt, less than the 80 %"),
        (
            ["sets", "--vectors", "good.txt", "--min-coverage", "80"],
            2,
            "--min-coverage 80 must be between 0 and 1; 80 % is 0.8",
        ),
        (
            ["sets", "--vectors", "good.txt", "--min-coverage", "-5"],
            2,
            "--min-coverage -5 must be between 0 and 1",
        ),
        (
            ["sets", "--vectors", "good.txt", "--min-coverage", "nan"],
            2,
            "--min-coverage nan must be between 0 and 1",
        ),
    ],
)
def test_bad_calls_get_one_line(outliers, files, arguments, code, message):
    write(files / "few.txt", "a 1 2\n")
    done = outliers("score", *arguments)
    assert (done.code, done.err.count("\n")) == (code, 1)
    assert message in done.err


def as_published(words: WordSet) -> bytes:
    """A set as 50-8-8 has them: CRLF, blanks behind words and inside terms, no final newline."""
    lines = [*words.inliers, "", *words.outliers]
    return "\r\n".join(f"{line.replace('_', ' ')} " if line else "" for line in lines).rstrip().encode()


@pytest.mark.parametrize("command", [["score"], ["compare", "bad.txt"]])
def test_the_files_of_50_8_8_are_read_as_they_are_under_their_policy(outliers, files, command):
    published = write(files / "letters.txt", as_published(LETTERS))
    before = published.read_bytes()
    named = ["good.txt", "--sets", published] if len(command) > 1 else [published, "--vectors", "good.txt"]
    done = outliers(*command, *named, "--policy", "50-8-8", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["sets" if len(command) > 1 else "policy"] in (1, "50-8-8")
    assert published.read_bytes() == before
    refused = outliers(*command, *named)
    assert refused.code == 3
    assert "has white space" in refused.err


def test_a_path_is_read_as_its_policy_reads(files):
    published = write(files / "letters.txt", as_published(LETTERS))
    assert score(vectors_of(), published, policy="50-8-8").figures.hits == 8


def test_compare_forgives_what_score_forgives(outliers, files):
    path = set_path(files / "sets", LETTERS.topic, LETTERS.language)
    write(path, path.read_bytes().replace(b"a\n", b"a \n", 1))
    arguments = ("compare", "bad.txt", "good.txt", "--sets", "sets")
    assert outliers(*arguments).code == 3
    assert outliers(*arguments, "--mend").code == 0


def test_one_set_is_a_set(outliers):
    assert "good.txt on 1 set, policy" in outliers("score", "sets", "--vectors", "good.txt").out
    compared = outliers("compare", "bad.txt", "good.txt", "--sets", "sets").out
    assert "8 exercises of 1 set, policy" in compared


def test_two_files_are_compared_on_sets(outliers):
    done = outliers("compare", "bad.txt", "good.txt", "--sets", "sets")
    assert "found by both 0, only a 0, only b 8, neither 0" in done.out
    assert "no clear" in done.out


def test_two_saved_results_are_compared(outliers, files):
    for name in ("good", "bad"):
        write(files / f"{name}.json", outliers("score", "sets", "--vectors", f"{name}.txt", "--json").out)
    done = outliers("compare", "good.json", "bad.json", "--json")
    assert json.loads(done.out)["measures"][0]["difference"]["value"] == -100
    assert outliers("compare", "good.json", "bad.txt").err.count("vectors need sets to be scored on") == 1
