"""Bytes and characters that are wrong or odd; the numbers are those of the list of bad inputs."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from salva.rows import ReadOptions, open_rows

NONE = ("transform", "--preset", "none")
BAD = {
    "invalid": b"a\xffb",
    "overlong": b"a\xc0\xafb",
    "surrogate": b"a\xed\xa0\x80b",
    "over the top": b"a\xf4\x90\x80\x80b",
    "cut": b"ab\xc3",
}
FILES = {
    "a.txt": b"fine\n%s\nlast\n",
    "a.csv": b"text,n\n%s,1\nlast,2\n",
    "a.jsonl": b'{"text": "fine"}\n{"text": "%s"}\n{"text": "last"}\n',
}


def texts(path):
    with open_rows(path, ReadOptions()) as rows:
        return [text for batch in rows for text in batch.column("text").to_pylist()]


def refused(outcome, *parts):
    """One line, exit 3, and nothing written."""
    assert outcome.code == 3, outcome
    assert len(outcome.err.splitlines()) == 1
    assert "Traceback" not in outcome.err
    for part in parts:
        assert part in outcome.err
    return True


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("name", FILES)
def test_1_3_bytes_that_are_no_utf8_are_refused_with_line_and_offset(salva, tmp_path, name, bad):
    (tmp_path / name).write_bytes(FILES[name] % bad)
    outcome = salva(*NONE, name, "-o", "out.parquet")
    assert refused(outcome, f"{name}:2: byte 0x", "is not UTF-8", "--encoding", "--on-bad-row")
    assert sorted(p.name for p in tmp_path.iterdir()) == [name]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(("policy", "kept"), [("keep", 1), ("drop", 0)])
def test_1_a_bad_row_is_mended_or_dropped_and_listed(salva, tmp_path, name, policy, kept):
    (tmp_path / name).write_bytes(FILES[name] % b"a\xffb")
    assert salva(*NONE, name, "-o", "out.jsonl", "--on-bad-row", policy).code == 0
    assert ("a\ufffdb" in texts(tmp_path / "out.jsonl")) == kept
    manifest = json.loads((tmp_path / "out.jsonl.manifest.json").read_text())
    assert manifest["rows_in"] == manifest["rows_out"] + manifest["rows_rejected"]
    assert (manifest["rows_rejected"], manifest["rows_repaired"]) == (1 - kept, kept)
    assert [(row["place"], row["kept"]) for row in manifest["bad_rows"]] == [(2, bool(kept))]


@pytest.mark.parametrize("policy", ["fail", "keep", "drop"])
def test_1_a_bad_header_is_always_refused(salva, tmp_path, policy):
    (tmp_path / "a.csv").write_bytes(b"text,\xff\na,1\n")
    assert refused(salva(*NONE, "a.csv", "-o", "b.csv", "--on-bad-row", policy), "a.csv:1: byte 0xff")


def bad_parquet(path):
    offsets = pa.py_buffer(pa.array([0, 2, 4, 6], pa.int32()).buffers()[1])
    column = pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"ok\xffxok")])
    pq.write_table(pa.table({"text": column, "n": [1, 2, 3]}), path)


def test_2_bad_utf8_in_parquet_is_named_by_its_row(salva, tmp_path):
    bad_parquet(tmp_path / "a.parquet")
    assert refused(salva(*NONE, "a.parquet", "-o", "b.csv"), "a.parquet: row 2: bytes that are not UTF-8")


@pytest.mark.parametrize(("policy", "out"), [("keep", ["ok", "\ufffdx", "ok"]), ("drop", ["ok", "ok"])])
def test_2_bad_utf8_in_parquet_is_mended_or_dropped(salva, tmp_path, policy, out):
    bad_parquet(tmp_path / "a.parquet")
    assert salva(*NONE, "a.parquet", "-o", "b.parquet", "--on-bad-row", policy).code == 0
    assert texts(tmp_path / "b.parquet") == out


@pytest.mark.parametrize(("policy", "out"), [("keep", ["a\ufffdb", "fine"]), ("drop", ["fine"])])
def test_5_half_a_surrogate_pair_in_json(salva, tmp_path, policy, out):
    (tmp_path / "a.jsonl").write_text('{"text": "a\\ud800b"}\n{"text": "fine"}\n')
    assert refused(salva(*NONE, "a.jsonl", "-o", "b.csv"), "a.jsonl:1: 'text' has half a surrogate pair")
    assert salva(*NONE, "a.jsonl", "-o", "b.csv", "--on-bad-row", policy).code == 0
    assert texts(tmp_path / "b.csv") == out


def test_5_a_key_with_half_a_surrogate_pair_is_refused(salva, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "a", "\\ud800": 1}\n')
    assert refused(salva(*NONE, "a.jsonl", "-o", "b.csv"), "a.jsonl:1: broken JSON: key")


def test_6_nul_passes_through_and_is_shown_escaped(salva, tmp_path):
    (tmp_path / "a.csv").write_bytes(b"te\x00xt,n\na\x00b,1\n")
    outcome = salva(*NONE, "a.csv", "-o", "b.jsonl", "--text-column", "te\x00xt")
    assert outcome.code == 0
    assert "\x00" not in outcome.out
    assert "te\\x00xt" in outcome.out


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl"])
def test_7_a_byte_order_mark_is_taken_off_once(salva, tmp_path, name):
    content = FILES[name] % "a\ufeffb".encode()
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + content)
    assert salva(*NONE, name, "-o", "b.parquet").code == 0
    assert "a\ufeffb" in texts(tmp_path / "b.parquet")
    assert not any(text.startswith("\ufeff") for text in texts(tmp_path / "b.parquet"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_8_wide_encodings_are_recognised_and_can_be_named(salva, tmp_path, encoding):
    (tmp_path / "a.csv").write_bytes("text,n\nnaïve,1\nplain words,2\n".encode(encoding))
    outcome = salva(*NONE, "a.csv", "-o", "b.csv")
    assert refused(outcome, "looks like utf-", "--encoding utf-")
    assert salva(*NONE, "a.csv", "-o", "b.csv", "--encoding", encoding).code == 0
    assert texts(tmp_path / "b.csv") == ["naïve", "plain words"]


@pytest.mark.parametrize(("encoding", "text"), [("cp1252", "it’s"), ("latin-1", "naïve")])
def test_9_narrow_encodings_are_guessed_and_can_be_named(salva, tmp_path, encoding, text):
    (tmp_path / "a.csv").write_bytes(f"text,n\n{text},1\n".encode(encoding))
    assert refused(salva(*NONE, "a.csv", "-o", "b.csv"), "a.csv:2:", f"perhaps {encoding}")
    assert salva(*NONE, "a.csv", "-o", "b.csv", "--encoding", encoding).code == 0
    assert texts(tmp_path / "b.csv") == [text]


def test_9_an_unknown_encoding_and_a_wrong_one_are_one_line(salva, tmp_path):
    (tmp_path / "a.csv").write_bytes("text\nnaïve\n".encode("latin-1"))
    assert salva(*NONE, "a.csv", "-o", "b.csv", "--encoding", "klingon").code == 2
    assert refused(salva(*NONE, "a.csv", "-o", "b.csv", "--encoding", "utf-16"), "is not utf-16")


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl"])
def test_10_crlf_and_mixed_line_ends_give_the_right_rows(salva, tmp_path, name):
    (tmp_path / name).write_bytes((FILES[name] % b"x").replace(b"\n", b"\r\n", 2))
    assert salva(*NONE, name, "-o", "b.parquet").code == 0
    assert texts(tmp_path / "b.parquet")[-2:] == ["x", "last"]


def test_10_line_ends_inside_cells_are_kept(salva, tmp_path):
    (tmp_path / "a.csv").write_bytes(b'text,n\r\n"a\r\nb\nc\rd",1\r\n')
    assert salva(*NONE, "a.csv", "-o", "b.csv").code == 0
    assert texts(tmp_path / "b.csv") == ["a\r\nb\nc\rd"]


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl"])
def test_10_lines_that_end_with_cr_alone_are_refused(salva, tmp_path, name):
    (tmp_path / name).write_bytes((FILES[name] % b"x").replace(b"\n", b"\r"))
    assert refused(salva(*NONE, name, "-o", "b.csv"), "lines end with CR alone")


ODD = "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g"


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl"])
def test_11_other_separators_are_no_row_breaks(salva, tmp_path, name):
    text = json.dumps(ODD, ensure_ascii=False)[1:-1] if name == "a.jsonl" else ODD
    (tmp_path / name).write_bytes(FILES[name] % text.encode())
    assert salva(*NONE, name, "-o", "b.parquet").code == 0
    assert texts(tmp_path / "b.parquet")[-2:] == [ODD, "last"]


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl"])
def test_27_a_line_of_many_megabytes_works_and_the_limit_is_one_line(salva, tmp_path, name):
    (tmp_path / name).write_bytes(FILES[name] % (b"word " * 4_000_000))
    assert salva(*NONE, name, "-o", "b.parquet").code == 0
    assert len(texts(tmp_path / "b.parquet")[-2]) == 20_000_000
    outcome = salva(*NONE, name, "-o", "c.parquet", "--max-line-bytes", "5000000")
    assert refused(outcome, f"{name}:2: line is longer than 5000000 bytes; raise --max-line-bytes")


def test_30_texts_that_look_like_values_stay_text(salva, tmp_path):
    words = ["NA", "null", "None", "nan", "true", "1e5", "2020-01-01", "", "001"]
    (tmp_path / "a.csv").write_text(
        "".join(f"{word},{word}\n" for word in ["text", *words]).replace("text,text", "text,id")
    )
    for output in ("b.jsonl", "c.parquet", "d.tsv"):
        assert salva(*NONE, "a.csv", "-o", output).code == 0
        assert texts(tmp_path / output) == words
