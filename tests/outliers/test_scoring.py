"""Scores: known figures, coverage before everything, and who beat the outlier."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from salva.errors import InputError, UsageError
from salva.outliers import Notes, WordSet, read_sets, write_set
from salva.outliers.notes import write_notes
from salva.outliers.scoring import score
from salva.outliers.vectors.arrays import GLOVE
from tests.conftest import SHARED
from tests.outliers.letters import INLIERS, LETTERS, OUTLIERS, copies, vectors_of, without
from tests.outliers.vector_files import lines, write

WORDS = [part for word in LETTERS.words for part in word.split("_")]

# Policy: counted, hits, Accuracy, OPP (OP/n), OPP (1-based), Accuracy by sub-set.
GOLDEN = {
    "50-8-8": (1024, 499, 48.7305, 81.5796, None, [35.55, 41.02, 42.97, 75.39]),
    "hamod": (1024, 499, 48.7305, 82.1045, 84.0061, [35.55, 41.02, 42.97, 75.39]),
    "hamod-ignore": (1016, 502, 49.4094, 82.8266, 84.7373, [36.61, 41.34, 43.31, 76.38]),
    "default": (1024, 511, 49.9023, 82.9224, 84.8199, [37.11, 42.19, 43.75, 76.56]),
}


@pytest.fixture(scope="session")
def hamod() -> list[WordSet]:
    folder = SHARED / "data/hamod"
    if not folder.is_dir():
        pytest.skip("needs the HAMOD sets in ../shared, which are not part of the project")
    return read_sets(folder, languages=["EN"])


@pytest.fixture(scope="session")
def glove(hamod):
    if importlib.util.find_spec(GLOVE) is None:
        pytest.skip("needs real vectors: pip install 'salva[glove]'")
    return "glove"


def group(result, by: str) -> dict[str, float]:
    return {one.name: round(one.figures.accuracy.value, 2) for one in result.groups if one.by == by}


@pytest.mark.heavy
@pytest.mark.parametrize("policy", GOLDEN)
def test_the_published_figures_come_out_to_four_decimals(hamod, glove, policy):
    result = score(glove, hamod, policy=policy)
    counted, hits, accuracy, opp, opp_1based, subsets = GOLDEN[policy]
    found = result.figures
    assert (found.counted, found.hits) == (counted, hits)
    assert (round(found.accuracy.value, 4), round(found.opp.value, 4)) == (accuracy, opp)
    assert opp_1based in (None, round(found.opp_1based.value, 4))
    assert list(group(result, "sub-set").values()) == subsets


@pytest.mark.heavy
def test_the_published_figures_by_part_of_speech_come_out(hamod, glove):
    expected = {"noun": 53.92, "adjective": 53.12, "verb": 37.08}
    assert group(score(glove, hamod), "part of speech") == expected


@pytest.mark.heavy
def test_words_missing_with_exact_case_are_the_known_ones(hamod, glove):
    result = score(glove, hamod, policy="hamod")
    missing = {one.topic: one.missing for one in result.sets if one.missing}
    assert missing.keys() == {"Languages", "Free_Time_Activities"}
    assert missing["Free_Time_Activities"] == ("DIY",)
    assert result.warnings[0].startswith("EN-Languages: 10 words are missing (German, Polish, English, …)")


@pytest.mark.heavy
def test_with_the_hyphen_step_the_hits_fall_to_474(hamod, glove):
    assert score(glove, hamod, chain="exact,lower,hyphen,parts").figures.hits == 474


@pytest.fixture(scope="session")
def gensim_vectors(glove):
    """The package's data as gensim has them, read without any code of ours."""
    models = pytest.importorskip("gensim.models", reason="needs gensim: pip install gensim")
    folder = Path(importlib.util.find_spec(GLOVE).origin).parent / "data"
    words = pq.read_table(folder / "glove_6B_index.parquet")["index"].to_pylist()
    vectors = models.KeyedVectors(50)
    vectors.add_vectors(words, np.load(folder / "glove_6B_50d_emb.npy"))
    return vectors


def test_gensim_finds_the_same_word_wherever_all_are_single_and_known(hamod, glove, gensim_vectors):
    inliers = {one.digest: one.inliers for one in hamod}
    compared = 0
    for one in score(glove, hamod, chain=["exact"], min_coverage=0).exercises:
        words = [*inliers[one.digest], one.outlier]
        if all(word in gensim_vectors for word in words):
            compared += 1
            assert gensim_vectors.doesnt_match(words) == one.predicted, words
    assert compared == 604


