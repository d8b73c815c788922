"""Counter-based randomness: (seed, text, replicate, token, stage) gives 64 bits, with no state between draws.

A row has a key, made from the seed, a hash of its bytes and the replicate; a draw mixes the key with token
and stage. So a draw depends only on these five, regardless of order, batch or thread. The mixer is the 64-bit
finaliser of splitmix64 (Steele, Lea and Flood 2014); the hash is FNV-1a.
"""

from __future__ import annotations

import numpy as np

from salva._kernels.jit import kernel, step
from salva._types import Bytes, Ints64, Uints64

U64 = np.uint64
TOP = 1 << 53

_GOLDEN = U64(0x9E3779B97F4A7C15)
_MIX_1 = U64(0xBF58476D1CE4E5B9)
_MIX_2 = U64(0x94D049BB133111EB)
_FNV_START = U64(0xCBF29CE484222325)
_FNV_PRIME = U64(0x100000001B3)
_S11, _S16, _S27, _S30, _S31, _S32 = U64(11), U64(16), U64(27), U64(30), U64(31), U64(32)


def threshold(rate: float) -> np.uint64:
    """Return the integer that `below` compares a draw with, so that no float decides an outcome.

    >>> int(threshold(0.0)), int(threshold(1.0)) == TOP
    (0, True)
    """
    return U64(round(rate * TOP))


@kernel
def mix(bits: np.uint64) -> np.uint64:
    """Scatter 64 bits over 64 bits, one to one."""
    bits = (bits ^ (bits >> _S30)) * _MIX_1
    bits = (bits ^ (bits >> _S27)) * _MIX_2
    return bits ^ (bits >> _S31)


@step
def hash_on(bits: np.uint64, data: Bytes, start: int, stop: int) -> np.uint64:
    """Continue the FNV-1a hash `bits` with `data[start:stop]`."""
    for i in range(U64(start), U64(stop)):  # unsigned, so that no index can count from the end
        bits = (bits ^ U64(data[i])) * _FNV_PRIME
    return bits


@step
def hash_rows(data: Bytes, offsets: Ints64, out: Uints64) -> None:
    """Fill the hash of every row, two rows at once, because each byte waits for the one before it."""
    rows = len(offsets) - 1
    half = rows // 2
    left, right = 0, half
    i, j = offsets[left], offsets[right]
    bits = others = _FNV_START
    while left < half and right < rows:
        size = min(offsets[left + 1] - i, offsets[right + 1] - j)
        for k in range(U64(size)):
            bits = (bits ^ U64(data[U64(i) + k])) * _FNV_PRIME
            others = (others ^ U64(data[U64(j) + k])) * _FNV_PRIME
        i += size
        j += size
        if i == offsets[left + 1]:
            out[left] = bits
            bits = _FNV_START
            left += 1
        if j == offsets[right + 1]:
            out[right] = others
            others = _FNV_START
            right += 1
    for row in range(left, half):
        out[row] = hash_on(bits, data, max(i, offsets[row]), offsets[row + 1])
        bits = _FNV_START
    for row in range(right, rows):
        out[row] = hash_on(others, data, max(j, offsets[row]), offsets[row + 1])
        others = _FNV_START


@kernel
def row_keys(
    data: Bytes,
    offsets: Ints64,
    seed: np.uint64,
    replicate: np.uint64,
    out: Uints64,
) -> None:
    """Fill the key of every row."""
    base = mix(mix(seed + _GOLDEN) ^ (replicate * _GOLDEN))
    hash_rows(data, offsets, out)
    for row in range(len(offsets) - 1):
        out[row] = mix(base ^ mix(out[row]))


@kernel
def draw(key: np.uint64, token: int, stage: int) -> np.uint64:
    """Return the 64 bits for one token at one stage; tokens are below 2**48, stages below 2**16."""
    place = (U64(token) << _S16) | U64(stage)
    return mix(key ^ mix(place * _GOLDEN + _GOLDEN))


@kernel
def below(bits: np.uint64, limit: np.uint64) -> bool:
    """Return whether a draw is below a `threshold`."""
    return bool((bits >> _S11) < limit)


@kernel
def bounded(bits: np.uint64, size: int) -> np.int64:
    """Return a number in [0, size) with size below 2**32; the bias is less than size / 2**32."""
    return np.int64(((bits >> _S32) * U64(size)) >> _S32)
