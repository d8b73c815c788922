"""The four plans for one text after the other, with strings and lists: which words change, and into what.

The draws are the generator's; what a word may become is given. An edit is the word's place, the rule and the
new word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate
from string import ascii_lowercase
from typing import NamedTuple

import regex

from salva._kernels import constants as stages
from salva.lexicon import ALPHABETS
from tests.reference import casing, rng

Edit = tuple[int, str, str]
Candidates = Callable[[str], list[str]]

JOINING = regex.compile(r"\p{GCB=Extend}|\p{GCB=SpacingMark}|\p{GCB=ZWJ}|\p{GCB=V}|\p{GCB=T}")
LEADING = regex.compile(r"\p{GCB=Prepend}|\p{GCB=L}")
UNSPACED_SCRIPTS = ("Han", "Hiragana", "Katakana", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan")
UNSPACED = regex.compile("|".join(rf"\p{{scx={name}}}" for name in UNSPACED_SCRIPTS))


class Row(NamedTuple):
    """The words of a text, and what its draws depend on."""

    words: list[str]
    blocked: list[bool]
    key: int
    severity: float
    whole: bool

    def free_words(self) -> list[tuple[int, str]]:
        return [(place, word) for place, word in enumerate(self.words) if not self.blocked[place]]

    def happens(self, place: int, stage: int, rate: float) -> bool:
        return below(rng.draw(self.key, place, stage), rate)

    def choose(self, place: int, stage: int, items: list[str] | str) -> str:
        return chosen(self.key, place, stage, items)


class Plan(NamedTuple):
    """How many words could be edited, and the edits; for `hybrid` also words, eligible and edits a class."""

    eligible: int
    edits: list[Edit]
    counts: list[list[int]] | None = None


def below(bits: int, rate: float) -> bool:
    return bits >> 11 < round(rate * 2**53)


def chosen(key: int, place: int, stage: int, items: list[str] | str) -> str:
    return items[rng.bounded(rng.draw(key, place, stage), len(items))]


def cased_like(word: str, new: str) -> str:
    return casing.apply_to_lemma(casing.detect(word), new)


def like_letter(old: str, new: str) -> str:
    """Return a letter in the case of another; one whose capital is several letters stays small."""
    return new.upper() if old.isupper() and len(new.upper()) == 1 else new


def alphabet_of(letter: str) -> str:
    """Return the small letters of the script of a letter."""
    for letters, blocks in ALPHABETS.values():
        if any(first <= ord(letter) <= last for first, last in blocks):
            return letters
    return ascii_lowercase


def carries_mark(word: str, i: int) -> bool:
    return i + 1 < len(word) and JOINING.match(word[i + 1]) is not None


def is_joined(word: str, i: int) -> bool:
    return carries_mark(word, i) or bool(JOINING.match(word[i]) or LEADING.match(word[i]))


def neighbours_at(neighbours: Mapping[str, str], word: str, i: int, whole: bool) -> str:
    return "" if whole and carries_mark(word, i) else neighbours.get(word[i].lower(), "")


def typos(
    row: Row, neighbours: Mapping[str, str], *, prob: float, typo_per_word: float, min_word_length: int
) -> Plan:
    eligible, edits = 0, []
    for place, word in row.free_words():
        near = [neighbours_at(neighbours, word, i, row.whole) for i in range(len(word))]
        if len(word) < min_word_length or not any(near):
            continue
        eligible += 1
        if row.happens(place, stages.TYPOS, prob) and row.happens(place, stages.TYPOS_KEEP, row.severity):
            new = _mistyped(word, near, typo_per_word, rng.draw(row.key, place, stages.TYPOS_WORD))
            if new != word:
                edits.append((place, "typo", new))
    return Plan(eligible, edits)


def _mistyped(word: str, near: list[str], typo_per_word: float, own: int) -> str:
    """Return the word with a sample of its letters mistyped: each is taken with the chance that is left."""
    letters, left = list(word), max(1, int(len(word) * typo_per_word))
    for i, old in enumerate(word):
        if rng.bounded(rng.draw(own, i, stages.TYPOS_PLACE), len(word) - i) < left:
            left -= 1
            if near[i]:
                letters[i] = like_letter(old, chosen(own, i, stages.TYPOS_KEY, near[i]))
    return "".join(letters)


def synonyms(row: Row, candidates: Candidates, stop_words: frozenset[str], *, prob: float) -> Plan:
    eligible, edits = 0, []
    for place, word in row.free_words():
        lowered = word.lower()
        if not word.isalpha() or lowered in stop_words or not candidates(lowered):
            continue
        eligible += 1
        if row.happens(place, stages.SYNONYM, prob) and row.happens(place, stages.SYNONYM_KEEP, row.severity):
            new = row.choose(place, stages.SYNONYM_CHOICE, candidates(lowered))
            edits.append((place, "wordnet", cased_like(word, new)))
    return Plan(eligible, edits)


def hybrid(
    row: Row,
    parts: list[int],
    groups: Candidates,
    wordnet: Callable[[str, int], list[str]],
    neighbours: Mapping[str, str],
    *,
    replace: tuple[float, ...],
    p_typo: float,
    min_word_length: int,
    max_typos: int,
    second_draw: bool = True,
) -> Plan:
    """Plan as `hybrid` does; `parts` are 0 to 3 for nouns, verbs, adjectives and adverbs, 4 for others."""
    edits, typos, counts = [], 0, [[parts.count(part), 0, 0] for part in range(5)]
    for place, word in row.free_words():
        part = parts[place]
        if len(word) < min_word_length:
            continue
        group = groups(word.lower()) if part < 4 else []
        synonyms = wordnet(word.lower(), part) if part < 4 else []
        near = [neighbours_at(neighbours, word, i, row.whole) for i in range(len(word))]
        edit = None
        if group and row.happens(place, stages.GROUP, replace[part]):
            edit = "group", cased_like(word, row.choose(place, stages.GROUP_CHOICE, group))
        elif synonyms and (second_draw or not group) and row.happens(place, stages.WORDNET, replace[part]):
            edit = "wordnet", cased_like(word, row.choose(place, stages.WORDNET_CHOICE, synonyms))
        elif typos < max_typos and len(word) > 2 and row.happens(place, stages.HYBRID_TYPO, p_typo):
            i = 1 + rng.bounded(rng.draw(row.key, place, stages.HYBRID_PLACE), len(word) - 2)
            if near[i]:
                letter = like_letter(word[i], row.choose(place, stages.HYBRID_KEY, near[i]))
                edit = "typo", word[:i] + letter + word[i + 1 :]
                typos += 1
        if group or synonyms or any(near[1:-1]):
            counts[part][1] += 1
            if edit and row.happens(place, stages.HYBRID_KEEP, row.severity):
                counts[part][2] += 1
                edits.append((place, *edit))
    return Plan(sum(eligible for _, eligible, _ in counts), edits, counts)


def corrupt(
    row: Row,
    completions: Candidates,
    corrections: Candidates,
    synonyms: Candidates,
    weights: tuple[float, ...],
    *,
    every_token: bool = False,
    written: bool = False,
) -> Plan:
    """Plan as `corrupt` does; `weights` are those of typo, autocomplete, autocorrect and synonym."""
    eligible = [(place, word) for place, word in row.free_words() if len(word) >= 2 and _letters(word)]
    ranked = list(enumerate(row.words)) if every_token else eligible
    ranked = sorted(ranked, key=lambda pair: rng.draw(row.key, pair[0], stages.CORRUPT_RANK))
    edits = []
    for place, word in sorted(ranked[: round(row.severity * len(ranked))]):
        if (place, word) not in eligible:
            continue
        rule, lowered = _kind(row, place, weights), word if written else word.lower()
        if rule == "autocomplete" and not completions(lowered):
            rule = "autocorrect"
        if rule == "synonym" and not synonyms(lowered):
            rule = "typo"
        sources = {
            "autocomplete": (stages.COMPLETE_CHOICE, completions),
            "autocorrect": (stages.CORRECT_CHOICE, corrections),
            "synonym": (stages.THESAURUS_CHOICE, synonyms),
        }
        new = None
        if rule == "typo":
            new = _one_wrong_letter(row, place, word)
        elif sources[rule][1](lowered):
            new = cased_like(word, row.choose(place, sources[rule][0], sources[rule][1](lowered)))
        if new is not None:
            edits.append((place, rule, new))
    return Plan(len(eligible), edits)


def _kind(row: Row, place: int, weights: tuple[float, ...]) -> str:
    totals = list(accumulate(weights))
    shares = [share / totals[-1] for share in totals]
    kinds = zip(("typo", "autocomplete", "autocorrect"), shares, strict=False)
    return next((kind for kind, share in kinds if row.happens(place, stages.CORRUPT_KIND, share)), "synonym")


def _letters(word: str) -> list[int]:
    """Return where letters are of scripts that are written with spaces."""
    return [i for i, character in enumerate(word) if character.isalpha() and not UNSPACED.match(character)]


def _one_wrong_letter(row: Row, place: int, word: str) -> str | None:
    places = [i for i in _letters(word) if not (row.whole and is_joined(word, i))]
    if not places:
        return None
    i = places[rng.bounded(rng.draw(row.key, place, stages.CORRUPT_PLACE), len(places))]
    others = alphabet_of(word[i])
    if word[i] in others + others.upper():
        others = others.replace(word[i].lower(), "")
    letter = row.choose(place, stages.CORRUPT_LETTER, others)
    return word[:i] + like_letter(word[i], letter) + word[i + 1 :]