def test_every_inlier_that_beats_the_outlier_is_named_the_most_foreign_first():
    result = score(vectors_of(angles={"b": 2.4, "c": 2.2, "p": 1.5}), [LETTERS])
    first = result.exercises[0]
    assert (first.predicted, first.beaten_by, first.op, first.hit) == ("b", ("b", "c"), 6, False)
    assert first.margin < 0
    assert [(one.word, one.of) for one in result.confusions] == [("b", 8), ("c", 8)]
    assert result.confusions[0].times == 8


def test_coverage_counts_words_and_whole_exercises():
    found = score(vectors_of(without("a", "p")), [LETTERS], min_coverage=0).coverage
    assert (found.words, found.known, found.percent, found.exercises, found.complete) == (16, 14, 87.5, 8, 0)
    assert score(vectors_of(without("p")), [LETTERS]).coverage.complete == 7


def test_a_low_coverage_is_refused_with_a_hint():
    with pytest.raises(InputError, match=r"10 of 16 words \(62\.5 %\) are in made, less than the 80 % that"):
        score(vectors_of(without(*OUTLIERS[:6])), [LETTERS])
    assert score(vectors_of([]), [LETTERS], min_coverage=0).figures.hits == 0


def refused(vectors, sets, **options) -> str:
    with pytest.raises(InputError) as caught:
        score(vectors, sets, **options)
    return str(caught.value).partition("that a score needs")[2]


def turned(language: str, change=str.swapcase) -> WordSet:
    inliers, outliers = (tuple(map(change, words)) for words in (INLIERS, OUTLIERS))
    return WordSet("Letters", language, inliers, outliers)


def test_where_one_language_is_known_it_is_named_and_nothing_is_lowered():
    """To lower --min-coverage would have scored German sets by English vectors."""
    sets = [LETTERS, turned("DE", lambda word: f"{word}ß")]
    assert refused(vectors_of(), sets) == ": EN 100.0 %, DE 0.0 %; pass languages=['EN']"


def test_where_the_language_may_be_the_problem_it_is_asked_for():
    asked = refused(vectors_of(), [turned("DE", lambda word: f"{word}ß")])
    assert asked.startswith("; is made in the language of the sets (DE)?")
    assert "min_coverage" not in asked
    asked = refused(vectors_of(without(*OUTLIERS[:6])), [dataclasses.replace(LETTERS, language="UND")])
    assert asked.startswith("; is made in the language of the sets?")
    assert asked.endswith(" or min_coverage=0.62 to score anyway")


def test_where_case_is_the_problem_the_look_up_is_named(tmp_path):
    path = write(tmp_path / "v.txt", lines(words=WORDS, vectors=np.eye(18) + 1))
    asked = refused(path, [turned("DE", str.title)], policy="hamod")
    assert asked == "; look up lower case too: chain='exact,lower,parts'"
    capitals = [word.title() for word in WORDS]
    path = write(tmp_path / "v.txt", lines(words=capitals, vectors=np.eye(18) + 1))
    asked = refused(path, [LETTERS])
    assert asked.endswith("(EN)? if so, pass chain='exact,lower,capital,parts' to find words with capitals")
    assert score(path, [LETTERS], chain="exact,lower,capital,parts").coverage.percent == 100


def test_lower_case_vectors_on_a_capitalised_set_are_refused_unless_looked_up_so(tmp_path):
    words = [f"wort{chr(97 + i)}" for i in range(16)]
    path = write(tmp_path / "v.txt", lines(words=words, vectors=np.eye(16) + 1))
    german = WordSet("Wort", "DE", *(tuple(w.title() for w in part) for part in (words[:8], words[8:])))
    with pytest.raises(InputError, match=r"0 of 16 words \(0\.0 %\) are in v\.txt"):
        score(path, [german], policy="hamod")
    assert score(path, [german]).coverage.percent == 100


@pytest.mark.parametrize(
    ("known", "reason"),
    [((), "16 words are missing (a, b, c, …): 8 of 8 exercises count as wrong"), (("a",), "15 words")],
)
def test_a_set_that_cannot_be_ranked_says_why_and_never_hits(known, reason):
    """74: nothing known, or one inlier."""
    result = score(vectors_of(known), [LETTERS], min_coverage=0)
    assert result.sets[0].reason.startswith(reason)
    assert result.figures.hits == 0
    assert result.coverage.percent < 10
    assert result.warnings[0].startswith(f"EN-Letters: {reason}")


