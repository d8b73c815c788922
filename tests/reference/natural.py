"""The plan of `natural` for one text, with strings: where a pair applies, and what replaces its source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from salva._kernels import constants as stages
from salva.lexicon.inflections import TAGS, inflect
from salva.lexicon.pairs import Condition, Pair
from tests.reference import rng
from tests.reference.plans import Plan, below

WORD_CHARACTERS = set("-/_&@#\\=+~^%$*0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
CONTRACTED = {"n't", "'m", "'re", "'ve", "'ll", "'d"}
STOPS = {".", "!", "?", "...", ">", "--", '"', "``", "''", "“", "”"}
OFFSETS = {"next": 1, "prev": -1, "next2": 2, "prev2": -2, "nexttag": 1, "prevtag": -1}
Y_SOUNDS = (
    "use",
    "usi",
    "usa",
    "usu",
    "ute",
    "uti",
    "uto",
    "eu",
    "ewe",
    *(f"uni{letter}" for letter in "cfoqstv"),
)
UNSPOKEN_H = ("hour", "honest", "honor", "honour", "heir")


class Text(NamedTuple):
    """A text, its tokens as words with tags and places, and which of them are blocked."""

    text: str
    words: list[str]
    tags: list[str]
    spans: list[tuple[int, int]]
    blocked: list[bool]
    key: int
    severity: float

    def word(self, place: int) -> str:
        return self.words[place].lower() if 0 <= place < len(self.words) else "^"

    def begins_sentence(self, place: int) -> bool:
        return place == 0 or self.words[place - 1].lower() in STOPS

    def is_casual(self) -> bool:
        return any(self.word(place) in CONTRACTED for place in range(len(self.words)))

    def quoted(self) -> set[int]:
        found: set[int] = set()
        for opening, closing in (("``", "''"), ("“", "”")):
            for place, word in enumerate(self.words):
                if word == opening and place not in found:
                    ends = [
                        end
                        for end in range(place + 1, min(place + 32, len(self.words)))
                        if self.words[end] == closing
                    ]
                    found |= set(range(place, ends[0] + 1)) if ends else set()
        return found


class Source(NamedTuple):
    """One form of a source: its tokens, the tag of the first (None for any), and the targets' forms."""

    tokens: list[str]
    tag: str | None
    targets: list[str]


def sources(pair: Pair) -> Iterator[Source]:
    if pair.part == "x":
        yield Source(pair.source.split(), None, list(pair.targets))
        before, apostrophe, after = pair.source.replace(" ", "").partition("'")
        if apostrophe:
            yield Source([before, "\N{RIGHT SINGLE QUOTATION MARK}", after], None, list(pair.targets))
        return
    for tag in TAGS[pair.part]:
        targets = [target for target in pair.targets if inflect(target, tag)]
        if tag in {"VBD", "VBN"} and weak(pair.source):
            targets = [target for target in targets if weak(target)]
        for form in inflect(pair.source, tag):
            forms = [inflect(target, tag)[0] for target in targets]
            yield Source(form.split(), tag, [new for new in forms if new != form])


def weak(verb: str) -> bool:
    return inflect(verb, "VBD")[:1] == inflect(verb, "VBN")[:1]


def holds(condition: Condition, text: Text, place: int, size: int) -> bool:
    values = set(condition.values)
    if condition.place == "tag":
        met = text.tags[place] in values
    elif condition.place == "near":
        met = any(text.word(place + size + distance) in values for distance in range(3))
    else:
        offset = OFFSETS[condition.place]
        at = place + offset if offset < 0 else place + size - 1 + offset
        if condition.place.endswith("tag"):
            met = 0 <= at < len(text.tags) and text.tags[at] in values
        else:
            met = text.word(at) in values
            met |= condition.place == "prev" and "^" in values and text.begins_sentence(place)
    return met != condition.negated


def may_be_edited(text: Text, place: int, size: int, quoted: set[int]) -> bool:
    for at in range(place, place + size):
        word = text.text[slice(*text.spans[at])]
        if text.blocked[at] or at in quoted:
            return False
        rest = word[1:] if at == place and text.begins_sentence(place) else word
        if word.lower() != "i" and any("A" <= letter <= "Z" for letter in rest):
            return False
    firsts = [text.text[start] for start, _ in text.spans[place : place + 5]]
    if firsts[0] in CAPITALS and sum(first in CAPITALS for first in firsts[1:]) >= 2:
        return False
    start, stop = text.spans[place][0], text.spans[place + size - 1][1]
    around = text.text[start - 1 : start] if start else "", text.text[stop : stop + 1]
    return not (set(around) & WORD_CHARACTERS)


