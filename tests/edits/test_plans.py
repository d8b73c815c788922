"""Every plan makes the edits of its slow twin: same words, same rules, same new words."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva._presets import PRESETS, Planner
from salva._presets.corrupt import CorruptPlanner
from salva.edits.chunk import Chunk, Draw
from salva.edits.common import TIMES, Completions, Corrections
from salva.edits.letters import compile_keyboard
from salva.edits.memo import Memory
from salva.edits.protect import Protection
from salva.edits.sources import WordTable
from salva.lexicon import KEYBOARDS, stop_words
from salva.text import tag
from salva.text.tagger import PARTS
from tests.edits.conftest import (
    COMPILED,
    HYBRID_SETTINGS,
    PLANS,
    PRESET_OF,
    SYNONYM_PROB,
    TWIN_TESTS,
    TYPO_SETTINGS,
    WEIGHTS,
    columns,
    cut,
    edits_by_row,
    planners,
    severities,
    tokenizer_of,
    word_sources,
)
from tests.reference import plans as slow
from tests.reference import rng

STOP_WORDS = stop_words()
ANY_KEYS = {"a": "äб𐐨", "в": "ыа", "λ": "κ", "ö": "ß", "k": "j", "е": "a", "ꭰ": "ꭱ", "å": "a"}
numbers = st.sampled_from([0, 1, 2**64 - 1]) | st.integers(0, 2**64 - 1)


def corrections(source: Corrections, word: str) -> list[str]:
    return [other for other, distance in source.of(word).items() for _ in range(TIMES[distance])]


@cache
def by_part(word: str, part: int) -> list[str]:
    return word_sources()["by class"].of(word, "nvar"[part])


@cache
def first_three(word: str) -> list[str]:
    return word_sources()["first three"].of(word)


def parts_of(words: list[str]) -> list[int]:
    return [PARTS.index(name) for name in tag([words]).parts[0].as_py()]


def slow_corrupt(
    row: slow.Row, synonyms: str, weights: tuple[float, ...] = WEIGHTS, **settings: bool
) -> slow.Plan:
    source, how = word_sources(), " as written" if settings.get("written") else ""
    lists = source[f"completions{how}"].of, lambda word: corrections(source[f"corrections{how}"], word)
    return slow.corrupt(row, *lists, source[f"{synonyms}{how}"].of, weights, **settings)


def slow_hybrid(row: slow.Row, neighbours=KEYBOARDS["hybrid"], **changes) -> slow.Plan:
    sources = word_sources()["groups"].of, by_part, neighbours
    return slow.hybrid(row, parts_of(row.words), *sources, **HYBRID_SETTINGS | changes)


def slow_typos(row: slow.Row, neighbours=KEYBOARDS["typos"], **changes) -> slow.Plan:
    return slow.typos(row, neighbours, **TYPO_SETTINGS | changes)


TWINS = {
    "typos": slow_typos,
    "synonyms": lambda row: slow.synonyms(row, first_three, STOP_WORDS, prob=SYNONYM_PROB),
    "hybrid": slow_hybrid,
    "corrupt": lambda row: slow_corrupt(row, "all"),
    "corrupt by hand": lambda row: slow_corrupt(row, "thesaurus"),
    "corrupt as written": lambda row: slow_corrupt(row, "thesaurus", written=True, every_token=True),
    "corrupt tokens": lambda row: slow_corrupt(row, "all", every_token=True),
}


def test_every_preset_is_compared_with_a_slow_twin():
    assert set(TWIN_TESTS) == set(PRESETS)
    for module in TWIN_TESTS.values():
        assert "from tests.reference import " in Path(__file__).with_stem(module).read_text("utf-8")


def test_every_plan_that_is_compared_here_has_a_planner_and_a_twin():
    assert set(PLANS) == set(planners()) == set(TWINS)
    here = {name for name, module in TWIN_TESTS.items() if module == Path(__file__).stem}
    assert {PRESET_OF[type(planner)].name for planner in planners().values()} == here


def rows_of(chunk: Chunk, draw: Draw) -> list[slow.Row]:
    rows = []
    for i, text in enumerate(chunk.cuts.texts.array.to_pylist()):
        own = slice(chunk.cuts.rows[i], chunk.cuts.rows[i + 1])
        blocked, words = chunk.blocked[own], chunk.words.array[own].to_pylist()
        key = rng.row_key((text or "").encode(), draw.seed, draw.replicate)
        rows.append(slow.Row(words, blocked.astype(bool).tolist(), key, draw.severity, chunk.whole))
    return rows


def check(planner: Planner, twin, column, draw: Draw, protection: Protection | None = None) -> None:
    chunk = cut(column, tokenizer_of(planner), draw, protection)
    edits = planner.plan(chunk, draw.severity)
    expected = [twin(row) for row in rows_of(chunk, draw)]
    assert edits_by_row(chunk, edits) == [plan.edits for plan in expected]
    assert edits.tally.eligible.tolist() == [plan.eligible for plan in expected]
    if expected and expected[0].counts:
        every = zip(*(plan.counts for plan in expected), strict=True)
        sums = [[sum(counts) for counts in zip(*rows, strict=True)] for rows in every]
        assert edits.tally.parts.tolist() == sums


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("whole", [False, True])
@given(column=columns, severity=severities, seed=numbers, replicate=numbers)
def test_hostile_texts_have_the_edits_of_the_slow_twin(name, whole, column, severity, seed, replicate):
    draw = Draw(seed, severity, replicate)
    check(planners()[name], TWINS[name], column, draw, Protection(whole=whole))


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("severity", [0.1, 0.5, 1.0])
def test_bundled_reviews_have_the_edits_of_the_slow_twin(bundled, name, severity):
    column = bundled[:100] if COMPILED else bundled[:2]
    check(planners()[name], TWINS[name], column, Draw(0, severity, 3), Protection(whole=severity > 0.2))


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("whole", [False, True])
def test_marks_keep_their_letters_where_characters_stay_whole(name, whole):
    column = ["sto\u0301ry sho\u0308ws Ki\u0301ngs wa\u0903ll " * 20]
    check(planners()[name], TWINS[name], column, Draw(0, 1.0, 0), Protection(whole=whole))
    chunk = cut(column, tokenizer_of(planners()[name]), Draw(0, 1.0, 0), Protection(whole=whole))
    new = "".join(word for _, _, word in edits_by_row(chunk, planners()[name].plan(chunk, 1.0))[0])
    assert not whole or set(re.findall("(.)[\u0301\u0308\u0903]", new)) <= set("oia")


@pytest.mark.parametrize("name", PLANS)
@given(column=columns)
def test_what_is_blocked_is_left_alone(name, column):
    protection = Protection(markup=True, names=True, patterns=(r"\w*[aeiou]{2}\w*",))
    check(planners()[name], TWINS[name], column, Draw(1, 1.0, 0), protection)


@pytest.mark.parametrize("name", ["typos", "hybrid"])
@given(column=columns, length=st.integers(0, 3), seed=numbers)
def test_short_words_may_be_mistyped_where_the_settings_say_so(name, column, length, seed):
    planner = replace(planners()[name], min_word_length=length)
    check(planner, lambda row: TWINS[name](row, min_word_length=length), column, Draw(seed, 1.0, 0))


@given(columns, st.sampled_from([0.0, 0.01, 0.5, 0.99, 1.0]), numbers)
def test_any_share_of_letters_is_mistyped(column, share, seed):
    planner = replace(planners()["typos"], typo_per_word=share)
    check(planner, lambda row: slow_typos(row, typo_per_word=share), column, Draw(seed, 1.0, 0))


@pytest.mark.parametrize("name", ["typos", "hybrid"])
@given(column=columns, seed=numbers)
def test_a_keyboard_may_have_any_letters(name, column, seed):
    planner = replace(planners()[name], keyboard=compile_keyboard(ANY_KEYS))
    column = [*column, "Великий ΠΛΑΤΩΝ größer aaaaAAAA ꭰꭰꭰꭰ"]
    check(planner, lambda row: TWINS[name](row, neighbours=ANY_KEYS), column, Draw(seed, 1.0, 0))


@given(columns, numbers)
def test_a_word_of_a_group_may_get_one_draw(column, seed):
    planner = replace(planners()["hybrid"], second_draw=False)
    check(planner, lambda row: slow_hybrid(row, second_draw=False), column, Draw(seed, 1.0, 0))


@given(columns, st.integers(0, 4), numbers)
def test_typos_end_at_their_limit_in_order_of_the_text(column, most, seed):
    planner = replace(planners()["hybrid"], max_typos=most, p_typo=1.0)
    check(planner, lambda row: slow_hybrid(row, max_typos=most, p_typo=1.0), column, Draw(seed, 0.7, 0))


@pytest.mark.parametrize("name", PLANS)
@given(column=columns, seed=numbers)
def test_what_is_edited_is_edited_the_same_way_at_a_higher_severity(name, column, seed):
    planner, fewer = planners()[name], set()
    for severity in (0.0, 0.2, 0.5, 0.8, 1.0):
        chunk = cut(column, tokenizer_of(planner), Draw(seed, severity, 0))
        found = edits_by_row(chunk, planner.plan(chunk, severity))
        edits = {(row, *edit) for row, made in enumerate(found) for edit in made}
        assert fewer <= edits
        fewer = edits


@pytest.mark.parametrize("name", PLANS)
@given(column=columns)
def test_a_row_has_the_same_edits_whatever_its_neighbours(name, column):
    planner, draw = planners()[name], Draw(5, 1.0, 0)
    chunk = cut(column, tokenizer_of(planner), draw)
    alone = [cut([text], tokenizer_of(planner), draw) for text in column]
    rows = [edits_by_row(one, planner.plan(one, 1.0))[0] for one in alone]
    assert edits_by_row(chunk, planner.plan(chunk, 1.0)) == rows


@pytest.mark.parametrize(("words", "corrupted"), [(1, 0), (3, 2), (5, 2), (7, 4), (9, 4), (2, 1), (4, 2)])
def test_a_share_of_words_is_rounded_half_to_even(words, corrupted):
    planner = replace(planners()["corrupt"], weights=(1.0, 0.0, 0.0, 0.0))
    chunk = cut([" ".join(["word"] * words)], "word", Draw(0, 0.5, 0))
    assert len(planner.plan(chunk, 0.5).tokens) == corrupted == round(words / 2)


@given(seed=numbers)
def test_a_wrong_letter_is_of_the_script_of_the_slow_twin(seed):
    planner = replace(planners()["corrupt"], weights=(1.0, 0.0, 0.0, 0.0))
    column = ["Великий ΠΛΑΤΩΝ λόγος ὁδός فيلم סרט მთა Ḱing Ֆիլմ घर 영화 ÄÖÜ \u212aelvin ђ Ѝ Ꙁ ﻼ"]
    check(planner, lambda row: slow_corrupt(row, "all", (1.0, 0.0, 0.0, 0.0)), column, Draw(seed, 1.0, 0))


def test_scripts_without_spaces_are_not_mistyped():
    planner = replace(planners()["corrupt"], weights=(1.0, 0.0, 0.0, 0.0))
    column = ["映画 日本語ab ไทยx Жук caféカナ " * 10]
    check(planner, lambda row: slow_corrupt(row, "all", (1.0, 0.0, 0.0, 0.0)), column, Draw(0, 1.0, 0))
    chunk = cut(column, "word", Draw(0, 1.0, 0))
    new = "".join(word for _, _, word in edits_by_row(chunk, planner.plan(chunk, 1.0))[0])
    assert {new.count(kept) for kept in ("日本語", "ไทย", "カナ")} == {10}
    assert "映画" not in new


WEIGHTINGS = [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 3, 0, 1), (1, 1, 1, 1)]


@pytest.mark.parametrize("weights", WEIGHTINGS)
@given(column=columns, seed=numbers)
def test_what_has_no_word_to_become_falls_back_as_the_slow_twin_does(weights, column, seed):
    common = Completions(["movies", "stories"]), Corrections(["store", "word"])
    table = WordTable({"movie": ["film"]})
    planner = CorruptPlanner(Memory(*common, table), weights)

    def twin(row: slow.Row) -> slow.Plan:
        return slow.corrupt(row, common[0].of, lambda word: corrections(common[1], word), table.of, weights)

    check(planner, twin, [*column, "The movie xyzzy stories WORDS."], Draw(seed, 1.0, 0))


def test_there_is_room_for_words_much_longer_than_the_text():
    long = "very " * 9_000
    sources = Completions([]), Corrections([]), WordTable({"movie": [long]})
    planner = CorruptPlanner(Memory(*sources), (0, 0, 0, 1))
    chunk = cut(["movie movie Movie"], "word", Draw(0, 1.0, 0))
    edits = edits_by_row(chunk, planner.plan(chunk, 1.0))
    assert [new for _, _, new in edits[0]] == [long, long, long.capitalize()]
