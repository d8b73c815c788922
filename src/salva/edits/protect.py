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

PATTERN_SECONDS = 1.0


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
        if self.expressions:
            self._block_matches(cuts, out)
        return out

    @cached_property
    def expressions(self) -> list[Any]:
        """The user's words and patterns, compiled."""
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

    def _block_matches(self, cuts: Cuts, out: NDArray[np.uint8]) -> None:
        for expression in self.expressions:
            rows: list[int] = []
            spans: list[int] = []
            for row, text in enumerate(cuts.texts.array.to_pylist()):
                for start, stop in _matches(expression, text or ""):
                    first = int(cuts.texts.offsets[row]) + len(text[:start].encode())
                    rows.append(row)
                    spans += [first, first + len(text[start:stop].encode())]
            places = np.array(rows, np.int64), np.array(spans, np.int64)
            block_spans(*places, cuts.rows, cuts.starts, cuts.stops, out)


def _matches(expression: Any, text: str) -> list[tuple[int, int]]:
    try:
        return [match.span() for match in expression.finditer(text, timeout=PATTERN_SECONDS)]
    except TimeoutError:
        problem = f"pattern {expression.pattern!r} takes over {PATTERN_SECONDS:g} s on one text"
        raise InputError(f"{problem}; make it simpler") from None
