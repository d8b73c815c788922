"""The short repr of results, whatever the package."""

from __future__ import annotations

import numpy as np
import pytest

import salva
from salva import audit
from salva.outliers import score as score_outliers
from salva.rows import reviews
from tests.outliers.letters import LETTERS, vectors_of
from tests.rows.passing import pass_through


def outlier_score(folder):
    return score_outliers(vectors_of(), [LETTERS] * 40)


def questions(folder):
    return salva.make_questions(reviews("test"), presets="typos", severities=1)


def run(folder):
    return salva.evaluate(reviews("test"), "builtin:reviews", presets="documents")


def sheet(folder):
    return audit.sample(reviews("test"), preset="natural", n=200)


def transformed(folder):
    return salva.preset("typos").transform([f"A great film {k}" for k in range(1000)])


def manifest(folder):
    (folder / "a.csv").write_text("text,label\na,1\n")
    return pass_through(folder / "a.csv", folder / "b.csv")


@pytest.mark.parametrize("make", [outlier_score, questions, run, sheet, transformed, manifest])
def test_results_are_a_few_lines_at_a_prompt(tmp_path, make):
    text = repr(make(tmp_path))
    assert len(text.splitlines()) <= 10
    assert 20 < len(text) <= 1200
    assert np.char.str_len(text.splitlines()).max() <= 110
