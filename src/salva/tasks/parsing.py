"""What the parsers of all kinds of answers share: the part of a reply that counts, and forms to compare."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterable
from typing import Any

from salva.errors import UsageError

_SECONDS = 1.0  # that a pattern of the user's may take on one text
_AROUND = " \t\r\n*_\"'`“”‘’«»()[]{}.,;:!"  # noqa: RUF001 - what models put around an answer
ANNOUNCEMENT = r"(?i:\b(?:answer|label|option|choice)\b(?:\s+is)?\s*[:=]?\s*)"
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def find_all(expression: Any, text: str) -> list[Any]:
    """Return all matches of a pattern of the user's; refuse a pattern that takes too long."""
    try:
        return list(expression.finditer(text, timeout=_SECONDS))
    except TimeoutError:
        raise UsageError(
            f"pattern {expression.pattern!r} takes over {_SECONDS:g} s on one text; make it simpler"
        ) from None


def last_match(expression: Any, text: str) -> str | None:
    """Return the last match of a pattern: its first group if it has one, otherwise all of it."""
    matches = find_all(expression, text)
    if not matches:
        return None
    found = matches[-1]
    return str(found[1] if expression.groups and found[1] is not None else found[0])


def json_value(reply: str, field: str) -> str | None:
    """Return a field of the JSON object in a reply; None if there is no such object or field.

    >>> json_value('Sure: {"answer": 5}', "answer"), json_value("5", "answer")
    ('5', None)
    """
    first, last = reply.find("{"), reply.rfind("}")
    try:
        value = json.loads(reply[first : last + 1])[field] if first >= 0 else None
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def trimmed(text: str) -> str:
    """Return a text in lower case, without the marks around it.

    >>> trimmed(' **Positive.** '), trimmed("(B)")
    ('positive', 'b')
    """
    return text.strip(_AROUND).casefold()


def normalised(text: str) -> str:
    """Return a text as SQuAD compares answers: lower case, no punctuation, no articles, single spaces.

    >>> normalised("The  Eiffel Tower!")
    'eiffel tower'
    """
    plain = text.lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", plain).split())


def find_phrases(phrases: Iterable[str], text: str) -> list[tuple[int, int]]:
    """Return where phrases occur as whole words, in any case and with any white space between words.

    >>> find_phrases(["new york"], "In New  York, not in new yorker")
    [(3, 12)]
    """
    found, lowered = [], text.lower()
    for phrase in dict.fromkeys(" ".join(phrase.split()) for phrase in phrases):
        # Most phrases are in no text, and to compile a pattern takes 100 µs.
        if phrase and phrase.split()[0].lower() in lowered:
            words = r"\s+".join(map(re.escape, phrase.split()))
            found += [match.span() for match in re.finditer(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE)]
    return sorted(found)
