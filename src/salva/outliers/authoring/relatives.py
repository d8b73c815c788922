"""WordNet's relatives of some words: of the kind they share, of neighbouring kinds, and unrelated.

Every list is in order of preference: words whose first sense is meant come first, then frequent ones. Named
entities, offensive words and words with capitals or digits are left out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from salva._types import Ints, Pos
from salva.lexicon import Synset, WordNet, offensive_words, stop_words

# How many senses of a word are considered: nobody thinks of the rarer ones, least of all with verbs.
_SENSES = {"n": 5, "v": 2, "a": 5}
_ENOUGH = 40  # neighbours, before a wider kind is tried
# Kinds closer to the root than this are too general: object, whole, artifact. Verbs have shallow trees.
_SPECIAL = {"n": 5, "v": 0, "a": 0}
_STEPS = 4  # down from a kind; further down, words get technical
_COMMON = 2000
# Tangible things: the last outliers should be easy to picture.
_TANGIBLE = ("animal.n.01", "artifact.n.01", "food.n.01", "food.n.02", "natural_object.n.01", "plant.n.02")
_PLAIN = re.compile(r"[a-z]{2,}(?:[_-][a-z]+)*")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A word, its count in WordNet's tagged texts, its mean similarity to the given words, and the reason."""

    word: str
    count: int
    similarity: float | None
    reason: str


