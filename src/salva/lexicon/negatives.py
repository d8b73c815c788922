"""Words that negate a statement, and where a text has them."""

from __future__ import annotations

import re

NEGATIVE_WORDS = """
    not n't never no none nobody nothing nowhere neither nor cannot hardly scarcely barely rarely seldom few
    little without unless zero no-one t
"""
"""What makes a sentence negative, or may do so."""

_UNCERTAIN = "few little zero t"  # a few, a little house, at zero degrees
_SURE = sorted(set(NEGATIVE_WORDS.split()) - {*_UNCERTAIN.split(), "n't"}, key=len, reverse=True)
_NEGATION = re.compile(rf"(?<!\w)(?:{'|'.join(_SURE)})(?!\w)(?!\.\s*\d)|(?<=\w)n['’]t(?!\w)", re.IGNORECASE)  # noqa: RUF001


def find_negations(text: str) -> list[str]:
    """Return the words that negate something in a text, in order and in lower case; not those that may only.

    >>> find_negations("No one can't see a few of them, but No. 5 cannot.")
    ['no', "n't", 'cannot']
    """
    return [found.lower().replace("’", "'") for found in _NEGATION.findall(text)]  # noqa: RUF001
