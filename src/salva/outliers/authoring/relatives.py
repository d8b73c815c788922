"""WordNet's relatives of some words: of the kind they share, of neighbouring kinds, and unrelated.

Every list is in order of preference: words whose first sense is meant come first, then frequent ones. Named
entities, offensive words and words with capitals or digits are left out.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
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
_MOST_STEPS = 99  # more than WordNet is deep
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

    def __init__(self, words: Sequence[str], pos: Pos) -> None:
        self._wordnet = WordNet.load()
        self._words, self._pos = tuple(words), pos
        self._depths: dict[int, int] = {}
        self._senses = {word: self._wordnet.synsets(word, pos)[: _SENSES[pos]] for word in words}
        self._above = {word: self._ancestors(senses) for word, senses in self._senses.items()}
        self.home = self._find_shared_kind()
        self._inside = self._descendants(self.home) if self.home else {}

    @property
    def unknown(self) -> list[str]:
        """The words that WordNet does not have."""
        return [word for word in self._words if not self._senses[word]]

    @property
    def shared_kind(self) -> str | None:
        """The kind that the words share."""
        return None if self.home is None else _name(self.home)

    def siblings(self) -> list[Suggestion]:
        """Return other words of the shared kind or, if there is none, of the kind of each word."""
        if self.home is not None:
            covered = [word for word in self._words if self._above[word].get(self.home.id)]
            return self._rank(self._inside, f"like {', '.join(covered)}", self.home)
        parents = {h.id: (h, word) for word, s in self._senses.items() if s for h in s[0].hypernyms()}
        return [
            sibling
            for parent, word in parents.values()
            for sibling in self._rank(self._descendants(parent, 1), f"like {word}", parent)
        ]

    def cousins(self) -> list[Suggestion]:
        """Return words of the next wider kinds that are not of the shared kind."""
        return self._rings[0]

    def wider(self) -> list[Suggestion]:
        """Return things named after the words and of the same sort, then words of still wider kinds."""
        return [word for word, alike in self._named_after if alike] + self._rings[1]

    def others(self) -> list[Suggestion]:
        """Return things named after the words but of another sort: events, people, abstractions."""
        return [word for word, alike in self._named_after if not alike]

    def unrelated(self, seed: int) -> list[Suggestion]:
        """Return frequent words that share no kind with the words, in an order set by the seed."""
        theirs = {i for above in self._above.values() for i in above if self._is_special(i)}
        tangible = {self._find_noun(name) for name in _TANGIBLE}
        key = " ".join(map(str, (seed, *self._words)))
        far = [
            suggestion
            for suggestion, sense in self._frequent
            if not theirs & (above := self._ancestors([sense]).keys())
            if self._pos != "n" or tangible & above
        ]
        drawn = sorted(far, key=lambda c: hashlib.sha256(f"{key} {c.word}".encode()).digest())
        return [replace(c, reason=f"{c.reason}; shares no kind with the words") for c in drawn]

    def opposites(self) -> list[Suggestion]:
        """Return the antonyms of the words, which are as close as possible without being the same kind."""
        return [
            suggestion
            for word, senses in self._senses.items()
            for sense in senses
            for lemma in sense.lemmas()
            if lemma.name() == word
            for opposite in lemma.antonyms()
            for suggestion in self._rank([opposite.synset.id], f"the opposite of {word!r}")
        ]

    def common(self) -> list[Suggestion]:
        """Return the most frequent words with this part of speech that are not of the shared kind."""
        outside = (word for word, sense in self._frequent if sense.id not in self._inside)
        return [replace(word, reason=f"frequent, {word.reason}") for word in outside]

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
        above = self._ancestors([self.home])
        wider = [i for i in above if above[i] and self._depth(i) >= _SPECIAL[self._pos] - 1]
        for i in sorted(wider, key=lambda i: (above[i], i)):
            kind = Synset(self._wordnet, i)
            ring = [synset for synset in self._descendants(kind, _STEPS) if synset not in seen]
            seen.update(ring)
            ranked = self._rank(ring, f"but not a {self.shared_kind!r}", kind, comma=", ")
            (far if len(near) >= _ENOUGH else near).extend(c for c in ranked if not self._is_inside(c.word))
        return near, far

    @cached_property
    def _named_after(self) -> list[tuple[Suggestion, bool]]:
        """Words in a term with a word, such as driver in bus_driver; and whether of the same sort."""
        if self._pos != "n":
            return []
        named: dict[str, tuple[Suggestion, bool]] = {}
        for term in self._wordnet.lemmas("n"):
            first, _, head = term.partition("_")
            if head and first in self._words and self._fits(term) and not self._is_inside(term):
                for word, sense in self._parts(term, head):
                    where = "" if word == term else f"in {term!r}, which is "
                    suggestion = Suggestion(word, self._count(word), None, f"{where}named after {first!r}")
                    alike = self.home is not None and self._sort(sense) == self._sort(self.home)
                    named.setdefault(word, (suggestion, alike))
        return sorted(named.values(), key=lambda pair: ("_" in pair[0].word, -pair[0].count, pair[0].word))

    def _parts(self, term: str, head: str) -> Iterator[tuple[str, Synset]]:
        """Yield a term, and its last word in the sense it has there, if that is a common sense."""
        senses = [s for s in self._wordnet.synsets(term, "n") if term in s.lemma_names()]
        if not senses or senses[0].instance_hypernyms():
            return
        above = self._ancestors(senses[:1])
        usual = [s for s in self._wordnet.synsets(head, "n")[:2] if s.id in above and head in s.lemma_names()]
        if usual and self._fits(head) and not self._is_inside(head) and not self._is_above(usual[0].id):
            yield head, usual[0]
        yield term, senses[0]

    def _is_inside(self, word: str) -> bool:
        return any(sense.id in self._inside for sense in self._wordnet.synsets(word, self._pos))

    def _is_above(self, synset: int) -> bool:
        return any(synset in above for above in self._above.values())

    def _sort(self, sense: Synset) -> str:
        """Return the broadest sort of a sense: a person, a thing, or an abstraction."""
        above = self._ancestors([sense])
        if self._find_noun("person.n.01") in above:
            return "person"
        return "thing" if self._find_noun("physical_entity.n.01") in above else "idea"

    def _find_noun(self, name: str) -> int:
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
            and word not in self._words
            and word not in stop_words()
            and spaced not in offensive_words()
            and not offensive_words().intersection(spaced.split())
        )

    def _rank(
        self, synsets: Iterable[int], why: str, kind: Synset | None = None, *, comma: str = " "
    ) -> list[Suggestion]:
        """Return the most frequent lemma of each synset that is neither a word's own nor above one."""
        own = {sense.id for senses in self._senses.values() for sense in senses[:2]}
        ranked: dict[str, tuple[tuple[bool, int, bool, str], Suggestion]] = {}
        for synset in synsets:
            if synset in own or self._is_above(synset):
                continue
            lemmas = [i for i in self._wordnet.members.row(synset) if self._fits(self._wordnet.word(i))]
            if not lemmas or self._wordnet.instance_hypernyms.row(synset):
                continue
            best = max(lemmas, key=lambda i: int(self._counts[i]))
            word, count = self._wordnet.word(best), int(self._counts[best])
            first = self._wordnet.senses[self._pos].row(best)[0]
            reason = self._explain(synset, kind, comma, why)
            if first != synset and (usual := _kind_of(Synset(self._wordnet, first))):
                reason += f"; usually {usual}"
            key = (first != synset, -count, "_" in word, word)
            ranked.setdefault(word, (key, Suggestion(word, count, None, reason)))
        return [suggestion for _, suggestion in sorted(ranked.values(), key=lambda pair: pair[0])]

    def _explain(self, synset: int, kind: Synset | None, comma: str, why: str) -> str:
        """Return the reason for a suggestion: its own kind, the wider kind, and why it is in this list."""
        if kind is None:
            return why
        above = [_name(parent) for parent in Synset(self._wordnet, synset).hypernyms()]
        if not above or _name(kind) in above:
            return f"a kind of {_name(kind)!r}, {why}"
        return f"a kind of {above[0]!r}, so a {_name(kind)!r}{comma}{why}"

    def _find_shared_kind(self) -> Synset | None:
        """Return the kind that most words share and that is most specific: words times depth decides."""
        needed = max(2, (len(self._words) + 1) // 2)
        members = Counter(i for above in self._above.values() for i, steps in above.items() if steps)
        shared = [i for i, n in members.items() if n >= needed and self._is_special(i)]
        best = max(shared, key=lambda i: (members[i] * (1 + self._depth(i)), -i), default=None)
        return None if best is None else Synset(self._wordnet, best)

    def _ancestors(self, senses: Iterable[Synset]) -> dict[int, int]:
        """Return all kinds above some senses, and how many steps up they are."""
        return _reach(self._wordnet.hypernyms.row, [sense.id for sense in senses])

    def _descendants(self, kind: Synset, most: int = _MOST_STEPS) -> dict[int, int]:
        return {i: steps for i, steps in _reach(self._wordnet.hyponyms.row, [kind.id], most).items() if steps}

    def _depth(self, synset: int) -> int:
        if synset not in self._depths:
            self._depths[synset] = max(_reach(self._wordnet.hypernyms.row, [synset]).values())
        return self._depths[synset]


def _kind_of(sense: Synset) -> str | None:
    above = sense.hypernyms()
    return f"a kind of {_name(above[0])!r}" if above else None


def _name(kind: Synset) -> str:
    return kind.lemma_names()[0]


def _reach(
    neighbours: Callable[[int], list[int]], starts: Iterable[int], most: int = _MOST_STEPS
) -> dict[int, int]:
    """Return every synset that can be reached, and the fewest steps to it."""
    reached = dict.fromkeys(starts, 0)
    edge, steps = list(reached), 0
    while edge and steps < most:
        steps += 1
        edge = list(dict.fromkeys(n for synset in edge for n in neighbours(synset) if n not in reached))
        reached |= dict.fromkeys(edge, steps)
    return reached
