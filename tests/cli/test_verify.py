"""`--verify` as a user passes it: what it does, and what it says of a model that is none."""

from __future__ import annotations

import json

import pytest

from tests.language_model import write_language_model

CSV = "text,label\nI saw the story and it was good.,positive\nThe movie ended in an error.,negative\n"


@pytest.fixture
def data(tmp_path, monkeypatch):
    (tmp_path / "in.csv").write_text(CSV)
    (tmp_path / "candidates.txt").write_text("n story > tale\nn movie > picture\n")
    monkeypatch.setenv("SALVA_CACHE_DIR", str(tmp_path / "cache"))


def transform(salva, *options):
    fixed = ("--preset", "natural", "--set", "pairs=none", "--set", "candidates=candidates.txt")
    return salva("transform", "in.csv", "-o", "out.csv", "--overwrite", *fixed, *options)


def test_verify_adds_the_edits_that_the_model_passes(salva, data, tmp_path):
    pytest.importorskip("transformers")
    write_language_model(tmp_path / "model")
    assert "0 edits" in transform(salva).out
    done = transform(salva, "--verify", "hf:model", "--set", "max_loss=1e9", "--edits", "edits.parquet")
    assert done.code == 0
    assert "candidate 2" in done.out
    assert "The picture ended" in (tmp_path / "out.csv").read_text()
    about = json.loads((tmp_path / "out.csv.manifest.json").read_text())["transform"]
    assert about["resources"]["verify"].startswith("sha256:")
    assert salva("revert", "out.csv", "--edits", "edits.parquet", "-o", "back.csv").code == 0
    assert (tmp_path / "back.csv").read_text() == CSV
    assert "candidate 1" in transform(salva, "--verify", "hf:model", "--set", "max_loss=0").out


@pytest.mark.parametrize(
    ("verify", "code", "said"),
    [
        ("hf:nowhere", 3, "nowhere: is not a folder; hf: reads only local folders"),
        ("hf:cache", 3, "cache: has no *.safetensors"),
        ("gpt2", 2, "language model 'gpt2' must be hf:DIRECTORY, a local folder"),
    ],
)
def test_what_is_no_model_gets_one_line(salva, data, tmp_path, verify, code, said):
    (tmp_path / "cache").mkdir()
    done = transform(salva, "--verify", verify)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "out.csv").exists()


def test_a_preset_without_a_language_model_has_no_such_setting(salva, data):
    done = salva("transform", "in.csv", "-o", "out.csv", "--preset", "typos", "--verify", "hf:model")
    assert done.code == 2
    assert "preset typos has no setting 'verify'" in done.err
