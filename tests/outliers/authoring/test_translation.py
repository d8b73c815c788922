"""Translation: English beside the target, harmless in spreadsheets, read back as it was, faults by line."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva._spreadsheets import read_table, render_table
from salva.errors import InputError, UsageError
from salva.outliers.authoring.translation import (
    Translation,
    read_translation,
    translation_table,
    write_translation,
)
from salva.outliers.notes import Adaptation, Notes, note_paths, read_notes, write_notes
from salva.outliers.sets import WordSet, read_sets, set_path
from salva.outliers.words.frequencies import Frequencies
from tests.outliers.small_sets import run, word_set, written

ITALIAN = WordSet("Trees", "IT", tuple("abcdefgh"), ("à", "pet_x", *"ijklmn"))
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
DANGER = st.text(st.sampled_from("'=+-@%|\t\r\n\"\uff1da "))


@pytest.fixture
def folder(tmp_path):
    """English trees with a sense noted, and Italian ones of which one is adapted."""
    made = written([word_set("Trees"), ITALIAN], tmp_path / "sets")
    write_notes(Notes(senses={"ash": "the tree"}), note_paths(set_path(made, "Trees", "EN"))[0])
    adapted = Notes(kind="category", adaptations={"pet_x": Adaptation(3, "=none here")})
    write_notes(adapted, note_paths(set_path(made, "Trees", "IT"))[0])
    return made


@pytest.fixture
def table(folder):
    return translation_table(read_sets(folder), "IT")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.tsv"


def edited(table, path, change):
    """Write the table with one cell changed: line, column's name, new text."""
    line, column, text = change
    rows = [row.split("\t") for row in table.as_tsv().splitlines()]
    rows[line - 1][rows[0].index(column)] = text
    path.write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")
    return path


def test_a_row_has_role_sub_set_words_case_note_and_sense(table):
    assert table.as_tsv().splitlines()[0] == (
        "topic\trole\tnumber\tsub-set\tEN\tIT\tcase\tnote\tsense\tmultiword\tper million\tvocabulary\tkey"
    )
    assert table.as_tsv().splitlines()[3].startswith("Trees\tinlier\t3\t\tash\tc\t\t\tthe tree\t\t\t\t")
    assert (
        table.as_tsv()
        .splitlines()[10]
        .startswith("Trees\toutlier\t2\t1\tfern\tpet_x\t3\t'=none here\t\tyes\t")
    )


def test_without_a_translation_the_target_is_to_be_filled(folder):
    table = translation_table(read_sets(folder), "de")
    assert (table.language, {row.target for row in table.rows}) == ("DE", {""})
    assert (table.waiting, table.sets()) == (["Trees"], [])


def test_frequency_and_vocabulary_are_about_the_word_of_the_target(folder, tmp_path):
    counts = Frequencies({"a": 5, "pet x": 2}, 1_000_000)
    (tmp_path / "v.vec").write_text("2 2\na 1 0\npet 0 1\n", "utf-8")
    table = translation_table(read_sets(folder), "IT", frequencies=counts, vectors=tmp_path / "v.vec")
    cells = [line.split("\t")[10:12] for line in table.as_tsv().splitlines()]
    assert (cells[1], cells[2], cells[10]) == (["5.00", "yes"], ["0.00", "no"], ["2.00", "no"])


@pytest.mark.parametrize("language", ["EN", "en", "Italian", ""])
def test_english_is_no_target(folder, language):
    with pytest.raises(UsageError, match=r"must be the code of a language other than EN, such as IT"):
        translation_table(read_sets(folder), language)


def test_another_source_than_english_is_refused():
    with pytest.raises(InputError, match="the sets are in IT; EN is the only source of translations"):
        translation_table([ITALIAN], "DE")


def test_two_sets_of_one_topic_are_refused():
    with pytest.raises(InputError, match="EN-Trees exists twice"):
        translation_table([word_set("Trees"), word_set("Trees", mark="x")], "DE")


