"""Where sentences begin, as far as the two tokens before a word show; tokens are runs of word characters."""

from __future__ import annotations

from salva._kernels.characters import bytes_in
from salva._kernels.choices import Tokens
from salva._kernels.jit import step
from salva._kernels.joints import CAPITAL
from salva._types import Bytes

ENDING = bytes_in(".!?")
TAG_END = ord(">")
ABBREVIATION = 3  # the most letters of a capitalised word that a full stop abbreviates: Mr. Jr. St. J.


@step
def ends_sentence(data: Bytes, start: int, stop: int) -> bool:
    """Return whether a token has a mark that ends sentences, or is markup."""
    found = data[stop - 1] == TAG_END
    for i in range(start, stop):
        found |= ENDING[data[i]]
    return found


@step
def begins_sentence(tokens: Tokens, first: int, token: int) -> bool:
    """Return whether a token of the row that begins at `first` is the first of a sentence."""
    if token == first:
        return True
    before = token - 1
    if not ends_sentence(tokens.data, tokens.starts[before], tokens.stops[before]):
        return False
    if before == first or tokens.stops[before] - tokens.starts[before] > 1:
        return True
    start, stop = tokens.starts[before - 1], tokens.stops[before - 1]
    short = stop == tokens.starts[before] and stop - start <= ABBREVIATION
    return not (short and CAPITAL[tokens.data[start]])
