"""Tags equal those of NLTK's perceptron, with the shipped weights and with NLTK's own."""

from __future__ import annotations

import json
import random
import sys
import types
import zipfile
from importlib.metadata import files
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import InputError
from salva.text import Tagger, tag, tokenize
from salva.text.tagger_model import compile_model
from tests.reference import nltk_twins
from tests.text.conftest import hostile_words, unicode

NAME = "averaged_perceptron_tagger_eng"


def tags(words: list[str], tagger: Tagger | None = None) -> list[str]:
    return tag([words], tagger=tagger).tags.to_pylist()[0]


def test_texts_of_many_kinds_have_the_tags_that_nltk_gives(answers):
    found = tag([answer["text"] for answer in answers])
    assert found.tags.to_pylist() == [answer["tags"] for answer in answers]


@given(hostile_words | st.lists(st.text(unicode, max_size=6), max_size=20))
def test_hostile_words_have_the_tags_that_nltk_gives(words):
    assert tags(words) == nltk_twins.tags(words)


def write_model(
    folder: Path, weights: object, tagdict: object = None, classes: object = ("A", "B", "C")
) -> Path:
    for part, content in (("weights", weights), ("tagdict", tagdict or {}), ("classes", classes)):
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / f"{NAME}.{part}.json").write_text(text, "utf-8")
    return folder


def nltk_tags(words: list[str], weights: dict, tagdict: dict, classes: list[str]) -> list[str]:
    from nltk.tag.perceptron import PerceptronTagger

    twin = PerceptronTagger(load=False)
    twin.decode_json_params((weights, tagdict, classes))
    return [tag for _, tag in twin.tag(words)]


@pytest.mark.parametrize("seed", range(20))
def test_a_tie_goes_where_the_floats_of_nltk_send_it(tmp_path, seed):
    """Few distinct weights make ties frequent, and tenths make sums of floats inexact."""
    source = random.Random(seed)
    words = [source.choice("ab") for _ in range(60)]
    places = (
        "bias",
        "i suffix a",
        "i suffix b",
        "i pref1 a",
        "i word a",
        "i word b",
        "i-1 word a",
        "i+1 word b",
        "i-2 word a",
    )
    places += (
        "i-1 tag A",
        "i-2 tag B",
        "i tag+i-2 tag A B",
        "i-1 tag+i word B a",
        "i+2 word a",
        "i-1 suffix b",
        "i+1 suffix a",
    )
    weights = {place: {tag: source.choice((0.1, 0.2, 0.3, -0.1, 0.7)) for tag in "ABC"} for place in places}
    tagger = Tagger.load(write_model(tmp_path, weights))
    assert tags(words, tagger) == nltk_tags(words, weights, {}, ["A", "B", "C"])


def test_fixed_words_may_have_tags_of_their_own(tmp_path):
    weights, fixed = {"bias": {"A": 1.0}, "i-1 tag X": {"B": 2.5}, "i-2 tag X": {"C": 4.0}}, {"x": "X"}
    tagger = Tagger.load(write_model(tmp_path, weights, fixed))
    words = ["a", "x", "a", "a", "x"]
    assert (
        tags(words, tagger) == nltk_tags(words, weights, fixed, ["A", "B", "C"]) == ["A", "X", "B", "C", "X"]
    )


def test_an_empty_tag_is_none(tmp_path):
    weights, fixed = {"bias": {"A": 1.0}}, {"x": ""}
    assert tags(["x"], Tagger.load(write_model(tmp_path, weights, fixed))) == ["A"]
    assert nltk_tags(["x"], weights, fixed, ["A"]) == ["A"]


@pytest.fixture(scope="module")
def nltk_folder() -> Path:
    from tests.conftest import SHARED

    folder = SHARED / f"nltk_data/taggers/{NAME}"
    if not folder.is_dir():
        pytest.skip("needs NLTK's weights in ../shared, which are not part of the project")
    return folder


def test_nltk_s_own_weights_give_nltk_s_tags(nltk_folder, answers):
    parts = [
        json.loads((nltk_folder / f"{NAME}.{part}.json").read_text())
        for part in ("weights", "tagdict", "classes")
    ]
    found = Tagger.load(nltk_folder).tag([answer["words"] for answer in answers]).tags.to_pylist()
    assert found == [nltk_tags(answer["words"], *parts) for answer in answers]