def test_the_table_read_back_makes_the_same_sets_and_notes(table, path, tmp_path):
    path.write_text(table.as_tsv(), "utf-8")
    (written_to,) = write_translation(read_translation(path), tmp_path / "new")
    (found,) = read_sets(written_to)
    assert (found.words, found.language, found.topic) == (ITALIAN.words, "IT", "Trees")
    notes = read_notes(written_to)
    assert notes.adaptations == {"pet_x": Adaptation(3, "=none here")}
    assert notes.senses == {"c": "the tree"}


def test_rows_and_columns_may_be_sorted(table, path):
    header, *rows = [line.split("\t") for line in table.as_tsv().splitlines()]
    shuffled = [header, *sorted(rows, key=lambda row: row[4])]
    path.write_text("\r\n".join("\t".join(reversed(row)) for row in shuffled), "utf-8-sig")
    assert read_translation(path).sets() == table.sets()


@given(st.lists(TEXT | DANGER, min_size=3, max_size=3), st.sampled_from([1, 2, 3]))
def test_any_note_and_sense_comes_back(tmp_path_factory, texts, case):
    path = tmp_path_factory.mktemp("t") / "t.tsv"
    rows = translation_table([word_set("Trees"), ITALIAN], "IT").rows
    first = replace(rows[0], case=case, note=texts[0], sense=texts[1])
    table = Translation("IT", (first, replace(rows[1], sense=texts[2]), *rows[2:]))
    path.write_bytes(table.as_tsv().encode())
    assert read_translation(path) == table


@given(st.lists(st.lists(TEXT | DANGER, min_size=2, max_size=2), min_size=1))
def test_cells_come_back_and_no_cell_begins_as_a_formula(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("c") / "c.tsv"
    text = render_table([["head", "er"], *rows])
    path.write_bytes(text.encode())
    assert [row for _, row in read_table(path)] == [["head", "er"], *(row for row in rows if any(row))]
    plain = [cell.strip('"') for line in text.split("\n") for cell in line.split("\t")]
    assert not any(re.match("[=@%|\uff1d]", cell) for cell in plain if "\r" not in text and '"' not in text)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ((4, "IT", "a"), ":4: 'a' is also on line 2; adapt one of them"),
        ((4, "IT", "pet x"), ":4: 'pet x' contains white space; write 'pet_x'"),
        ((4, "IT", "c "), ":4: 'c ' contains white space; write 'c'"),
        ((4, "IT", "c\u200b"), ":4: 'c\\u200b' contains an invisible character; type it again"),
        ((4, "IT", "e\u0301"), ":4: 'e\u0301' is not in NFC; type it again"),
        ((4, "case", "4"), ":4: case '4' must be 1, 2 or 3, or empty for a plain translation"),
        ((4, "note", "why"), ":4: a note without a case; say why the word was adapted: 1, 2 or 3"),
        ((4, "EN", "ash_tree"), ":4: topic, role, number or the EN word 'ash_tree' was changed; restore it"),
        ((4, "number", "9"), ":4: 'inlier' number '9' must be an inlier or outlier from 1 to 8"),
        (
            (4, "topic", "../Trees"),
            ":4: topic '../Trees' must consist of letters, digits, hyphens and underscores",
        ),
        ((1, "key", "clé"), ":1: no column 'key'; make the table with salva outliers translate"),
        ((1, "note", "DE"), ":1: no column 'note'"),
        ((1, "sub-set", "DE"), ":1: not exactly one target language column"),
        ((4, "note", 'a"b\t'), ":4: 14 cells, not 13"),
        ((17, "note", '"'), ":17: broken cell"),
    ],
)
def test_a_fault_is_refused_with_its_line(table, path, change, problem):
    with pytest.raises(InputError, match=re.escape(f"{path}{problem}")):
        read_translation(edited(table, path, change))


