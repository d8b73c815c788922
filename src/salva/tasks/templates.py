"""Templates: texts with named fields, filled in one pass, so that nothing in a value is interpreted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from salva.errors import UsageError

_PART = re.compile(r"\{\{|\}\}|\{([^{}\n]+)\}|[{}]")


class Filled(NamedTuple):
    """A filled template, and where the value of each field begins, in code points."""

    text: str
    starts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Template:
    """A text with fields such as `{question}`; `{{` and `}}` are braces."""

    parts: tuple[str, ...]
    """Plain text and names of fields by turns; the first and the last part are plain text."""

    @classmethod
    def of(cls, text: str) -> Template:
        """Read a template; refuse a brace that belongs to no field.

        >>> Template.of("Q: {question} in {{JSON}}").fill({"question": "{x}?"}).text
        'Q: {x}? in {JSON}'
        """
        parts, plain, last = [], "", 0
        for match in _PART.finditer(text):
            plain += text[last : match.start()]
            last = match.end()
            if match[1] is not None:
                parts += [plain, match[1].strip()]
                plain = ""
            elif len(match[0]) == 2:
                plain += match[0][0]
            else:
                near = text[match.start() : match.start() + 20]
                raise UsageError(f"the brace at {near!r} belongs to no field; write {{{{ or }}}} for a brace")
        return cls((*parts, plain + text[last:]))

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields, in order, as often as they occur."""
        return self.parts[1::2]

    def fill(self, values: Mapping[str, str]) -> Filled:
        """Return the text with a value for every field."""
        text, starts = "", {}
        for place, part in enumerate(self.parts):
            if place % 2:
                starts[part] = len(text)
            text += values[part] if place % 2 else part
        return Filled(text, starts)
