"""Pairs form by form: the inflected forms of a source and its targets, and their polarity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from salva.lexicon.inflections import TAGS, inflect
from salva.lexicon.pairs import Pair
from salva.lexicon.shipped import polarity


class Form(NamedTuple):
    """One form of a source, with its tag (None for words as written) and the targets in the same form."""

    tag: str | None
    source: str
    targets: tuple[str, ...]


def inflect_pair(pair: Pair) -> Iterator[Form]:
    """Return every form of the source that has targets of the same form.

    >>> from salva.lexicon.pairs import parse_rule
    >>> [form.source for form in inflect_pair(parse_rule("n movie > film")[0])]
    ['movie', 'movies']
    """
    if pair.part == "x":
        yield Form(None, pair.source, pair.targets)
        return
    for tag in TAGS[pair.part]:
        targets = [inflect(target, tag) for target in _same_parts(pair, tag)]
        forms = tuple(target[0] for target in targets if target)
        for form in inflect(pair.source, tag) if forms else ():
            others = tuple(target for target in forms if target != form)
            if others:
                yield Form(tag, form, others)


def _same_parts(pair: Pair, tag: str) -> tuple[str, ...]:
    """Return the targets; if the past of a verb is its participle, only those of which that is true too.

    A tagger confuses the two: `told` may become `advised`, but not `gave notice`.
    """
    if tag not in {"VBD", "VBN"} or not _is_weak(pair.source):
        return pair.targets
    return tuple(filter(_is_weak, pair.targets))


def _is_weak(verb: str) -> bool:
    return inflect(verb, "VBD")[:1] == inflect(verb, "VBN")[:1]


def compare_polarity(pair: Pair, target: str) -> Literal["same", "changed", "opposite"]:
    """Compare the polarity of the source with that of a target, form by form.

    >>> from salva.lexicon.pairs import parse_rule
    >>> [compare_polarity(parse_rule(rule)[0], "good") for rule in ("a fine > good", "a bad > good")]
    ['same', 'opposite']
    """
    signs = [
        (polarity().get(own[0].lower(), 0), polarity().get(other[0].lower(), 0))
        for own, other in zip(_forms(pair.part, pair.source), _forms(pair.part, target), strict=True)
        if own and other
    ]
    if any(own * other < 0 for own, other in signs):
        return "opposite"
    return "same" if all(own == other for own, other in signs) else "changed"


def _forms(part: str, name: str) -> list[tuple[str, ...]]:
    """Return the forms of a word under every tag of its part of speech; none if it has no such form."""
    return [(name,)] if part == "x" else [inflect(name, tag) for tag in TAGS[part]]
