"""Sets, answers of annotators, translations and audit sheets: files that people edit by hand."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import strategies as st

from salva.audit.reading import read_judgements
from salva.outliers.authoring.translation import read_translation, translation_table
from salva.outliers.checks.format import fix
from salva.outliers.checks.table import check as check_sets
from salva.outliers.drafts import read_draft
from salva.outliers.people.agreement import read_answers
from salva.outliers.sets import WordSet, read_set, render
from tests.fuzz.strategies import damaged, fuzz, one_line_errors, texts

INLIERS = ["tea", "coffee", "milk", "café_crème", "juice", "water", "beer", "wine"]
OUTLIERS = ["plate", "fork", "spoon", "knife", "chair", "table", "dog", "cat"]
SET = render(INLIERS, OUTLIERS).encode()
SETS = [SET, b"\xef\xbb\xbf" + SET.replace(b"\n", b"\r\n"), SET.rstrip()]
SETS.append(render([f"{k}. {w}" for k, w in enumerate(INLIERS, 1)], OUTLIERS).encode())


def check(path: Path) -> None:
    """Read a set strictly and leniently, check it, and fix what can be fixed, which changes no word."""
    for how in ({}, {"mend": True}, {"mend": True, "spaces": True}):
        with one_line_errors():
            words = read_set(path, **how)
            assert (len(words.inliers), len(words.outliers)) == (8, 8)
    with one_line_errors():
        findings = check_sets(path)
        assert all(len(str(finding).splitlines()) == 1 for finding in findings)
    before = read_draft(path).words
    with one_line_errors():
        fix(path)
        assert not fix(path), "what is fixed needs no fixing"
        assert read_draft(path).words == before


@fuzz(content=damaged(SETS, [b"\n\n", b"1) ", b" tea", b"\xc2\xa0", b"e\xcc\x81", b"\xe2\x80\x8b"]))
def test_a_damaged_set_is_read_fixed_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "EN-Drinks.txt"
    path.write_bytes(content)
    check(path)


@fuzz(words=st.lists(texts, max_size=18))
def test_any_words_are_a_set_or_are_refused(tmp_path_factory, words):
    path = tmp_path_factory.getbasetemp() / "EN-Any.txt"
    path.write_text(render(words[:8], words[8:]), "utf-8", newline="")
    check(path)


GIVEN = b'{"annotator": "a", "exercise": "x", "words": ["tea", "dog"], "answer": "dog", "at": "2026"}\n'
SKIPPED = GIVEN.replace(b'"dog", "at"', b'null, "at"')


@fuzz(content=damaged([GIVEN, GIVEN + SKIPPED], [b'"answer": ', b"[]", b'["tea"]', b"{}\n"]))
def test_damaged_answers_are_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "answers.jsonl"
    path.write_bytes(content)
    with one_line_errors():
        assert all(answer.answer in (None, *answer.words) for _, answer in read_answers(path))


DRINKS = WordSet("Drinks", "EN", tuple(INLIERS), tuple(OUTLIERS))
GERMAN = WordSet("Drinks", "DE", tuple(f"{word}_de" for word in INLIERS), tuple(OUTLIERS))
TABLES = [translation_table(sets, "DE").as_tsv().encode() for sets in ([DRINKS], [DRINKS, GERMAN])]


def check_translation(path: Path) -> None:
    with one_line_errors():
        table = read_translation(path)
        assert len(table.sets()) <= len(table.topics)


@fuzz(content=damaged(TABLES, [b"\t", b'"', b"inlier", b"outlier", b"DE", b"'=1"]))
def test_a_damaged_translation_is_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "table.tsv"
    path.write_bytes(content)
    check_translation(path)


HEADER = b"item,id,unit,condition,preset,of,sheet,twins,place,original,twin,verdict,reader,note\n"
ROWS = b'1,7,text,c,typos,2,s,t,,"a ""film""",a flim,valid,anna,\n2,8,text,c,typos,2,s,t,,b,c,,anna,\n'
DATA = dict.fromkeys(["id", "unit", "condition", "preset", "sheet", "twins"], "text") | {
    "item": "1",
    "of": "2",
}
FILLED_IN = [
    {"from_name": "verdict", "value": {"choices": ["valid"]}},
    {"from_name": "note", "value": {"text": ["x"]}},
]
TASK = {"data": DATA, "annotations": [{"result": FILLED_IN, "completed_by": {"email": "a@b.c", "id": 1}}]}
SHEETS = {"csv": [HEADER + ROWS], "json": [json.dumps([TASK]).encode()]}


def check_sheet(path: Path) -> None:
    with one_line_errors():
        read_judgements(path)


@fuzz(kind=st.sampled_from(list(SHEETS)), data=st.data())
def test_a_damaged_sheet_is_read_or_refused(tmp_path_factory, kind, data):
    path = tmp_path_factory.getbasetemp() / f"sheet.{kind}"
    path.write_bytes(data.draw(damaged(SHEETS[kind], [b"[]", b"{}", b"null", b'""', b"1", b'"valid"', b";"])))
    check_sheet(path)
