"""Spans in twins, one character at a time: what each became, and the span around all of that."""

from __future__ import annotations

Stretch = tuple[int, int, int, int]  # start, end, new_start, new_end


def images(length: int, stretches: list[Stretch]) -> list[tuple[int, int]]:
    """Return what every character of a text became: itself, or all of a new stretch."""
    became, shift, place = [], 0, 0
    for start, end, new_start, new_end in stretches:
        became += [(k + shift, k + shift + 1) for k in range(place, start)]
        became += [(new_start, new_end)] * (end - start)
        place, shift = end, new_end - end
    return became + [(k + shift, k + shift + 1) for k in range(place, length)]


def project(start: int, end: int, became: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the span around everything that the characters of a span became."""
    own = became[start:end]
    return min(low for low, _ in own), max(high for _, high in own)
