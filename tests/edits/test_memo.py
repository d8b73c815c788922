"""A memo gives the lists of its sources, whoever asks first and however many ask at once."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import salva
from salva._arrow import as_strings
from salva._kernels import Choices
from salva.edits.common import Completions, Corrections
from salva.edits.memo import Memo, WordTypes
from salva.lexicon import embedded_vocabulary
from tests.edits.conftest import COMPILED, KNOWN, VOCABULARY, spelled, word_sources
from tests.reference.plans import cased_like
from tests.text.conftest import hostile_words

SOURCES = ("completions", "corrections", "by class")
WIDTHS = (1, 1, 4)


def sources() -> tuple:
    return tuple(word_sources()[name] for name in SOURCES)


def written(words: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    column = as_strings(words)
    places = column.offsets.astype(np.int32)
    return column.data, places[:-1], places[1:]


def wanted(table: WordTypes, places: Iterable[int]) -> np.ndarray:
    asked = np.zeros(len(table.lengths), np.bool_)
    asked[table.numbers[list(places)]] = True
    return asked


def listed(choices: Choices, kind: int, width: int) -> list[list[str]]:
    """Return the words that a type may become."""
    lists = choices.lists
    starts, offsets, data = (np.asarray(part) for part in (lists.starts, lists.offsets, lists.data))
    entry = int(choices.entries[kind])
    return [
        [data[offsets[i] : offsets[i + 1]].tobytes().decode() for i in range(starts[n], starts[n + 1])]
        for n in range(entry, entry + width)
    ]


def asked(memo: Memo, words: list[str], places: list[int], which: int) -> list[list[list[str]]]:
    """Return the lists that a memo gives for the words at `places`."""
    table = memo.types(*written(words))
    choices = memo.choices(wanted(table, places), which)
    return [listed(choices, table.numbers[place], WIDTHS[which]) for place in places]


def fresh(words: list[str], places: list[int], which: int) -> list[list[list[str]]]:
    source, width = sources()[which], WIDTHS[which]
    lists = spelled(source, source.lists(as_strings([word.lower() for word in words]), np.arange(len(words))))
    return [
        [
            [cased_like(words[place], new) for new in names]
            for names in lists[width * place : width * (place + 1)]
        ]
        for place in places
    ]


some_words = hostile_words | st.lists(st.sampled_from([*KNOWN, *VOCABULARY]))
question = st.tuples(some_words, st.integers(0, 2), st.randoms(use_true_random=False))
questions = st.lists(question, max_size=8 if COMPILED else 2)


@given(questions)
def test_the_lists_are_those_of_a_fresh_source_in_the_case_of_the_word_in_any_order(questions):
    memo = Memo(*sources())
    for words, which, random in questions:
        places = sorted(random.sample(range(len(words)), random.randint(0, len(words))))
        assert asked(memo, words, places, which) == fresh(words, places, which)


@given(st.lists(some_words, max_size=5))
def test_a_word_keeps_its_number(columns):
    memo, numbers = Memo(*sources()), {}
    for words in columns:
        for word, number in zip(words, memo.types(*written(words)).numbers.tolist(), strict=True):
            assert numbers.setdefault(word, number) == number
    assert len(set(numbers.values())) == len(numbers)


def test_words_never_asked_for_have_empty_lists():
    memo = Memo(*sources())
    table = memo.types(*written(["movie", "films", "story"]))
    choices = memo.choices(wanted(table, [1]), 2)
    assert [listed(choices, kind, 4) for kind in (0, 2)] == [[[]] * 4] * 2
    assert listed(choices, 1, 4) != [[]] * 4


def test_what_was_given_out_stays_as_it_was():
    memo = Memo(*sources())
    table = memo.types(*written(["movies"]))
    before = memo.choices(wanted(table, [0]))
    parts = (before.entries, before.lists.starts, before.lists.offsets, before.lists.data)
    kept = [np.array(part) for part in parts]
    asked(memo, VOCABULARY, list(range(len(VOCABULARY))), 0)
    assert all(np.array_equal(now, then) for now, then in zip(parts, kept, strict=True))


def test_thousands_of_words_outgrow_the_first_table():
    memo, words = Memo(*sources()), [f"word{i}" for i in range(3000)]
    numbers = memo.types(*written(words)).numbers
    assert sorted(numbers) == list(range(3000))
    assert memo.types(*written(words[::-1])).numbers.tolist() == numbers[::-1].tolist()


@pytest.mark.parametrize("seed", range(4))
def test_eight_threads_at_once_get_what_one_would(word_types, seed):
    vocabulary = embedded_vocabulary()[:400]
    kinds = Completions(vocabulary), Corrections(vocabulary)
    memo, together = Memo(*kinds), Barrier(8)
    words = word_types[:400]
    alone = [spelled(kind, kind.lists(as_strings(words), np.arange(len(words)))) for kind in kinds]

    def ask(thread: int) -> None:
        random = Random(f"{seed} {thread}")
        together.wait()
        for _ in range(12):
            which, size = random.randrange(2), random.randint(1, 60)
            places = random.sample(range(len(words)), size)
            table = memo.types(*written([words[place] for place in places]))
            choices = memo.choices(wanted(table, range(size)), which)
            found = [listed(choices, kind, 1)[0] for kind in table.numbers]
            expected = [[cased_like(words[place], new) for new in alone[which][place]] for place in places]
            assert found == expected

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))


@pytest.mark.parametrize("limit", ["MOST_WORDS", "MOST_BYTES"])
def test_a_memo_that_knows_too_much_begins_anew(monkeypatch, limit):
    monkeypatch.setattr(f"salva.edits.memo.{limit}", 100)
    transform = salva.preset("synonyms")
    words = [f"movie film number{'x' * i}" for i in range(300)]
    expected = salva.preset("synonyms").transform(words, seed=1).transformed
    first = transform.transform(words[:150], seed=1)
    full = transform.planner.memory._memo
    assert full.is_full
    assert first.transformed + transform.transform(words[150:], seed=1).transformed == expected
    assert transform.planner.memory._memo is not full
