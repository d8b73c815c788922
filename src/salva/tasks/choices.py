"""Answers that are one of the options of the row."""

from __future__ import annotations

import re
from dataclasses import dataclass

from salva.tasks.kind import Kind
from salva.tasks.options import Options, find_option
from salva.tasks.replies import ANNOUNCEMENT, find_phrases, trimmed

# "The answer is A because" names an option; "the answer is a tree" and "I think" do not, in capitals neither.
_NOT_A_WORD = r"(?!(?<=\b[AI])\s+(?!because\b|since\b)[a-z])"


@dataclass(frozen=True, kw_only=True)
class Choice(Kind):
    """One of the options of the row, by its name or its text."""

    def parse(self, text: str, options: Options) -> str | None:
        """Return the name of the option that a text gives."""
        if not options:
            return None
        names = "|".join(re.escape(name) for name in sorted(options, key=len, reverse=True))
        begins = re.match(rf"\W*({names})(?:[).:,\]]|\s*$)", text, re.MULTILINE)
        # "A. The grass" names A, also if the grass is B: without articles, it would be "grass".
        if begins is None or trimmed(text) in map(trimmed, options.values()):
            whole = find_option(text, options)
            if whole is not None:
                return whole
        named = re.findall(rf"{ANNOUNCEMENT}[(*\[]*({names})(?!\w){_NOT_A_WORD}", text)
        if begins or named:
            return named[-1] if named else begins[1]  # type: ignore[index]
        marked = set(re.findall(rf"\(({names})\)", text))
        if len(marked) == 1:
            return str(marked.pop())
        found = {name for name, option in options.items() if find_phrases([option], text)}
        return found.pop() if len(found) == 1 else None
