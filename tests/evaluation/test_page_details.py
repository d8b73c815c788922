"""The report has the details of a run: causes of flips, clusters, classes, slices, confidence, failures."""

from __future__ import annotations

import dataclasses
import re

from salva.evaluation.page import report_page
from salva.evaluation.results import BlamedWord, Clusters, FailedText, FailedTexts
from salva.numbers import wilson
from tests.evaluation.test_page import text_of


def test_words_to_blame_are_one_row_each_and_say_how_they_flipped(results, flips):
    word = BlamedWord(
        "good", ("goood", "godo", "gud", "god", "go", "g"), ("typo",), 9, 6, 3, 2, 1, wilson(6, 9)
    )
    blame = dataclasses.replace(results.blame, words=(word,), alone=30, together=7, either=3)
    causes = [dataclasses.replace(flips[0], cause="either"), *flips[1:]]
    said = text_of(report_page(dataclasses.replace(results, blame=blame), causes))
    assert "30 have one edit to blame (alone), 7 flipped only with several edits together, and in 3" in said
    assert "good → goood, godo, gud, god, go and 1 more" in said
    assert "To blame, either of several edits: liked" in said
    assert "liked → likked (typo) 9 6" not in said


def test_rows_that_are_not_independent_are_stated(results):
    clusters = Clusters(None, 150, 4, 80, 1.72)
    said = text_of(report_page(dataclasses.replace(results, clusters=clusters), []))
    assert "80 rows are not independent: they share their text with others, up to 4 rows." in said
    assert "count the 150 clusters, not the rows; that makes the variance of a drop up to 1.7 times" in said


def test_classes_slices_and_confidence_have_their_numbers(results):
    said = text_of(report_page(results, []))
    assert "3 texts occur in several rows, 7 in all. 2 of these rows have another label" in said
    assert "positive100never answered" in said
    assert re.search(r"typos@1negative10090\.0\[.+?\]90\.0\[.+?\]4\.5\[\u22121\.2, 10\.2\]", said)
    assert "typos@1negativepositive10144" in said
    assert "characters42 to 19250typos@14990.0" in said
    assert "genredrama50typos@1" in said
    assert "right answer" in said


def test_failed_texts_are_listed_with_their_errors(results):
    listed = (
        FailedText("id-7", "clean", "Timeout: no reply"),
        FailedText("id-9", "typos@1", "ValueError: x"),
    )
    said = text_of(report_page(dataclasses.replace(results, failed=FailedTexts(12, 3, listed)), []))
    assert "12 texts in 3 rows without an answer" in said
    assert "id-7cleanTimeout: no reply" in said
    assert "2 of 12 texts are shown" in said
