"""Numbers in texts, in digits and in words, as values to compare: 25 and twenty-five are the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple, TypeAlias

Value: TypeAlias = Fraction | str  # a string if it has too many digits to be read

_ONES = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
"""
_ORDINALS = """
    zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: number for words in (_ONES, _ORDINALS) for number, word in enumerate(words.split())}
_SMALL |= {word: 10 * number for number, word in enumerate(_TENS.split(), 2)}
_SMALL |= {f"{word[:-1]}ieth": 10 * number for number, word in enumerate(_TENS.split(), 2)}
_SMALL |= {"once": 1, "single": 1, "twice": 2, "double": 2, "pair": 2, "couple": 2, "both": 2, "triple": 3}
_SCALES = {"dozen": 12, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
# Words that often count nothing: one of them, wait a second, at first.
_LOOSE = {"one", "first", "second", "once", "single", "twice", "double", "pair", "couple", "both", "triple"}
_WORDS = sorted({*_SMALL, *_SCALES}, key=len, reverse=True)
_TOKEN = re.compile(
    rf"(?:(?<!\S)[-−])?\d+(?:[.,]\d+)*|(?<!\w)(?:{'|'.join(_WORDS)})(?!\w)",  # noqa: RUF001
    re.IGNORECASE,
)
_JOINT = re.compile(r"[\s-]+(?:and\s+)?")  # between the words of one number
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DECIMAL = re.compile(r"\d+(?:[.,]\d+)?")
_LONGEST = 300  # digits of a number that is read


class Numeral(NamedTuple):
    """A number in a text: its value, how it is written, and whether it may count nothing, such as `one`."""

    value: Value
    text: str
    is_loose: bool


def find_numerals(text: str) -> list[Numeral]:
    """Return the numbers of a text, in order.

    >>> found = find_numerals("Twenty-five of 1,000 ran 3.50 km in two hundred and six minutes.")
    >>> [str(one.value) for one in found]
    ['25', '1000', '7/2', '206']
    >>> [one.is_loose for one in find_numerals("one of the 2")]
    [True, False]
    """
    found: list[Numeral] = []
    number: _Number | None = None
    end = 0
    for match in _TOKEN.finditer(text):
        word = match[0].lower()
        if number is not None and not (_JOINT.fullmatch(text, end, match.start()) and number.takes(word)):
            found.append(number.read())
            number = None
        if number is None and not word[-1].isalpha():
            *others, last = _read_digits(match[0])
            found += (Numeral(value, match[0], False) for value in others)
            number = _Number(last, match[0])
        elif number is None:
            number = _Number(Fraction(1 if word in _SCALES else _SMALL[word]), word)
            if word in _SCALES:
                number.multiply(_SCALES[word])
        end = match.end()
    return found if number is None else [*found, number.read()]


def is_numeral(text: str) -> bool:
    """Return whether all of a text is one number.

    >>> is_numeral("twenty-five"), is_numeral("5 dogs")
    (True, False)
    """
    found = find_numerals(text)
    return len(found) == 1 and found[0].text.lower() == " ".join(text.lower().replace("-", " ").split())


class _Number:
    """A number that is being read; a smaller number than `room` may follow."""

    def __init__(self, value: Value, text: str) -> None:
        self._done, self._value, self._text = Fraction(), value, text
        self._room = 10 if text in _TENS.split() else 0

    def read(self) -> Numeral:
        value = self._value if isinstance(self._value, str) else self._done + self._value
        return Numeral(value, self._text, self._text in _LOOSE)

    def takes(self, word: str) -> bool:
        """Take the next word if it belongs to this number; return whether it does."""
        if isinstance(self._value, str) or not word[-1].isalpha():
            return False
        if word in _SCALES:
            if not 0 < self._value < _SCALES[word] or self._text in _ORDINALS.split():
                return False
            self.multiply(_SCALES[word])
        elif 0 < _SMALL[word] < self._room:
            self._value += _SMALL[word]
            self._room = 10 if word in _TENS.split() else 0
        else:
            return False
        self._text = f"{self._text} {word}"
        return True

    def multiply(self, scale: int) -> None:
        assert isinstance(self._value, Fraction)  # noqa: S101
        self._value *= scale
        self._room = 0 if scale == _SCALES["dozen"] else scale
        if scale >= _SCALES["thousand"]:
            self._done, self._value = self._done + self._value, Fraction()


def _read_digits(written: str) -> Iterator[Value]:
    """Yield the values of digits: several if they are a list or a version, such as 1.2.3."""
    sign, plain = (-1, written[1:]) if written[0] in "-−" else (1, written)  # noqa: RUF001
    if len(plain) > _LONGEST:
        yield plain
    elif _GROUPED.fullmatch(plain):
        yield sign * Fraction(plain.replace(",", ""))
    elif _DECIMAL.fullmatch(plain):
        yield sign * Fraction(plain.replace(",", "."))
    else:
        yield from map(Fraction, re.split("[.,]", plain))
