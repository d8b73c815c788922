"""Counter-based randomness: pinned, uniform, independent, and without a state."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from salva import _kernels as rng
from tests.reference import rng as slow

U64 = np.uint64
WORDS = st.integers(0, 2**64 - 1)


def keys(texts: list[bytes], seed: int, replicate: int = 0) -> np.ndarray:
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    out = np.empty(len(texts), dtype=U64)
    rng.row_keys(np.frombuffer(b"".join(texts), np.uint8), offsets, seed, replicate, out)
    return out


def draws(seed: int, stage: int, size: int = 1 << 16) -> np.ndarray:
    out = np.empty(size, dtype=U64)
    rng.fill_draws(np.full(size, keys([b"text"], seed)[0]), np.arange(size), stage, out)
    return out


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=5), WORDS, WORDS)
def test_keys_equal_the_slow_twin(texts, seed, replicate):
    assert keys(texts, seed, replicate).tolist() == [slow.row_key(t, seed, replicate) for t in texts]


@given(WORDS, st.integers(0, 2**48 - 1), st.integers(0, 2**16 - 1))
def test_draws_equal_the_slow_twin(key, token, stage):
    assert rng.draw(key, token, stage) == slow.draw(key, token, stage)


@given(WORDS, st.integers(1, 2**32 - 1))
def test_bounded_draws_equal_the_slow_twin_and_stay_in_bounds(bits, size):
    number = rng.bounded(bits, size)
    assert number == slow.bounded(bits, size)
    assert 0 <= number < size


def test_these_values_never_change():
    """A change here changes the output of every preset: it needs new preset versions."""
    assert slow.hash_bytes(b"") == 0xCBF29CE484222325
    assert slow.hash_bytes(b"a") == 0xAF63DC4C8601EC8C  # published FNV-1a test vector
    assert slow.mix(GOLDEN_INPUT) == 0xE220A8397B1DCDAF  # first output of splitmix64 from state 0
    assert keys([b"", b"hello", "naïve".encode()], seed=0).tolist() == GOLDEN_KEYS
    assert [rng.draw(GOLDEN_KEYS[1], token, stage) for token, stage in GOLDEN_PLACES] == GOLDEN_DRAWS


GOLDEN_INPUT = slow.GOLDEN
GOLDEN_KEYS = [6479669340017856108, 3782309753692714632, 15094551508206015360]
GOLDEN_PLACES = [(0, 0), (1, 0), (0, 1), (2**48 - 1, 2**16 - 1)]
GOLDEN_DRAWS = [4284024139416238634, 1652189401812094955, 2679320772796967451, 359104274522585428]


def test_seed_zero_is_a_seed_like_any_other():
    assert len({keys([b"text"], seed)[0] for seed in range(1000)}) == 1000
    assert len({keys([b"text"], 0, replicate)[0] for replicate in range(1000)}) == 1000


def test_a_row_key_does_not_depend_on_its_neighbours():
    assert keys([b"a", b"text", b"b"], 3)[1] == keys([b"text"], 3)[0]


@pytest.mark.parametrize("seed", [0, 1, 2**63])
@pytest.mark.parametrize("bits", ["high", "low"])
def test_draws_are_uniform(seed, bits):
    numbers = draws(seed, stage=1)
    bucket = numbers >> U64(56) if bits == "high" else numbers & U64(255)
    assert stats.chisquare(np.bincount(bucket.astype(int), minlength=256)).pvalue > 1e-4


def test_bounded_draws_are_uniform():
    numbers = [rng.bounded(bits, 7) for bits in draws(0, stage=2).tolist()]
    assert stats.chisquare(np.bincount(numbers, minlength=7)).pvalue > 1e-4


@pytest.mark.parametrize("other", [1, 2, 3, 256, 65535])
def test_stages_are_independent(other):
    first, second = draws(0, stage=0), draws(0, stage=other)
    table = np.histogram2d((first >> U64(60)).astype(int), (second >> U64(60)).astype(int), bins=16)[0]
    assert stats.chi2_contingency(table).pvalue > 1e-4


def test_one_bit_of_any_input_changes_half_of_the_draw():
    key = int(keys([b"text"], 0)[0])
    places = [(key ^ 1 << i, 5, 9) for i in range(64)] + [(key, 5 ^ 1 << i, 9) for i in range(48)]
    places += [(key, 5, 9 ^ 1 << i) for i in range(16)]
    base = slow.draw(key, 5, 9)
    changed = [(base ^ slow.draw(*place)).bit_count() for place in places]
    assert min(changed) > 12
    assert abs(np.mean(changed) - 32) < 1.5


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.25, 0.7, 1.0])
def test_a_threshold_is_met_at_its_rate(rate):
    met = sum(rng.below(bits, rng.threshold(rate)) for bits in draws(0, stage=3).tolist())
    assert stats.binomtest(met, 1 << 16, rate).pvalue > 1e-4


def test_the_rates_of_the_specifications_are_exact_integers():
    assert [rng.threshold(rate) for rate in (0.5, 0.25, 0.1)] == [2**52, 2**51, 900719925474099]
