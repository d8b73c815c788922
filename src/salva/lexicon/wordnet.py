"""WordNet 3.0: synsets, base forms and relations, identical to those of NLTK's reader.

Words are found by binary search in a sorted table that loads in about 25 ms; nothing is parsed. Kernels use
the same ids: `word_ids` maps a column of word types to ids, and `senses` and `members` are flat arrays.
Not included: glosses, verb frames, other relations, other languages.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from salva._arrow import as_numbers, as_strings, ints, valid_rows
from salva._types import Ints, Pos, Ragged
from salva.errors import UsageError
from salva.lexicon.shipped import read_tables

_POS_OF_CODE = "nvars"
_SATELLITE = _POS_OF_CODE.index("s")
_ALL_POS: tuple[Pos, ...] = ("n", "v", "a", "r")

# WordNet's rules of detachment, in WordNet's order (morphy(7WN)).
ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}


class WordNet:
    """The shipped WordNet; `WordNet.load()` reads it once per process.

    >>> wordnet = WordNet.load()
    >>> wordnet.synsets("films", "n")[0].lemma_names()
    ['movie', 'film', 'picture', 'moving_picture', 'moving-picture_show', 'motion_picture', 'motion-picture_show', 'picture_show', 'pic', 'flick']
    >>> wordnet.morphy("abaci")
    'abacus'
    """  # noqa: E501

    def __init__(self, tables: dict[str, Any]) -> None:
        self._tables = tables
        self.words: pa.StringArray = tables["words"]
        _, offsets, characters = self.words.buffers()
        first = self.words.offset
        self._word_starts = memoryview(offsets).cast("i")[first : first + len(self.words) + 1]
        self._characters = memoryview(characters)
        self.members = Ragged(ints(tables["member_starts"]), ints(tables["members"]))
        self.member_counts = ints(tables["member_counts"])
        self.synset_pos = ints(tables["synset_pos"])
        self.synset_offset = ints(tables["synset_offset"])

    @staticmethod
    @cache
    def load() -> WordNet:
        """Return the WordNet shipped with Salva."""
        return WordNet(read_tables("wordnet.arrow"))

    @cached_property
    def senses(self) -> dict[str, Ragged]:
        """For each part of speech, the synsets of every word id, in sense order."""
        return {pos: self._senses(pos) for pos in _ALL_POS}

    @cached_property
    def hypernyms(self) -> Ragged:
        """The hypernyms of every synset."""
        return self._relation("hypernym")

    @cached_property
    def hyponyms(self) -> Ragged:
        """The hyponyms of every synset."""
        return self.hypernyms.inverse()

    @cached_property
    def instance_hypernyms(self) -> Ragged:
        """What every synset is an instance of."""
        return self._relation("instance")

    @cached_property
    def instance_hyponyms(self) -> Ragged:
        """The instances of every synset."""
        return self.instance_hypernyms.inverse()

    def word_ids(self, words: pa.Array) -> Ints:
        """Return the id of every word of an Arrow column, spelled as it is, or -1 if WordNet lacks it."""
        ids = pc.index_in(words.cast(pa.string()), value_set=self.words)
        return np.where(valid_rows(ids), ints(ids), -1)

    def irregular_forms(self) -> tuple[list[str], Ragged]:
        """Return the irregular forms, each followed by the letter of its part of speech, and their bases."""
        forms = {f"{form}{pos}": words for pos in _ALL_POS for form, words in self._irregular[pos].items()}
        ids = self.word_ids(as_strings([word for words in forms.values() for word in words]).array)
        ends = np.cumsum([0, *map(len, forms.values())])
        known = np.concatenate([[0], np.cumsum(ids >= 0)])
        return list(forms), Ragged(known[ends], ids[ids >= 0])

    def synsets(self, word: str, pos: Pos | None = None) -> list[Synset]:
        """Return the synsets of a word or of its base forms, most frequent sense first.

        >>> [synset.name() for synset in WordNet.load().synsets("absurdly")]
        ['absurdly.r.01']
        """
        lowered = word.lower()
        return [
            Synset(self, synset)
            for p in _parts(pos)
            for base in self._base_forms(lowered, p)
            for synset in self._sense_ids(base, p)
        ]

    def morphy(self, form: str, pos: Pos | None = None) -> str | None:
        """Return the first base form of `form` that WordNet knows, or None."""
        for p in _parts(pos):
            for base in self._base_forms(form, p):
                return self.word(base)
        return None

    def lemmas(self, pos: Pos | None = None) -> Iterator[str]:
        """Yield every lemma that has a sense, for one part of speech or all, in alphabetical order."""
        present = np.zeros(len(self.words), dtype=bool)
        for p in _parts(pos):
            present |= np.diff(self.senses[_file(p)].starts) > 0
        return iter(self.words.take(as_numbers(np.flatnonzero(present))).to_pylist())

    def word(self, word_id: int) -> str:
        """Return the spelling of a word id."""
        return self._spelling(word_id).decode()

    def _spelling(self, word_id: int) -> bytes:
        return self._characters[self._word_starts[word_id] : self._word_starts[word_id + 1]].tobytes()

    def _word_id(self, word: str) -> int:
        spelling = word.encode("utf-8", "surrogatepass")
        word_id = bisect_left(range(len(self.words)), spelling, key=self._spelling)
        return word_id if word_id < len(self.words) and self._spelling(word_id) == spelling else -1

    def _base_forms(self, form: str, pos: Pos) -> list[int]:
        file = _file(pos)
        candidates = self._irregular[file].get(form)
        if candidates is None:
            candidates = [form[: -len(old)] + new for old, new in ENDINGS[file] if form.endswith(old)]
        starts = self.senses[file].starts
        ids = dict.fromkeys(self._word_id(word) for word in [form, *candidates])
        return [i for i in ids if i >= 0 and starts[i] < starts[i + 1]]

    def _sense_ids(self, word_id: int, pos: Pos) -> list[int]:
        senses = self.senses[_file(pos)].row(word_id)
        return [s for s in senses if self.synset_pos[s] == _SATELLITE] if pos == "s" else senses

    @cached_property
    def _irregular(self) -> dict[str, dict[str, list[str]]]:
        return {
            pos: {
                form: bases.split()
                for form, bases in zip(
                    self._tables[f"irregular_{pos}"].to_pylist(),
                    self._tables[f"irregular_bases_{pos}"].to_pylist(),
                    strict=True,
                )
            }
            for pos in _ALL_POS
        }

    @cached_property
    def _antonyms(self) -> tuple[Ints, Ints]:
        return ints(self._tables["antonym_sources"]), ints(self._tables["antonym_targets"])

    def _relation(self, name: str) -> Ragged:
        return Ragged(ints(self._tables[f"{name}_starts"]), ints(self._tables[f"{name}s"]))

    def _senses(self, pos: str) -> Ragged:
        counts = np.zeros(len(self.words) + 1, dtype=np.int32)
        counts[ints(self._tables[f"lemmas_{pos}"]) + 1] = np.diff(ints(self._tables[f"sense_starts_{pos}"]))
        return Ragged(np.cumsum(counts, dtype=np.int32), ints(self._tables[f"senses_{pos}"]))


@dataclass(frozen=True, slots=True)
class Synset:
    """A set of lemmas that share one meaning; two are equal when they have the same id."""

    wordnet: WordNet
    id: int

    def __repr__(self) -> str:
        return f"Synset({self.name()!r})"

    def pos(self) -> str:
        """Return n, v, a, s (adjective satellite) or r."""
        return _POS_OF_CODE[self.wordnet.synset_pos[self.id]]

    def offset(self) -> int:
        """Return the byte offset in WordNet's own file, which other tools use to identify the synset."""
        return int(self.wordnet.synset_offset[self.id])

    def name(self) -> str:
        """Return the first lemma, part of speech and sense number, such as 'dog.n.01'."""
        pos = self.pos()
        lemma = self.lemma_names()[0].lower()
        senses = self.wordnet._sense_ids(self.wordnet._word_id(lemma), pos)  # type: ignore[arg-type]
        return f"{lemma}.{pos}.{senses.index(self.id) + 1:02d}"

    def lemma_names(self) -> list[str]:
        """Return the lemmas as WordNet spells them, with underscores for spaces."""
        return [self.wordnet.word(word) for word in self.wordnet.members.row(self.id)]

    def lemmas(self) -> list[Lemma]:
        """Return the lemmas as objects with counts and antonyms."""
        start, stop = self.wordnet.members.starts[self.id : self.id + 2].tolist()
        return [Lemma(self.wordnet, self, member) for member in range(start, stop)]

    def hypernyms(self) -> list[Synset]:
        """Return the more general synsets."""
        return self._related(self.wordnet.hypernyms)

    def hyponyms(self) -> list[Synset]:
        """Return the more specific synsets."""
        return self._related(self.wordnet.hyponyms)

    def instance_hypernyms(self) -> list[Synset]:
        """Return the synsets that this individual is an instance of."""
        return self._related(self.wordnet.instance_hypernyms)

    def instance_hyponyms(self) -> list[Synset]:
        """Return the individuals that are instances of this synset."""
        return self._related(self.wordnet.instance_hyponyms)

    def _related(self, relation: Ragged) -> list[Synset]:
        return [Synset(self.wordnet, other) for other in relation.row(self.id)]


