"""Settings under the names of the specs: checked, from Python, from TOML, and back."""

from __future__ import annotations

import tomllib

import pytest

import salva
from salva.errors import InputError, UsageError
from salva.transforms import PRESETS, as_toml
from tests.transforms.conftest import SENTENCES

DEFAULTS = {
    "hybrid": {
        "p_synonym_adj": 0.70,
        "p_synonym_adv": 0.70,
        "p_synonym_noun": 0.30,
        "p_synonym_verb": 0.25,
        "min_word_length": 4,
        "p_typo": 0.10,
        "max_typos_per_example": 2,
        "render": "treebank",
    },
    "synonyms": {"prob": 0.5, "max_synsets": 3, "render": "spaces"},
    "typos": {"prob": 0.25, "typo_per_word": 0.4, "min_word_length": 3, "render": "spaces"},
    "corrupt": {
        "typo_weight": 0.05,
        "autocomplete_weight": 0.30,
        "autocorrect_weight": 0.30,
        "synonym_weight": 0.35,
        "dictionary_size": 4000,
        "render": "spaces",
    },
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_are_those_of_the_documents(name):
    settings = vars(salva.preset(name).settings)
    assert {key: settings[key] for key in DEFAULTS[name]} == DEFAULTS[name]
    assert PRESETS[name].severity == (0.5 if name == "corrupt" else 1.0)


@pytest.mark.parametrize(
    ("name", "setting", "message"),
    [
        ("hybrid", {"p_tpyo": 0.1}, "preset hybrid has no setting 'p_tpyo'; did you mean 'p_typo'?"),
        ("hybrid", {"p_typo": 1.5}, "p_typo=1.5 must be between 0 and 1"),
        ("hybrid", {"p_typo": float("nan")}, "p_typo=nan must be between 0 and 1"),
        ("hybrid", {"p_typo": "0.5"}, "p_typo='0.5' must be between 0 and 1"),
        ("hybrid", {"p_typo": True}, "p_typo=True must be between 0 and 1"),
        (
            "hybrid",
            {"min_word_length": 0},
            "min_word_length=0 must be a whole number from 1 to 2,147,483,647",
        ),
        (
            "hybrid",
            {"max_typos_per_example": 1.0},
            "max_typos_per_example=1.0 must be a whole number from 0 to 2,147,483,647",
        ),
        ("typos", {"render": "spaced"}, "render='spaced' is unknown; use one of splice, spaces, treebank"),
        ("typos", {"protect": 1}, "protect=1 must be true or false"),
        (
            "typos",
            {"protect_words": "film"},
            "protect_words='film' must be a list; write protect_words=['film']",
        ),
        ("typos", {"protect_words": [1]}, "protect_words=[1] must be a list of words"),
        ("corrupt", {"typo_weight": -1}, "typo_weight=-1 must be between 0 and 1e+09"),
        ("typoss", {}, "'typoss' is not a preset; did you mean 'typos'?"),
    ],
)
def test_a_wrong_setting_is_refused_with_what_is_right(name, setting, message):
    with pytest.raises(UsageError) as error:
        salva.preset(name, **setting)
    assert str(error.value) == message


def test_weights_that_leave_nothing_are_refused():
    weights = dict.fromkeys(["typo_weight", "autocomplete_weight", "autocorrect_weight", "synonym_weight"], 0)
    with pytest.raises(UsageError, match="all weights are 0"):
        salva.preset("corrupt", **weights)


@pytest.mark.parametrize("severity", [-0.1, 1.5, float("nan"), "0.5", None.__class__, True])
def test_a_severity_out_of_range_is_refused(severity):
    with pytest.raises(UsageError, match="must be between 0 and 1"):
        salva.preset("typos").transform("text", severity=severity)


@pytest.mark.parametrize("seed", [-1, 2**64, 0.5, "1", None, True])
def test_a_seed_that_is_none_is_refused(seed):
    with pytest.raises(UsageError, match=r"seed=.+ must be a whole number from 0 to 2\*\*64 - 1"):
        salva.preset("typos").transform("text", seed=seed)


def test_the_toml_of_a_preset_gives_it_again(name, tmp_path):
    changed = salva.preset(name, protect=True, protect_words=['say "x"', "déjà\\vu"], render="splice")
    path = tmp_path / "mine.toml"
    path.write_text(as_toml(changed), "utf-8")
    assert salva.preset(path) == changed
    assert salva.preset(path).digest == changed.digest
    assert salva.preset(path, protect=False) != changed


def test_every_setting_is_in_the_toml_with_a_line_about_it(transform):
    text = as_toml(transform)
    settings = tomllib.loads(text)["settings"]
    assert settings.keys() == vars(transform.settings).keys()
    assert text.count("# ") >= len(settings) + 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("preset = 'typos'\npreset = 'typos'", "mine.toml:2: broken TOML"),
        ("preset = ", "mine.toml:1: broken TOML"),
        ("preset = []", "mine.toml: preset = [] is not a preset; the presets are"),
        ("preset = 'typo'", "mine.toml: preset = 'typo' is not a preset; did you mean 'typos'?"),
        ("preset = 'typos'\nversion = 9", "mine.toml: is for version 9 of typos; this Salva has version 2"),
        ("preset = 'typos'\nseverity = 1", "mine.toml: key 'severity' is unknown"),
        ("preset = 'typos'\nsettings = 1", "mine.toml: settings must be a table"),
        ("preset = 'typos'\n[settings]\nprob = nan", "mine.toml: prob=nan must be between 0 and 1"),
        ("preset = 'typos'\n[settings]\nprob = 2020-01-01", "mine.toml: prob=datetime.date"),
        ("preset = 'typos'\n[settings]\nseverty = 1", "mine.toml: preset typos has no setting 'severty'"),
    ],
)
def test_a_broken_preset_file_is_refused_with_its_place(tmp_path, monkeypatch, content, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(content)
    with pytest.raises(InputError) as error:
        salva.preset("mine.toml")
    assert str(error.value).startswith(message)


def test_a_preset_file_may_begin_with_a_byte_order_mark(tmp_path):
    (tmp_path / "mine.toml").write_text("\ufeffpreset = 'typos'", "utf-8")
    assert salva.preset(tmp_path / "mine.toml") == salva.preset("typos")


def test_offensive_words_are_chosen_only_when_the_list_is_empty(review_texts):
    from salva.lexicon import offensive_words

    def chosen(**settings) -> set[str]:
        edits = salva.preset("corrupt", **settings).transform(review_texts, severity=1.0).edits
        return {row["new"].lower() for row in edits.to_pylist() if row["rule"] != "typo"}

    assert not chosen() & offensive_words()
    assert chosen(exclude=[]) & offensive_words()
    assert "film" not in chosen(exclude=["film"])


def test_protect_leaves_addresses_names_and_tags_alone(name):
    text = "see http://great.film/a?b=c or www.movies.org mail fine.movie@film.com @director #awful <em>"
    twins = salva.preset(name, protect=True).transform([text] * 3, seed=5, severity=1.0)
    assert {edit["old"] for edit in twins.edits.to_pylist()} <= {"see", "or", "mail"}


def test_own_words_and_patterns_are_left_alone():
    protected = salva.preset("corrupt", protect_words=["Loved This"], protect_patterns=[r"mov\w+"])
    old = {edit["old"] for edit in protected.transform(SENTENCES[0], severity=1.0).edits.to_pylist()}
    assert not old & {"loved", "this", "movie"}
    assert "really" in old
