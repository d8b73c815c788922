"""The examples in the tools for judging are true."""

from __future__ import annotations

import doctest

import pytest

from tools import corpora, judge_pairs, judgements, validity_sheet


@pytest.mark.parametrize(
    "module", [corpora, judge_pairs, judgements, validity_sheet], ids=lambda own: own.__name__
)
def test_examples_are_true(module):
    outcome = doctest.testmod(module)
    assert (outcome.failed, outcome.attempted > 0) == (0, True)
