"""The plan of `natural` makes the edits of its slow twin, and keeps its promises."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva._presets import PRESETS
from salva._presets.natural import SOURCES, NaturalPlanner, make_planner, open_pairs
from salva.edits.chunk import Draw, Rule
from salva.edits.pairs import compile_pairs
from salva.edits.protect import Protection
from salva.lexicon.pairs import parse_rule
from salva.text import Tagger, tag
from tests.edits.conftest import COMPILED, columns, cut, edits_by_row, few_examples, severities
from tests.reference import natural as slow
from tests.reference import rng

NAMES = ("pair", "contraction", "spelling")
RULES = """
n movie > film | next! theater; prev! home
n film > movie
n mistake > error
n error > mistake
a great = terrific
a big > large
v start = begin | nexttag! VBG
v say > remark
r very > extremely | nexttag JJ
r fully > completely
x in order to > to
x a lot of > lots of
x but > however , | prev ^
x hard > difficult | next2 do,be; near it,that
x every > each | prevtag IN; tag DT
"""
PIECES = [
    *("movie", "Movie", "MOVIE", "movies", "film", "the", "a", "an", "A", "great", "big", "bigger", "start"),
    *("started", "very", "good", "fully", "completed", "mistake", "error", "an-error", "in", "order", "to"),
    *("do", "not", "don't", "don\u2019t", "I", "i", "I'm", "it", "is", "It's", "a lot of", "lots", "said"),
    *("But", ",", ".", "!", "?", '"', "\u201c", "\u201d", "theater", "home", "hard", "be", "every", "by"),
    *("<br />", "Big Bad Wolf", "http://a.b/movie"),
]
natural_texts = st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join)
natural_columns = st.lists(st.none() | natural_texts, max_size=3) | columns


@cache
def small_pairs():
    rules = tuple(pair for line in RULES.splitlines() for pair in parse_rule(line))
    return rules, open_pairs("contractions", "builtin"), open_pairs("spellings", "builtin")


@cache
def planner() -> NaturalPlanner:
    tagger = Tagger.default()
    named = dict(zip(SOURCES.values(), small_pairs(), strict=True))
    return NaturalPlanner(compile_pairs(named, tagger.tags, checked=[SOURCES["pairs"]]), tagger)


@cache
def shipped() -> NaturalPlanner:
    return make_planner(PRESETS["natural"].settings(exclude=()))


def slow_plans(chunk, draw, pairs):
    words, found = chunk.words.array.to_pylist(), []
    for row, text in enumerate(chunk.cuts.texts.array.to_pylist()):
        own = slice(chunk.cuts.rows[row], chunk.cuts.rows[row + 1])
        data, first = (text or "").encode(), int(chunk.cuts.texts.offsets[row])
        places = zip(chunk.cuts.starts[own].tolist(), chunk.cuts.stops[own].tolist(), strict=True)
        spans = [(len(data[: a - first].decode()), len(data[: b - first].decode())) for a, b in places]
        tags = [name for _, name in tag([words[own]]).to_pylist()[0]] if words[own] else []
        blocked = chunk.blocked[own].astype(bool).tolist()
        key = rng.row_key(data, draw.seed, draw.replicate)
        one = slow.Text(text or "", words[own], tags, spans, blocked, key, draw.severity)
        found.append(
            slow.plan(one, list(zip(("pair", "contraction", "spelling"), pairs, strict=True)), {"pair"})
        )
    return found


def check(planner, pairs, column, draw, protection=None):
    chunk = cut(column, "nltk", draw, protection)
    edits, expected = planner.plan(chunk, draw.severity), slow_plans(chunk, draw, pairs)
    assert edits_by_row(chunk, edits) == [plan.edits for plan in expected]
    assert edits.tally.eligible.tolist() == [plan.eligible for plan in expected]


@few_examples
@given(column=natural_columns, severity=severities, seed=st.integers(0, 2**64 - 1))
def test_hostile_texts_have_the_edits_of_the_slow_twin(column, severity, seed):
    check(planner(), small_pairs(), column, Draw(seed, severity, 1))


@few_examples
@given(column=natural_columns)
def test_what_is_blocked_is_left_alone(column):
    check(planner(), small_pairs(), column, Draw(0, 1.0, 0), Protection(markup=True, names=True))


@pytest.mark.slow
def test_bundled_reviews_have_the_edits_of_the_slow_twin(bundled):
    pairs = tuple(open_pairs(name, "builtin") for name in SOURCES)
    column = bundled[:60] if COMPILED else bundled[:1]
    check(shipped(), pairs, column, Draw(3, 1.0, 0), Protection(markup=True))


def test_contractions_alone_are_those_of_the_slow_twin(bundled):
    known = PRESETS["contractions"]
    alone = known.make_planner(known.settings())
    column = bundled[:60] if COMPILED else bundled[:1]
    check(alone, ((), open_pairs("contractions", "builtin"), ()), column, Draw(3, 0.5, 0))


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ("I saw a movie.", ["film"]),
        ("I saw the movie; a film it was.", []),  # would repeat
        ("The Movie was seen.", []),  # a name
        ("MOVIE night", []),
        ("He called it a movie-night.", []),
        ('There: "a movie is a movie".', []),  # a quotation
        ("It is a mistake.", ["an error"]),  # no new contraction in a text that has none
        ("It is a mistake, isn't it?", ["It's", "an error"]),
        ("An error.", ["A mistake"]),
        ("But I do.", ["However,"]),
        ("I don\u2019t know.", ["do not"]),
        ("I do not know what they'd do, it\u2019s.", ["don\u2019t", "they would"]),
        ("It's A Great Life", []),  # a title
        ("in order to win", ["to"]),
        ("They fully completed it.", []),  # completely completed
    ],
)
def test_an_edit_keeps_meaning_case_articles_and_quotations(text, edited):
    chunk = cut([text], "nltk", Draw(0, 1.0, 0))
    found = [new for _, _, new in edits_by_row(chunk, planner().plan(chunk, 1.0))[0]]
    assert found == edited


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        ("I wasted 2 hours of my life.", ["two"]),
        ("it was about two hours of nothing", ["2"]),
        ("I have seen it 7 times.", ["seven"]),
        ("2 hours later it ended.", []),  # would need a capital
        ("It was bad.<br /><br />6 years later, it was shown again.", []),
        ("It took 2 or 3 hours.", []),
        ("It went on for 2-3 hours.", []),
        ("It lasts 2 hours and 10 minutes.", []),
        ("It lasts 2 hours 10 minutes.", []),
        ("I liked it in 2 Days in the Valley.", []),
        ("I liked Rocky 2 years ago.", []),
        ("It was about twenty five minutes of nothing.", []),
        ("It went on for 2.5 hours.", []),
        ("I had two friends with me.", []),  # only time is written with digits
    ],
)
def test_number_words_stay_out_of_names_ranges_and_starts_of_sentences(text, edited):
    chunk = cut([text], "nltk", Draw(0, 1.0, 0), Protection(markup=True))
    edits = shipped().plan(chunk, 1.0)
    found = [
        new
        for (_, _, new), rule in zip(edits_by_row(chunk, edits)[0], edits.rules, strict=True)
        if rule == Rule.SPELLING
    ]
    assert found == edited


@pytest.mark.parametrize("text", ["a movie star", "a movie"])
def test_rules_that_come_last_leave_shorter_sources_to_the_others(text):
    tagger = Tagger.default()
    named = {Rule.CANDIDATE: parse_rule("x movie star > actor"), Rule.PAIR: parse_rule("n movie > film")}
    pairs = compile_pairs(named, tagger.tags, checked=[], last=[Rule.CANDIDATE])
    chunk = cut([text], "nltk", Draw(0, 1.0, 0))
    assert [edit[2] for edit in edits_by_row(chunk, NaturalPlanner(pairs, tagger).plan(chunk, 1.0))[0]] == [
        "film"
    ]
