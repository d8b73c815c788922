"""The generator in plain Python integers: obviously right, and slow."""

from __future__ import annotations

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(bits: int) -> int:
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
    return bits ^ (bits >> 31)


def hash_bytes(data: bytes) -> int:
    bits = 0xCBF29CE484222325
    for byte in data:
        bits = ((bits ^ byte) * 0x100000001B3) & MASK
    return bits


def row_key(text: bytes, seed: int, replicate: int) -> int:
    base = mix(mix((seed + GOLDEN) & MASK) ^ ((replicate * GOLDEN) & MASK))
    return mix(base ^ mix(hash_bytes(text)))


def draw(key: int, token: int, stage: int) -> int:
    return mix(key ^ mix(((token << 16 | stage) * GOLDEN + GOLDEN) & MASK))


def bounded(bits: int, size: int) -> int:
    return (bits >> 32) * size >> 32
