"""Rules of pairs as arrays for the kernel of `natural`, compiled once per set of rules and tagger."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain
from operator import or_
from typing import NamedTuple

import numpy as np

from salva._arrow import as_strings
from salva._kernels import Conditions, PairRules, SpecialWords, StringTable, WordLists
from salva._kernels.constants import SHORT_WORD, TAG_AT, WORD_AT, WORDS_NEAR
from salva._types import Ints64
from salva.lexicon.pair_forms import inflect_pair
from salva.lexicon.pairs import Condition, Pair
from salva.text.words import string_table

EDGE = "^"
QUOTES = ("``", "''", "“", "”")
CONTRACTED = ("n't", "'m", "'re", "'ve", "'ll", "'d")
STOPS = (".", "!", "?", "...", ">", "--", '"', *QUOTES)
PLACES = {"next": 1, "prev": -1, "next2": 2, "prev2": -2, "near": 1, "tag": 0, "nexttag": 1, "prevtag": -1}
_VOWEL = re.compile(  # as spoken: an hour, an unusual day, an utter mess, but a union, a one-off, a European
    r"(?!uni[cfoqstv]|us[aeiu]|ut[eio]|eu|ewe|one\b|once\b)[aeiou]|hour|honest|honou?r|heir", re.IGNORECASE
)
_CURLY = "\N{RIGHT SINGLE QUOTATION MARK}"


class CompiledPairs(NamedTuple):
    """The rules, the table of all words that they name, and the numbers of special words."""

    rules: PairRules
    words: StringTable
    special: SpecialWords


class _Rule(NamedTuple):
    """A rule for one form of a source: its tokens, tag (None for any), targets and conditions."""

    tokens: tuple[str, ...]
    tag: str | None
    targets: tuple[str, ...]
    conditions: tuple[Condition, ...]
    name: int
    checked: bool


def compile_pairs(
    pairs: Mapping[int, Sequence[Pair]],
    tags: Sequence[str],
    *,
    checked: Iterable[int],
    last: Iterable[int] = (),
    exclude: Iterable[str] = (),
) -> CompiledPairs:
    """Compile pairs, given by the number of their rule in the edit table; `tags` are the tagger's.

    Pairs of the rules in `checked` neither make nor break repetitions; those of the rules in `last` are tried
    after all others. No target is in `exclude`.
    """
    excluded = {word.lower() for word in exclude}
    repeating = frozenset(checked)
    rules = [
        rule._replace(targets=targets)
        for name, some in pairs.items()
        for pair in some
        for rule in _expand(pair, name, checked=name in repeating)
        if (targets := tuple(target for target in rule.targets if target.lower() not in excluded))
    ]
    numbers = _number_words(rules)
    # Longer sources first, then in the order of the files.
    later = frozenset(last)
    rules.sort(key=lambda rule: (numbers[rule.tokens[0]], rule.name in later, -len(rule.tokens)))
    return CompiledPairs(_arrays(rules, numbers, tags), string_table(list(numbers)), _special_words(numbers))


def _expand(pair: Pair, name: int, *, checked: bool) -> Iterator[_Rule]:
    """Return one rule per form and tag of the source; as many as it has apostrophes, for words as written."""
    for tag, source, targets in inflect_pair(pair):
        yield _Rule(tuple(source.split()), tag, targets, pair.conditions, name, checked)
        if pair.part == "x" and (curly := _curly_tokens(source)):
            yield _Rule(curly, tag, targets, pair.conditions, name, checked)


def _curly_tokens(source: str) -> tuple[str, ...]:
    r"""Return the tokens of a contraction with a curly apostrophe, which the tokenizer cuts elsewhere.

    >>> _curly_tokens("do n't"), _curly_tokens("do not")
    (('don', '\u2019', 't'), ())
    """
    before, apostrophe, after = source.replace(" ", "").partition("'")
    return (before, _CURLY, after) if apostrophe else ()


def _number_words(rules: Sequence[_Rule]) -> dict[str, int]:
    tokens = chain.from_iterable(rule.tokens for rule in rules)
    values = (value for rule in rules for condition in rule.conditions for value in condition.values)
    targets = (_first_word(target) for rule in rules for target in rule.targets)
    names = chain((EDGE, "a", "an", "i"), STOPS, CONTRACTED, tokens, values, targets)
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _first_word(target: str) -> str:
    return target.split(maxsplit=1)[0].lower()


def _special_words(numbers: Mapping[str, int]) -> SpecialWords:
    sets = np.zeros((2, len(numbers)), np.bool_)
    for members, names in zip(sets, (STOPS, CONTRACTED), strict=True):
        members[[numbers[name] for name in names]] = True
    return SpecialWords(*(numbers[name] for name in ("a", "an", "i", EDGE, *QUOTES)), *sets)


def _arrays(rules: Sequence[_Rule], numbers: Mapping[str, int], tags: Sequence[str]) -> PairRules:
    targets = [target for rule in rules for target in rule.targets]
    texts = as_strings(targets)
    first_words = np.array([numbers[rule.tokens[0]] for rule in rules], np.int64)
    firsts = np.searchsorted(first_words, np.arange(len(numbers) + 1))
    masks = [_tag_bits([rule.tag] if rule.tag else tags, tags) for rule in rules]
    near = (numbers[word] if len(word) > SHORT_WORD else -1 for word in map(_first_word, targets))
    seconds = np.zeros(len(numbers), np.uint64)
    singles = firsts[1:].copy()
    for place, rule in reversed(list(enumerate(rules))):
        first, *more_words = (numbers[token] for token in rule.tokens)
        if more_words:
            seconds[first] |= np.uint64(_word_bits(more_words[:1]))
        else:
            singles[first] = place
    more = [numbers[token] for rule in rules for token in rule.tokens[1:]]
    return PairRules(
        firsts,
        singles,
        seconds,
        np.array(masks, np.uint64),
        np.array([rule.name for rule in rules], np.uint8),
        np.array([rule.checked for rule in rules], np.bool_),
        _starts(len(rule.tokens) - 1 for rule in rules),
        np.array(more, np.int32),
        _starts(len(rule.conditions) for rule in rules),
        _conditions([condition for rule in rules for condition in rule.conditions], numbers, tags),
        _starts(len(rule.targets) for rule in rules),
        WordLists(np.zeros(1, np.int64), texts.offsets, texts.data),
        np.fromiter(near, np.int32, len(targets)),
        np.array([bool(_VOWEL.match(target)) for target in targets], np.bool_),
        np.array(["'" in target for target in targets], np.bool_),
    )


def _conditions(
    conditions: Sequence[Condition], numbers: Mapping[str, int], tags: Sequence[str]
) -> Conditions:
    """Return the conditions; equal sets of words or tags are stored once."""
    on_tags = [condition.place.endswith("tag") for condition in conditions]
    sets = {condition.values: 0 for condition in conditions}
    sets = {values: number for number, values in enumerate(sets)}
    looks_at = [
        TAG_AT if on_tag else WORDS_NEAR if condition.place == "near" else WORD_AT
        for condition, on_tag in zip(conditions, on_tags, strict=True)
    ]
    return Conditions(
        np.array(looks_at, np.int8),
        np.array([PLACES[condition.place] for condition in conditions], np.int8),
        np.array([sets[condition.values] for condition in conditions], np.int32),
        np.array([condition.negated for condition in conditions], np.bool_),
        _starts(map(len, sets)).astype(np.int32),
        np.array([numbers[value] for values in sets for value in values], np.int32),
        np.array([_word_bits(numbers[value] for value in values) for values in sets], np.uint64),
        np.array([_tag_bits(values, tags) for values in sets], np.uint64),
    )


def _word_bits(words: Iterable[int]) -> int:
    """Return one of 64 bits per word."""
    return reduce(or_, (1 << (word & 63) for word in words), 0)


def _tag_bits(wanted: Iterable[str], tags: Sequence[str]) -> int:
    return sum(1 << tags.index(tag) for tag in set(wanted) if tag in tags)


def _starts(sizes: Iterable[int]) -> Ints64:
    return np.concatenate([[0], np.cumsum(np.fromiter(sizes, np.int64))])
