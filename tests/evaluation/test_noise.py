"""Noise: answers that change when a question is asked again."""

from __future__ import annotations

from collections import Counter

from salva.evaluation.grading import Noise, count_noise
from salva.numbers import Estimate, wilson
from salva.questions.table import open_questions
from tests.evaluation.running import run


def measure_texts(texts):
    return [str(len(text)) for text in texts]


def test_answers_that_change_are_counted_in_a_batch_and_alone():
    again, alone = [0, 2, 2, 1], [1, 1, -1, -1]
    assert count_noise([0, 1, 2, 0], again, alone) == Noise(4, 2, wilson(2, 4), 2, 1)


def test_a_question_without_an_answer_is_not_counted():
    assert count_noise([0, -1, 1], [-1, 0, 1], [-1, -1, -1]) == Noise(1, 0, wilson(0, 1), 0, 0)


def test_without_questions_nothing_is_known():
    assert count_noise([], [], []) == Noise(0, 0, Estimate(), 0, 0)


def test_which_questions_are_asked_again_does_not_depend_on_the_order_of_the_rows(tmp_path):
    data, found = [f"film {k}" for k in range(20)], []
    for number, rows in enumerate((data, data[::-1] + data[3:9])):
        run(rows, measure_texts, presets="case", severities=1, noise=5, alone=2, out=tmp_path / str(number))
        part = open_questions(tmp_path / str(number) / "questions", ["repeated"]).to_arrow().to_pylist()
        found.append(sorted((row["purpose"], *row["parts"]) for row in part))
    assert found[0] == found[1]
    assert Counter(purpose for purpose, _ in found[0]) == {"again": 5, "alone": 2}