def test_notes_say_the_kind_and_the_part_of_speech(tmp_path):
    path = tmp_path / "EN-Letters.txt"
    write_set(LETTERS, path)
    write_notes(Notes(kind="topic", pos="verb"), tmp_path / "Letters.toml")
    result = score(vectors_of(), tmp_path)
    assert (group(result, "kind"), group(result, "part of speech")) == ({"topic": 100.0}, {"verb": 100.0})


def test_without_notes_wordnet_says_the_part_of_speech_of_english_sets():
    other = dataclasses.replace(LETTERS, language="FR")
    assert group(score(vectors_of(), [other]), "part of speech") == {"unknown": 100.0}


def test_exercises_with_multiword_terms_are_told_apart():
    assert group(score(vectors_of(), [LETTERS]), "multiword") == {"multiword": 100.0}


def test_languages_are_told_apart():
    sets = [LETTERS, dataclasses.replace(LETTERS, language="DE")]
    assert group(score(vectors_of(), sets), "language") == {"DE": 100.0, "EN": 100.0}


def test_intervals_are_over_sets_and_the_same_every_time():
    other = WordSet("Other", "EN", (*"abcdefg", "p"), (*OUTLIERS[1:], "ice_cream"))
    sets = [*copies(6), other]
    found = [score(vectors_of(), sets, seed=seed).figures.accuracy for seed in (0, 0, 1)]
    assert found[0] == found[1]
    assert found[0].low < found[0].value < found[0].high
    assert score(vectors_of(), [LETTERS]).figures.accuracy.low is None


def test_a_score_is_plain_values_and_states_its_signature():
    result = score(vectors_of(), [LETTERS])
    again = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert again["figures"]["accuracy"]["value"] == 100
    assert "policy:default|lookup:exact+parts|coverage:100.00|" in again["signature"]


@pytest.mark.parametrize("least", [-0.1, 1.5, float("nan")])
def test_a_coverage_is_a_share(least):
    with pytest.raises(UsageError, match="must be between 0 and 1"):
        score(vectors_of(), [LETTERS], min_coverage=least)


def test_compactness_is_the_mean_over_ordered_pairs():
    """The definition, written out: without the predicted outlier the rest is most compact."""
    generator = np.random.default_rng(1)
    vectors = vectors_of(angles={word: float(generator.normal()) for word in (*INLIERS, *OUTLIERS)})
    for one in score(vectors, [LETTERS]).exercises:
        words = [*INLIERS, one.outlier]
        matrix = vectors.matrix(words)
        np.fill_diagonal(matrix, 0)
        compactness = [np.delete(np.delete(matrix, i, 0), i, 1).sum() / 56 for i in range(9)]
        assert words[int(np.argmax(compactness))] == one.predicted
        assert one.op == sum(value < compactness[8] for value in compactness[:8])


DOUBLED = dataclasses.replace(LETTERS, inliers=("a", *INLIERS[:7]))


@pytest.mark.parametrize("policy", ["default", "50-8-8", "hamod"])
def test_a_word_never_beats_more_outliers_than_there_are(policy):
    """With `a` twice among the inliers it was said to have beaten 16 of 8."""
    result = score(vectors_of(angles={"a": 2.5}), [DOUBLED], policy=policy)
    assert all(len(set(one.beaten_by)) == len(one.beaten_by) for one in result.exercises)
    assert all(one.times <= one.of for one in result.confusions)


@pytest.mark.parametrize(
    ("changes", "warning"),
    [
        ({"inliers": ("a", *INLIERS[:7])}, "EN-Letters: 'a' appears 2 times among the inliers"),
        ({"outliers": ("q", "q", *OUTLIERS[1:7])}, "EN-Letters: 'q' appears 3 times among the outliers"),
        ({"inliers": ("p", *INLIERS[:7])}, "EN-Letters: 'p' is both an inlier and an outlier"),
    ],
)
def test_words_that_stand_twice_are_warned_of(changes, warning):
    found = score(vectors_of(), [dataclasses.replace(LETTERS, **changes)]).warnings
    assert [one.partition(";")[0] for one in found] == [warning]


def test_of_many_sets_with_a_word_twice_five_are_named():
    sets = [dataclasses.replace(one, inliers=("a", *INLIERS[:7])) for one in copies(7)]
    found = score(vectors_of(), sets).warnings
    assert len(found) == 6
    assert found[-1] == "and 2 more words are repeated in their sets; salva outliers check names them"


@pytest.mark.parametrize("seed", [-1, 1.5])
def test_a_seed_that_is_not_a_whole_number_is_refused(seed):
    with pytest.raises(UsageError, match=f"seed={seed} must be a whole number"):
        score(vectors_of(), [LETTERS], seed=seed)