class Relatives:
    """WordNet's relatives of some words with one part of speech; `home` is the kind that most share."""

    def __init__(self, given: Sequence[str], pos: Pos) -> None:
        self._wordnet = WordNet.load()
        self._given, self._pos = tuple(given), pos
        self._depths: dict[int, int] = {}
        self._senses = {word: self._wordnet.synsets(word, pos)[: _SENSES[pos]] for word in given}
        self._above = {word: self._ancestors_of(senses) for word, senses in self._senses.items()}
        self.home = self._shared()
        self._inside = self._below(self.home, 99) if self.home else {}
        self._covered = [word for word in given if self.home and self._above[word].get(self.home.id, 0)]

    @property
    def unknown(self) -> list[str]:
        """The given words that WordNet does not have."""
        return [word for word in self._given if not self._senses[word]]

    @property
    def shared_kind(self) -> str | None:
        """The kind that the words share."""
        return None if self.home is None else self.home.lemma_names()[0]

    def siblings(self) -> list[Suggestion]:
        """Return other words of the shared kind or, if there is none, of the kind of each word."""
        if self.home is not None:
            end = f"like {', '.join(self._covered)}"
            return self._ranked(self._inside, lambda s: self._why(s, self.home, " ", end))
        parents = {h.id: (h, word) for word, s in self._senses.items() if s for h in s[0].hypernyms()}
        return [
            candidate
            for parent, word in parents.values()
            for candidate in self._ranked(self._below(parent, 1), _always(parent, word))
        ]

    def cousins(self) -> list[Suggestion]:
        """Return words of the next wider kinds that are not of the shared kind."""
        return self._rings[0]

    def wider(self) -> list[Suggestion]:
        """Return things named after the words and of the same sort, then words of still wider kinds."""
        return [c for c, alike in self._named_after if alike] + self._rings[1]

    def others(self) -> list[Suggestion]:
        """Return things named after the words but of another sort: events, people, abstractions."""
        return [c for c, alike in self._named_after if not alike]

    def unrelated(self, seed: int) -> list[Suggestion]:
        """Return frequent words that share no kind with the given words, in an order set by the seed."""
        theirs = {i for above in self._above.values() for i in above if self._is_special(i)}
        tangible = {self._called(name) for name in _TANGIBLE}
        key = " ".join(map(str, (seed, *self._given)))
        far = [
            candidate
            for candidate, sense in self._frequent
            if not theirs & (kinds := self._ancestors_of([sense]).keys())
            if self._pos != "n" or tangible & kinds
        ]
        drawn = sorted(far, key=lambda c: hashlib.sha256(f"{key} {c.word}".encode()).digest())
        return [replace(c, reason=f"{c.reason}; shares no kind with the words") for c in drawn]

    def opposites(self) -> list[Suggestion]:
        """Return the antonyms of the words, which are as close as possible without being the same kind."""
        found = [
            (opposite, word)
            for word, senses in self._senses.items()
            for sense in senses
            for lemma in sense.lemmas()
            if lemma.name() == word
            for opposite in lemma.antonyms()
        ]
        return [
            candidate
            for lemma, word in found
            for candidate in self._ranked([lemma.synset.id], _constant(f"the opposite of {word!r}"))
        ]

    def common(self) -> list[Suggestion]:
        """Return the most frequent words with this part of speech that are not of the shared kind."""
        inside = self._inside
        return [
            replace(c, reason=f"frequent, {c.reason}")
            for c, sense in self._frequent
            if sense.id not in inside
        ]

    @cached_property
    def _counts(self) -> Ints:
        """How often each word occurs with this part of speech."""
        wordnet = self._wordnet
        sizes = np.diff(wordnet.members.starts)
        codes = ("nvars".index(pos) for pos in (self._pos, "s" if self._pos == "a" else self._pos))
        of_pos = np.repeat(np.isin(wordnet.synset_pos, list(codes)), sizes)
        seen = np.bincount(
            wordnet.members.values, weights=wordnet.member_counts * of_pos, minlength=len(wordnet.words)
        )
        return seen.astype(np.int64)

    @cached_property
    def _frequent(self) -> list[tuple[Suggestion, Synset]]:
        """The most frequent single words, each with its first sense."""
        order = np.argsort(-self._counts, kind="stable")[: 2 * _COMMON].tolist()
        frequent = []
        for i in order:
            senses = self._wordnet.senses[self._pos].row(i)
            word = self._wordnet.word(i)
            if senses and self._counts[i] and "_" not in word and self._fits(word):
                sense = Synset(self._wordnet, senses[0])
                reason = _kind_of(sense) or "any word"
                frequent.append((Suggestion(word, int(self._counts[i]), None, reason), sense))
        return [pair for pair in frequent if not pair[1].instance_hypernyms()][:_COMMON]

    @cached_property
    def _rings(self) -> tuple[list[Suggestion], list[Suggestion]]:
        """Words of wider and wider kinds: close ones until there are enough, then more distant ones."""
        near: list[Suggestion] = []
        far: list[Suggestion] = []
        if self.home is None:
            return near, far
        seen = set(self._inside)
        above = self._ancestors_of([self.home])
        wider = [i for i in above if above[i] and self._depth(i) >= _SPECIAL[self._pos] - 1]
        for i in sorted(wider, key=lambda i: (above[i], i)):
            kind = Synset(self._wordnet, i)
            ring = {s: steps for s, steps in self._below(kind, _STEPS).items() if s not in seen}
            seen |= ring.keys()
            found = self._ranked(ring, self._other_kind(kind))
            (far if len(near) >= _ENOUGH else near).extend(c for c in found if not self._is_inside(c.word))
        return near, far

    @cached_property
    def _named_after(self) -> list[tuple[Suggestion, bool]]:
        """Words in a term with a given word, such as driver in bus_driver; and whether of the same sort."""
        if self._pos != "n":
            return []
        found: dict[str, tuple[Suggestion, bool]] = {}
        for term in self._wordnet.lemmas("n"):
            first, _, head = term.partition("_")
            if head and first in self._given and self._fits(term) and not self._is_inside(term):
                for word, sense in self._parts(term, head):
                    where = "" if word == term else f"in {term!r}, which is "
                    candidate = Suggestion(word, self._count(word), None, f"{where}named after {first!r}")
                    found.setdefault(word, (candidate, self._is_like_home(sense)))
        return sorted(found.values(), key=lambda pair: ("_" in pair[0].word, -pair[0].count, pair[0].word))

    def _parts(self, term: str, head: str) -> Iterator[tuple[str, Synset]]:
        """Yield a term, and its last word in the sense it has there, if that is a common sense."""
        senses = [s for s in self._wordnet.synsets(term, "n") if term in s.lemma_names()]
        if not senses or senses[0].instance_hypernyms():
            return
        above = self._ancestors_of(senses[:1])
        usual = [s for s in self._wordnet.synsets(head, "n")[:2] if s.id in above and head in s.lemma_names()]
        if usual and self._fits(head) and not self._is_inside(head) and not self._is_above(usual[0]):
            yield head, usual[0]
        yield term, senses[0]

    def _is_like_home(self, sense: Synset) -> bool:
        return self.home is not None and self._sort(sense) == self._sort(self.home)

    def _is_inside(self, word: str) -> bool:
        return any(sense.id in self._inside for sense in self._wordnet.synsets(word, self._pos))

    def _is_above(self, sense: Synset) -> bool:
        return any(sense.id in above for above in self._above.values())

    def _sort(self, sense: Synset) -> str:
        """Return the broadest sort of a sense: a person, a thing, or an abstraction."""
        kinds = self._ancestors_of([sense])
        if self._called("person.n.01") in kinds:
            return "person"
        return "thing" if self._called("physical_entity.n.01") in kinds else "idea"

    def _called(self, name: str) -> int:
        """Return the id of a noun synset by its name."""
        word, _, number = name.split(".")
        return self._wordnet.synsets(word, "n")[int(number) - 1].id

    def _is_special(self, synset: int) -> bool:
        return self._depth(synset) >= _SPECIAL[self._pos]

    def _count(self, word: str) -> int:
        ids = [i for s in self._wordnet.synsets(word, self._pos) for i in self._wordnet.members.row(s.id)]
        return next((int(self._counts[i]) for i in ids if self._wordnet.word(i) == word), 0)

    def _fits(self, word: str) -> bool:
        spaced = word.replace("_", " ")
        return (
            _PLAIN.fullmatch(word) is not None
            and word not in self._given
            and word not in stop_words()
            and spaced not in offensive_words()
            and not offensive_words().intersection(spaced.split())
        )

    def _other_kind(self, kind: Synset) -> Callable[[int], str]:
        return lambda synset: self._why(synset, kind, ", ", f"but not a {self.shared_kind!r}")

    def _why(self, synset: int, kind: Synset | None, comma: str, end: str) -> str:
        """Return the reason for a candidate: its own kind, the wider kind, and why it is in this list."""
        above = [_name(parent) for parent in Synset(self._wordnet, synset).hypernyms()]
        if kind is None or not above or _name(kind) in above:
            return f"a kind of {_name(kind)!r}, {end}" if kind else end
        return f"a kind of {above[0]!r}, so a {_name(kind)!r}{comma}{end}"

    def _ranked(self, synsets: Iterable[int], reason: Callable[[int], str]) -> list[Suggestion]:
        """Return the most frequent lemma of each synset that is neither a given word's nor above one."""
        own = {sense.id for senses in self._senses.values() for sense in senses[:2]}
        found: dict[str, tuple[tuple[bool, int, bool, str], Suggestion]] = {}
        for synset in synsets:
            if synset in own or any(synset in above for above in self._above.values()):
                continue
            lemmas = [i for i in self._wordnet.members.row(synset) if self._fits(self._wordnet.word(i))]
            if not lemmas or self._wordnet.instance_hypernyms.row(synset):
                continue
            best = max(lemmas, key=lambda i: int(self._counts[i]))
            word, count = self._wordnet.word(best), int(self._counts[best])
            first = self._wordnet.senses[self._pos].row(best)[0]
            why = reason(synset)
            if first != synset and (usual := _kind_of(Synset(self._wordnet, first))):
                why += f"; usually {usual}"
            found.setdefault(
                word, ((first != synset, -count, "_" in word, word), Suggestion(word, count, None, why))
            )
        return [candidate for _, candidate in sorted(found.values(), key=lambda pair: pair[0])]

    def _shared(self) -> Synset | None:
        """Return the kind that most words share and that is most specific: words times depth decides."""
        needed = max(2, (len(self._given) + 1) // 2)
        scores: dict[int, int] = {}
        for above in self._above.values():
            for synset, steps in above.items():
                scores[synset] = scores.get(synset, 0) + (steps > 0)
        fine = [
            (n * (1 + self._depth(i)), -i) for i, n in scores.items() if n >= needed and self._is_special(i)
        ]
        return Synset(self._wordnet, -max(fine)[1]) if fine else None

    def _ancestors_of(self, senses: Iterable[Synset]) -> dict[int, int]:
        """Return all kinds above some senses, and how many steps up they are."""
        return _reached(self._wordnet.hypernyms.row, [sense.id for sense in senses], 99)

    def _below(self, kind: Synset, steps: int) -> dict[int, int]:
        return {i: n for i, n in _reached(self._wordnet.hyponyms.row, [kind.id], steps).items() if n}

    def _depth(self, synset: int) -> int:
        if synset not in self._depths:
            self._depths[synset] = max(_reached(self._wordnet.hypernyms.row, [synset], 99).values())
        return self._depths[synset]


def _always(parent: Synset, word: str) -> Callable[[int], str]:
    return _constant(f"a kind of {_name(parent)!r}, like {word}")


def _constant(reason: str) -> Callable[[int], str]:
    return lambda _: reason


def _kind_of(sense: Synset) -> str | None:
    above = sense.hypernyms()
    return f"a kind of {_name(above[0])!r}" if above else None


def _name(kind: Synset) -> str:
    return kind.lemma_names()[0]


def _reached(next_to: Callable[[int], list[int]], starts: Iterable[int], most: int) -> dict[int, int]:
    """Return everything that can be reached, and the fewest steps to it."""
    found = dict.fromkeys(starts, 0)
    edge, steps = list(found), 0
    while edge and steps < most:
        steps += 1
        edge = list(dict.fromkeys(other for one in edge for other in next_to(one) if other not in found))
        found |= dict.fromkeys(edge, steps)
    return found
