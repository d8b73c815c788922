"""The first specification's program, line by line with NLTK: the slow twin of `hybrid` at severity 1.

`nltk.data.path` must lead to the sentence splitter, the tagger and WordNet. The draws are those of a
`random.Random`, one after the other: rates and candidates can be compared with Salva's, bytes cannot. No word
is excluded as offensive, since the document has no such rule.
"""

from __future__ import annotations

from functools import cache
from random import Random

import nltk
from nltk.corpus import wordnet
from nltk.corpus.reader.wordnet import ADJ, ADV, NOUN, VERB
from nltk.tokenize.treebank import TreebankWordDetokenizer

from salva.lexicon import load_groups
from tests.reference import casing

PARTS = {"NN": NOUN, "VB": VERB, "JJ": ADJ, "RB": ADV}  # by the first two letters of a tag
P_SYNONYM = {ADJ: 0.70, ADV: 0.70, NOUN: 0.30, VERB: 0.25}
P_TYPO = 0.10
MIN_WORD_LENGTH = 4
MAX_TYPOS_PER_EXAMPLE = 2
NEIGHBOURS = "sqwe wrds uokj iplk yijh awedxz serfc edft rfgy bhjm kop"
PROXIMITY = dict(zip("aeiousdrtnl", NEIGHBOURS.split(), strict=True))

_detokenizer = TreebankWordDetokenizer()


def custom_transform(example: dict, rng: Random) -> dict:
    """Return the example with its text transformed and all else as it was."""
    words, typos = [], 0
    for word, tag in nltk.pos_tag(nltk.word_tokenize(example["text"])):
        new = None
        if len(word) >= MIN_WORD_LENGTH:
            new = _replace(word, PARTS.get(tag[:2]), rng)
            if new is None and typos < MAX_TYPOS_PER_EXAMPLE and rng.random() < P_TYPO:
                new = introduce_typo(word, rng)
                typos += new is not None
        words.append(word if new is None else new)
    return {**example, "text": _detokenizer.detokenize(words)}


def _replace(word: str, pos: str | None, rng: Random) -> str | None:
    if pos is None:
        return None
    synonym = get_synonym_from_group(word, rng)
    if synonym is not None and rng.random() < P_SYNONYM[pos]:
        return preserve_capitalization(word, synonym)
    synonyms = get_wordnet_synonyms(word.lower(), pos)
    if rng.random() < P_SYNONYM[pos] and synonyms:
        return preserve_capitalization(word, rng.choice(synonyms))
    return None


def get_synonym_from_group(word: str, rng: Random) -> str | None:
    """Return another word of the word's domain group; None where it is in no group."""
    synonyms = _group(word.lower())
    return rng.choice(synonyms) if synonyms else None


@cache
def _group(word: str) -> list[str]:
    return load_groups().synonyms(word)


@cache
def get_wordnet_synonyms(word: str, pos_tag: str) -> list[str]:
    """Return the alphabetic lemmas of all synsets, each once in any case, without the word itself."""
    lemmas = [lemma.name() for synset in wordnet.synsets(word, pos=pos_tag) for lemma in synset.lemmas()]
    found: dict[str, str] = {}
    for name in lemmas:
        if name.isalpha() and name.lower() != word.lower():
            found.setdefault(name.lower(), name)
    return list(found.values())


def introduce_typo(word: str, rng: Random) -> str | None:
    """Return the word with one inner letter become a neighbour; None where the chosen one has none."""
    position = rng.randrange(1, len(word) - 1)
    old = word[position]
    neighbours = PROXIMITY.get(old.lower())
    if neighbours is None:
        return None
    new = rng.choice(neighbours)
    return word[:position] + (new.upper() if old.isupper() else new) + word[position + 1 :]


def preserve_capitalization(original: str, replacement: str) -> str:
    """Return the replacement in the case pattern of the original; mixed case leaves it as it is."""
    return casing.apply_to_lemma(casing.detect(original), replacement)
