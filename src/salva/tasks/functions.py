"""Answers that a function of the user's grades."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from salva._arguments import check_number
from salva._crashes import place_of
from salva.errors import UsageError
from salva.models import load_function
from salva.tasks.kind import Grade, Key, Kind
from salva.tasks.options import Options
from salva.tasks.replies import normalised


@dataclass(frozen=True, kw_only=True)
class Python(Kind):
    """Whatever a function of the user's makes of a reply and its row: a score, or an answer and a score."""

    function: str = ""
    right_from: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("right_from", self.right_from, 0, 1)
        if not self.function:
            raise UsageError("a python task needs function = 'package.module:function'")

    @property
    def is_graded(self) -> bool:
        """A function may return any score."""
        return True

    @cached_property
    def _call(self) -> Callable[..., Any]:
        return load_function(self.function)

    def prepare(self) -> None:
        """Load the function."""
        _ = self._call

    def read_target(self, target: str, options: Options) -> str | None:
        """Return a target as the data has it: what it means is up to the function."""
        return target.strip()

    def parse(self, text: str, options: Options) -> str | None:
        """Return a text as it is compared if the function gives no answer."""
        return normalised(text) or text.strip()

    def grade(self, reply: str, key: Key) -> Grade | None:
        """Return what the function makes of the reply; None means unparsed."""
        text = self.extract(reply)
        found = None if text is None else self._graded(text, key)
        if text is None or found is None:
            return None
        answer, score = found if isinstance(found, tuple) and len(found) == 2 else (None, found)
        try:
            value = check_number("score", score, 0, 1)
        except UsageError as error:
            raise UsageError(f"{self.function!r} returned {found!r:.60}: {error}") from None
        if key.targets and value >= self.right_from:
            return Grade(key.targets[0], value)
        return Grade(str(self.parse(text, key.options) if answer is None else answer), value)

    def _graded(self, text: str, key: Key) -> Any:
        try:
            return self._call(text, dict(key.row))
        except Exception as error:
            problem = f"{type(error).__name__}: {error}{place_of(error)}"
            raise UsageError(
                f"{self.function!r} failed: {problem}; it must take a reply and a row"
            ) from error
