"""`salva suite` as a user meets it: paraphrases and contrasts, and what is said of bad ones."""

from __future__ import annotations

import io
import json

import pytest

CSV = """\
id,text,label,own
a,It was a good film in 1987.,positive,In 1987 it was a good film.
b,It was a bad film in 1988.,negative,{own}
c,It was a great film in 1989.,positive,
"""
FREEZE = ("suite", "freeze", "films.csv", "--severity", "1", "-o", "suite")


@pytest.fixture
def films(tmp_path):
    def write(own="It was a bad film in 1988!"):
        (tmp_path / "films.csv").write_text(CSV.format(own=own), "utf-8")

    return write


def test_paraphrases_and_contrasts_are_frozen_verified_and_evaluated(salva, films):
    films()
    given = (
        "--preset",
        "case",
        "--preset",
        "antonyms",
        "--variants",
        "own",
        "--contrast-label",
        "positive=negative",
    )
    done = salva(*FREEZE, *given)
    assert (done.code, done.out.startswith("suite: 3 items, 2 conditions, 1 contrast, sha256:")) == (0, True)
    assert salva("suite", "verify", "suite", "--remake").code == 0
    done = salva("evaluate", "suite", "--model", "builtin:reviews", "-o", "run", "--noise", "0", "--json")
    results = json.loads(done.out)
    assert [one["name"] for one in results["conditions"]] == ["case@1", "variants=own"]
    assert results["contrasts"][0]["score"]["n_targets"] == 3


def test_a_bad_paraphrase_is_one_line_and_can_be_dropped(salva, films):
    films("It was not a bad film.")
    done = salva(*FREEZE, "--variants", "own")
    fault = "films.csv: id 'b', column 'own': the number 1988 is missing, a negation was added ('not')"
    remedy = "correct the paraphrase, or pass --on-bad-variant keep or drop"
    assert (done.code, done.err) == (3, f"salva: {fault}; {remedy}\n")
    done = salva(*FREEZE, "--variants", "own", "--on-bad-variant", "drop", "-v")
    assert done.code == 0
    assert f"{fault}\n" in done.err
    assert "films.csv: 1 paraphrase fails a check and will be dropped; -v lists them" in done.err
    assert done.out.startswith("suite: 3 items, 1 condition, sha256:")


def test_a_mistyped_column_and_opposites_of_a_suite_are_refused(salva, films):
    films()
    done = salva(*FREEZE, "--variants", "owm")
    assert (done.code, "'owm'" in done.err, "did you mean 'own'?" in done.err) == (3, True, True)
    assert salva(*FREEZE, "--preset", "antonyms").code == 0
    done = salva("evaluate", "suite", "--model", "builtin:reviews", "-o", "run", "--contrast-label", "a=b")
    assert (done.code, "--contrast-label is for labels of data" in done.err) == (2, True)


def test_data_from_standard_input_has_a_name(salva, films, monkeypatch, tmp_path):
    films("It was not a bad film in 1988.")
    with (tmp_path / "films.csv").open("rb") as stream:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
        done = salva("suite", "freeze", "-", "--format", "csv", "-o", "suite", "--variants", "own")
    assert done.err.startswith("salva: <stdin>: id 'b', column 'own': a negation was added ('not')")