@dataclass(frozen=True, slots=True)
class Lemma:
    """One word in one of its senses."""

    wordnet: WordNet
    synset: Synset
    id: int

    def __repr__(self) -> str:
        return f"Lemma('{self.synset.name()}.{self.name()}')"

    def name(self) -> str:
        """Return the spelling, with underscores for spaces."""
        return self.wordnet.word(int(self.wordnet.members.values[self.id]))

    def count(self) -> int:
        """Return how often this sense occurs in WordNet's sense-tagged texts."""
        return int(self.wordnet.member_counts[self.id])

    def antonyms(self) -> list[Lemma]:
        """Return the lemmas that mean the opposite."""
        sources, targets = self.wordnet._antonyms
        starts = self.wordnet.members.starts
        opposites = targets[sources == self.id].tolist()
        return [
            Lemma(self.wordnet, Synset(self.wordnet, int(np.searchsorted(starts, m, "right")) - 1), m)
            for m in opposites
        ]


def _parts(pos: Pos | None) -> tuple[Pos, ...]:
    if pos is None:
        return _ALL_POS
    if pos not in get_args(Pos):
        raise UsageError(f"part of speech {pos!r} is unknown; use one of n, v, a, s, r")
    return (pos,)


def _file(pos: Pos) -> str:
    return "a" if pos == "s" else pos