def test_one_unfinished_set_does_not_block_the_others(folder, path, tmp_path, capsys):
    """A table with one word missing was refused."""
    birds = [word_set("Birds", mark="x"), WordSet("Birds", "IT", tuple("opqrstuv"), tuple("wxyzabcd"))]
    edited(translation_table([*read_sets(folder), *birds], "IT"), path, (4, "IT", ""))
    run("translate", "--read", path, "-o", tmp_path / "new")
    seen = capsys.readouterr()
    assert "1 set in IT, 1 unfinished, 0 not yet translated" in seen.out
    assert f"{path}:4: Trees is not written: 1 word is missing, first 'ash'" in seen.err
    assert [words.topic for words in read_sets(tmp_path / "new")] == ["Birds"]
    run("translate", "--read", path, "-o", tmp_path / "new", "--overwrite", "--json")
    assert json.loads(capsys.readouterr().out)["unfinished"] == {"Trees": ["ash"]}


def test_a_case_without_a_word_is_unfinished(folder, path):
    empty = translation_table(read_sets(folder), "DE")
    table = read_translation(edited(empty, path, (5, "case", "2")))
    assert (table.waiting, len(table.unfinished["Trees"]), table.sets()) == ([], 16, [])


def test_an_unfinished_english_set_is_left_out_with_a_warning(folder, tmp_path, caplog):
    begun = set_path(folder, "Vehicles", "EN")
    begun.parent.mkdir()
    begun.write_text("car\n", "utf-8")
    run("translate", folder, "--to", "IT", "-o", tmp_path / "t.tsv")
    assert f"left out because unfinished: {begun}" in caplog.text
    assert [*dict.fromkeys(row.topic for row in read_translation(tmp_path / "t.tsv").rows)] == ["Trees"]


def test_missing_and_repeated_rows_are_refused(table, path):
    lines = table.as_tsv().splitlines(keepends=True)
    path.write_text("".join(lines[:5] + lines[6:]), "utf-8")
    with pytest.raises(InputError, match=r":16: Trees has 15 rows, not 16; inlier 5 is missing"):
        read_translation(path)
    path.write_text("".join([*lines, lines[5]]), "utf-8")
    with pytest.raises(InputError, match=r":18: inlier 5 of Trees is also on line 6"):
        read_translation(path)


def test_what_exists_stands_and_what_was_noted_stays(table, folder, path):
    path.write_text(table.as_tsv(), "utf-8")
    found = read_translation(path)
    with pytest.raises(InputError, match=r"IT-Trees.txt: exists; pass overwrite=True"):
        write_translation(found, folder)
    (again,) = write_translation(found, folder, overwrite=True)
    assert read_notes(again).kind == "category"


def test_the_command_writes_a_table_and_reads_it_back(folder, tmp_path, capsys):
    run("translate", folder, "--to", "IT", "-o", tmp_path / "t.tsv")
    assert "t.tsv: 1 set, 16 words, 0 to fill in" in capsys.readouterr().out
    run("translate", "--read", tmp_path / "t.tsv", "-o", tmp_path / "new", "--json")
    written_to = str(set_path(tmp_path / "new", "Trees", "IT"))
    assert json.loads(capsys.readouterr().out) == {
        "language": "IT",
        "written": [written_to],
        "waiting": [],
        "unfinished": {},
    }


def test_the_command_says_what_it_needs(folder, tmp_path):
    with pytest.raises(UsageError, match="pass SETS and --to LANG, or --read TABLE"):
        run("translate", folder, "-o", "t.tsv")
    with pytest.raises(UsageError, match="--read cannot be combined"):
        run("translate", folder, "--read", "t.tsv", "-o", "x")
    with pytest.raises(UsageError, match=r"t\.html' must end in \.tsv"):
        run("translate", folder, "--to", "IT", "-o", tmp_path / "t.html")
