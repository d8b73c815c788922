"""Noise: answers that change when a text is asked again."""

from __future__ import annotations

from salva.numbers import Estimate, wilson
from salva.runs import Noise, count_noise


def test_answers_that_change_are_counted_in_a_batch_and_alone():
    assert count_noise([0, 1, 2, 0], [0, 2, 2, 1], [1, 1]) == Noise(4, 2, wilson(2, 4), 2, 1)


def test_a_text_without_an_answer_is_not_counted():
    assert count_noise([0, -1, 1], [-1, 0, 1], [-1]) == Noise(1, 0, wilson(0, 1), 0, 0)


def test_without_texts_nothing_is_known():
    assert count_noise([], [], []) == Noise(0, 0, Estimate(), 0, 0)
