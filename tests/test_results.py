"""The short repr of results, whatever the package."""

from __future__ import annotations

import numpy as np
import pytest

import salva
from salva import audit
from salva.outliers import score as score_outliers
from salva.rows import reviews
from salva.twins import score as score_twins
from tests.outliers.letters import LETTERS, vectors_of
from tests.rows.passing import pass_through


def outlier_score(folder):
    return score_outliers(vectors_of(), [LETTERS] * 40)


def twin_score(folder):
    from salva.twins import natural_pairs, read_synonyms

    (folder / "synonyms.tsv").write_text("film\tmovie\n")
    pairs = natural_pairs([f"film {k}" for k in range(200)], read_synonyms(folder / "synonyms.tsv"))
    answers = [pair.source for pair in pairs]
    return score_twins(pairs, answers, answers)


def sheet(folder):
    return audit.sample(reviews("test"), preset="natural", n=200)


def transformed(folder):
    return salva.preset("typos").transform([f"A great film {k}" for k in range(1000)])


def manifest(folder):
    (folder / "a.csv").write_text("text,label\na,1\n")
    return pass_through(folder / "a.csv", folder / "b.csv")


@pytest.mark.parametrize("make", [outlier_score, twin_score, sheet, transformed, manifest])
def test_results_are_a_few_lines_at_a_prompt(tmp_path, make):
    text = repr(make(tmp_path))
    assert len(text.splitlines()) <= 10
    assert 20 < len(text) <= 1200
    assert np.char.str_len(text.splitlines()).max() <= 110
