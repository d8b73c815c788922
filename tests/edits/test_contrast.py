"""The plans of contrast presets make the edits of their slow twins, one per text."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

import salva
from salva._kernels.constants import SENTENCE_END
from salva._presets import PRESETS
from salva._presets.names import RULES
from salva._presets.natural import open_pairs
from salva._presets.negation import BARRED, FLAGS
from salva._presets.numbers import AFTER, BEFORE, NUMBER_WORDS, TIMES
from salva.edits.chunk import RULES as RULE_NAMES
from salva.edits.chunk import Draw
from salva.edits.protect import Protection
from salva.edits.swaps import Kind
from salva.lexicon.names import load_names
from salva.text import tag
from tests.edits.conftest import COMPILED, columns, cut, edits_by_row, severities
from tests.reference import contrast as slow
from tests.reference import natural
from tests.reference.surface import rows_of

PIECES = [
    *("John", "John's", "Mary", "Elton", "Paris", ",", "Texas", "Rome", "Rome,", "London.", "in", "JOHN"),
    *(
        "two",
        "Two",
        "three",
        "or",
        "ten",
        "twenty-two",
        "hundred",
        "one",
        "out",
        "of",
        "10",
        "/",
        "7",
        "7/10",
    ),
    *(
        "10/10",
        "1987",
        "1990s",
        "2000",
        "$1,500",
        "$1999",
        "3.50",
        "0.5",
        "007",
        "42%",
        "100%",
        "5th",
        "21st",
    ),
    *("10:30", "1,2,3", "1,5000", "99999999999999999999", "4 o'clock", "a", "Rocky", "2", "(5)", "B2B"),
    *(
        "is",
        "not",
        "isn't",
        "good",
        "bad",
        "never",
        "likes",
        "He",
        "does",
        "n't",
        "like",
        "any",
        "!",
        ".",
        ";",
    ),
    *("I", "don\u2019t", "think", "very", "no", "one", "\u20ac5", "<br />", "http://a.b/5"),
]
contrast_texts = st.lists(st.sampled_from(PIECES), max_size=20).map(" ".join)
contrast_columns = st.lists(st.none() | contrast_texts, max_size=3) | columns
seeds = st.integers(0, 2**64 - 1)


@cache
def planner(name, **settings):
    return PRESETS[name].make_planner(PRESETS[name].settings(exclude=(), **settings))


def name_kinds():
    return [Kind(own, RULES[table]) for table, lists in load_names().items() for own in lists.values()]


def number_kinds():
    return [
        Kind(tuple(map(case, words.split())), 2)
        for words in NUMBER_WORDS
        for case in (str.lower, str.capitalize)
    ]


def slow_names(row):
    return slow.swaps(row, name_kinds(), (), (), "name")


def slow_numbers(row):
    before = {case(word) for word in BEFORE.split() for case in (str.lower, str.capitalize)}
    words = slow.swaps(row, number_kinds(), before, set(AFTER.split()), "number")
    return sorted(words + slow.digits(row, TIMES, "number"))


def check_kinds(name, plan, column, draw, *, most=1, protection=None):
    chunk = cut(column, "nltk", draw, protection)
    edits, rows = planner(name, most=most).plan(chunk, draw.severity), rows_of(chunk, draw)
    possible = [plan(row) for row in rows]
    assert edits_by_row(chunk, edits) == [
        slow.choose(own, [row.words[place] for place, _, _ in own], row.key, draw.severity, most)
        for own, row in zip(possible, rows, strict=True)
    ]
    assert edits.tally.eligible.tolist() == [len(own) for own in possible]


@given(column=contrast_columns, severity=severities, seed=seeds, most=st.sampled_from([1, 3]))
def test_hostile_texts_have_the_names_of_the_slow_twin(column, severity, seed, most):
    check_kinds("names", slow_names, column, Draw(seed, severity, 1), most=most)


@given(column=contrast_columns, severity=severities, seed=seeds, most=st.sampled_from([1, 3]))
def test_hostile_texts_have_the_numbers_of_the_slow_twin(column, severity, seed, most):
    check_kinds("numbers", slow_numbers, column, Draw(seed, severity, 1), most=most)


@pytest.mark.parametrize(("name", "plan"), [("names", slow_names), ("numbers", slow_numbers)])
def test_bundled_reviews_have_the_edits_of_the_slow_twin(name, plan, bundled):
    column = bundled[:60] if COMPILED else bundled[:1]
    check_kinds(name, plan, column, Draw(3, 1.0, 0), most=9, protection=Protection(markup=True))


def slow_pairs(chunk, draw, names):
    """Return the edits of every row, at severity 1, as places of tokens."""
    words, pairs = (
        chunk.words.array.to_pylist(),
        [(rule, open_pairs(name, "builtin")) for rule, name in names],
    )
    for number, row in enumerate(rows_of(chunk, draw)):
        own = words[chunk.cuts.rows[number] : chunk.cuts.rows[number + 1]]
        tags = [name for _, name in tag([own]).to_pylist()[0]] if own else []
        text = natural.Text(row.text, own, tags, row.spans, row.blocked, row.key, 1.0)
        yield row, own, natural.plan(text, pairs, set()).edits


def check_pairs(name, names, column, draw):
    chunk, expected = cut(column, "nltk", draw), []
    edits = planner(name).plan(chunk, draw.severity)
    full = planner(name).pairs.plan(chunk, 1.0)
    ends = dict(zip(full.tokens.tolist(), full.stops.tolist(), strict=True))
    for number, (row, words, possible) in enumerate(slow_pairs(chunk, draw, names)):
        first = int(chunk.cuts.rows[number])
        clear = []
        for place, rule, new in possible:
            stop = ends[first + place]
            last = sum(chunk.cuts.starts[first : first + len(words)] < stop)
            barred = BARRED.get(RULE_NAMES.index(rule), 0)
            if slow.is_clear(words, range(place, last), FLAGS, SENTENCE_END, barred):
                clear.append((place, rule, new))
        expected.append(slow.choose(clear, range(len(clear)), row.key, draw.severity, 1))
    assert edits_by_row(chunk, edits) == expected


NEGATION_FILES = [("negation", "negations"), ("affirmation", "affirmations")]


@given(column=contrast_columns, severity=severities, seed=seeds)
def test_hostile_texts_have_the_antonyms_of_the_slow_twin(column, severity, seed):
    check_pairs("antonyms", [("antonym", "antonyms")], column, Draw(seed, severity, 1))


def test_bundled_reviews_have_the_negations_and_antonyms_of_the_slow_twin(bundled):
    column = bundled[:8] if COMPILED else bundled[:1]
    check_pairs("negation", NEGATION_FILES, column, Draw(3, 1.0, 0))
    check_pairs("antonyms", [("antonym", "antonyms")], column, Draw(3, 1.0, 0))


def edited(name, text, **settings):
    return salva.preset(name, **settings).transform([text], seed=0).column.to_pylist()[0]


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("This is a great film.", "This is not a great film."),
        ("He likes it.", "He does not like it."),
        ("They loved it.", "They did not love it."),
        ("It isn't good.", "It is good."),
        ("She doesn't like the film.", "She likes the film."),
        ("He always wins.", "He never wins."),
        ("Everyone was happy.", "No one was happy."),
        ("It is good, isn't it?", "It is good, isn't it?"),  # one negation is there already
        ("I don't like any of it.", "I don't like any of it."),  # any needs its negation
        ("It is not only good but cheap.", "It is not only good but cheap."),
        ("What is it?", "What is it?"),
    ],
)
def test_a_negation_is_made_or_undone_and_never_doubled(text, new):
    assert edited("negation", text) == new


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("A good film.", "A bad film."),
        ("It was an awful film.", "It was a wonderful film."),
        ("She won.", "She lost."),
        ("It was a better film.", "It was a worse film."),
        ("good luck", "good luck"),
        ("They did their best.", "They did their best."),
    ],
)
def test_an_antonym_has_the_form_of_the_word_and_its_article(text, new):
    assert edited("antonyms", text) == new


def test_every_mention_of_a_name_or_a_number_changes_alike():
    text = "Mary met John in 1987. John liked Mary, and in 1987 they married."
    for name, count in (("names", 2), ("numbers", 2)):
        twins = salva.preset(name).transform([text], seed=4)
        assert twins.edits["new"].to_pylist()[0] == twins.edits["new"].to_pylist()[-1]
        assert len(twins.edits) == count


@given(seed=seeds)
def test_a_number_keeps_its_form_and_is_another_one(seed):
    for old, form in (
        ("1987", "19[0-9]{2}"),
        ("$1,500", r"\$[1-9],[0-9]00"),
        ("3.50", "[1-9][.][1-9]0"),
        ("5th", "[4-9]th"),
    ):
        text = f"It was {old}."
        new = salva.preset("numbers").transform([text], seed=seed).column.to_pylist()[0]
        assert new != text
        assert re.fullmatch(f"It was {form}.", new)


def test_severity_is_the_share_of_texts_that_get_their_edit():
    column = [f"It took {n} days." for n in range(100, 900)]
    some, more = (
        salva.preset("numbers").transform(column, seed=1, severity=severity).edits for severity in (0.3, 0.6)
    )
    assert 0.25 < len(some) / len(column) < 0.35
    assert 0.55 < len(more) / len(column) < 0.65
    assert set(map(str, some.to_pylist())) <= set(map(str, more.to_pylist()))


def test_a_row_of_many_names_is_not_slow():
    times = 300_000 if COMPILED else 300
    twins = salva.preset("names").transform(["saw John " * times], seed=0)
    assert len(twins.edits) == times


def test_contrasts_stand_alone():
    with pytest.raises(salva.errors.UsageError, match="stands alone"):
        salva.preset("negation+antonyms")


def test_own_names_are_read_and_bad_files_refused(tmp_path):
    path = tmp_path / "names.toml"
    path.write_text('[persons]\nelf = ["Aredhel", "Finrod"]\n', "utf-8")
    assert edited("names", "We saw Finrod there.", names=path) == "We saw Aredhel there."
    for text, problem in (
        ("[gods]\na = ['B']", r"\[gods\] is unknown"),
        ("", "has no names"),
        ("[persons]\na = ['B']", "fewer than two"),
        ("[persons]\na = ['b', 'C']", "must be names"),
        ("persons = 3", "must be lists"),
    ):
        path.write_text(text, "utf-8")
        with pytest.raises(salva.errors.InputError, match=problem):
            edited("names", "x", names=path)
