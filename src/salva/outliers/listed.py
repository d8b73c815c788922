"""How often words occur by wordfreq's lists of some forty languages, which the extra `frequencies` brings."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec

__all__ = ["has_list", "per_million"]


def has_list(language: str) -> bool:
    """Tell whether there is a list of the language, by its code."""
    return find_spec("wordfreq") is not None and language.lower() in _languages()


def per_million(language: str, word: str) -> float:
    """Return how often a single word occurs in a million; 0 where it is not listed."""
    from wordfreq import get_frequency_dict

    return get_frequency_dict(language.lower(), wordlist="best").get(word.casefold(), 0.0) * 1e6


@lru_cache(maxsize=1)
def _languages() -> frozenset[str]:
    from wordfreq import available_languages

    return frozenset(available_languages("best"))
