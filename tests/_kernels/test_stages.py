"""Stage numbers: part of what a seed means, so never used twice and never changed."""

from __future__ import annotations

from salva._kernels import stages

NUMBERS = {name: getattr(stages, name) for name in vars(stages) if name.isupper()}


def test_no_number_has_two_purposes():
    assert sorted(NUMBERS.values()) == list(range(1, len(NUMBERS) + 1))
