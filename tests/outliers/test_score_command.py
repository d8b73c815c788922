"""`salva outliers score` and `compare`: tables, JSON, pages, exit codes."""

from __future__ import annotations

import json

import pytest

from salva.outliers import write_set
from salva.outliers.sets import set_path
from tests.outliers.made import LETTERS, vectors_of
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
    assert "coverage: 16 of 16 words known (100.00 %), 8 of 8 exercises whole" in done.out
    assert "OPP (OP/n)  OPP (1-based)" in done.out
    assert "policy:default|lookup:exact+lower+parts" in done.out


def test_the_winners_over_outliers_are_shown(outliers):
    done = outliers("score", "sets/Letters/EN-Letters.txt", "--vectors", "bad.txt", "--policy", "50-8-8")
    assert "who beat the outlier" in done.out
    assert "8 of 8" in done.out


def test_json_is_the_result_and_the_page_is_written(outliers, files):
    done = outliers(
        "score", "sets", "--vectors", "good.txt", "--json", "-o", "report.html", "--leave-one-out"
    )
    assert json.loads(done.out)["figures"]["counted"] == 64
    assert (files / "report.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_a_thesaurus_is_scored_too(outliers, files):
    pairs = [f"{a}\t{b}\t1\n" for a in LETTERS.inliers for b in LETTERS.inliers if a != b]
    write(files / "t.tsv", "".join(pairs) + "".join(f"{word}\ta\t0.1\n" for word in LETTERS.outliers))
    done = outliers("score", "sets", "--thesaurus", "t.tsv", "--json")
    assert json.loads(done.out)["figures"]["hits"] == 8


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["sets"], 2, "name what is to be scored: --vectors SPEC or --thesaurus FILE"),
        (["sets", "--vectors", "good.txt", "--thesaurus", "t.tsv"], 2, "name what is to be scored"),
        (["sets", "--vectors", "absent.txt"], 3, "absent.txt: no such file"),
        (["sets", "--vectors", "good.txt", "--language", "XX"], 3, "no sets in XX"),
        (
            ["sets", "--vectors", "good.txt", "--lookup", "exakt"],
            2,
            "look-up step 'exakt' is none of exact, lower",
        ),
        (["sets", "--vectors", "good.txt", "--format", "csv"], 2, "format 'csv' of vectors is none of glove"),
        (["sets", "--vectors", "good.txt", "--vocabulary", "v"], 2, "has its words inside"),
        (["sets", "--vectors", "glove", "--vocabulary", "v"], 2, "has its own vocabulary"),
        (["sets", "--vectors", "few.txt"], 3, "1 of 16 words (6.2 %) are in few.txt, below the 80 %"),
        (
            ["sets", "--vectors", "good.txt", "--min-coverage", "80"],
            2,
            "min_coverage=80.0 is not between 0 and 1",
        ),
    ],
)
def test_bad_calls_get_one_line(outliers, files, arguments, code, message):
    write(files / "few.txt", "a 1 2\n")
    done = outliers("score", *arguments)
    assert (done.code, done.err.count("\n")) == (code, 1)
    assert message in done.err


def test_two_files_are_compared_on_sets(outliers):
    done = outliers("compare", "bad.txt", "good.txt", "--sets", "sets")
    assert "found by both 0, a alone 0, b alone 8, neither 0" in done.out
    assert "no clear" in done.out


def test_two_saved_results_are_compared(outliers, files):
    for name in ("good", "bad"):
        write(files / f"{name}.json", outliers("score", "sets", "--vectors", f"{name}.txt", "--json").out)
    done = outliers("compare", "good.json", "bad.json", "--json")
    assert json.loads(done.out)["measures"][0]["difference"]["value"] == -100
    assert outliers("compare", "good.json", "bad.txt").err.count("name the sets to score") == 1
