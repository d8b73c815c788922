"""Lemmas, other forms and parts of speech in about fifty languages, from the dictionaries of simplemma.

A dictionary gives one lemma per form and no part of speech, which is inferred from forms that only verbs or
only adjectives have. The dictionaries come with the extra `lemmas`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.util import find_spec

from salva.outliers.words.frequencies import has_list, per_million
from salva.outliers.words.grammars import Grammar, grammar_of

_MOST_CUT = 3  # letters at the end of a word that a form may replace


class Dictionary:
    """The lemmas of some words and of their possible forms, in one language."""

    def __init__(self, language: str, lemmas: Mapping[str, str]) -> None:
        self._language, self._lemmas = language, lemmas
        self._grammar = grammar_of(language)

    def __contains__(self, word: str) -> bool:
        return word in self._lemmas

    def lemma(self, word: str) -> str | None:
        """Return the lemma of a word that is a form of another word and not an entry of its own; else None.

        Entries have forms: the Italian `sale` is a form of `sala`, but also an entry with the plural `sali`.
        """
        base = self._lemmas.get(word)
        if base is None or base.casefold() == word.casefold() or base[:1].isupper() != word[:1].isupper():
            return None
        return None if self.forms(word) else base

    def forms(self, word: str) -> list[str]:
        """Return other forms of a word, as far as the endings of the grammar cover them."""
        return [form for form in possible_forms(word, self._grammar) if self._is_form(form, word)]

    def is_verb(self, word: str) -> bool:
        """Return whether a word ends like a verb, has forms of a verb, and has no noun plural."""
        return (
            word.endswith(self._grammar.infinitives)
            and self._is_inflected(word)
            and not self._has_plural(word)
        )

    def is_noun(self, word: str) -> bool:
        """Return whether a word has a noun plural and no forms of a verb."""
        return self._has_plural(word) and not self._is_inflected(word)

    def is_adjective(self, word: str) -> bool | None:
        """Return whether a word has forms that only adjectives have; None if its ending cannot decide."""
        for end, other in self._grammar.feminine:
            if word.endswith(end):
                stem = word.removesuffix(end)
                if self._is_form(stem + other, word) or self._is_compared(stem):
                    return True
                # The Italian dictionary has both magra and tavola as entries of their own.
                return False if has_list(self._language) or stem + other not in self else None
        return None

    def _is_compared(self, stem: str) -> bool:
        endings = self._grammar.derived if has_list(self._language) else ()
        return any(per_million(self._language, stem + end) for end in endings)

    def _is_inflected(self, word: str) -> bool:
        return any(self._is_form(form, word) for form in _endings(word, self._grammar.verbal))

    def _has_plural(self, word: str) -> bool:
        return any(self._is_form(form, word) for form in _replaced(word, self._grammar.number))

    def _is_form(self, form: str, word: str) -> bool:
        return form != word and self._lemmas.get(form) == word


def read_dictionary(language: str, words: Iterable[str]) -> Dictionary | None:
    """Return a dictionary for some words; None without the extra, or if the language has no dictionary.

    Only the entries that the words need are kept: a whole dictionary takes up to half a gigabyte.
    """
    lemmas = _read_lemmas(language.lower()) if find_spec("simplemma") else None
    if lemmas is None:
        return None
    grammar = grammar_of(language)
    parts = {part for word in words for part in word.split("_")}
    needed = {form for part in parts for form in (part, *possible_forms(part, grammar))}
    return Dictionary(language, {form: lemma for form in needed if (lemma := lemmas.get(form)) is not None})


def possible_forms(word: str, grammar: Grammar) -> Iterator[str]:
    """Yield the possible forms of a word, from the endings of its language."""
    yield from _endings(word, (*grammar.nominal, *grammar.verbal))
    yield from _replaced(word, (*grammar.number, *grammar.feminine))


def _endings(word: str, endings: tuple[str, ...]) -> Iterator[str]:
    for cut in range(min(_MOST_CUT, len(word) - 1) + 1):
        yield from (word[: len(word) - cut] + end for end in endings)


def _replaced(word: str, ends: tuple[tuple[str, str], ...]) -> Iterator[str]:
    return (word.removesuffix(end) + other for end, other in ends if word.endswith(end))


@lru_cache(maxsize=1)
def _read_lemmas(language: str) -> Mapping[str, str] | None:
    from simplemma.strategies import DefaultDictionaryFactory

    try:
        return DefaultDictionaryFactory(cache_max_size=1).get_dictionary(language)
    except ValueError:  # no such language
        return None
