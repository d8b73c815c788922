"""What must not be touched: markup, addresses, names, torn characters, the user's words and patterns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from salva._kernels.shields import Shields, block_spans, block_tokens
from salva.errors import InputError, UsageError
from salva.text.characters import load_characters
from salva.text.spans import Cuts

__all__ = ["Protection"]

# A pattern may take so long on a text, and as long again for every so many characters of it.
PATTERN_SECONDS = 1.0
PATTERN_CHARACTERS = 100_000


@dataclass(frozen=True)
class Protection:
    """What is protected; `names` are addresses, @names and #tags, `whole` keeps marks with their letters."""

    markup: bool = False
    names: bool = False
    whole: bool = False
    words: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def block(self, cuts: Cuts) -> NDArray[np.uint8]:
        """Return which tokens are not to be touched."""
        out = np.zeros(len(cuts.starts), np.uint8)
        texts = cuts.texts
        if self.markup or self.names or self.whole:
            shields = Shields(self.markup, self.names, self.whole)
            block_tokens(
                load_characters(), shields, texts.data, texts.offsets, cuts.rows, cuts.starts, cuts.stops, out
            )
        for expression in self.expressions:
            _block_matches(expression, cuts, out)
        return out

    @cached_property
    def expressions(self) -> list[Any]:
        """The user's words and patterns, compiled."""
        if not self.words and not self.patterns:
            return []
        import regex

        words = [rf"(?i)(?<!\w){regex.escape(word)}(?!\w)" for word in self.words]
        compiled = []
        for pattern in [*words, *self.patterns]:
            try:
                compiled.append(regex.compile(pattern))
            except regex.error as error:
                raise UsageError(
                    f"protect_patterns: {pattern!r} is no regular expression ({error})"
                ) from None
        return compiled


def _block_matches(expression: Any, cuts: Cuts, out: NDArray[np.uint8]) -> None:
    rows: list[int] = []
    spans: list[int] = []
    for row, text in enumerate(cuts.texts.array.to_pylist()):
        byte, last = int(cuts.texts.offsets[row]), 0
        for start, stop in _matches(expression, text or ""):
            first = byte + len(text[last:start].encode())
            byte, last = first + len(text[start:stop].encode()), stop
            rows.append(row)
            spans += [first, byte]
    places = np.array(rows, np.int64), np.array(spans, np.int64)
    block_spans(*places, cuts.rows, cuts.starts, cuts.stops, out)


def _matches(expression: Any, text: str) -> list[tuple[int, int]]:
    """Return where an expression matches something, in the order of the text."""
    limit = PATTERN_SECONDS * (1 + len(text) // PATTERN_CHARACTERS)
    try:
        found = sorted(match.span() for match in expression.finditer(text, timeout=limit))
    except TimeoutError:
        problem = f"pattern {expression.pattern!r} takes over {limit:g} s on one text"
        raise InputError(f"{problem}; make it simpler") from None
    return [(start, stop) for start, stop in found if start < stop]
