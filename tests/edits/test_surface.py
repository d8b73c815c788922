"""The plans of `case`, `punctuation` and `spaces` make the edits of their slow twins."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import salva
from salva._arrow import as_numbers
from salva._presets import Planner
from salva._presets.case import NAMES, NUMBERED_WORDS, CasePlanner, open_case_words
from salva._presets.punctuation import (
    CONJUNCTIONS,
    CONTRACTIONS,
    OTHER_STYLE,
    PunctuationPlanner,
    open_punctuation_words,
)
from salva._presets.spaces import DOMAINS, PHRASES, SpacePlanner, open_space_words
from salva.edits.chunk import RULES, Chunk, Draw, Edits
from salva.edits.protect import Protection
from salva.lexicon.english import PLAIN, function_words, load_english
from tests.edits.conftest import COMPILED, columns, cut, edits_by_row, severities
from tests.reference import case, punctuation, spaces
from tests.reference.surface import Row, rows_of

PROB = 0.7
ENGLISH = load_english()
REAL_WORDS = frozenset(ENGLISH.words.to_pylist())
PLAIN_WORDS = frozenset(ENGLISH.words.filter(as_numbers(ENGLISH.kinds & PLAIN).cast("bool")).to_pylist())
PIECES = [
    *("The", "film", "Spielberg", "I", "I'm", "I\u2019ve", "War", "type", "may", "Will", "Mr.", "USA", "It"),
    *("a", "lot", "of", "course", "A", "no", "one", "one,", "end.", "end!", "end?", "Com", "don't", "can't"),
    *("it's", "dog's", "rock'n'roll", "and", "but", ",", ".", "!", "?", "<br />", "3.5", "1,000", "great!!"),
    *("well-made", "cafe\u0301,", "\u00e9t\u00e9,", "\u6620\u753b\u3002", "http://a.b/c,", "x" * 70, "So"),
    *('"Well,"', "...", '"', "\u201c", "\u201d,", "St.", "Louis"),
]
gaps = st.sampled_from([" ", " ", " ", "  ", "\n", "\u00a0", "\t", ""])
surface_texts = st.lists(st.tuples(st.sampled_from(PIECES), gaps), max_size=20).map(
    lambda parts: "".join(piece + gap for piece, gap in parts)
)
surface_columns = st.lists(st.none() | surface_texts, max_size=3) | columns
protections = st.sampled_from([None, Protection(markup=True, names=True, whole=True)])


@cache
def planners() -> dict[str, Planner]:
    return {
        "case": CasePlanner(open_case_words(), PROB),
        "punctuation": PunctuationPlanner(open_punctuation_words(), PROB),
        "spaces": SpacePlanner(open_space_words(), PROB),
    }


@cache
def contractions() -> frozenset[str]:
    return frozenset(word.replace("'", "") for word in CONTRACTIONS.split()) - REAL_WORDS


def slow_plan(name: str, row: Row):
    if name == "case":
        function = function_words() - NAMES
        return case.plan(row, PLAIN_WORDS, function, set(NUMBERED_WORDS.split()), prob=PROB)
    if name == "punctuation":
        return punctuation.plan(row, set(CONJUNCTIONS), contractions(), prob=PROB, style=OTHER_STYLE)
    return spaces.plan(row, {"".join(phrase) for phrase in PHRASES}, set(DOMAINS), prob=PROB)


def spans_by_row(chunk: Chunk, edits: Edits) -> list[list[tuple[int, int, str, str]]]:
    """Return where in the text every edit begins and ends, its rule and what it writes."""
    texts = chunk.cuts.texts
    found: list[list[tuple[int, int, str, str]]] = [[] for _ in texts.array]
    for k, token in enumerate(edits.tokens.tolist()):
        row = int(np.searchsorted(chunk.cuts.rows, token, "right")) - 1
        first = int(texts.offsets[row])
        start, stop = (
            len(texts.data[first:place].tobytes().decode()) for place in (edits.starts[k], edits.stops[k])
        )
        new = edits.new[edits.offsets[k] : edits.offsets[k + 1]].tobytes().decode()
        found[row].append((start, stop, RULES[edits.rules[k]], new))
    return found


def check(name: str, column, draw: Draw, protection: Protection | None) -> None:
    chunk = cut(column, "word", draw, protection)
    edits = planners()[name].plan(chunk, draw.severity)
    expected = [slow_plan(name, row) for row in rows_of(chunk, draw)]
    found = edits_by_row(chunk, edits) if name == "case" else spans_by_row(chunk, edits)
    assert found == [plan.edits for plan in expected]
    assert edits.tally.eligible.tolist() == [plan.eligible for plan in expected]


@pytest.mark.parametrize("name", ["case", "punctuation", "spaces"])
@given(column=surface_columns, severity=severities, seed=st.integers(0, 2**64 - 1), protection=protections)
def test_hostile_texts_have_the_edits_of_the_slow_twin(name, column, severity, seed, protection):
    check(name, column, Draw(seed, severity, 1), protection)


@pytest.mark.parametrize("name", ["case", "punctuation", "spaces"])
def test_bundled_reviews_have_the_edits_of_the_slow_twin(bundled, name):
    column = bundled[:60] if COMPILED else bundled[:1]
    check(name, column, Draw(0, 0.8, 3), Protection(markup=True, names=True, whole=True))


def become(name: str, text: str, **settings: float) -> set[str]:
    """Return every new piece of text over many seeds."""
    transform = salva.preset(name, **settings)
    edits = [transform.transform(text, seed=seed).edits["new"].to_pylist() for seed in range(40)]
    return {new for row in edits for new in row}


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ("The film is good.", {"the"}),
        ("I think I'm late.", {"i"}),
        ("World War I ended, type I error.", set()),
        ("We met Spielberg in London.", {"we", "spielberg", "london"}),
        ("US and IT and AIDS in Turkey, May, and Polish.", set()),
        ("May I ask?", set()),
        ("The Good Wife", set()),
        ("It saw iPhone, McQueen and Mr. Smith-Jones.", {"it"}),
        ("Curly was there.", set()),
        ("I saw Bruce Lee in Chicago Sun Times.", {"i"}),
        ("We met Mr. Spielberg in St. Louis.", {"we"}),
        ('He said "we saw Spielberg" in London.', {"he", "london"}),
        ("He said \u201cwe saw Spielberg\u201d in London.", {"he", "london"}),
        ("We saw I Robot.", {"we"}),
    ],
)
def test_a_capital_is_left_out_only_if_the_word_stays_the_same(text, edited):
    assert become("case", text, p_case=1.0) == edited


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ("It was good.", {""}),
        ("Made in the U.S.", set()),
        ("good, but long", {" "}),
        ("my brother, Tom, and I", set()),
        ("I don't know", {"dont", "’"}),
        ("I can’t", {"'"}),
        ("it's, we're, he'll, won't, I'll, she'd, let's", {"’"}),
        ("Great! What? 3.5, 1,000", set()),
        ("so great! What? 3.5, 1,000", {"!!"}),
        ("well... said", set()),
    ],
)
def test_a_mark_is_changed_only_if_nobody_misses_it(text, edited):
    assert become("punctuation", text, p_punctuation=1.0) == edited


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ("red, green", {" ,", ",", ",  "}),
        ("The end. The film", {" .", ".", ".  "}),
        ("the end. Com is", {" .", ".  "}),
        ("the end. it", {" .", ".  "}),
        ("1, 2, 3. Mr. X e.g. this", set()),
        ("a lot of it", {"alot"}),
        ("A lot of it", {"Alot"}),
        ("a\u00a0lot,\tred,\ngreen", set()),
        ("fun!", {" !"}),
    ],
)
def test_a_blank_is_changed_only_where_the_words_stay_apart(text, edited):
    assert become("spaces", text, p_space=1.0) == edited


def test_no_phrase_becomes_another_word():
    assert not {"".join(phrase) for phrase in PHRASES} & REAL_WORDS
