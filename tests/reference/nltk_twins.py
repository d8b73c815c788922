"""NLTK itself, given the parameters and weights that ship with Salva: the slow twin of `salva.text`.

It needs none of NLTK's data. Other tests hold the parameters against NLTK's own.
"""

from __future__ import annotations

from functools import cache

from nltk.tag.perceptron import PerceptronTagger
from nltk.tokenize import NLTKWordTokenizer
from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer
from nltk.tokenize.treebank import TreebankWordDetokenizer

from salva.lexicon.shipped import read_tables
from salva.text.tagger_model import PLACES, SUFFIX_PLACES, WORD_PLACES

ABBREVIATION, CONTEXTS, STARTER = 1, 2 | 4 | 8 | 16 | 32 | 64, 128

_words = NLTKWordTokenizer()
_detokenizer = TreebankWordDetokenizer()


@cache
def punkt() -> PunktSentenceTokenizer:
    tables = {name: array.to_pylist() for name, array in read_tables("punkt.arrow").items()}
    types = tables["types"]
    parameters = PunktParameters()
    for word, flags in zip(types, tables["flags"], strict=True):
        if flags & ABBREVIATION:
            parameters.abbrev_types.add(word)
        if flags & STARTER:
            parameters.sent_starters.add(word)
        if flags & CONTEXTS:
            parameters.ortho_context[word] = flags & CONTEXTS
    pairs = zip(tables["collocation_left"], tables["collocation_right"], strict=True)
    parameters.collocations.update((types[left], types[right]) for left, right in pairs)
    return PunktSentenceTokenizer(parameters)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    return list(punkt().span_tokenize(text))


def words(text: str) -> list[str]:
    return [word for start, end in sentence_spans(text) for word in _words.tokenize(text[start:end])]


def detokenize(tokens: list[str]) -> str:
    return _detokenizer.detokenize(tokens)


def weights() -> tuple[dict, dict, list]:
    """Return the shipped weights as the dictionaries that NLTK keeps."""
    tables = {name: array.to_pylist() for name, array in read_tables("tagger.arrow").items()}
    tags, start = tables["tags"], 0
    rows = []
    for size in tables["sizes"]:
        pairs = zip(
            tables["labels"][start : start + size], tables["values"][start : start + size], strict=True
        )
        rows.append({tags[label]: value / 1000 for label, value in pairs})
        start += size
    features = {feature: rows[row] for feature, row in _features(tables).items()}
    fixed = zip(tables["fixed_words"], tables["fixed_tags"], strict=True)
    return features, {word: tags[tag] for word, tag in fixed}, tags[: tables["classes"][0]]


def _features(tables: dict) -> dict[str, int]:
    prefix, previous, previous_2, pair, after = PLACES[-5:]
    tags = [*tables["tags"], "-START-", "-START2-"]
    found = {"bias": tables["bias"][0]}
    for i, word in enumerate(tables["words"]):
        rows = tables["word_rows"][6 * i : 6 * i + 6]
        found |= {f"{place} {word}": row for place, row in zip(WORD_PLACES, rows[:5], strict=True)}
        follower = tables["after"][len(tags) * rows[5] : len(tags) * (rows[5] + 1)]
        found |= {f"{after} {tag} {word}": row for tag, row in zip(tags, follower, strict=True)}
    for i, suffix in enumerate(tables["suffixes"]):
        rows = tables["suffix_rows"][3 * i : 3 * i + 3]
        found |= {f"{place} {suffix}": row for place, row in zip(SUFFIX_PLACES, rows, strict=True)}
    found |= {f"{prefix} {p}": r for p, r in zip(tables["prefixes"], tables["prefix_rows"], strict=True)}
    found |= {f"{previous} {tag}": row for tag, row in zip(tags, tables["previous"], strict=True)}
    found |= {f"{previous_2} {tag}": row for tag, row in zip(tags, tables["previous_2"], strict=True)}
    names = [f"{pair} {left} {right}" for left in tags for right in tags]
    found |= dict(zip(names, tables["pairs"], strict=True))
    return {feature: row for feature, row in found.items() if row}


@cache
def tagger() -> PerceptronTagger:
    twin = PerceptronTagger(load=False)
    twin.decode_json_params(weights())
    return twin


def tags(tokens: list[str]) -> list[str]:
    return [tag for _, tag in tagger().tag(tokens)]
