"""NLTK itself on 5,000 reviews: every sentence, every token, every tag, every text put together again.

They are a tenth of the corpus, from all over it. NLTK takes ten minutes of two cores for the whole, which is
equal too: `EACH = SLICE`.
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.conftest import SHARED

pytestmark = pytest.mark.slow

ROWS = 25_000
SLICE = 2_500
EACH = 250  # of a slice


def read(imdb: Path, part: str, start: int, size: int = EACH) -> list[str]:
    return pq.read_table(imdb / f"{part}.parquet", columns=["text"])["text"].slice(start, size).to_pylist()


def nltk():
    import nltk

    nltk.data.path[:] = [str(SHARED / "nltk_data")]
    return nltk


def differing_words(imdb: Path, place: tuple[str, int]) -> list[tuple[str, int]]:
    """Return the reviews of a slice of which sentences, words or the text put together are not NLTK's."""
    from nltk.tokenize.treebank import TreebankWordDetokenizer

    from salva.text import detokenize, sentences, tokenize

    part, start = place
    texts = read(imdb, part, start)
    join = TreebankWordDetokenizer().detokenize
    spans = tokenize(texts, threads=1)
    ours = zip(
        sentences(texts, threads=1).to_pylist(), spans.to_pylist(), detokenize(spans).to_pylist(), strict=True
    )
    different = []
    for row, (text, found) in enumerate(zip(texts, ours, strict=True)):
        words = nltk().word_tokenize(text)
        if found != (nltk().sent_tokenize(text), words, join(words)):
            different.append((part, start + row))
    return different


def differing_tags(imdb: Path, start: int) -> list[int]:
    """Return the reviews of a slice of which a tag is not NLTK's."""
    from salva.text import Tagger, tokenize

    words = tokenize(read(imdb, "test", start, 300)).to_pylist()
    tagger = Tagger.load(SHARED / "nltk_data/taggers/averaged_perceptron_tagger_eng")
    found = tagger.tag(words, threads=1).to_pylist()
    return [start + row for row, words_ in enumerate(words) if nltk().pos_tag(words_) != found[row]]


def in_processes(work, places):
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        return [place for found in pool.map(work, places) for place in found]


def test_sentences_words_and_joined_texts_equal_nltk_s_on_5_000_reviews(imdb):
    places = [(part, start) for part in ("test", "train") for start in range(0, ROWS, SLICE)]
    assert in_processes(partial(differing_words, imdb), places) == []


def test_tags_equal_nltk_s_on_1_500_reviews(imdb):
    assert in_processes(partial(differing_tags, imdb), range(0, ROWS, 5_000)) == []