CAPITALS = set("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def near(text: Text, place: int, size: int, planned: Mapping[int, str], word: str) -> bool:
    places = [*range(max(0, place - 6), place), *range(place + size, min(len(text.words), place + size + 6))]
    return len(word.encode()) > 3 and any(word in (text.word(at), planned.get(at)) for at in places)


def echoes(text: Text, place: int, size: int, planned: Mapping[int, str], target: str) -> bool:
    beside = [text.words[at] for at in (place - 1, place + size) if 0 <= at < len(text.words)]
    family = any(len(target) > 4 and word[:5].lower() == target[:5] for word in beside)
    return family or near(text, place, size, planned, target.split(maxsplit=1)[0].lower())


def begins_with_vowel(target: str) -> bool:
    lowered = target.lower()
    if lowered.startswith(UNSPOKEN_H):
        return True
    spoken_y = lowered.startswith(Y_SOUNDS) or lowered.split()[0] in {"one", "once"}
    return lowered[0] in "aeiou" and not spoken_y


def plan(text: Text, pairs: Sequence[tuple[str, Sequence[Pair]]], checked: set[str]) -> Plan:
    """Return the edits; `pairs` are those of each rule, in order."""
    by_word: dict[str, list[tuple[Source, Pair, str]]] = {}
    for name, some in pairs:
        for pair in some:
            for source in sources(pair):
                if source.targets:
                    by_word.setdefault(source.tokens[0], []).append((source, pair, name))
    quoted, planned, edits, eligible = text.quoted(), {}, [], 0
    place = free = 0
    while place < len(text.words):
        found = sorted(by_word.get(text.word(place), []), key=lambda entry: -len(entry[0].tokens))
        choice = choose(text, place, found, quoted, planned, checked)
        if choice is None:
            place += 1
            continue
        source, name, target = choice
        article = text.word(place - 1) if place else ""
        wrong = article in {"a", "an"} and begins_with_vowel(target) != (article == "an")
        begin = place - wrong
        if begin < free or text.blocked[begin] or begin in quoted:
            place += 1
            continue
        first = target.split()[0].lower()
        planned[place] = first if len(first.encode()) > 3 else ""
        eligible += 1
        stage = (0, stages.NATURAL_TOGETHER) if name == "spelling" else (place, stages.NATURAL_KEEP)
        if below(rng.draw(text.key, *stage), text.severity):
            edits.append((begin, name, written(text, begin, place, target)))
        place = free = place + len(source.tokens)
    return Plan(eligible, edits)


def choose(text, place, found, quoted, planned, checked):
    for source, pair, name in found:
        size = len(source.tokens)
        if [text.word(place + k) for k in range(size)] != source.tokens or place + size > len(text.words):
            continue
        if source.tag is not None and text.tags[place] != source.tag:
            continue
        if not all(holds(condition, text, place, size) for condition in pair.conditions):
            continue
        if not may_be_edited(text, place, size, quoted):
            continue
        if name in checked and near(text, place, size, planned, source.tokens[0]):
            continue
        picked = (rng.draw(text.key, place, stages.NATURAL_CHOICE) >> 32) * len(source.targets) >> 32
        for target in source.targets[picked:] + source.targets[:picked]:
            if "'" in target and not text.is_casual():
                continue
            if name not in checked or not echoes(text, place, size, planned, target):
                return source, name, target
    return None


def written(text: Text, begin: int, place: int, target: str) -> str:
    """Return the target with the capital of its source and the apostrophes of its text, after the article."""
    start = text.spans[place][0]
    if "\N{RIGHT SINGLE QUOTATION MARK}" in text.text:
        target = target.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")
    if text.text[start] in CAPITALS:
        target = target[0].upper() + target[1:]
    if begin == place:
        return target
    article_start, article_stop = text.spans[begin]
    article = text.text[article_start] + ("" if article_stop - article_start == 2 else "n")
    return article + text.text[article_stop:start] + target
