"""`skops:FILE`: estimators without pickle; item 128."""

from __future__ import annotations

import pytest
import skops.io as sio

from salva.asking.pipeline import query
from salva.errors import InputError
from salva.models import open_model


@pytest.fixture(scope="module")
def fitted():
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    data = ["good film", "bad film"] * 5, ["pos", "neg"] * 5
    return make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(*data)


@pytest.fixture
def saved(fitted, tmp_path):
    sio.dump(fitted, tmp_path / "model.skops")
    return tmp_path / "model.skops"


def test_an_estimator_answers_as_it_did_before_it_was_saved(saved, fitted):
    model = open_model(f"skops:{saved}")
    answers = query(model, ["good", "bad"])
    assert (answers.labels, model.classes) == (["pos", "neg"], ("neg", "pos"))
    assert answers.probabilities == pytest.approx(fitted.predict_proba(["good", "bad"]).max(axis=1).tolist())


def test_120_the_digest_knows_the_file(saved, fitted):
    before = open_model(f"skops:{saved}").digest
    assert open_model(f"skops:{saved}").digest == before
    sio.dump(fitted.fit(["fine"] * 3 + ["awful"], ["pos"] * 3 + ["neg"]), saved)
    assert open_model(f"skops:{saved}").digest != before


def shout(text):
    return text.upper()


def test_128_types_that_are_not_trusted_are_named(tmp_path):
    from sklearn.feature_extraction.text import CountVectorizer

    sio.dump(CountVectorizer(tokenizer=shout, token_pattern=None), tmp_path / "model.skops")
    with pytest.raises(InputError, match=r"holds .*test_skops\.shout, which skops does not trust"):
        open_model(f"skops:{tmp_path / 'model.skops'}")


@pytest.mark.parametrize("name", ["model.pkl", "model.joblib", "model.pt", "MODEL.PICKLE"])
def test_128_pickles_are_refused_unread(tmp_path, name):
    with pytest.raises(InputError, match=r"pickle files can run code; convert with skops\.io\.dump"):
        open_model(f"skops:{tmp_path / name}")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut", b"\x80\x04K\x01."])
def test_a_broken_file_is_one_line(tmp_path, content):
    (tmp_path / "model.skops").write_bytes(content)
    with pytest.raises(InputError, match=r"model\.skops: cannot be loaded by skops \("):
        open_model(f"skops:{tmp_path / 'model.skops'}")


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        open_model(f"skops:{tmp_path / 'model.skops'}")


def test_what_cannot_predict_is_refused(tmp_path):
    from salva.errors import UsageError

    sio.dump({"a": 1}, tmp_path / "model.skops")
    with pytest.raises(UsageError, match="is neither a function nor an object with a predict method"):
        open_model(f"skops:{tmp_path / 'model.skops'}")
