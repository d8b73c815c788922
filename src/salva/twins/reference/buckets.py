"""Lines by shape: padded to a few fixed widths, so that a batch has one shape and a GPU can replay a step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from salva.twins.reference.model import need_torch
from salva.twins.reference.vocabulary import EOS, FIRST, Vocabulary, padded

# Lines as numbers, source and target, by the widths to which they are padded.
_LinesByShape: TypeAlias = dict[tuple[int, int], list[tuple[list[int], list[int]]]]

_SOURCE_WIDTHS = (16, 32, 80)  # multiples of 8, which suit attention; longer widths double
_TARGET_WIDTHS = (16, 32, 64, 128)


class Bucket(NamedTuple):
    """Lines of one shape, and a last one that teaches nothing and is used to fill up a batch."""

    source: Any
    target: Any

    @property
    def lines(self) -> int:
        """How many lines there are, without the last one."""
        return len(self.source) - 1

    @property
    def width(self) -> int:
        """How many words a line takes, source and target, with padding."""
        return int(self.source.shape[1] + self.target.shape[1])


def make_buckets(
    vocabulary: Vocabulary, pairs: Sequence[tuple[str, str]], *, batch: int, device: Any
) -> list[Bucket]:
    """Return pairs of source and target by shape; shapes with fewer lines than a batch become wider ones."""
    torch = need_torch()
    by_shape: _LinesByShape = {}
    for source, target in pairs:
        asked, right = vocabulary.encoded(source), [FIRST, *vocabulary.encoded(target)]
        # A target is one position longer than the output: its first word is the decoder's initial input.
        shape = _width(len(asked), _SOURCE_WIDTHS), _width(len(right) - 1, _TARGET_WIDTHS) + 1
        by_shape.setdefault(shape, []).append((asked, right))
    buckets = []
    for (wide, long), lines in sorted(_merged(by_shape, batch).items()):
        tables = (
            padded([*(line[0] for line in lines), [EOS]], wide),
            padded([*(line[1] for line in lines), []], long),
        )
        buckets.append(Bucket(*(torch.from_numpy(table).to(device) for table in tables)))
    return buckets


def _merged(by_shape: _LinesByShape, batch: int) -> _LinesByShape:
    """Merge shapes with too few lines for a batch into wider ones, since a step on few lines is noisy."""
    widest, longest = (max(shape[k] for shape in by_shape) for k in (0, 1))
    for wide, long in ((widest, None), (widest, longest)):
        merged: _LinesByShape = {}
        for shape, lines in sorted(by_shape.items()):
            place = shape if len(lines) >= batch else (wide, long or shape[1])
            merged.setdefault(place, []).extend(lines)
        by_shape = merged
    return by_shape


def _width(length: int, widths: Sequence[int]) -> int:
    """Return the smallest width that holds a line.

    >>> _width(17, (16, 32)), _width(65, (16, 32))
    (32, 128)
    """
    width = next((width for width in widths if length <= width), None)
    return width or widths[-1] << math.ceil(math.log2(length / widths[-1]))
