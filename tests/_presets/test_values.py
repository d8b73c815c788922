"""Groups, keyboards and thesauri that are given in Python instead of as files, and NLTK's own folders."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys

import pytest

import salva
from salva import compat
from salva.errors import InputError, UsageError
from salva.lexicon import Group, Groups, load_groups
from salva.transforms import as_toml
from tests.conftest import SHARED

SURE = {"p_synonym_noun": 1.0, "p_synonym_adj": 1.0, "p_typo": 0.0}
SYNONYMS_ONLY = {"typo_weight": 0, "autocomplete_weight": 0, "autocorrect_weight": 0}
TEXTS = ["The kitten sleeps in a good movie" + " " * n for n in range(40)]
OWN = {
    "groups": ("hybrid", [["kitten", "cat"], ["movie", "film"]]),
    "keyboard": ("typos", {"a": "sq", "ä": "ö"}),
    "thesaurus": ("corrupt", {"film": ["movie", "Streifen"], "schön": ["hübsch"]}),
}


def become(transform, word: str) -> set[str]:
    edits = transform.transform(TEXTS, severity=1.0).edits.to_pylist()
    return {edit["new"] for edit in edits if edit["old"] == word}


@pytest.mark.parametrize(
    "groups",
    [
        [{"kitten", "puppy"}, {"movie", "film"}],
        [("kitten", "puppy"), ["movie", "film"]],
        {frozenset({"kitten", "puppy"}), frozenset({"movie", "film"})},
        Groups("mine", (Group(("kitten", "puppy")), Group(("movie", "film")))),
    ],
    ids=["sets", "lists", "frozen", "object"],
)
def test_groups_may_be_given_in_python(groups):
    own = salva.preset("hybrid", groups=groups, **SURE)
    assert become(own, "kitten") == {"puppy"}
    assert become(own, "movie") == {"film"}


@pytest.mark.parametrize("none", [None, [], ()])
def test_without_groups_wordnet_alone_is_asked(none):
    alone = salva.preset("hybrid", groups=none, **SURE)
    rules = alone.transform(TEXTS).edits["rule"].to_pylist()
    assert set(map(str, rules)) == {"wordnet"}
    assert "moving picture" not in become(alone, "movie")
    assert {"pic", "flick"} <= become(alone, "movie")


def test_the_shipped_groups_given_in_python_do_what_their_name_does():
    named, given = salva.preset("hybrid"), salva.preset("hybrid", groups=load_groups())
    assert named.transform(TEXTS).transformed == given.transform(TEXTS).transformed


@pytest.mark.parametrize("keys", [{"t": "r"}, {"t": ["r"]}, {"t": ("r",)}])
def test_a_keyboard_may_be_given_in_python(keys):
    own = salva.preset("typos", keyboard=keys, prob=1.0, typo_per_word=1.0)
    assert own.transform("Tutu tt rrr").transformed == "Ruru tt rrr"


def test_a_thesaurus_may_be_given_in_python():
    own = salva.preset("corrupt", thesaurus={"Kitten": ["Mieze", "KITTEN"], "movie": "film"}, **SYNONYMS_ONLY)
    assert become(own, "kitten") == {"Mieze"}
    assert become(own, "movie") == {"film"}


@pytest.mark.parametrize("setting", OWN)
def test_a_digest_knows_what_was_given_in_python(setting):
    name, value = OWN[setting]
    first, again = (salva.preset(name, **{setting: value}) for _ in range(2))
    less = dict(list(value.items())[:1]) if isinstance(value, dict) else value[:1]
    digests = {first.digest, salva.preset(name).digest, salva.preset(name, **{setting: less}).digest}
    assert first == again
    assert hash(first) == hash(again)
    assert len(digests) == 3
    json.dumps(first.as_dict())


@pytest.mark.parametrize("setting", OWN)
def test_what_was_given_in_python_can_be_pickled_and_written_as_toml(setting, tmp_path):
    name, value = OWN[setting]
    own = salva.preset(name, **{setting: value})
    (tmp_path / "mine.toml").write_text(as_toml(own), "utf-8")
    for again in (pickle.loads(pickle.dumps(own)), salva.preset(tmp_path / "mine.toml")):
        assert again == own
        assert again.digest == own.digest
        assert again.transform(TEXTS).transformed == own.transform(TEXTS).transformed


def test_a_value_that_is_changed_later_changes_no_transform():
    groups = [{"kitten", "puppy"}]
    own = salva.preset("hybrid", groups=groups, **SURE)
    before = own.digest
    groups[0].add("monster")
    groups.append({"movie", "monster"})
    assert own.digest == before
    assert become(own, "kitten") == {"puppy"}


@pytest.mark.slow
def test_the_order_of_a_set_does_not_count():
    words = [f"word{i}" for i in range(50)]
    program = f"import salva; print(salva.preset('hybrid', groups=[set({words})]).digest)"
    digests = set()
    for number in "12":
        changed = os.environ | {"PYTHONHASHSEED": number}
        digests.add(subprocess.check_output([sys.executable, "-c", program], env=changed, text=True))
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("groups", ["movie", "film"], "groups: 'movie' is not a group; write [['movie', 'film']]"),
        ("groups", [["movie", 1]], "groups: 1 is not a word; write words without spaces around them"),
        (
            "groups",
            [["movie", " film"]],
            "groups: ' film' is not a word; write words without spaces around them",
        ),
        ("groups", 5, "groups=5 is not a list of groups; write [['movie', 'film']]"),
        ("keyboard", 5, "keyboard=5 is not a mapping; write {'a': 'sqwz'}"),
        ("keyboard", {}, 'keyboard: has no keys; write lines such as a = "sqwz"'),
        ("keyboard", {"ab": "c"}, "keyboard: key 'ab' must be one lower-case letter"),
        ("keyboard", {"A": "c"}, "keyboard: key 'A' must be one lower-case letter"),
        ("keyboard", {"a": "1"}, "keyboard: a = '1' must be a string of lower-case letters"),
        ("keyboard", {"a": 1}, "keyboard: a = 1 must be a string of lower-case letters"),
        ("keyboard", {"a": "ab"}, "keyboard: a = 'ab' must not contain the key itself, or a letter twice"),
        ("thesaurus", {"film": []}, "thesaurus: 'film' has no synonyms"),
        ("thesaurus", {"film": [1]}, "thesaurus: 1 is not a word; write words without spaces around them"),
        ("thesaurus", {}, "thesaurus has no words"),
        ("thesaurus", 5, "thesaurus=5 is not a mapping; write {'film': ['movie']}"),
    ],
)
def test_a_wrong_value_is_refused_in_one_line(setting, value, message):
    with pytest.raises(UsageError) as error:
        salva.preset(OWN[setting][0] if setting != "keyboard" else "hybrid", **{setting: value})
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([["movie", "film"], ["plot"]], "groups: group 2: A group needs at least two words: 'plot'"),
        ([["good", "bad"]], "groups: group 1: A group mixes praise and blame"),
    ],
)
def test_groups_in_python_are_checked_as_those_of_files(groups, message):
    with pytest.raises(UsageError) as error:
        salva.preset("hybrid", groups=groups).transform("A text")
    assert str(error.value).startswith(message)


def test_edits_of_the_documents_groups_count(monkeypatch):
    sets = [*({*group} for group in compat.SYNONYM_GROUP_SETS), {"zyzzyva", "weevil"}]
    assert compat.get_synonym_from_group("zyzzyva") is None
    monkeypatch.setattr(compat, "SYNONYM_GROUP_SETS", sets)
    assert compat.get_synonym_from_group("Zyzzyva") == "Weevil"
    assert compat.SYNONYM_GROUPS["weevil"] == ["zyzzyva"]
    sets[-1].add("beetle")
    assert compat.SYNONYM_GROUPS["weevil"] == ["beetle", "zyzzyva"]
    texts = {compat.custom_transform({"text": "One weevil."}, seed=seed)["text"] for seed in range(40)}
    assert {"One beetle.", "One zyzzyva."} <= texts


def test_the_documents_groups_are_one_list_that_may_be_edited_in_place():
    compat.SYNONYM_GROUP_SETS.append({"zyzzyva", "weevil"})
    try:
        assert compat.get_synonym_from_group("weevil") == "zyzzyva"
    finally:
        compat.SYNONYM_GROUP_SETS.pop()


@pytest.mark.slow
def test_nltks_weights_are_found_where_nltk_looks(monkeypatch):
    path = SHARED / "nltk_data"
    if not path.is_dir():
        pytest.skip("needs NLTK's weights in ../shared, which are not part of the project")
    monkeypatch.setenv("NLTK_DATA", os.pathsep.join(["/nowhere", str(path)]))
    found = salva.preset("hybrid", tagger="nltk")
    named = salva.preset("hybrid", tagger=path / "taggers/averaged_perceptron_tagger_eng")
    assert found.as_dict()["resources"] == named.as_dict()["resources"] != {}
    assert found.transform(TEXTS).summary.eligible


@pytest.mark.parametrize("folder", ["~/nltk_data", "{prefix}/nltk_data", "{prefix}/share/nltk_data"])
def test_nltks_usual_folders_are_looked_at(tmp_path, monkeypatch, folder):
    monkeypatch.delenv("NLTK_DATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "prefix"))
    place = tmp_path / folder.format(prefix="prefix").replace("~", "home")
    tagger = place / "taggers/averaged_perceptron_tagger_eng"
    tagger.mkdir(parents=True)
    (tagger / "x.json").write_text("{}")
    with pytest.raises(InputError) as error:
        salva.preset("hybrid", tagger="nltk").transform("A text")
    assert str(error.value).startswith(f"{tagger}: ")


def test_weights_that_are_nowhere_are_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr("salva.text.tagger_model.USUAL", ())
    with pytest.raises(InputError) as error:
        salva.preset("hybrid", tagger="nltk").transform("A text")
    assert str(error.value) == (
        f"tagger='nltk': no taggers/averaged_perceptron_tagger_eng in {tmp_path} or NLTK's usual folders; "
        "run nltk.download('averaged_perceptron_tagger_eng'), or name its folder"
    )


def test_a_group_word_may_get_one_draw_instead_of_two():
    rows = ["a good movie" + " " * n for n in range(4000)]

    def shares(**settings) -> dict[str, float]:
        edits = salva.preset("hybrid", p_typo=0.0, **settings).transform(rows).edits["old"].to_pylist()
        return {word: edits.count(word) / len(rows) for word in ("good", "movie")}

    assert shares() == pytest.approx({"good": 0.91, "movie": 0.51}, abs=0.03)
    assert shares(second_draw=False) == pytest.approx({"good": 0.70, "movie": 0.30}, abs=0.03)


def test_with_one_draw_only_the_second_replacements_are_missing():
    both = salva.preset("hybrid", p_typo=0.0).transform(TEXTS).edits.to_pylist()
    one = salva.preset("hybrid", p_typo=0.0, second_draw=False).transform(TEXTS).edits.to_pylist()
    known = {(edit["row"], edit["old"], edit["new"]) for edit in both}
    assert {(edit["row"], edit["old"], edit["new"]) for edit in one} < known
    assert {edit["rule"] for edit in one if edit["old"] in ("good", "movie")} == {"group"}
