"""Natural twins: whole words in the right case, one kind of pair a line, all occurrences."""

from __future__ import annotations

import time

import pytest

from salva import preset
from salva.errors import InputError, UsageError
from salva.twins.natural.pairing import natural_pairs, pair_texts, transform_pairs
from salva.twins.natural.synonyms import Synonym, read_synonyms
from salva.twins.pair import read_pair_lines, write_pair_lines

LORRY = Synonym("lorry", "truck")


def twins(texts, *table, **options):
    return [pair.twin for pair in natural_pairs(texts, table or [LORRY], **options)]


@pytest.mark.parametrize(
    ("text", "twin"),
    [
        ("The lorry stops.", "The truck stops."),
        ("Lorry, LORRY and lorry!", "Truck, TRUCK and truck!"),
        ("a lorry's horn", "a truck's horn"),
        ("lorry-park (lorry)", "truck-park (truck)"),
        ("<b>lorry</b>\t lorry\u00a0", "<b>truck</b>\t truck\u00a0"),
        ("🚚 lorry", "🚚 truck"),
    ],
)
def test_all_occurrences_are_replaced_in_their_case(text, twin):
    assert twins([text]) == [twin]


@pytest.mark.parametrize("text", ["lorrys", "florry", "lorry2", "lorry_x", "lorry\u0301", "", "truck"])
def test_parts_of_words_are_no_words(text):
    assert twins([text]) == []


def test_a_text_gives_a_pair_for_every_synonym_that_it_holds():
    found = natural_pairs(["The lorry by the flat"], [LORRY, Synonym("flat", "apartment")])
    assert [(pair.kind, pair.twin) for pair in found] == [
        ("lorry/truck", "The truck by the flat"),
        ("flat/apartment", "The lorry by the apartment"),
    ]


def test_a_text_that_holds_both_words_is_left_out():
    assert twins(["a lorry is a truck"]) == []


def test_both_ways_goes_back_as_well():
    found = natural_pairs(["a lorry", "a truck"], [LORRY], both_ways=True)
    assert [(pair.kind, pair.twin, pair.row) for pair in found] == [
        ("lorry/truck", "a truck", 0),
        ("truck/lorry", "a lorry", 1),
    ]


def test_phrases_are_found_over_any_white_space_and_the_longest_counts():
    table = [Synonym("car", "auto"), Synonym("car park", "parking lot")]
    assert twins(["the Car\n park"], *table) == ["the Parking lot"]
    assert twins(["the car, park"], *table) == ["the auto, park"]


def test_a_curly_apostrophe_is_an_apostrophe():
    assert twins(["at five o’clock"], Synonym("o'clock", "hours")) == ["at five hours"]


def test_a_word_with_capitals_of_its_own_keeps_them():
    assert twins(["my phone, MY PHONE"], Synonym("phone", "iPhone")) == ["my iPhone, MY iPhone"]


def test_targets_go_to_both_sides():
    pair = natural_pairs(["x", "a lorry"], [LORRY], targets=["", "positive"])[0]
    assert (pair.target, pair.twin_target, pair.row) == ("positive", "positive", 1)


def test_targets_of_another_number_are_refused():
    with pytest.raises(UsageError, match="2 targets for 1 text; give one per text"):
        natural_pairs(["a"], [LORRY], targets=["a", "b"])


def test_a_preset_makes_twins_of_the_texts_that_it_changes():
    texts = ["A wonderful film with great actors", "of"]
    made = transform_pairs(texts, preset("typos", prob=1.0, render="splice"), targets=["pos", "neg"], seed=3)
    assert [(pair.kind, pair.source, pair.target) for pair in made] == [("typos", texts[0], "pos")]
    assert made[0].twin != texts[0]


