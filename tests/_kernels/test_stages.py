"""Stage numbers: part of what a seed means, so never used twice and never changed."""

from __future__ import annotations

from itertools import pairwise

from salva._kernels import constants

NAMES = list(vars(constants))
STAGES = NAMES[NAMES.index("GROUP") : NAMES.index("DIGIT_CHOICE") + 1]


def test_no_number_has_two_purposes():
    numbers = [getattr(constants, name) for name in STAGES]
    assert numbers[0] == 1
    assert all(after == before + 1 for before, after in pairwise(numbers))
