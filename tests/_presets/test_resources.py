"""The user's own files: groups, keyboards, vocabularies, thesauri, taggers, and what is wrong with them."""

from __future__ import annotations

import pytest

import salva
from salva.errors import InputError
from tests.conftest import SHARED


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def edits(transform, text: str, **draw) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for seed in range(30):
        for row in transform.transform(text, seed=seed, **draw).edits.to_pylist():
            found.setdefault(row["old"], set()).add(row["new"])
    return found


@pytest.mark.parametrize(
    ("setting", "content", "message"),
    [
        ("groups", '[[group]]\nwords = ["good"]', "f:1: A group needs at least two words"),
        ("groups", '[[group]]\nwords = ["good", "bad"]', "f:1: A group mixes praise and blame"),
        ("groups", "", "f: no groups"),
        ("keyboard", '"Ä" = "b"', "f: key 'Ä' must be one lower-case letter"),
        ("keyboard", 'ab = "c"', "f: key 'ab' must be one lower-case letter"),
        ("keyboard", 'a = "ab"', "f: a = 'ab' must not contain the key itself, or a letter twice"),
        ("keyboard", 'a = "É"', "f: a = 'É' must be a string of lower-case letters"),
        ("keyboard", "a = 1", "f: a = 1 must be a string of lower-case letters"),
        ("keyboard", "", "f: has no keys"),
        ("vocabulary", "", "f: has no words"),
        ("vocabulary", "fine\ntwo words\n", "f:2: 'two words' contains whitespace"),
        ("vocabulary", "tab\there\n", "f:1: 'tab\\there' contains whitespace"),
        ("thesaurus", "film\n", "f:1: a line must be a word and its synonyms"),
        ("thesaurus", "film\tmovie\n\t\n\tx\n", "f:3: a line must be a word and its synonyms"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(folder, setting, content, message):
    (folder / "f").write_text(content, "utf-8")
    name = "hybrid" if setting in ("groups", "keyboard") else "corrupt"
    with pytest.raises(InputError) as error:
        salva.preset(name, **{setting: "f"}).transform("some text")
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("setting", ["groups", "keyboard", "tagger", "exclude"])
def test_a_missing_file_is_refused(folder, setting):
    with pytest.raises(InputError, match="nowhere"):
        salva.preset("hybrid", **{setting: "nowhere"}).transform("some text")


def test_own_groups_are_used(folder):
    (folder / "g.toml").write_text('[[group]]\nwords = ["kitten", "Puppy"]')
    own = salva.preset("hybrid", groups="g.toml", p_synonym_noun=1.0, p_typo=0)
    assert edits(own, "The kitten sleeps")["kitten"] == {"Puppy"}


def test_own_keys_are_used(folder):
    (folder / "k.toml").write_text('t = "r"\n')
    own = salva.preset("typos", keyboard="k.toml", prob=1.0, typo_per_word=1.0)
    assert own.transform("Tutu tt rrr").transformed == "Ruru tt rrr"


def test_own_stop_words_and_own_exclusions_are_used(folder):
    (folder / "stop.txt").write_text("Movie\n\n")
    (folder / "not.txt").write_text("film\npicture\n")
    assert "movie" not in edits(salva.preset("synonyms", stop_words="stop.txt"), "a movie here")
    found = edits(salva.preset("synonyms", exclude="not.txt"), "a movie here")["movie"]
    assert found
    assert not found & {"film", "picture"}


def test_a_vocabulary_serves_corrections_and_completions(folder):
    (folder / "v.txt").write_text("Movement\nmoved\nother\n")
    weights = {"typo_weight": 0, "synonym_weight": 0}
    own = salva.preset("corrupt", vocabulary="v.txt", **weights)
    assert edits(own, "MOVIE", severity=1.0)["MOVIE"] == {"MOVEMENT", "MOVED"}


def test_only_as_many_words_as_the_dictionary_holds_are_used(folder):
    (folder / "v.txt").write_text("moved\n" + "".join(f"movie{i}\n" for i in range(50_000)))
    found = salva.preset("corrupt", vocabulary="v.txt", dictionary_size=1, typo_weight=0, synonym_weight=0)
    assert edits(found, "moves", severity=1.0)["moves"] == {"moved"}


def test_no_neighbour_within_reach_leaves_the_word():
    alone = salva.preset("corrupt", vocabulary=["movie"], typo_weight=0, synonym_weight=0)
    assert edits(alone, "movie extraordinary", severity=1.0) == {}


def test_a_thesaurus_of_another_language_is_used(folder):
    (folder / "de.tsv").write_text("Film\tStreifen\tLichtspiel\nschön\thübsch\n", "utf-8")
    weights = {"typo_weight": 0, "autocomplete_weight": 0, "autocorrect_weight": 0}
    own = salva.preset("corrupt", thesaurus="de.tsv", **weights)
    found = edits(own, "Ein SCHÖNER film, schön", severity=1.0)
    assert found["film"] == {"Streifen", "Lichtspiel"}
    assert found["schön"] == {"hübsch"}


@pytest.mark.slow
def test_nltk_s_own_weights_can_tag():
    path = SHARED / "nltk_data/taggers/averaged_perceptron_tagger_eng"
    if not path.is_dir():
        pytest.skip("needs NLTK's weights in ../shared, which are not part of the project")
    own = salva.preset("hybrid", tagger=path)
    assert own.transform("A great movie, really.").summary.eligible
    assert "tagger" in own.as_dict()["resources"]


def test_a_digest_knows_the_content_of_files(folder):
    (folder / "v.txt").write_text("movie\n")
    first = salva.preset("corrupt", vocabulary="v.txt").digest
    (folder / "v.txt").write_text("other\n")
    assert salva.preset("corrupt", vocabulary="v.txt").digest != first


def test_fitting_counts_lower_case_words_of_five_letters_with_a_letter():
    fitted = salva.preset("corrupt").fit(
        ["Movies movies Actor 12345 abcd, don't", None, "actor x1y2z movies"]
    )
    assert fitted.settings.vocabulary == ("movies", "actor", "x1y2z")
    with pytest.raises(salva.UsageError, match="preset typos has nothing to fit"):
        salva.preset("typos").fit(["text"])
