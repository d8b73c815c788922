"""A memo gives the lists of its sources, whoever asks first and however many ask at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from random import Random
from threading import Barrier

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import salva
from salva._arrow import as_strings
from salva._kernels.choices import PATTERNS
from salva.edits.common import Completions, Corrections
from salva.edits.memo import Lists, Memo
from salva.lexicon import embedded_vocabulary
from tests.edits.conftest import KNOWN, VOCABULARY, spelled, word_sources
from tests.text.conftest import hostile_words

SOURCES = ("completions", "corrections", "by class")
WIDTHS = (1, 1, 4)


def sources() -> tuple:
    return tuple(word_sources()[name] for name in SOURCES)


def asked(memo: Memo, words: list[str], places: list[int], which: int) -> list[list[str]]:
    """Return the lists that a memo gives for all words, those at `places` being asked for."""
    column = as_strings(words)
    choices = memo.choices(column, memo.numbers(column), np.array(places, np.int64), which)
    found = spelled(sources()[which], Lists(choices.starts, choices.values))
    width = WIDTHS[which]
    return [names for entry in choices.entries.tolist() for names in found[entry : entry + width]]


def fresh(words: list[str], places: list[int], which: int) -> list[list[str]]:
    source = sources()[which]
    lists = spelled(source, source.lists(as_strings(words), np.arange(len(words))))
    width = WIDTHS[which]
    return [names if k // width in places else [] for k, names in enumerate(lists)]


lowered = hostile_words | st.lists(st.sampled_from([*KNOWN, *VOCABULARY]))
questions = st.lists(st.tuples(lowered, st.integers(0, 2), st.randoms(use_true_random=False)), max_size=8)


@given(questions)
def test_the_lists_are_those_of_a_fresh_source_in_any_order(questions):
    memo = Memo(*sources())
    for column, which, random in questions:
        words = [word.lower() for word in column]
        places = sorted(random.sample(range(len(words)), random.randint(0, len(words))))
        assert asked(memo, words, places, which) == fresh(words, places, which)


@given(st.lists(lowered, max_size=5))
def test_a_word_keeps_its_number(columns):
    memo, numbers = Memo(*sources()), {}
    for words in columns:
        for word, number in zip(words, memo.numbers(as_strings(words)).tolist(), strict=True):
            assert numbers.setdefault(word, number) == number
    assert len(set(numbers.values())) == len(numbers)


def test_words_never_asked_for_have_empty_lists():
    memo = Memo(*sources())
    words = ["movie", "films", "story"]
    assert asked(memo, words, [], 2) == [[]] * 12
    asked(memo, words, [0, 1, 2], 2)
    assert asked(memo, words, [1], 2) == fresh(words, [1], 2)
    assert asked(memo, ["films", "new"], [], 0) == [[], []]


def test_what_was_given_out_stays_as_it_was():
    memo, column = Memo(*sources()), as_strings(["movies"])
    before = memo.choices(column, memo.numbers(column), np.arange(1))
    kept = deepcopy(before)
    asked(memo, VOCABULARY, list(range(len(VOCABULARY))), 0)
    assert all(np.array_equal(now, then) for now, then in zip(before, kept, strict=True))
    assert not before.starts.flags.writeable


def test_a_pool_has_the_words_of_all_sources_in_all_case_patterns():
    pool, column = Memo(*sources()).pool, as_strings(["movies"])
    names = [name for source in sources() for name in source.cased.array.to_pylist()]
    assert pool.data.tobytes() == "".join(names).encode()
    assert np.diff(pool.offsets).tolist() == [len(name.encode()) for name in names]
    memo = Memo(*sources())
    for which, source in enumerate(sources()):
        choices = memo.choices(column, memo.numbers(column), np.arange(1), which)
        first, last = choices.first, choices.first + PATTERNS * choices.count
        assert names[first:last] == source.cased.array.to_pylist()


def test_thousands_of_words_outgrow_the_first_table():
    memo, words = Memo(*sources()), [f"word{i}" for i in range(3000)]
    numbers = memo.numbers(as_strings(words))
    assert sorted(numbers) == list(range(3000))
    assert memo.numbers(as_strings(words[::-1])).tolist() == numbers[::-1].tolist()


@pytest.mark.parametrize("seed", range(4))
def test_eight_threads_at_once_get_what_one_would(word_types, seed):
    vocabulary = embedded_vocabulary()[:400]
    kinds = Completions(vocabulary), Corrections(vocabulary)
    memo, together = Memo(*kinds), Barrier(8)
    column = as_strings(word_types[:400])
    every = np.arange(len(column))
    alone = [spelled(kind, kind.lists(column, every)) for kind in kinds]

    def ask(thread: int) -> None:
        random = Random(f"{seed} {thread}")
        together.wait()
        for _ in range(12):
            which, size = random.randrange(2), random.randint(1, 60)
            places = np.array(sorted(random.sample(range(len(column)), size)))
            some = as_strings(column.array.take(places))
            choices = memo.choices(some, memo.numbers(some), np.arange(size), which)
            found = spelled(kinds[which], Lists(choices.starts, choices.values))
            assert [found[entry] for entry in choices.entries] == [alone[which][k] for k in places]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))


def test_a_memo_that_knows_too_many_words_begins_anew(monkeypatch):
    monkeypatch.setattr("salva.edits.memo.MOST_WORDS", 100)
    transform = salva.preset("synonyms")
    words = [f"movie film number{'x' * i}" for i in range(300)]
    expected = salva.preset("synonyms").transform(words, seed=1).transformed
    first = transform.transform(words[:150], seed=1)
    full = transform.planner
    assert full.memo.is_full
    assert first.transformed + transform.transform(words[150:], seed=1).transformed == expected
    assert transform.planner is not full
