"""Noise: answers that change when a question is asked again."""

from __future__ import annotations

from salva.evaluation.noise import Noise, count_noise
from salva.numbers import Estimate, wilson


def test_answers_that_change_are_counted_in_a_batch_and_alone():
    again, alone = [0, 2, 2, 1], [1, 1, -1, -1]
    assert count_noise([0, 1, 2, 0], again, alone) == Noise(4, 2, wilson(2, 4), 2, 1)


def test_a_question_without_an_answer_is_not_counted():
    assert count_noise([0, -1, 1], [-1, 0, 1], [-1, -1, -1]) == Noise(1, 0, wilson(0, 1), 0, 0)


def test_without_questions_nothing_is_known():
    assert count_noise([], [], []) == Noise(0, 0, Estimate(), 0, 0)
