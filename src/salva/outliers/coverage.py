"""How many words of the sets are found: the refusal to score if too few are, and the warnings of a score."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from salva._arguments import argument
from salva._show import number_of
from salva.errors import InputError
from salva.outliers.drafts import SIZE, UNDETERMINED
from salva.outliers.results import Coverage, SetScore
from salva.outliers.sets import WordSet
from salva.outliers.vectors.similarities import Similarities, SourceInfo

_LOW = 0.5  # a set with a lower coverage is named in a warning
_NAMED = 5  # how many are named in warnings; the rest are counted


def measure_coverage(sets: Sequence[WordSet], similarities: Similarities) -> Coverage:
    """Return how many words and whole exercises are known."""
    requested = [word for words in sets for word in words.words]
    known = {word for word in set(requested) if similarities.known(word)}
    total = sum(word in known for word in requested)
    complete = [
        exercise.outlier in known and known.issuperset(exercise.inliers)
        for words in sets
        for exercise in words.exercises()
    ]
    return Coverage(len(requested), total, 100 * total / len(requested), len(complete), sum(complete))


def refuse_low_coverage(
    coverage: Coverage, sets: Sequence[WordSet], scores: Sequence[SetScore], info: SourceInfo, least: float
) -> None:
    """Refuse a score that would say more about the vocabulary than about the model."""
    if coverage.known >= least * coverage.words:
        return
    share = f"{coverage.known:,} of {coverage.words:,} words ({coverage.percent:.1f} %)"
    problem = f"{share} are in {info.name}, less than the {100 * least:g} % that a score needs"
    shares = _shares(sets, scores)
    known = [language for language, part in shares.items() if part >= least]
    if known:
        parts = ", ".join(f"{language} {100 * part:.1f} %" for language, part in shares.items())
        raise InputError(f"{problem}: {parts}; pass {argument('languages', known, flag='--language')}")
    missing = [word for score in scores for word in score.missing]
    capitals = sum(word != word.lower() for word in missing)
    if "lower" not in info.chain and 2 * capitals > len(missing):
        raise InputError(f"{problem}; look up lower case too: {_extend_chain(info, 'lower')}")
    raise InputError(f"{problem}; {_ask_about_language(coverage, shares, info)}")


def _shares(sets: Sequence[WordSet], scores: Sequence[SetScore]) -> dict[str, float]:
    """Return the share of words found in each language, highest first."""
    total: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for words, score in zip(sets, scores, strict=True):
        total[words.language] += len(words.words)
        known[words.language] += sum(word not in score.missing for word in words.words)
    shares = {language: known[language] / total[language] for language in sorted(total)}
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def _ask_about_language(coverage: Coverage, shares: dict[str, float], info: SourceInfo) -> str:
    """Return what to check: the language first, since in a wrong one the score would mean nothing."""
    languages = ", ".join(language for language in shares if language != UNDETERMINED)
    question = f"is {info.name} in the language of the sets{f' ({languages})' if languages else ''}?"
    remedies = []
    if info.capitals and "capital" not in info.chain:
        remedies.append(f"{_extend_chain(info, 'capital')} to find words with capitals")
    if coverage.known:
        share = math.floor(100 * coverage.known / coverage.words) / 100
        remedies.append(f"{argument('min_coverage', share)} to score anyway")
    return f"{question} if so, pass {' or '.join(remedies)}" if remedies else question


def _extend_chain(info: SourceInfo, step: str) -> str:
    """Return the argument for one more step of the look-up, before `parts`, where it works best."""
    chain = list(info.chain)
    chain.insert(chain.index("parts") if "parts" in chain else len(chain), step)
    return argument("chain", ",".join(chain), flag="--lookup")


def find_warnings(sets: Sequence[WordSet], scores: Sequence[SetScore], info: SourceInfo) -> Iterator[str]:
    """Yield warnings about the sets, their coverage and the source."""
    low = [f"{s.language}-{s.topic}: {s.reason}" for s in scores if len(s.missing) > (1 - _LOW) * 2 * SIZE]
    yield from _first(low, "set has less than half of its words", "sets have less than half of their words")
    twice = [f"{words.language}-{words.topic}: {problem}" for words in sets for problem in _repeated(words)]
    look = "; salva outliers check names them"
    yield from _first(twice, f"word is repeated in its set{look}", f"words are repeated in their sets{look}")
    yield from _about_source(info)


def _about_source(info: SourceInfo) -> Iterator[str]:
    if info.duplicates:
        many = number_of(info.duplicates, "word appears", "words appear")
        yield f"{many} more than once in {info.name}; the first one counts"
    if info.zeros:
        many = number_of(info.zeros, "word has", "words have")
        yield f"{many} a vector of zeros in {info.name}, which counts as missing"
    if info.spaced:
        many = number_of(info.spaced, "row has", "rows have")
        yield f"{many} a word with a space in {info.name}"
    if info.not_utf8:
        many = number_of(info.not_utf8, "word is", "words are")
        yield f"{many} not UTF-8 in {info.name} and cannot be found"


def _first(messages: Sequence[str], singular: str, plural: str) -> Iterator[str]:
    yield from messages[:_NAMED]
    if len(messages) > _NAMED:
        yield f"and {number_of(len(messages) - _NAMED, f'more {singular}', f'more {plural}')}"


def _repeated(words: WordSet) -> Iterator[str]:
    """Yield the words of a set that make the right answer doubtful."""
    for half, what in ((words.inliers, "inliers"), (words.outliers, "outliers")):
        for word, times in Counter(half).items():
            if times > 1:
                yield f"{word!r} appears {times} times among the {what}"
    for word in dict.fromkeys(words.inliers):
        if word in words.outliers:
            yield f"{word!r} is both an inlier and an outlier; its exercise has no right answer"
