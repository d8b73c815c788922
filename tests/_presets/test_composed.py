"""Presets joined by +: one transform that keeps all promises, and what each part contributes."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

import salva
from salva._presets import PRESETS, composed, find_preset
from salva.errors import InputError, UsageError
from salva.transforms import Transform, as_toml
from tests.transforms.conftest import SENTENCES, seeds, severities, texts

LISTED = ", ".join(PRESETS)
COMPOSED = [name for name, preset in PRESETS.items() if preset.family != "contrast"]
PAIRS = ["+".join(pair) for pair in itertools.permutations(COMPOSED, 2)]
NAMES = [
    "natural+misspellings",
    "natural+typos",
    "hybrid+corrupt",
    "natural+hybrid",
    "corrupt+natural",
    "natural+synonyms+typos",
]
transforms = st.sampled_from([salva.preset(name) for name in NAMES])
ADDRESS = "http://great.film/a?b=c fine.movie@film.com @director #awful <em> &amp; Titanic loved this movie"


def edits_of(twins) -> set[tuple]:
    keys = ("row", "start", "end", "old", "new", "rule")
    return {tuple(edit[key] for key in keys) for edit in twins.edits.to_pylist()}


def alone(part: str, like: Transform) -> Transform:
    """Return one part of a composition with the settings that it has there."""
    settings = like.settings.of_parts()[like.name.split("+").index(part)]
    return Transform(PRESETS[part], settings)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_any_two_presets_compose(name):
    twins = salva.preset(name).transform(SENTENCES, seed=4, severity=1.0)
    assert twins.revert() == SENTENCES
    assert edits_of(salva.preset(name).transform(SENTENCES, seed=4, severity=0.4)) <= edits_of(twins)


@pytest.mark.slow
@given(transforms, st.lists(texts, max_size=3), seeds, severities)
def test_the_first_part_edits_as_alone_and_the_others_edit_what_is_left(transform, column, seed, severity):
    draw = {"seed": seed, "severity": severity}
    found = edits_of(transform.transform(column, **draw))
    first, *others = (alone(part, transform).transform(column, **draw) for part in transform.name.split("+"))
    assert edits_of(first) <= found
    assert found <= edits_of(first).union(*map(edits_of, others))


@given(transforms, texts, seeds, st.lists(st.floats(0, 1), min_size=2, max_size=4))
def test_the_edits_at_a_severity_are_made_at_a_higher_one_too(transform, text, seed, levels):
    nested = [edits_of(transform.transform(text, seed=seed, severity=level)) for level in sorted(levels)]
    assert all(low <= high for low, high in itertools.pairwise(nested))


@given(transforms, st.lists(texts, max_size=4), seeds, severities, st.randoms())
def test_a_text_does_not_depend_on_its_neighbours(transform, column, seed, severity, shuffle):
    order = shuffle.sample(range(len(column)), len(column))
    whole = transform.transform(column, seed=seed, severity=severity).transformed
    shuffled = transform.transform([column[i] for i in order], seed=seed, severity=severity).transformed
    assert [whole[i] for i in order] == shuffled
    assert whole == [transform.transform(text, seed=seed, severity=severity).transformed for text in column]


@given(transforms, st.lists(st.none() | texts, max_size=4), seeds, severities)
def test_everything_but_the_edits_stays_and_comes_back(transform, column, seed, severity):
    twins = transform.transform(column, seed=seed, severity=severity)
    rebuilt, last = list(column), (-1, 0)
    for edit in reversed(twins.edits.to_pylist()):
        text = rebuilt[edit["row"]]
        assert text[edit["start"] : edit["end"]] == edit["old"] != edit["new"]
        rebuilt[edit["row"]] = text[: edit["start"]] + edit["new"] + text[edit["end"] :]
    for edit in twins.edits.to_pylist():
        assert (edit["row"], edit["start"]) >= last, "no two edits overlap"
        last = (edit["row"], edit["end"])
    assert rebuilt == twins.transformed
    assert twins.revert() == column
    assert twins.summary.edits == twins.edits.num_rows


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("threads", [1, 4])
def test_threads_and_chunks_change_nothing(name, threads, review_texts, monkeypatch):
    transform = salva.preset(name)
    expected = transform.transform(review_texts[:40], seed=3, severity=0.5, threads=1)
    monkeypatch.setattr("salva.transforms.transform.TYPED_BYTES", 999)
    twins = transform.transform(review_texts[:40], seed=3, severity=0.5, threads=threads)
    assert edits_of(twins) == edits_of(expected)


@pytest.mark.parametrize("name", NAMES)
def test_protected_text_is_left_alone_by_every_part(name):
    transform = salva.preset(name, protect_words=["titanic"], protect_patterns=["th.s"])
    old = {edit["old"] for edit in transform.transform(ADDRESS, seed=5, severity=1.0).edits.to_pylist()}
    assert old
    assert old <= {"loved", "movie"}


def test_severity_0_changes_nothing_and_the_default_is_the_smallest():
    assert salva.preset("natural+corrupt").severity == PRESETS["corrupt"].severity
    assert salva.preset("natural+typos").transform(SENTENCES, severity=0).transformed == SENTENCES


def test_the_summary_counts_words_once_and_the_eligible_per_part(review_texts):
    both = salva.preset("natural+hybrid").transform(review_texts).summary
    natural, hybrid = (
        alone(part, salva.preset("natural+hybrid")).transform(review_texts).summary
        for part in ("natural", "hybrid")
    )
    assert both.eligible == natural.eligible + hybrid.eligible
    assert [words for words, _, _ in both.parts] == [words for words, _, _ in hybrid.parts]
    assert sum(edits for _, _, edits in both.parts) == both.edits < natural.edits + hybrid.edits
    assert both.as_dict()["by_rule"]["pair"]["edits"] == natural.as_dict()["by_rule"]["pair"]["edits"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("natrual+typos", "'natrual+typos': 'natrual' is not a preset; did you mean 'natural'?"),
        ("natural+typo", "'natural+typo': 'typo' is not a preset; did you mean 'typos'?"),
        ("typos+typos", "'typos+typos' has typos twice; name each preset once"),
        ("typos+", "'typos+' lacks the name of a preset before or after +; write A+B"),
        ("+typos", "'+typos' lacks the name of a preset before or after +; write A+B"),
        ("+", "'+' lacks the name of a preset before or after +; write A+B"),
        (
            "mine.toml+typos",
            f"'mine.toml+typos': 'mine.toml' is not a preset; the presets are {', '.join(PRESETS)}",
        ),
    ],
)
def test_a_bad_name_is_refused_with_the_part_that_is_wrong(name, message):
    with pytest.raises(UsageError) as error:
        salva.preset(name)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"render": "treebank"}, "render='treebank' is unknown; use one of splice"),
        ({"prob": 0.1}, "preset synonyms+typos has no setting 'prob'"),
        ({"typos_prob": 2}, "typos_prob=2 must be between 0 and 1"),
    ],
)
def test_a_bad_setting_is_refused(settings, message):
    with pytest.raises(UsageError, match=message.replace("+", r"\+")):
        salva.preset("synonyms+typos", **settings)


def test_a_part_may_refuse_its_settings():
    names = ["typo_weight", "autocomplete_weight", "autocorrect_weight", "synonym_weight"]
    with pytest.raises(UsageError, match="all weights are 0"):
        salva.preset("natural+corrupt", **dict.fromkeys(names, 0))


def test_a_setting_that_differs_between_parts_has_the_name_of_its_part():
    settings = salva.preset("synonyms+typos", synonyms_prob=0.0, typos_prob=1.0, protect=False).settings
    synonyms, typos = settings.of_parts()
    assert (synonyms.prob, typos.prob) == (0.0, 1.0)
    assert (synonyms.protect, typos.protect) == (False, False)
    assert (typos.keyboard, settings.keyboard) == ("typos", "typos")
    both = salva.preset("natural+hybrid").settings
    assert both.tagger == "builtin", "a setting that means the same to both occurs once"
    assert both.protect, "a composition protects, like presets that only splice"


@pytest.mark.parametrize("name", PAIRS)
def test_the_parts_get_their_own_defaults(name):
    transform = salva.preset(name)
    common = {"render": "splice", "protect": True}
    assert transform.settings.of_parts() == [
        salva.preset(part, **common).settings for part in name.split("+")
    ]
    assert transform.version == "+".join(str(PRESETS[part].version) for part in name.split("+"))


def test_a_toml_file_gives_the_composition_again(tmp_path):
    path = tmp_path / "a+b.toml"
    made = salva.preset("synonyms+typos", typos_prob=0.5, keyboard={"a": "sq"}, protect_words=["film"])
    path.write_text(as_toml(made), "utf-8")
    assert salva.preset(path) == made
    assert salva.preset(path).digest == made.digest
    path.write_text(as_toml(made).replace(f'version = "{made.version}"', 'version = "0+1"'), "utf-8")
    with pytest.raises(InputError, match=r"is for version '0\+1' of synonyms\+typos"):
        salva.preset(path)
    path.write_text("preset = 'typos+typso'", "utf-8")
    with pytest.raises(InputError, match="'typso' is not a preset; did you mean 'typos'"):
        salva.preset(path)


def test_a_version_changes_with_the_version_of_any_part(monkeypatch):
    before = salva.preset("natural+typos")
    monkeypatch.setitem(PRESETS, "typos", dataclasses.replace(PRESETS["typos"], version=9))
    after = salva.preset("natural+typos")
    assert after.version == f"{PRESETS['natural'].version}+9" != before.version
    assert before.digest != after.digest


def test_a_composition_is_a_value():
    made = salva.preset("natural+typos", prob=0.5)
    same = salva.preset("natural+typos", prob=0.5)
    assert (made, hash(made)) == (same, hash(same))
    for copied in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert copied == made
        assert copied.settings == made.settings
    assert pickle.loads(pickle.dumps(made.settings)) == made.settings
    assert dataclasses.replace(made.settings, prob=0.1) == salva.preset("natural+typos", prob=0.1).settings
    assert made != salva.preset("typos+natural", prob=0.5)


def test_equal_compositions_have_one_fingerprint():
    hasher = pytest.importorskip("datasets.fingerprint").Hasher
    assert hasher.hash(salva.preset("natural+typos")) == hasher.hash(salva.preset("natural+typos"))


def test_threads_that_compose_at_once_get_one_preset(monkeypatch):
    monkeypatch.setattr(composed, "_COMPOSED", {})
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(find_preset, ["synonyms+typos"] * 50))
    assert all(preset is made[0] for preset in made)


@pytest.mark.slow
def test_another_process_makes_the_same_twins():
    made = salva.preset("natural+typos")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        [transformed] = pool.map(_transform, [made])
    assert transformed == made.transform(SENTENCES, seed=1).transformed


def _transform(made: Transform) -> list[str]:
    return made.transform(SENTENCES, seed=1).transformed


def test_a_composition_with_a_vocabulary_is_fitted():
    fitted = salva.preset("natural+corrupt").fit(["Better movies", "better moves"])
    assert fitted.settings.vocabulary == fitted.vocabulary == ("better", "moves", "movies")
    with pytest.raises(UsageError, match=r"preset natural\+typos has nothing to fit"):
        salva.preset("natural+typos").fit(["a"])
