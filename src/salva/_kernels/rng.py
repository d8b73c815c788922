"""Counter-based randomness: (seed, text, replicate, token, stage) gives 64 bits, with no state between draws.

A row has a key, made from the seed, a hash of its bytes and the replicate; a draw mixes the key with token
and stage. So a draw depends only on these five, regardless of order, batch or thread. The mixer is the 64-bit
finaliser of splitmix64 (Steele, Lea and Flood 2014); the hash is FNV-1a.
"""

import cython
from cython import bint, ccall, cfunc, inline, nogil

if not cython.compiled:
    from salva._kernels.constants import *


def threshold(rate):
    """Return the integer that `below` compares a draw with, so that no float decides an outcome."""
    return round(rate * TOP)


@ccall
@inline
@nogil
def mix(bits: u64) -> u64:
    """Scatter 64 bits over 64 bits, one to one; the masks, which C drops, keep Python to 64 bits."""
    bits = ((bits ^ (bits >> 30)) * MIX_1) & ALL_BITS
    bits = ((bits ^ (bits >> 27)) * MIX_2) & ALL_BITS
    return bits ^ (bits >> 31)


@cfunc
@inline
@nogil
def hash_on(bits: u64, data: const_u8[::1], start: i64, stop: i64) -> u64:
    """Continue the FNV-1a hash `bits` with `data[start:stop]`."""
    i: i64
    for i in range(start, stop):
        bits = ((bits ^ data[i]) * FNV_PRIME) & ALL_BITS
    return bits


@cfunc
@nogil
def hash_rows(data: const_u8[::1], offsets: const_i64[::1], out: u64[::1]) -> cython.void:
    """Fill the hash of every row, two rows at once, because each byte waits for the one before it."""
    rows: i64 = len(offsets) - 1
    half: i64 = rows // 2
    left: i64 = 0
    right: i64 = half
    i: i64 = offsets[left]
    j: i64 = offsets[right]
    bits: u64 = FNV_START
    others: u64 = FNV_START
    row: i64
    k: i64
    while left < half and right < rows:
        size: i64 = min(offsets[left + 1] - i, offsets[right + 1] - j)
        for k in range(size):
            bits = ((bits ^ data[i + k]) * FNV_PRIME) & ALL_BITS
            others = ((others ^ data[j + k]) * FNV_PRIME) & ALL_BITS
        i += size
        j += size
        if i == offsets[left + 1]:
            out[left] = bits
            bits = FNV_START
            left += 1
        if j == offsets[right + 1]:
            out[right] = others
            others = FNV_START
            right += 1
    for row in range(left, half):
        out[row] = hash_on(bits, data, max(i, offsets[row]), offsets[row + 1])
        bits = FNV_START
    for row in range(right, rows):
        out[row] = hash_on(others, data, max(j, offsets[row]), offsets[row + 1])
        others = FNV_START


def row_keys(data: const_u8[::1], offsets: const_i64[::1], seed: u64, replicate: u64, out: u64[::1]) -> None:
    """Fill the key of every row."""
    row: i64
    base: u64 = mix(mix((seed + GOLDEN) & ALL_BITS) ^ ((replicate * GOLDEN) & ALL_BITS))
    with nogil:
        hash_rows(data, offsets, out)
        for row in range(len(offsets) - 1):
            out[row] = mix(base ^ mix(out[row]))


@ccall
@inline
@nogil
def draw(key: u64, token: i64, stage: i64) -> u64:
    """Return the 64 bits for one token at one stage; tokens are below 2**48, stages below 2**16."""
    place: u64 = (cython.cast(u64, token) << 16) | cython.cast(u64, stage)
    return mix(key ^ mix((place * GOLDEN + GOLDEN) & ALL_BITS))


@ccall
@inline
@nogil
def below(bits: u64, limit: u64) -> bint:
    """Return whether a draw is below a `threshold`."""
    return (bits >> 11) < limit


@ccall
@inline
@nogil
def bounded(bits: u64, size: i64) -> i64:
    """Return a number in [0, size) with size below 2**32; the bias is less than size / 2**32."""
    return cython.cast(i64, ((bits >> 32) * cython.cast(u64, size)) >> 32)
