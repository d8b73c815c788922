"""Word frequencies from wordfreq's lists of about forty languages, which the extra `frequencies` installs."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec


def has_list(language: str) -> bool:
    """Return whether there is a list for a language code."""
    return find_spec("wordfreq") is not None and language.lower() in _languages()


def per_million(language: str, word: str) -> float:
    """Return how often a single word occurs per million words; 0 if it is not listed."""
    from wordfreq import get_frequency_dict

    return get_frequency_dict(language.lower(), wordlist="best").get(word.casefold(), 0.0) * 1e6


@lru_cache(maxsize=1)
def _languages() -> frozenset[str]:
    from wordfreq import available_languages

    return frozenset(available_languages("best"))