def test_a_table_is_read_with_its_comments_and_spaces(tmp_path):
    path = tmp_path / "s.tsv"
    path.write_text("# British and American\nlorry\ttruck\r\n\n soft  drink\tsoda", "utf-8")
    assert read_synonyms(path) == [Synonym("lorry", "truck"), Synonym("soft drink", "soda")]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("lorry", "2: 1 cell, not 2; write a, tab, b"),
        ("lorry truck", "2: 1 cell, not 2"),
        ("a\tb\tc", "2: 3 cells, not 2"),
        ("lorry\t", "2: '' must be a word or phrase"),
        ("C++\tC", r"2: 'C\+\+' must be a word or phrase that begins and ends with a letter or digit"),
        ("lorry\tLORRY", "2: 'lorry' is given as its own synonym"),
        ("Truck\tlorry", "2: 'Truck' and 'lorry' are given twice; keep one line"),
    ],
)
def test_a_line_that_is_no_synonym_is_refused_with_its_place(tmp_path, line, problem):
    (tmp_path / "s.tsv").write_text(f"lorry\ttruck\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=f"s.tsv:{problem}"):
        read_synonyms(tmp_path / "s.tsv")


def test_a_table_without_synonyms_is_refused(tmp_path):
    (tmp_path / "s.tsv").write_text("# nothing\n", "utf-8")
    with pytest.raises(InputError, match="has no synonyms"):
        read_synonyms(tmp_path / "s.tsv")


def test_pairs_are_written_and_read_whatever_is_in_them(tmp_path):
    pairs = natural_pairs(['a "lorry"\t\n\u2028\0', "lorry"], [LORRY], targets=["", "x\ny"])
    write_pair_lines(tmp_path / "p.jsonl", pairs)
    assert read_pair_lines(tmp_path / "p.jsonl") == pairs


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "is not a pair; expected a JSON object"),
        ('{"source": "a"}', "is not a pair"),
        ('{"source": "a", "twin": "b", "extra": 1}', "is not a pair"),
        ('{"source": "a", "twin": 1}', "texts of a pair must be strings"),
        ('{"source": "a", "twin": "a"}', "source and twin are the same text"),
    ],
)
def test_a_line_that_is_no_pair_is_refused_with_its_place(tmp_path, line, problem):
    (tmp_path / "p.jsonl").write_text(f'{{"source": "a", "twin": "b"}}\n{line}\n', "utf-8")
    with pytest.raises(InputError, match=f"p.jsonl:2: {problem}"):
        read_pair_lines(tmp_path / "p.jsonl")


def test_a_data_set_gives_texts_and_their_labels(tmp_path):
    (tmp_path / "d.csv").write_text("text,label\nA lorry,pos\nA car,neg\nNo lorry,\n", "utf-8")
    (tmp_path / "s.tsv").write_text("lorry\ttruck\n", "utf-8")
    found = pair_texts(tmp_path / "d.csv", synonyms=tmp_path / "s.tsv")
    assert [(pair.twin, pair.target) for pair in found] == [("A truck", "pos"), ("No truck", "")]


def test_texts_without_a_match_are_said_to_have_none(tmp_path):
    (tmp_path / "d.txt").write_text("A car\n", "utf-8")
    (tmp_path / "s.tsv").write_text("lorry\ttruck\n", "utf-8")
    with pytest.raises(InputError, match="no pair can be made from its 1 text; try"):
        pair_texts(tmp_path / "d.txt", synonyms=tmp_path / "s.tsv")


def test_a_row_without_a_text_keeps_its_number():
    pairs = natural_pairs([None, "A lorry"], [Synonym("lorry", "truck")], targets=["", "x"])
    assert [(one.row, one.target) for one in pairs] == [(1, "x")]
    made = transform_pairs([None, "A great film"], preset("typos", prob=1.0, render="splice"), seed=1)
    assert [one.row for one in made] == [1]


def test_a_long_table_costs_what_its_lines_and_the_texts_cost(tmp_path):
    words = [f"the word{k}\tthe other{k}" for k in range(20_000)]
    (tmp_path / "s.tsv").write_text("\n".join(words), "utf-8")
    started = time.process_time()
    table = read_synonyms(tmp_path / "s.tsv")
    pairs = natural_pairs([f"Here the word{k} stands" for k in range(2_000)], table)
    assert (len(pairs), pairs[-1].twin) == (2_000, "Here the other1999 stands")
    assert time.process_time() - started < 10  # half a second; table by texts is minutes


@pytest.mark.parametrize(("a", "b"), [("", "b"), ("a", "!"), ("a", "A"), (3, "b")])
def test_what_is_no_synonym_is_refused_in_python_too(a, b):
    with pytest.raises(UsageError, match=r"must be a word or phrase|is given as its own synonym"):
        Synonym(a, b)


def test_too_few_targets_are_refused():
    for make in (
        lambda: natural_pairs(["a", "b"], [], targets=["x"]),
        lambda: transform_pairs(["a", "b"], "typos", targets=["x"]),
    ):
        with pytest.raises(UsageError, match="1 target for 2 texts; give one per text"):
            make()


@pytest.mark.parametrize(
    ("texts", "table"), [("a lorry", [LORRY]), ([3], [LORRY]), (["a"], [("lorry", "truck")])]
)
def test_what_are_no_texts_and_no_synonyms_is_refused(texts, table):
    with pytest.raises(UsageError, match=r"texts must be a list of strings|table must be a list of Synonym"):
        natural_pairs(texts, table)
