"""How a word is found in a vocabulary: steps tried in order, each of which gives forms of the word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from salva.errors import UsageError

CHAIN = ("exact", "lower", "parts")

# French, then Italian; the part before the apostrophe is an article or a preposition, never the word.
_ELIDED = re.compile(
    r"(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|un|dell|all|dall|nell|sull|quell|bell|sant)['\u2019](.+)",
    re.IGNORECASE,
)


def _hyphen(word: str) -> tuple[str, ...]:
    return (word.replace("_", "-"),) if "_" in word else ()


def _capital(word: str) -> tuple[str, ...]:
    """Return a term with its first word capitalised, then with all of them."""
    capitals = [part[:1].upper() + part[1:] for part in word.split("_")]
    return tuple(dict.fromkeys([word[:1].upper() + word[1:], "_".join(capitals)]))


def _elision(word: str) -> tuple[str, ...]:
    match = _ELIDED.fullmatch(word)
    return (match[1],) if match else ()


# `parts` is the mean of the words of a multiword term; it and `suffix:TEXT` do not depend on the word alone.
STEPS: dict[str, Callable[[str], tuple[str, ...]] | None] = {
    "exact": lambda word: (word,),
    "lower": lambda word: (word.lower(),),
    "capital": _capital,
    "upper": lambda word: (word.upper(),),
    "hyphen": _hyphen,
    "elision": _elision,
    "parts": None,
}
_SUFFIX = "suffix:"


class Candidate(NamedTuple):
    """One way to look up a word: the step, and the possible forms of each part of the word."""

    step: str
    parts: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Lookup:
    """A chain of steps.

    >>> [candidate.parts for candidate in Lookup(("exact", "parts")).candidates("peanut_butter")]
    [(('peanut_butter',),), (('peanut',), ('butter',))]
    """

    chain: tuple[str, ...] = CHAIN

    def __post_init__(self) -> None:
        for step in self.chain:
            if step not in STEPS and not (step.startswith(_SUFFIX) and step != _SUFFIX):
                raise UsageError(f"look-up step {step!r} must be one of {', '.join(STEPS)}, suffix:TEXT")
        if not self.chain:
            raise UsageError(f"the look-up has no steps; use some of {', '.join(STEPS)}, suffix:TEXT")

    @classmethod
    def of(cls, chain: Sequence[str] | str) -> Lookup:
        """Return the look-up for a chain, or for a string such as `exact,lower,parts`."""
        steps = chain.split(",") if isinstance(chain, str) else chain
        return cls(tuple(step.strip() for step in steps))

    def candidates(self, word: str) -> Iterator[Candidate]:
        """Yield what to look for, in order."""
        for step in self.chain:
            if step == "parts":
                parts = [part for part in word.split("_") if part]
                if len(parts) > 1:
                    yield Candidate(step, tuple(tuple(self._forms(part)) for part in parts))
            else:
                yield from (Candidate(step, ((form,),)) for form in self._step(step, word))

    def needed(self, words: Iterable[str]) -> set[str]:
        """Return every form that may be looked up."""
        return {
            form
            for word in set(words)
            for candidate in self.candidates(word)
            for forms in candidate.parts
            for form in forms
        }

    def _forms(self, word: str) -> Iterator[str]:
        for step in self.chain:
            if step != "parts":
                yield from self._step(step, word)

    def _step(self, step: str, word: str) -> Iterator[str]:
        function = STEPS.get(step) or (lambda variant: (variant + step.removeprefix(_SUFFIX),))
        lowers = "lower" in self.chain and step not in ("exact", "lower")
        for variant in dict.fromkeys([word, word.lower()] if lowers else [word]):
            yield from function(variant)
