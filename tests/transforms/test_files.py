"""Files in, files out: every format, edits, the way back, manifests, and what is refused."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

import salva
from salva.errors import InputError, UsageError
from salva.rows import ReadOptions, WriteOptions
from salva.transforms import PRESETS
from tests.rows.passing import pass_through
from tests.transforms.conftest import SENTENCES, dense

TEXTS = ["great movie", "bad film", "", "NA"]
CSV = "id,text,stars\n" + "".join(f'{i},"{text}",00{i}\n' for i, text in enumerate(TEXTS))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text(CSV)
    (tmp_path / "in.txt").write_bytes("\r\n".join(SENTENCES[:2]).encode() + b"\r\n\n last  line")
    return tmp_path


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "arrow", "csv.gz", "jsonl.zst"])
def test_every_format_keeps_rows_and_other_columns(folder, ending, transform):
    pass_through("in.csv", f"a.{ending}")
    manifest = salva.transform_file(f"a.{ending}", f"b.{ending}", preset=transform, seed=4, severity=1.0)
    pass_through(f"b.{ending}", "plain.parquet")
    out = pq.read_table("plain.parquet")
    assert out["id"].to_pylist() == ["0", "1", "2", "3"]
    assert out["stars"].to_pylist() == ["000", "001", "002", "003"]
    assert out["text"].to_pylist() == transform.transform(TEXTS, seed=4, severity=1.0).transformed
    assert (manifest.rows_in, manifest.rows_out, manifest.rows_rejected) == (4, 4, 0)


def test_a_text_file_reverts_byte_for_byte(folder, name):
    before = (folder / "in.txt").read_bytes() + b"\nWe saw John in Paris for 3 hours."
    (folder / "in.txt").write_bytes(before)
    own = dense(name, render="splice")
    salva.transform_file("in.txt", "out.txt", preset=own, edits="e.parquet", seed=1)
    assert (folder / "out.txt").read_bytes() != before
    salva.revert_file("out.txt", "back.txt", edits="e.parquet")
    assert (folder / "back.txt").read_bytes() == before


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_csv_and_edits_of_any_kind_revert(folder, ending):
    salva.transform_file("in.csv", "out.csv", preset="typos", render="splice", prob=1.0, edits=f"e.{ending}")
    salva.revert_file("out.csv", "back.csv", edits=f"e.{ending}")
    pass_through("in.csv", "plain.csv")
    assert (folder / "back.csv").read_bytes() == (folder / "plain.csv").read_bytes()


def test_other_renders_say_that_they_cannot_be_undone(folder):
    salva.transform_file("in.csv", "out.csv", preset="typos", edits="e.parquet")
    with pytest.raises(InputError, match=r"'spaces' rebuilds the whole text.+keep_original=True"):
        salva.revert_file("out.csv", "back.csv", edits="e.parquet")
    with pytest.raises(UsageError, match=r"cannot be undone"):
        salva.preset("typos").transform("text").revert()


def test_edits_of_another_file_are_refused(folder):
    salva.transform_file("in.csv", "out.csv", preset="typos", render="splice", prob=1.0, edits="e.parquet")
    with pytest.raises(InputError, match=r"in.csv: the edits do not belong to these texts: row 0 has no"):
        salva.revert_file("in.csv", "back.csv", edits="e.parquet")
    (folder / "short.csv").write_text("text\n")
    with pytest.raises(InputError, match=r"short.csv: has 0 rows, but e.parquet has edits for row 0"):
        salva.revert_file("short.csv", "back.csv", edits="e.parquet")
    assert not (folder / "back.csv").exists()


@pytest.mark.parametrize("path", ["in.csv", "other.parquet"])
def test_what_holds_no_edits_is_refused(folder, path):
    pass_through("in.csv", "other.parquet")
    with pytest.raises(InputError, match=r"holds no edits|no column 'new'"):
        salva.revert_file("in.csv", "back.csv", edits=path)


def test_the_edits_file_is_the_table_with_rows_of_the_whole_file(folder):
    (folder / "many.txt").write_text("".join(f"a great movie number {i}\n" for i in range(20_000)))
    salva.transform_file("many.txt", "out.txt", preset="typos", edits="e.parquet", seed=1)
    kept = pq.read_table("e.parquet")
    texts = (folder / "many.txt").read_text().splitlines()
    twins = salva.preset("typos").transform(texts, seed=1)
    assert kept.column_names == twins.edits.column_names
    assert kept.to_pylist() == twins.edits.to_pylist()
    assert (folder / "out.txt").read_text().splitlines() == twins.transformed


def test_the_original_can_be_kept(folder):
    for ending in ("csv", "jsonl", "parquet"):
        pass_through("in.csv", f"k.{ending}")
        salva.transform_file(f"k.{ending}", f"o.{ending}", preset="typos", keep_original=True)
        pass_through(f"o.{ending}", f"{ending}.parquet")
        table = pq.read_table(f"{ending}.parquet")
        assert table["text_original"].to_pylist() == TEXTS
    with pytest.raises(UsageError, match=r"txt holds one text per line"):
        salva.transform_file("in.txt", "o.txt", preset="typos", keep_original=True)
    assert not (folder / "o.txt").exists()


def test_the_manifest_says_everything(folder, name):
    salva.transform_file("in.csv", "out.csv", preset=name, seed=9, severity=0.3, replicate=2)
    manifest = json.loads((folder / "out.csv.manifest.json").read_text())
    about = manifest["transform"]
    assert (about["preset"], about["version"], about["seed"]) == (name, PRESETS[name].version, 9)
    assert (about["severity"], about["replicate"]) == (0.3, 2)
    assert about["settings"]["exclude"] == "offensive"
    assert about["digest"] == salva.preset(name).digest
    assert about["summary"]["rows"] == manifest["rows_out"] == 4
    assert manifest["input_digest"].startswith("sha256:")


def test_only_the_first_rows_are_read_with_a_limit(folder):
    manifest = salva.transform_file("in.csv", "out.csv", preset="typos", limit=2)
    assert (manifest.rows_in, manifest.rows_out) == (2, 2)
    assert len((folder / "out.csv").read_text().splitlines()) == 3
    assert salva.transform_file("in.csv", "none.csv", preset="typos", limit=0).rows_out == 0


@pytest.mark.parametrize("limit", [None, 21])
def test_threads_that_work_ahead_change_neither_bytes_nor_counts(folder, monkeypatch, limit):
    monkeypatch.setattr("salva.rows.source.BLOCK_BYTES", 200)  # many batches, some with a bad line
    lines = [json.dumps({"text": text, "n": i}) if i % 7 else "{" for i, text in enumerate(SENTENCES * 6)]
    (folder / "a.jsonl").write_text('{"text": "first", "n": 0}\n' + "\n".join(lines))
    done = []
    for threads in (1, 2, 5):
        manifest = salva.transform_file(
            "a.jsonl",
            "b.jsonl",
            preset="typos",
            edits="b.parquet",
            limit=limit,
            threads=threads,
            options=ReadOptions(on_bad_row="drop"),
            output=WriteOptions(overwrite=True),
        )
        done.append((manifest, (folder / "b.jsonl").read_bytes(), pq.read_table("b.parquet")))
    assert done[0] == done[1] == done[2]
    assert done[0][0].rows_rejected > 0


def test_a_corpus_or_the_file_itself_can_be_fitted(folder):
    (folder / "corpus.txt").write_text("movies moved moving\n")
    weights = {"typo_weight": 0, "synonym_weight": 0}
    salva.transform_file("in.csv", "out.csv", preset="corrupt", fit="corpus.txt", severity=1.0, **weights)
    words = {row.split(",")[1].strip('"') for row in (folder / "out.csv").read_text().splitlines()[1:]}
    assert any(word.split()[-1] in {"movies", "moved", "moving"} for word in words if word)
    salva.transform_file("in.csv", "self.csv", preset="corrupt", fit="self")
    manifest = json.loads((folder / "self.csv.manifest.json").read_text())
    vocabulary = manifest["transform"]["settings"]["vocabulary"]
    assert vocabulary == ["great", "movie"]


def test_several_files_are_fitted_together(folder):
    (folder / "train.txt").write_text("movies moved moving\n")
    (folder / "test.txt").write_text("moved picture\n")
    fit = ["train.txt", "self", folder / "test.txt"]
    manifest = salva.transform_file("in.csv", "out.csv", preset="corrupt", fit=fit)
    expected = ["great", "moved", "movie", "movies", "moving", "picture"]
    assert sorted(manifest.transform["settings"]["vocabulary"]) == expected
    assert manifest.transform["settings"]["vocabulary"][0] == "moved"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"edits": "e.csv"}, "must be a .parquet or .arrow file"),
        ({"edits": "-"}, "must be a .parquet or .arrow file"),
        ({"fit": "self"}, "preset typos has nothing to fit"),
        ({"limit": -1}, "limit=-1 must be a whole number"),
        ({"seed": -1}, "seed=-1 must be a whole number"),
        ({"severity": 2}, "severity=2 must be between 0 and 1"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(folder, arguments, message):
    with pytest.raises(UsageError, match=message):
        salva.transform_file("in.csv", "out.csv", preset="typos", **arguments)
    assert sorted(path.name for path in folder.iterdir()) == ["in.csv", "in.txt"]


def test_nothing_is_replaced_unless_told(folder):
    salva.transform_file("in.csv", "out.csv", preset="typos", edits="e.parquet")
    with pytest.raises(InputError, match=r"out.csv: exists; pass overwrite=True"):
        salva.transform_file("in.csv", "out.csv", preset="typos")
    with pytest.raises(InputError, match=r"e.parquet: exists; pass overwrite=True"):
        salva.transform_file("in.csv", "new.csv", preset="typos", edits="e.parquet")
    output = WriteOptions(overwrite=True)
    salva.transform_file("in.csv", "out.csv", preset="typos", edits="e.parquet", output=output)
    with pytest.raises(InputError, match=r"is the input itself"):
        salva.transform_file("in.csv", "in.csv", preset="typos", output=output)


def test_two_text_columns_are_one_too_many(folder):
    options = salva.rows.ReadOptions(text_column="text,stars")
    with pytest.raises(UsageError, match=r"text columns 'text', 'stars': name only one at a time"):
        salva.transform_file("in.csv", "out.csv", preset="typos", options=options)


def test_a_finished_transform_takes_no_settings(folder):
    with pytest.raises(UsageError, match=r"prob cannot be changed in a finished transform"):
        salva.transform_file("in.csv", "out.csv", preset=salva.preset("typos"), prob=0.1)


def test_the_preset_none_needs_no_text_column_and_rewrites_nothing(folder):
    (folder / "numbers.csv").write_text("a,b\n001,NA\n")
    manifest = salva.transform_file("numbers.csv", "numbers.jsonl", preset="none")
    assert (folder / "numbers.jsonl").read_text() == '{"a":"001","b":"NA"}\n'
    assert (manifest.columns.text, manifest.transform) == ((), {"preset": "none", "limit": None})
    with pytest.raises(InputError, match=r"numbers.csv: no text column, and txt holds only texts"):
        salva.transform_file("numbers.csv", "numbers.txt", preset="none")
    assert salva.transform_file("in.csv", "two.csv", preset="none", limit=2).rows_out == 2
    assert (folder / "two.csv").read_text() == "".join(CSV.replace('"', "").splitlines(keepends=True)[:3])


@pytest.mark.parametrize(
    ("more", "argument"),
    [({"prob": 1.0}, "prob"), ({"edits": "e.parquet"}, "edits"), ({"keep_original": True}, "keep_original")],
)
def test_the_preset_none_takes_nothing_that_belongs_to_edits(folder, more, argument):
    with pytest.raises(UsageError, match=rf"preset 'none' rewrites nothing; leave out {argument}"):
        salva.transform_file("in.csv", "out.csv", preset="none", **more)
    with pytest.raises(UsageError, match="'none' rewrites nothing"):
        salva.preset("none")
