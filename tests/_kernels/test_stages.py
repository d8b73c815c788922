"""Stage numbers: part of what a seed means, so never used twice and never changed."""

from __future__ import annotations

from salva._kernels import pcfg_samples, stages

NUMBERS = {name: getattr(stages, name) for name in vars(stages) if name.isupper()}
PCFG = {name: number for name, number in NUMBERS.items() if name.startswith("PCFG_")}


def test_no_number_has_two_purposes():
    texts = [number for name, number in NUMBERS.items() if name not in PCFG]
    assert sorted(texts) == list(range(1, len(texts) + 1))
    assert sorted(PCFG.values()) == list(range(11))


def test_lines_of_pcfg_set_are_drawn_by_these_numbers():
    assert all(getattr(pcfg_samples, name) == number for name, number in PCFG.items())
    assert (stages.PCFG_SAMPLE, stages.PCFG_ORDER) == (0, 10)
