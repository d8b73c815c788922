"""Sets: the strict reader and writer, folders, exercises, export."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import InputError, UsageError
from salva.outliers import WordSet, export_sets, read_finished_sets, read_set, read_sets, write_set
from salva.outliers.sets import sets_table
from tests.outliers.sets import INLIERS, OUTLIERS, TEXT, replaced, write

ROADS = WordSet("Roads", "EN", INLIERS, OUTLIERS)
words = st.text("abcäß字-'", min_size=1, max_size=6)


def test_a_file_says_its_topic_language_and_words(tmp_path):
    path = write(tmp_path)
    assert read_set(path) == dataclasses.replace(ROADS, path=str(path))


def test_a_topic_may_have_hyphens(tmp_path):
    found = read_set(write(tmp_path, name="FR-Non-alcoholic_Drinks.txt"))
    assert (found.topic, found.language) == ("Non-alcoholic_Drinks", "FR")


def test_a_file_without_a_language_in_its_name_is_read(tmp_path):
    assert read_set(write(tmp_path, name="Big_cats.txt")).language == "UND"


@pytest.mark.parametrize(
    "content", [TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT, TEXT[:-1]], ids=["crlf", "bom", "no-newline"]
)
def test_what_leaves_the_words_alone_is_read(tmp_path, content):
    assert read_set(write(tmp_path, content)).words == ROADS.words


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        (replaced("bus", "bus\u00a0"), 2, "white space around"),
        (replaced("bus", "school bus"), 2, "contains white space"),
        (replaced("bus", "cafe\u0301"), 2, "not in NFC"),
        (TEXT.replace("\n\n", "\n"), 9, "empty line"),
        (TEXT.replace("\n\n", "\n\n\n"), 10, "empty line"),
        (TEXT.replace("\n\n", "\n \n"), 9, "where an empty line"),
        (TEXT.replace("car\n", "", 1), 7, "7 inliers, not 8"),
        (TEXT + "more\n", 18, "9 outliers, not 8"),
        ("", None, "0 inliers, not 8"),
        (b"\xff\n", None, "not UTF-8"),
    ],
)
def test_what_is_not_the_format_is_refused_with_its_line(tmp_path, content, line, problem):
    path = write(tmp_path, content)
    with pytest.raises(InputError, match=problem) as caught:
        read_set(path)
    assert str(caught.value).startswith(f"{path}:{line}: " if line else f"{path}: ")


def test_mending_forgives_what_fix_would_repair(tmp_path):
    path = write(tmp_path, TEXT.replace("bus\n", "bus\u00a0\n").replace("\n\n", "\n\n \n"))
    assert read_set(path, mend=True).words == ROADS.words


def test_a_folder_is_read_by_topic_and_language(tmp_path):
    for name in ("B/EN-B.txt", "A/FR-A.txt", "A/EN-A.txt", "A/.tmp-1.txt"):
        write(tmp_path, name=name)
    assert [(one.topic, one.language) for one in read_sets(tmp_path)] == [
        ("A", "EN"),
        ("A", "FR"),
        ("B", "EN"),
    ]
    assert [one.topic for one in read_sets(tmp_path, languages=["fr"])] == ["A"]
    assert len(read_sets([tmp_path / "A", tmp_path / "A/EN-A.txt"])) == 2


def test_a_folder_without_sets_is_refused(tmp_path):
    with pytest.raises(InputError, match="no sets in CS"):
        read_sets(write(tmp_path).parent, languages=["CS"])


def test_unfinished_sets_are_left_out_and_named(tmp_path, caplog):
    whole, begun = write(tmp_path, name="A/EN-A.txt"), write(tmp_path, "car\n", name="B/EN-B.txt")
    assert [one.path for one in read_finished_sets(tmp_path)] == [str(whole)]
    assert caplog.messages == [f"left out because unfinished: {begun}"]
    with pytest.raises(InputError, match="1 inlier, not 8"):
        read_finished_sets(begun)


@pytest.mark.parametrize("content", [TEXT + "more\n", replaced("bus", "school bus"), b"\xff\n"])
def test_a_faulty_set_is_not_unfinished(tmp_path, content):
    write(tmp_path, name="A/EN-A.txt")
    write(tmp_path, content, name="B/EN-B.txt")
    with pytest.raises(InputError, match=r"EN-B\.txt"):
        read_finished_sets(tmp_path)


def test_a_long_file_is_no_set(tmp_path):
    with pytest.raises(InputError, match="longer than 1 MB"):
        read_set(write(tmp_path, b"a" * (1 << 20) + b"b"))


@given(st.lists(words, min_size=16, max_size=16))
def test_what_is_written_is_read_back(tmp_path_factory, some):
    path = tmp_path_factory.mktemp("sets") / "EN-Any.txt"
    one = WordSet("Any", "EN", tuple(some[:8]), tuple(some[8:]), str(path))
    write_set(one, path)
    assert read_set(path) == one
    assert read_set(path).digest == one.digest


@pytest.mark.parametrize(
    ("inliers", "error"),
    [(INLIERS[:7], InputError), ((*INLIERS[:7], " van"), InputError), ((*INLIERS[:7], "van\r"), UsageError)],
)
def test_what_would_not_be_read_is_not_written(tmp_path, inliers, error):
    with pytest.raises(error):
        write_set(WordSet("Any", "EN", inliers, OUTLIERS), tmp_path / "EN-Any.txt")
    assert list(tmp_path.iterdir()) == []


def test_an_existing_set_stands(tmp_path):
    path = write(tmp_path)
    with pytest.raises(InputError, match="exists"):
        write_set(ROADS, path)
    write_set(ROADS, path, overwrite=True)


def test_the_digest_is_of_the_words_in_their_order():
    assert ROADS.digest.startswith("sha256:")
    assert dataclasses.replace(ROADS, topic="Other", path="x").digest == ROADS.digest
    assert dataclasses.replace(ROADS, inliers=INLIERS[::-1]).digest != ROADS.digest


def test_there_are_8_exercises():
    first, *others = ROADS.exercises()
    assert (first.inliers, first.outlier, first.subset) == (INLIERS, "boat", 1)
    assert [one.subset for one in (first, *others)] == [1, 1, 2, 2, 3, 3, 4, 4]
    assert tuple(one.outlier for one in (first, *others)) == OUTLIERS


def test_sets_are_exported_a_row_a_word(tmp_path):
    export_sets([ROADS], tmp_path / "sets.csv")
    export_sets([ROADS], tmp_path / "sets.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "sets.jsonl").read_text().splitlines()]
    assert rows == sets_table([ROADS]).to_pylist()
    assert (rows[0]["role"], rows[0]["subset"], rows[15]["role"], rows[15]["subset"]) == (
        "inlier",
        None,
        "outlier",
        4,
    )
    assert (tmp_path / "sets.csv").read_text().splitlines()[1].startswith("Roads,EN,inlier,1,,car,sha256:")


def test_no_sets_make_a_table_without_rows(tmp_path):
    export_sets([], tmp_path / "sets.csv")
    assert (tmp_path / "sets.csv").read_text() == "topic,language,role,number,subset,word,digest\n"
