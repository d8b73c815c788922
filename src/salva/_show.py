"""How texts and numbers are displayed: control and hidden characters escaped, numbers with their nouns."""

from __future__ import annotations

import re

NOTICE = 25  # log level between INFO and WARNING, for messages that users should see by default

# Control characters; invisible characters and those that change the text direction; lone surrogates.
UNSHOWN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)


def escape(characters: str) -> str:
    """Return characters as Python escapes."""
    return characters.encode("unicode_escape", "surrogatepass").decode("ascii")


def number_of(number: int, one: str, several: str | None = None) -> str:
    """Return a number with its noun in the singular or plural.

    >>> number_of(1, "set"), number_of(1200, "set"), number_of(0, "word is", "words are")
    ('1 set', '1,200 sets', '0 words are')
    """
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def printable(text: str) -> str:
    r"""Return the text with every control or hidden character shown as its escape.

    >>> printable("a\x1b[2Jb\u202ec")
    'a\\x1b[2Jb\\u202ec'
    """
    return UNSHOWN.sub(lambda match: escape(match[0]), text)
