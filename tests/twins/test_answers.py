"""Answers from elsewhere: found by their sources, refused where they do not match; items 77 and 121."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import InputError
from salva.twins.answers import PairAnswers, read_answers, read_pair_answers
from salva.twins.pair import TwinPair
from salva.twins.scoring import score

SOURCES = ["copy A1 B2", "echo C3 D4", "copy A1 B2"]  # a source may stand in several pairs
TARGETS = ["A1 B2", "C3 D4 D4", "A1 B2"]
PAIRS = [
    TwinPair("repeat A1 B2", "repeat_twin A1 B2", "A1 B2 A1 B2", "A1 B2 A1 B2", "repeat", 0),
    TwinPair("append C3 , D4", "append_twin C3 , D4", "C3 D4", "C3 D4", "append", 1),
]


@pytest.fixture
def write(tmp_path):
    def file(name, text):
        (tmp_path / name).write_text(text, "utf-8", newline="")
        return tmp_path / name

    return file


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "  \n"])
def test_77_lines_beside_their_sources_are_found_by_text(write, end):
    write("test.src", "echo C3 D4\ncopy A1 B2" + end)
    path = write("test.out", "C3 D4 D4\nA1  B2 " + end)
    answers, unused = read_answers(path, SOURCES, TARGETS)
    assert [" ".join(answer.split()) for answer in answers] == ["A1 B2", "C3 D4 D4", "A1 B2"]
    assert unused == 0


def test_77_an_empty_line_is_an_empty_answer_even_the_last(write):
    write("test.src", "copy A1 B2\necho C3 D4\n")
    assert read_answers(write("test.out", "\n\n"), SOURCES)[0] == ["", "", ""]
    assert read_answers(write("test.out", "x\n\n"), SOURCES)[0] == ["x", "", "x"]


def test_without_sources_beside_lines_are_those_of_the_pairs(write):
    assert read_answers(write("a.out", "x\ny\nx\n"), SOURCES)[0] == ["x", "y", "x"]


def test_a_table_may_have_any_order_and_more_lines(write):
    rows = "source\ttarget\tprediction\necho C3 D4\tC3 D4 D4\tC3\nshift E5\tE5\tE5\ncopy A1 B2\tA1 B2\t\n"
    assert read_answers(write("a.tsv", rows), SOURCES, TARGETS) == (["", "C3", ""], 1)


def test_a_table_needs_no_target_and_its_columns_stand_in_any_order(write):
    rows = "Prediction\tSource\nx\tcopy A1 B2\ny\techo C3 D4"
    assert read_answers(write("a.tsv", rows), SOURCES)[0] == ["x", "y", "x"]


def test_the_same_answer_twice_is_fine(write):
    rows = "source\tprediction\ncopy A1 B2\tx\ncopy  A1 B2\tx \necho C3 D4\ty\n"
    assert read_answers(write("a.tsv", rows), SOURCES)[0] == ["x", "y", "x"]


def test_breaks_inside_of_a_line_are_no_line_breaks(write):
    write("test.src", "copy A1 B2\necho C3 D4\n")
    path = write("test.out", "a\u2028b\x0cc\x85d\ne\n")
    assert read_answers(path, SOURCES)[0][:2] == ["a\u2028b\x0cc\x85d", "e"]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("test.out", "", r"test.out: has 0 lines but .*test.src has 2; give one answer per line"),
        ("test.out", "x\n", r"test.out: has 1 line but .*test.src has 2"),
        ("test.out", "x", r"test.out: has 1 line but .*test.src has 2"),
        ("a.out", "x\ny\n", r"a.out: has 2 lines but there are 3 sources"),
        ("test.out", "x\n" * 3, r"test.out: has 3 lines but .*test.src has 2"),
        (
            "a.out",
            "x\n",
            r"a.out: has 1 line but there are 3 sources; .*put a.src next to it, or give a table",
        ),
        (
            "a.tsv",
            "",
            r"a.tsv:1: has no column 'source'; name source, prediction and any target",
        ),
        (
            "a.tsv",
            "source\ttarget\n",
            r"a.tsv:1: has no column 'prediction', only 'source', 'target'; name source,",
        ),
        ("a.tsv", "source\tprediction\nx\n", r"a.tsv:2: 1 cell, not 2; use tabs only"),
        (
            "a.tsv",
            "source\tprediction\nz\tx\n",
            r"no answer for 2 of 2 sources, such as 'copy A1 B2'; .*another",
        ),
        (
            "a.tsv",
            "source\tprediction\ncopy A1 B2\tx\n",
            r"no answer for 1 of 2 sources, such as 'echo C3 D4'",
        ),
        (
            "a.tsv",
            "source\tprediction\ncopy A1 B2\tx\ncopy A1 B2\ty\n",
            r"a.tsv:3: answers the source of line 2 again, but differently: 'copy A1 B2'; keep one",
        ),
        (
            "a.tsv",
            "source\ttarget\tprediction\ncopy A1 B2\tB2\tx\n",
            r"a.tsv:2: the target of 'copy A1 B2' is 'A1 B2' in the pairs and 'B2' here; do these answers",
        ),
        ("a.txt", "Source\tPrediction\tsource\nx\ty\tz\n", r"a.txt:1: has 2 columns 'source'; keep one"),
        ("a.txt", "target\tprediction\nx\ty\n", r"a.txt:1: has no column 'source', only 'target', 'predict"),
        (
            "a.csv",
            "source,prediction\ncopy A1 B2,x\n",
            r"a.csv:1: has commas between its columns; write tabs",
        ),
        (
            "a.txt",
            "copy A1 B2\tx\necho C3 D4\ty\ncopy A1 B2\tx\n",
            r"a.txt:1: column 1 holds sources, but .* name",
        ),
        (
            "test.out",
            "x\tcopy A1 B2\ny\techo C3 D4\n",
            r"test.out:1: column 2 holds sources, but there is no",
        ),
        (
            "a.tsv",
            "copy A1 B2\tx\necho C3 D4\ty\n",
            r"a.tsv:1: column 1 holds sources, but there is no header",
        ),
        ("test.src", "x\n", r"test.src: holds sources; name the answers, such as test.out"),
        ("gone.tsv", None, "gone.tsv: no such file"),
    ],
)
def test_what_does_not_match_is_refused_with_its_place(write, tmp_path, name, text, problem):
    write("test.src", "copy A1 B2\necho C3 D4\n")
    path = tmp_path / name if text is None else write(name, text)
    with pytest.raises(InputError, match=problem):
        read_answers(path, SOURCES, TARGETS)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "a.tsv").write_bytes(b"source\tprediction\n\xff")
    with pytest.raises(InputError, match="byte 18 is not UTF-8"):
        read_answers(tmp_path / "a.tsv", SOURCES)


def test_answers_in_the_wrong_order_cannot_slip_through(write):
    """Two files whose lines are shifted against each other: by number all is wrong, by text all is right."""
    rows = [f"{pair.twin}\t{pair.target}" for pair in reversed(PAIRS)]
    rows += [f"{pair.source}\t{pair.target}" for pair in PAIRS]
    found = read_pair_answers(PAIRS, write("both.tsv", "\n".join(["source\tprediction", *rows])))
    assert score(PAIRS, found.answers, found.twin_answers).overall.both_right.value == 100


def test_two_files_hold_a_side_each(write):
    write("test.src", "\n".join(pair.source for pair in PAIRS))
    write("test_twin.src", "\n".join(pair.twin for pair in PAIRS))
    first, second = write("test.out", "x\ny\n"), write("test_twin.out", "x\nz")
    found = read_pair_answers(PAIRS, first, second)
    assert (found.answers, found.twin_answers, found.unused) == (["x", "y"], ["x", "z"], 0)


def test_the_files_of_the_sides_may_not_be_confused(write):
    write("test.src", "\n".join(pair.source for pair in PAIRS))
    with pytest.raises(InputError, match="no answer for 2 of 2 sources, such as 'repeat_twin A1 B2'"):
        read_pair_answers(PAIRS, write("test.out", "x\ny\n"), write("test.out", "x\ny\n"))


@pytest.mark.parametrize(
    ("answer", "accuracy", "nonempty", "either"), [("{}", 100, 100, 100), ("Z", 0, 100, 100), ("", 0, 0, 100)]
)
def test_perfect_constant_and_empty_files_get_their_numbers(write, answer, accuracy, nonempty, either):
    rows = [f"{text}\t{answer.format(one.target)}" for one in PAIRS for text in (one.source, one.twin)]
    found = read_pair_answers(PAIRS, write("a.tsv", "\n".join(["source\tprediction", *rows, ""])))
    overall = score(PAIRS, found.answers, found.twin_answers).overall
    assert overall.accuracy.value == overall.twin_accuracy.value == accuracy
    assert [one.consistency.value for one in overall.by_rule.values()] == [either, nonempty]


@given(st.binary(max_size=60), st.sampled_from(["a.tsv", "a.out"]))
def test_any_bytes_are_answers_or_refused(tmp_path_factory, raw, name):
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(raw)
    refused = ""
    try:
        answers, _ = read_answers(path, SOURCES)
    except InputError as error:
        refused = str(error)
    assert refused.startswith(str(path)) if refused else len(answers) == 3


@pytest.mark.parametrize("name", ["run=1.txt", "run", "test.out", "a.TSV", "a.b"])
def test_a_table_is_known_by_its_header_whatever_its_name(write, name):
    write("test.src", "copy A1 B2\necho C3 D4\n")
    rows = "source\ttarget\tprediction\necho C3 D4\tC3 D4 D4\tC3\ncopy A1 B2\tA1 B2\t\n"
    assert read_answers(write(name, rows), SOURCES, TARGETS) == (["", "C3", ""], 0)


def test_a_tab_in_an_answer_makes_no_table(write):
    assert read_answers(write("a.out", "x\tcopy\ny\nx\tcopy\n"), SOURCES)[0] == ["x\tcopy", "y", "x\tcopy"]


def test_answers_that_repeat_their_sources_are_noticed():
    found = score(PAIRS, [pair.source for pair in PAIRS], ["x", "y"])
    assert "answers that repeat their own text: 2 of 4; were texts given as answers?" in found.notes


def test_reading_answers_is_public(write):
    from salva import twins

    rows = [f"{text}\t{one.target}" for one in PAIRS for text in (one.source, one.twin)]
    said = twins.read_pair_answers(PAIRS, write("a.txt", "\n".join(["source\tprediction", *rows])))
    assert isinstance(said, PairAnswers)
    assert twins.score(PAIRS, said.answers, said.twin_answers).overall.both_right.value == 100


def test_answers_to_one_side_alone_are_said_to_be_that(write):
    with pytest.raises(
        InputError, match=r"a.out: has one answer per pair, for 2 pairs with two sides; .*twin_path="
    ):
        read_pair_answers(PAIRS, write("a.out", "x\ny\n"))


def test_a_table_with_other_names_of_columns_is_refused(write):
    rows = "input\toutput\n" + "".join(f"{pair.source}\t{pair.target}\n" for pair in PAIRS)
    with pytest.raises(InputError, match=r"a.txt:1: column 1 holds sources, .*; name source, prediction"):
        read_answers(write("a.txt", rows), [pair.source for pair in PAIRS])
