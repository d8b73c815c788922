"""`Dataset.map(transform, batched=True)`: results, labels, and fingerprints by which results are kept."""

from __future__ import annotations

import pytest

import salva

datasets = pytest.importorskip("datasets")
Hasher = pytest.importorskip("datasets.fingerprint").Hasher

ROWS = {"text": ["a really great movie", "such an awful film"] * 5, "label": [1, 0] * 5}


@pytest.fixture
def data():
    datasets.disable_progress_bars()
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["neg", "pos"])}
    )
    return datasets.Dataset.from_dict(ROWS, features=features)


def test_map_transforms_the_text_and_keeps_the_rest(data, transform):
    out = data.map(transform, batched=True, fn_kwargs={"seed": 3})
    assert list(out["text"]) == transform.transform(ROWS["text"], seed=3).transformed
    assert list(out["label"]) == ROWS["label"]
    assert out.features["label"].names == ["neg", "pos"]
    assert list(data["text"]) == ROWS["text"], "the input is not touched"


@pytest.mark.slow
def test_batches_and_processes_change_nothing(data, transform):
    whole = data.map(transform, batched=True)["text"]
    assert list(data.map(transform, batched=True, batch_size=3, num_proc=2)["text"]) == list(whole)


def test_a_fingerprint_tells_transforms_and_seeds_apart(data):
    def fingerprint(prob: float, seed: int) -> str:
        mapped = data.map(salva.preset("typos", prob=prob), batched=True, fn_kwargs={"seed": seed})
        return mapped._fingerprint

    assert fingerprint(0.5, 1) == fingerprint(0.5, 1)
    assert len({fingerprint(0.5, 1), fingerprint(0.5, 2), fingerprint(0.6, 1)}) == 3


def test_a_fingerprint_does_not_change_with_use_but_with_files(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("movie\nmovies\n")
    used = salva.preset("corrupt", vocabulary=words)
    before = Hasher.hash(used)
    used.transform("some movie")
    assert Hasher.hash(used) == before == Hasher.hash(salva.preset("corrupt", vocabulary=words))
    words.write_text("other\n")
    assert Hasher.hash(salva.preset("corrupt", vocabulary=words)) != before


def test_a_missing_column_is_named(data, transform):
    with pytest.raises(salva.InputError, match="no column 'txt'; columns: 'text', 'label'"):
        transform({"text": ["a"], "label": [0]}, column="txt")
