"""The language model as a gate of `natural`: what it passes, and what that does not depend on."""

from __future__ import annotations

import logging
import random
from itertools import pairwise

import numpy as np
import pytest

import salva
from salva._presets.verification import Verifier
from salva.edits.contexts import Rewording
from salva.errors import InputError, UsageError
from tests.language_model import WORDS, write_language_model
from tests.reference.likelihood import log_probability

pytestmark = pytest.mark.slow

pytest.importorskip("transformers")

PAIRS = (
    "n movie > film picture\nn story > tale account\na good > fine nice\nv begin > start\na old > elderly\n"
)
LOSS = 1.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_language_model(tmp_path_factory.mktemp("language_model"))


@pytest.fixture(scope="module")
def candidates(tmp_path_factory):
    path = tmp_path_factory.mktemp("candidates") / "candidates.txt"
    path.write_text(PAIRS)
    return path


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SALVA_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def verified(folder, candidates, cache):
    def make(**settings):
        own = {"verify": f"hf:{folder}", "pairs": "none", "candidates": candidates, "max_loss": LOSS}
        return salva.preset("natural", **own | settings)

    return make


@pytest.fixture(scope="module")
def texts():
    draw = random.Random(0)
    words = [word for word in WORDS if word.isalpha()]
    sentences = [" ".join(draw.choices(words, k=draw.randint(3, 12))).capitalize() for _ in range(80)]
    return [f"{one}. {two}!" for one, two in pairwise(sentences)]


def edits(twins):
    columns = ("row", "start", "end", "new")
    return {tuple(edit[name] for name in columns) for edit in twins.edits.to_pylist()}


def test_the_model_passes_some_candidates_and_every_one_without_a_limit(verified, texts):
    some, all_of_them = (edits(verified(max_loss=loss).transform(texts)) for loss in (LOSS, 1e9))
    assert 20 < len(some) < len(all_of_them) - 20
    assert some < all_of_them


def test_without_a_model_candidates_are_not_used(candidates, texts):
    assert not edits(salva.preset("natural", pairs="none", candidates=candidates).transform(texts))


def test_an_edit_passes_if_the_slow_twin_says_so(verified, folder, texts):
    planned = verified(max_loss=1e9).transform(texts[:2]).edits.to_pylist()
    kept = edits(verified().transform(texts[:2]))
    for edit in planned:
        text = texts[edit["row"]]
        begin = text.rfind(".", 0, edit["start"]) + 1
        end = min(place for place in (text.find(".", edit["end"]), text.find("!", edit["end"])) if place > 0)
        left, right = text[begin : edit["start"]].lstrip(), text[edit["end"] : end + 1]
        before, after = (log_probability(folder, left + edit[name] + right) for name in ("old", "new"))
        own = tuple(edit[name] for name in ("row", "start", "end", "new"))
        assert (own in kept) == (before - after <= LOSS), edit


def test_the_rest_of_the_batch_and_the_threads_do_not_matter(verified, texts, tmp_path, monkeypatch):
    expected = verified().transform(texts, threads=1).transformed
    for number, threads in enumerate((1, 4)):
        monkeypatch.setenv("SALVA_CACHE_DIR", str(tmp_path / f"other{number}"))
        backwards = verified().transform(texts[::-1], threads=threads).transformed
        assert backwards[::-1] == expected
    monkeypatch.setenv("SALVA_CACHE_DIR", str(tmp_path / "single"))
    single = verified()
    assert [single.transform(text).transformed for text in texts[:10]] == expected[:10]


@pytest.mark.parametrize("budget", [1, 40, 4096])
def test_a_loss_at_the_limit_is_decided_alike_in_every_batch(folder, budget, tmp_path):
    rewordings = [Rewording(f"I saw the {word} .", "I saw the film .") for word in WORDS if word.isalpha()]
    alone = Verifier(f"hf:{folder}", 0, store=tmp_path / "alone")
    losses = alone._losses(rewordings, alone=True)
    for loss in losses[:3].tolist():
        asked = Verifier(f"hf:{folder}", loss, budget=budget, store=tmp_path / f"{budget}{loss}")
        assert np.array_equal(asked.passes(rewordings), losses <= loss)


def test_edits_at_a_lower_severity_are_a_subset(verified, texts):
    by_severity = [edits(verified().transform(texts, severity=severity)) for severity in (0.2, 0.6, 1.0)]
    for fewer, more in pairwise(by_severity):
        assert fewer < more


def test_edits_can_be_undone(verified, texts):
    twins = verified().transform(texts)
    assert twins.revert() == texts


def test_words_whose_edit_fails_are_not_eligible(verified, texts):
    summary = verified().transform(texts).summary
    assert summary.edits == summary.eligible > 0
    assert sum(eligible for _, eligible, _ in summary.parts) == summary.eligible
    assert sum(made for *_, made in summary.parts) == summary.edits


def test_the_second_run_asks_nothing(verified, texts, caplog):
    caplog.set_level(logging.INFO, "salva")
    first = verified().transform(texts).transformed
    assert "scoring" in caplog.text
    caplog.clear()
    assert verified().transform(texts).transformed == first
    assert not caplog.text


def test_a_broken_store_costs_time_and_nothing_else(verified, texts, cache, caplog):
    expected = verified().transform(texts).transformed
    (cache / "likelihoods.sqlite").write_bytes(b"not a database" * 99)
    caplog.set_level(logging.INFO, "salva")
    assert verified().transform(texts).transformed == expected
    assert "are not kept" in caplog.text


def test_a_cache_that_cannot_be_made_costs_time_and_nothing_else(verified, texts, tmp_path, monkeypatch):
    expected = verified().transform(texts).transformed
    (tmp_path / "file").touch()
    monkeypatch.setenv("SALVA_CACHE_DIR", str(tmp_path / "file"))
    assert verified().transform(texts).transformed == expected


def test_the_files_of_the_model_are_part_of_the_digest(verified, folder, tmp_path):
    other = write_language_model(tmp_path / "other")
    (other / "more.txt").write_text("a note")
    assert verified().as_dict()["resources"].keys() == {"candidates", "verify"}
    one, two = (verified(verify=f"hf:{place}").as_dict()["resources"]["verify"] for place in (folder, other))
    assert one != two


def test_a_model_that_reads_few_tokens_is_refused(verified, tmp_path, texts):
    short = write_language_model(tmp_path / "short", positions=64)
    with pytest.raises(InputError, match="reads only 64 tokens; take a model that reads 512"):
        verified(verify=f"hf:{short}").transform(texts)


def test_a_spec_without_hf_is_refused(verified, folder):
    with pytest.raises(UsageError, match="must be hf:DIRECTORY, a local folder"):
        verified(verify=str(folder)).transform("a movie")


def test_a_composition_has_the_edits_that_the_model_passes(verified, folder, candidates, texts):
    own = {"verify": f"hf:{folder}", "pairs": "none", "candidates": candidates, "max_loss": LOSS}
    alone, composed = verified(), salva.preset("natural+misspellings", **own)
    for severity in (0.5, 1.0):
        twins = composed.transform(texts, severity=severity)
        made = [edit for edit in twins.edits.to_pylist() if edit["rule"] == "candidate"]
        places = {(edit["row"], edit["start"], edit["end"], edit["new"]) for edit in made}
        assert places == edits(alone.transform(texts, severity=severity))
        assert twins.revert() == texts
    assert "misspelling" in {edit["rule"] for edit in twins.edits.to_pylist()}
