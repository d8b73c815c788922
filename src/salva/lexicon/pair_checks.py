"""Checks of pairs: `PAIR_CHECKS` is a table of functions, each with its message as its docstring.

They find pairs that would change the meaning, and those that never apply. Whether a pair keeps the meaning
where it applies is for readers to judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import takewhile

from salva.lexicon.findings import Check, Finding, run_checks
from salva.lexicon.pair_forms import compare_polarity, inflect_pair
from salva.lexicon.pairs import Condition, Fault, Pair
from salva.lexicon.shipped import offensive_words, read_tables
from salva.lexicon.wordnet import WordNet

# NLTK cuts these: do n't, it 's, can not.
_CUT = re.compile(r"\w+(n't|'(s|m|re|ve|ll|d))|cannot|gonna|gotta|wanna|gimme|lemme")
_EDGE = "^"
OPPOSITE = "P2"


class PairIndex:
    """The pairs of a file, and those of each source."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.by_source: dict[tuple[str, str], list[Pair]] = {}
        for pair in pairs:
            self.by_source.setdefault((pair.part, pair.source), []).append(pair)

    def earlier(self, pair: Pair) -> Iterator[Pair]:
        """Return the pairs of the same source that come first."""
        return takewhile(lambda other: other is not pair, self.by_source[pair.part, pair.source])


def unreadable_line(fault: Fault, whole: None) -> Iterator[str]:
    """A line is neither a pair nor a comment."""
    yield fault.message


def same_word(pair: Pair, index: PairIndex) -> Iterator[str]:
    """A target is the source itself."""
    for target in pair.targets:
        if target.lower() == pair.source.lower():
            yield repr(target)


def opposite_polarity(pair: Pair, index: PairIndex) -> Iterator[str]:
    """A pair turns praise into blame, or blame into praise."""
    yield from _compared(pair, "opposite")


def changed_polarity(pair: Pair, index: PairIndex) -> Iterator[str]:
    """Only one of source and target is in the list of words that praise or blame."""
    yield from _compared(pair, "changed")


def repeated_pair(pair: Pair, index: PairIndex) -> Iterator[str]:
    """The same pair is written twice."""
    for other in index.earlier(pair):
        if _content(other) == _content(pair):
            yield f"{_show(pair)}, first on line {other.line}"
            return


def unknown_tag(pair: Pair, index: PairIndex) -> Iterator[str]:
    """A condition names a tag that the tagger does not have."""
    for condition in filter(_is_about_tags, pair.conditions):
        for tag in condition.values:
            if tag not in _tags():
                yield f"{tag!r} after {condition.place}"


def hidden_pair(pair: Pair, index: PairIndex) -> Iterator[str]:
    """An earlier pair of the same source applies wherever this one does."""
    for other in index.earlier(pair):
        if _content(other) != _content(pair) and implies(pair.conditions, other.conditions):
            yield f"{_show(pair)}, after {_show(other)} on line {other.line}"
            return


def offensive_target(pair: Pair, index: PairIndex) -> Iterator[str]:
    """A target is offensive, and is left out by default."""
    for target in pair.targets:
        if target.lower() in offensive_words():
            yield repr(target)


def no_form(pair: Pair, index: PairIndex) -> Iterator[str]:
    """Source and targets have no form in common that the conditions allow."""
    if pair.part == "x":
        return
    wanted = [condition for condition in pair.conditions if condition.place == "tag"]
    tags = {form.tag for form in inflect_pair(pair)}
    if not any(all((tag in own.values) != own.negated for own in wanted) for tag in tags):
        yield _show(pair)


def impossible_token(pair: Pair, index: PairIndex) -> Iterator[str]:
    """No token is written like this; tokens are in lower case, and do n't is two."""
    words = [condition.values for condition in pair.conditions if not _is_about_tags(condition)]
    for token in dict.fromkeys([*pair.source.split(), *(word for values in words for word in values)]):
        if token != token.lower() or _CUT.fullmatch(token):
            yield repr(token)


def inflected_word(pair: Pair, index: PairIndex) -> Iterator[str]:
    """A word is inflected; write its base form."""
    for name in (pair.source, *pair.targets) if pair.part != "x" else ():
        base = WordNet.load().morphy(name.replace(" ", "_"), pair.part)  # type: ignore[arg-type]
        if base is not None and base.replace("_", " ") != name:
            yield f"{name!r}; the base form is {base!r}"


LINE_CHECKS: dict[str, Check[Fault, None]] = {"P0": ("error", unreadable_line)}
PAIR_CHECKS: dict[str, Check[Pair, PairIndex]] = {
    "P1": ("error", same_word),
    OPPOSITE: ("error", opposite_polarity),
    "P3": ("warning", repeated_pair),
    "P4": ("error", unknown_tag),
    "P5": ("warning", hidden_pair),
    "P6": ("warning", offensive_target),
    "P7": ("error", no_form),
    "P8": ("error", impossible_token),
    "P9": ("hint", changed_polarity),
    "P10": ("warning", inflected_word),
}


def check_pairs(pairs: Sequence[Pair]) -> list[Finding]:
    """Return all problems, in file order."""
    added = [pair for pair in pairs if not pair.removes]
    return run_checks(PAIR_CHECKS, added, PairIndex(added))


def implies(some: Sequence[Condition], others: Sequence[Condition]) -> bool:
    """Return whether all of the other conditions hold wherever all of some do, as far as each one shows."""
    return all(any(_follows(one, other) for one in some) for other in others)


def _compared(pair: Pair, outcome: str) -> Iterator[str]:
    for target in pair.targets:
        if compare_polarity(pair, target) == outcome:
            yield f"{pair.source!r} and {target!r}"


def _show(pair: Pair) -> str:
    return f"{pair.part} {pair.source} > {' / '.join(pair.targets)}"


def _content(pair: Pair) -> tuple[frozenset[str], frozenset[tuple[str, bool, frozenset[str]]]]:
    """Return what a pair says besides its source, whatever the order of targets and conditions."""
    conditions = ((own.place, own.negated, frozenset(own.values)) for own in pair.conditions)
    return frozenset(pair.targets), frozenset(conditions)


def _follows(one: Condition, other: Condition) -> bool:
    """Return whether a condition holds wherever another one at the same place does."""
    if one.place != other.place:
        return False
    values, others = set(one.values), set(other.values)
    if one.negated:
        return other.negated and values >= others
    if not other.negated:
        return values <= others
    # Several tokens are near, and the first token of a sentence is at its edge and after a stop.
    return one.place != "near" and not values & others and _EDGE not in values | others


def _is_about_tags(condition: Condition) -> bool:
    return condition.place.endswith("tag")


@cache
def _tags() -> frozenset[str]:
    return frozenset(read_tables("tagger.arrow")["tags"].to_pylist())