def test_taggers_are_told_apart_by_their_digest(tmp_path):
    first = Tagger.load(write_model(tmp_path, {"bias": {"A": 1.0}})).digest
    second = Tagger.load(write_model(tmp_path, {"bias": {"A": 1.001}})).digest
    assert len({first, second, Tagger.default().digest}) == 3
    assert Tagger.load(write_model(tmp_path, {"bias": {"A": 1.0}})).digest == first
    fixed = [{"a\0b": "A", "c": "A"}, {"a": "A", "b\0c": "A"}]
    assert len({Tagger.load(write_model(tmp_path, {}, words)).digest for words in fixed}) == 2


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_shipped_tagger_equals_the_package_it_comes_from(answers, monkeypatch):
    import nltk

    # The package asks for the copy of NLTK that TextBlob had in 2013.
    monkeypatch.setitem(sys.modules, "textblob.packages", types.ModuleType("textblob.packages"))
    monkeypatch.setattr(sys.modules["textblob.packages"], "nltk", nltk, raising=False)
    from textblob_aptagger import PerceptronTagger

    original = PerceptronTagger()
    for answer in answers:
        words = [word for word in answer["words"] if word.split() == [word]]
        expected = original.tag(" ".join(words), tokenize=False)
        assert list(zip(words, tags(words), strict=True)) == expected


def test_the_shipped_table_is_what_the_tool_makes(tmp_path):
    from salva.lexicon.shipped import read_tables
    from tools.build_tagger import PICKLE, read_pickle

    archive = tmp_path / "wheel.whl"
    installed = next(file for file in files("textblob-aptagger") if str(file) == PICKLE)
    with zipfile.ZipFile(archive, "w") as wheel:
        wheel.write(installed.locate(), PICKLE)
    made = compile_model(*read_pickle(archive))
    shipped = read_tables("tagger.arrow")
    assert {name: array.to_pylist() for name, array in made.items()} == {
        name: array.to_pylist() for name, array in shipped.items()
    }


@pytest.mark.parametrize(
    ("weights", "tagdict", "classes", "problem"),
    [
        ("{", {}, ["A"], "weights.json:1: is not JSON"),
        ("[" * 100_000, {}, ["A"], "weights.json: is nested too deeply"),
        ([1], {}, ["A"], "weights.json: must map features to weights"),
        ({"bias": 1}, {}, ["A"], "feature 'bias' must map tags to weights"),
        ({"bias": {"A": "1"}}, {}, ["A"], "tag 'A': weight '1' is not a number"),
        ({"bias": {"A": 0.0001}}, {}, ["A"], "weight 0.0001 has more than three decimal places"),
        ('{"bias": {"A": NaN}}', {}, ["A"], "weight nan is not between -250 and 250"),
        ({"bias": {"A": 1e9}}, {}, ["A"], "is not between -250 and 250"),
        ({}, '{"\\ud800": "A"}', ["A"], "tagdict.json: contains half of a surrogate pair"),
        ({}, ["x"], ["A"], "tagdict.json: must map words to tags"),
        ('{"bias": {"A": ' + "1" * 5000 + "}}", {}, ["A"], "weights.json: is not JSON: exceeds the limit"),
        ({}, {"x": "A B"}, ["A"], "classes.json: tag 'A B' contains a space"),
        ({}, {}, [], "classes.json: must hold a list of tags"),
        ({}, {}, [str(i) for i in range(300)], "classes.json: has more than 256 tags"),
    ],
)
def test_a_broken_model_gets_one_line(tmp_path, weights, tagdict, classes, problem):
    with pytest.raises(InputError, match=problem):
        Tagger.load(write_model(tmp_path, weights, tagdict, classes))


def test_a_folder_without_a_model_gets_one_line(tmp_path):
    with pytest.raises(InputError, match=r"has 0 files \*.weights.json; expected one"):
        Tagger.load(tmp_path)
    with pytest.raises(InputError, match="is not a folder"):
        Tagger.load(tmp_path / "none")


def test_texts_and_lists_of_words_are_tagged_alike():
    texts = ["Dogs bark.", None, ""]
    from_texts = tag(texts)
    assert from_texts.to_pylist() == [[("Dogs", "NNS"), ("bark", "NN"), (".", ".")], None, []]
    for lists in (tokenize(texts), tokenize(texts).strings, tokenize(texts).to_pylist()):
        assert tag(lists).to_pylist() == from_texts.to_pylist()
    assert from_texts.spans.ends.to_pylist() == [[4, 9, 10], None, []]
    assert tag(tokenize(texts)).spans is None


def test_parts_of_speech_go_by_the_first_letters_of_a_tag():
    kinds = dict(zip(Tagger.default().tags, _classes(Tagger.default().tags), strict=True))
    assert {name for name, kind in kinds.items() if kind == "noun"} == {"NN", "NNP", "NNPS", "NNS"}
    assert {name for name, kind in kinds.items() if kind == "adverb"} == {"RB", "RBR", "RBS"}
    assert {kinds["WRB"], kinds["RP"], kinds["."], kinds["MD"]} == {"other"}


def _classes(names: tuple[str, ...]) -> list[str]:
    from salva.text.spans import as_word_lists
    from salva.text.tagger import Tagged

    words = as_word_lists([list(names)])
    return Tagged(words, np.arange(len(names), dtype=np.int16), names).parts.to_pylist()[0]


def test_tags_are_a_dictionary_column():
    kind = tag(["a"]).tags.type
    assert pa.types.is_large_list(kind)
    assert pa.types.is_dictionary(kind.value_type)
