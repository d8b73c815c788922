"""How often words occur, and whether a twelve-year-old may not know one.

The user's own list comes first, then the lists of wordfreq, which the extra `frequencies` installs. Without
it, English falls back on WordNet, whose tagged texts are few: several senses, terms that contain the word,
and known words that it is made of show that it is familiar, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec

from salva._files import open_regular, storage_errors
from salva._types import PathLike
from salva.errors import InputError
from salva.lexicon import WordNet, stop_words
from salva.outliers.drafts import ENGLISH
from salva.outliers.words.english import is_known

_LONGEST_LINE = 1 << 16


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Counts of some words, and the total of all words in the list."""

    counts: dict[str, int]
    total: int

    def per_million(self, word: str) -> float:
        """Return how often a word or its lower-case form occurs per million words; 0 if it is not listed.

        >>> Frequencies({"dog": 3}, 1_000_000).per_million("Dog")
        3.0
        """
        count = max(self.counts.get(spelling, 0) for spelling in _spellings(word))
        return count * 1e6 / self.total if self.total else 0.0


def read_frequencies(path: PathLike, words: Iterable[str]) -> Frequencies:
    """Read lines of a word, a tab and a count, and keep the given words.

    Terms may be written with spaces or underscores.
    """
    requested = {spelling for word in words for spelling in _spellings(word)}
    counts: dict[str, int] = {}
    total, number = 0, 0
    with open_regular(path) as stream, storage_errors(path):
        while line := stream.readline(_LONGEST_LINE):
            number += 1
            word, count = _pair(path, number, line)
            total += count
            if word in requested:
                counts[word] = counts.get(word, 0) + count
    if not total:
        raise InputError.at(path, None, "has no counts; a line must be a word, a tab and a count")
    return Frequencies(counts, total)


def _pair(path: PathLike, number: int, line: bytes) -> tuple[str, int]:
    try:
        word, tab, count = line.decode("utf-8-sig").rstrip("\r\n").partition("\t")
    except UnicodeDecodeError:
        raise InputError.at(path, number, "is not UTF-8") from None
    if not tab or not (count.isascii() and count.isdigit() and len(count) < 19):
        raise InputError.at(path, number, f"{line[:40]!r} must be a word, a tab and a count")
    return word, int(count)


def _spellings(word: str) -> tuple[str, ...]:
    spaced = word.replace("_", " ")
    return word, word.lower(), spaced, spaced.lower()


def has_list(language: str) -> bool:
    """Return whether wordfreq has a list for a language code."""
    return find_spec("wordfreq") is not None and language.lower() in _languages()


def per_million(language: str, word: str) -> float:
    """Return how often wordfreq saw a single word per million words; 0 if it is not listed."""
    from wordfreq import get_frequency_dict

    share: float = get_frequency_dict(language.lower(), wordlist="best").get(word.casefold(), 0.0)
    return share * 1e6


@lru_cache(maxsize=1)
def _languages() -> frozenset[str]:
    from wordfreq import available_languages

    return frozenset(available_languages("best"))


RARE = 1.0  # per million words of the user's list; words that a twelve-year-old has met are well above
_RARE_LISTED = 0.1  # per million in wordfreq's lists, which cover books and subtitles, not everyday speech
_COMMON_LISTED = 0.5  # per million: a part this common explains a compound
_SHORTEST_PART = 4  # letters in a part of a compound, by a list; with three, marmot would be a compound
_SHORTEST_SEEN = 3  # letters in a part of a compound, by WordNet's tagged texts, which are few

_TAXA = ("class", "family", "genus", "order", "phylum", "suborder")
_SUFFIXES = "able al ed en er ery ful ic ing ise ish ism ize less ly ness s tion y"
_PREFIXES = ("dis", "non", "re", "un")


def rarity(
    word: str,
    language: str,
    *,
    frequencies: Frequencies | None = None,
    forms: Callable[[str], Iterable[str]] = lambda _: (),
) -> str | None:
    """Return why a child may not know a word; None if it is familiar, or if no source can judge it.

    The forms of a word count too, since whoever knows one knows the others; they are looked up only if the
    word itself is rare.
    """
    if frequencies is not None:
        return _explain(frequencies.per_million(word), RARE, "the list")
    if language == ENGLISH and not is_known(word):  # L6 reports this
        return None
    if has_list(language):
        shares = (_share_in_list(part, language, forms) for part in _parts(word))
        return _explain(min(shares, default=RARE), _RARE_LISTED, "the list of wordfreq")
    if language == ENGLISH and not is_familiar(word):
        return "neither in WordNet's tagged texts nor in a term"
    return None


@cache
def is_familiar(word: str) -> bool:
    """Return whether all parts of an English word or term occur in WordNet's texts, terms or other words.

    >>> is_familiar("toaster"), is_familiar("rainforest"), is_familiar("angledozer")
    (True, True, False)
    """
    parts = [part for part in _parts(word.lower()) if part not in stop_words() and is_known(part)]
    return all(
        _is_met(part) or _is_derived(part) or _is_compound(part, _is_seen, _SHORTEST_SEEN) for part in parts
    )


def _explain(share: float, least: float, where: str) -> str | None:
    if share >= least:
        return None
    return f"{share:.2g} times per million in {where}" if share else f"not in {where}"


def _parts(word: str) -> list[str]:
    return [part for part in re.split(r"[-_'\u2019]", word) if len(part) > 1]


def _share_in_list(word: str, language: str, forms: Callable[[str], Iterable[str]]) -> float:
    """Return how often a word and its forms are listed; a compound of common words counts as common."""
    share = per_million(language, word)
    if share >= _RARE_LISTED:
        return share

    def is_common(part: str) -> bool:
        return per_million(language, part) >= _COMMON_LISTED

    if _is_compound(word.casefold(), is_common):
        return RARE
    others = {form.casefold() for form in forms(word)} - {word.casefold()}
    return share + sum(per_million(language, form) for form in sorted(others))


def _is_compound(word: str, is_common: Callable[[str], bool], least: int = _SHORTEST_PART) -> bool:
    splits = ((word[:i], word[i:]) for i in range(least, len(word) - least + 1))
    return any(is_common(last) and any(map(is_common, _unlinked(first))) for first, last in splits)


def _unlinked(part: str) -> Iterator[str]:
    """Yield the first part of a compound, with and without a German linking element."""
    yield part
    yield from (part.removesuffix(link) for link in ("s", "n", "en", "es") if part.endswith(link))


def _is_met(word: str) -> bool:
    return _is_seen(word) or len(WordNet.load().synsets(word)) > 1 or word in _words_of_terms()


def _is_derived(word: str) -> bool:
    stems = [word.removesuffix(end) for end in _SUFFIXES.split() if word.endswith(end)]
    bases = [base for stem in stems for base in (stem, f"{stem}e", f"{stem}y", stem[:-1])]
    bases += [word.removeprefix(start) for start in _PREFIXES if word.startswith(start)]
    return any(len(base) > 2 and _is_seen(base) for base in bases)


@cache
def _is_seen(word: str) -> bool:
    """Return whether a word occurs in WordNet's tagged texts, in any sense."""
    wordnet = WordNet.load()
    names = {word, wordnet.morphy(word)}
    lemmas = (lemma for sense in wordnet.synsets(word) for lemma in sense.lemmas())
    return any(lemma.count() for lemma in lemmas if lemma.name().lower() in names)


@cache
def _words_of_terms() -> frozenset[str]:
    terms = (term.lower().split("_") for term in WordNet.load().lemmas("n") if "_" in term)
    return frozenset(part for first, *others in terms if first not in _TAXA for part in (first, *others))
