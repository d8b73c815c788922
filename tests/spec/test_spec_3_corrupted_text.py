"""Spec 3 (corrupted-text), its usage and rules: wrong corrections, completions, synonyms, and typos."""

from __future__ import annotations

import logging
import re

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

import salva
from salva.errors import UsageError
from salva.lexicon import WordNet
from salva.rows import reviews
from salva.transforms import Transform
from tests.reference.plans import alphabet_of
from tests.spec.candidates import TOKEN, Common, all_synsets, corruptible, most_frequent
from tests.spec.conftest import Edit, edits_of, for_any_text, to_the_letter, variants

KINDS = ("typo", "autocomplete", "autocorrect", "synonym")

corrupt = to_the_letter("corrupt")


def only(kind: str, **settings) -> Transform:
    """Return the preset with one corruption alone."""
    return to_the_letter("corrupt", **{f"{name}_weight": float(name == kind) for name in KINDS}, **settings)


typist, completer, corrector, translator = map(only, KINDS)


@pytest.fixture(scope="module")
def common(corpus) -> Common:
    return Common(most_frequent(corpus, 4000))


def edits_by(transform: Transform, corpus: list[str], common: Common) -> list[Edit]:
    """Return the edits of some texts with the common words of all, every word being corrupted."""
    return edits_of(transform.with_vocabulary(tuple(common.words)).transform(corpus[:100], severity=1.0))


# Usage


def test_the_usage_of_the_document_runs_as_it_stands(document, monkeypatch, tmp_path):
    code = re.search(r"```python\n(.+?)```", document(3), re.DOTALL)[1]
    for old, new in [("import corrupted_text ", "import salva as corrupted_text "), ("from datasets ", "# ")]:
        assert old in code
        code = code.replace(old, new)
    monkeypatch.chdir(tmp_path)
    names = {"load_dataset": lambda _, split: {"text": reviews(split)["text"].to_pylist()}}
    exec(compile(code, "usage", "exec"), names)
    changed = [o != c for o, c in zip(names["nominal_test"], names["imdb_corrupted"], strict=True)]
    assert all(changed)
    assert (tmp_path / ".mycache").is_dir()


def test_corrupted_texts_are_kept_and_come_out_again(review_texts, tmp_path, caplog):
    caplog.set_level(logging.INFO, "salva")
    corrupted = [
        salva.TextCorruptor(base_dataset=review_texts, cache_dir=tmp_path).corrupt(
            review_texts, severity=0.5, seed=1
        )
        for _ in range(2)
    ]
    assert corrupted[0] == corrupted[1]
    assert [" ".join(record.message.split()[:2]) for record in caplog.records] == [
        "fitting a",
        f"corrupting {len(review_texts)}",
        "reading the",
        f"reading {len(review_texts)}",
    ]


def test_corrupted_texts_depend_on_seed_and_severity_and_on_no_cache(review_texts, tmp_path):
    kept = salva.TextCorruptor(base_dataset=review_texts, cache_dir=tmp_path)
    free = salva.TextCorruptor(base_dataset=review_texts)
    first = kept.corrupt(review_texts, severity=0.5, seed=1)
    assert first == free.corrupt(review_texts, severity=0.5, seed=1)
    assert first == kept.corrupt(review_texts, severity=0.5, seed=1, force_recalculate=True)
    assert first != kept.corrupt(review_texts, severity=0.5, seed=2)
    assert first != kept.corrupt(review_texts, severity=0.4, seed=1)


def test_weights_of_the_user_are_those_of_the_corruptor(review_texts):
    weights = salva.compat.CorruptionWeights(1, 0, 0, 0)
    corrupted = salva.TextCorruptor(review_texts).corrupt(review_texts, 1.0, 3, weights=weights)
    fitted = only("typo", protect_markup=True).fit(review_texts)  # which the corruptor does too
    assert corrupted == fitted.transform(review_texts, seed=3, severity=1.0).transformed


# Common words


@pytest.mark.parametrize("size", [10, 500, 4000])
def test_common_words_are_the_most_frequent_of_the_base_dataset(corpus, size):
    fitted = to_the_letter("corrupt", dictionary_size=size).fit(corpus)
    assert list(fitted.settings.vocabulary) == most_frequent(corpus, size)


def test_there_are_4000_common_words_unless_said_otherwise(imdb_texts):
    assert to_the_letter("corrupt").settings.dictionary_size == 4000
    assert len(salva.TextCorruptor(imdb_texts).common_words) == 4000
    assert len(salva.TextCorruptor(imdb_texts, dictionary_size=70).common_words) == 70
    assert len(salva.lexicon.embedded_vocabulary()) == 4000


def test_a_domain_of_its_own_gives_common_words_of_its_own():
    base = ["Quark, quarks, gluon and gluons scattering"] * 3
    fitted = completer.fit(base)
    edits = edits_of(fitted.transform("quarter quarterly scatter", severity=1.0))
    assert {(edit.old, edit.new) for edit in edits} <= {
        ("quarter", "quark"),
        ("quarter", "quarks"),
        ("quarterly", "quark"),
        ("quarterly", "quarks"),
        ("scatter", "scattering"),
    }
    assert len(edits) == 3


# Corruptions


def test_a_bad_autocorrection_is_one_of_the_five_nearest_common_words_within_three_edits(corpus, common):
    edits = edits_by(corrector, corpus, common)
    nearest = common.corrections(sorted({edit.old.lower() for edit in edits}))
    assert {edit.rule for edit in edits} == {"autocorrect"}
    for edit in edits:
        assert edit.new.lower() in nearest[edit.old.lower()]
        assert 1 <= Levenshtein.distance(edit.old.lower(), edit.new.lower()) <= 3


def test_a_word_without_a_near_common_word_stays_when_it_should_be_corrected(corpus, common):
    edited = {edit.place for edit in edits_by(corrector, corpus, common)}
    found = [(row, start, w) for row, text in enumerate(corpus[:100]) for start, w in corruptible(text)]
    nearest = common.corrections(sorted({word.lower() for _, _, word in found}))
    assert edited == {(row, start) for row, start, word in found if nearest[word.lower()]}
    assert len(edited) < len(found)


@pytest.mark.parametrize(
    ("vocabulary", "expected"),
    [
        (["movies", "moved", "mover", "moves", "mouse", "mowed", "other"], "movies moved mover moves mouse"),
        (["abcdefgh", "moviestars"], ""),
        (["moviegoer", "movie"], ""),
        (["moviest"], "moviest"),
        (["moviester", "moviestar"], ""),
    ],
)
def test_the_nearest_words_go_by_distance_then_frequency(vocabulary, expected):
    fitted = only("autocorrect", vocabulary=vocabulary)
    edits = edits_of(fitted.transform(variants("movie", 300), severity=1.0))
    assert {edit.new for edit in edits} == set(expected.split())


def test_a_bad_autocompletion_has_at_least_the_same_three_first_letters(corpus, common):
    edits = edits_by(completer, corpus, common)
    completed = [edit for edit in edits if edit.rule == "autocomplete"]
    assert all(edit.new.lower() in common.completions(edit.old.lower()) for edit in completed)
    assert all(edit.new[:3].lower() == edit.old[:3].lower() for edit in completed)


def test_what_has_no_completion_is_corrected_instead(corpus, common):
    edits = edits_by(completer, corpus, common)
    expected = {True: "autocomplete", False: "autocorrect"}
    assert all(edit.rule == expected[bool(common.completions(edit.old.lower()))] for edit in edits)
    assert {edit.rule for edit in edits} == {"autocomplete", "autocorrect"}


@pytest.mark.parametrize(
    ("vocabulary", "expected"),
    [
        (["movements", "movempty", "moving", "movable", "mouse"], "movements movempty"),
        (["movers", "moving", "mouse"], "movers"),
        (["moving", "movable", "mouse"], "moving movable"),
        (["mouse", "motel", "xovement"], "xovement"),
        (["mouse", "motel"], ""),
        (["movement", "movements"], "movements"),
    ],
)
def test_five_common_letters_come_before_four_and_three_and_then_a_correction(vocabulary, expected):
    preset = only("autocomplete", vocabulary=vocabulary)
    edits = edits_of(preset.transform(variants("movement", 300), severity=1.0))
    assert {edit.new for edit in edits} == set(expected.split())


def test_a_bad_synonym_is_any_lemma_of_any_synset(corpus):
    edits = edits_of(translator.transform(corpus[:200], severity=1.0))
    replaced = [edit for edit in edits if edit.rule == "synonym"]
    assert all(edit.new.lower() in all_synsets(edit.old.lower()) for edit in replaced)
    assert all(not all_synsets(edit.old.lower()) for edit in edits if edit.rule != "synonym")
    assert {edit.rule for edit in edits} == {"synonym", "typo"}


def test_context_and_part_of_speech_are_ignored_by_synonyms():
    edits = edits_of(translator.transform(variants("great", 1000), severity=1.0))
    assert {edit.new for edit in edits} == all_synsets("great")
    assert len(WordNet.load().synsets("great")) > 3


def test_synonyms_of_several_words_make_a_text_longer(review_texts):
    twins = translator.transform(review_texts, severity=1.0)
    assert any(" " in edit.new for edit in edits_of(twins) if edit.rule == "synonym")
    assert sum(len(TOKEN.findall(text)) for text in twins.transformed) > sum(
        len(TOKEN.findall(text)) for text in review_texts
    )


def test_synonyms_of_another_language_come_from_a_thesaurus_of_the_user(tmp_path):
    path = tmp_path / "deutsch.tsv"
    path.write_text("Film\tStreifen\tKinofilm\nschön\therrlich\twunderbar\n", "utf-8")
    german = only("synonym", thesaurus=path)
    edits = edits_of(german.transform(variants("Der Film war SCHÖN", 200), severity=1.0))
    assert {edit.new for edit in edits if edit.old == "Film"} == {"Streifen", "Kinofilm"}
    assert {edit.new for edit in edits if edit.old == "SCHÖN"} == {"HERRLICH", "WUNDERBAR"}
    assert {edit.rule for edit in edits if edit.old in {"Der", "war"}} == {"typo"}


@for_any_text
def test_a_typo_is_one_letter_that_becomes_another_of_its_script_in_the_same_case(text, seed):
    for edit in edits_of(typist.transform(text, seed=seed, severity=1.0)):
        assert len(edit.changed) == 1
        old, new = edit.old[edit.changed[0]], edit.new[edit.changed[0]]
        assert old.isalpha()
        assert new.lower() in alphabet_of(old)
        assert new.lower() != old.lower()
        assert new.isupper() == old.isupper()


def test_the_letter_of_a_typo_is_at_any_place_and_any_other_letter():
    edits = edits_of(typist.transform(variants("film", 5000), severity=1.0))
    assert {edit.changed[0] for edit in edits} == {0, 1, 2, 3}
    assert {edit.new[0] for edit in edits} == set("abcdefghijklmnopqrstuvwxyz")


# How many


@pytest.mark.parametrize("severity", [0.3, 1.0])
@for_any_text
def test_a_word_gets_at_most_one_corruption(severity, text, seed):
    edits = edits_of(corrupt.transform(text, seed=seed, severity=severity))
    words = {match.start(): match[0] for match in TOKEN.finditer(text)}
    assert len({edit.start for edit in edits}) == len(edits)
    assert all(words[edit.start] == edit.old for edit in edits)


@for_any_text
def test_words_of_one_character_and_words_without_letters_stay(text, seed):
    for edit in edits_of(corrupt.transform(text, seed=seed, severity=1.0)):
        assert len(edit.old) > 1
        assert any(map(str.isalpha, edit.old))


@pytest.mark.parametrize("severity", [0.001, 0.25, 0.5, 0.9, 1.0])
def test_severity_is_the_share_of_the_words_that_are_corrupted(corpus, severity):
    rows = typist.transform(corpus, severity=severity).edits["row"]
    counts = np.bincount(rows, minlength=len(corpus)).tolist()
    assert counts == [round(severity * len(corruptible(text))) for text in corpus]


def test_not_every_attempt_is_successful_so_that_severity_is_the_most(corpus):
    for severity in (0.3, 1.0):
        twins = corrupt.transform(corpus, severity=severity)
        most = sum(round(severity * len(corruptible(text))) for text in corpus)
        assert 0.9 * most < twins.summary.edits < most


@pytest.mark.parametrize("severity", [-0.1, 1.1, float("nan")])
def test_a_severity_that_is_not_up_to_1_is_refused(severity):
    with pytest.raises(UsageError, match="must be between 0 and 1"):
        salva.TextCorruptor(["good movies"]).corrupt(["good movies"], severity=severity, seed=1)


def test_a_severity_of_0_is_the_original(review_texts):
    corruptor = salva.TextCorruptor(review_texts)
    assert corruptor.corrupt(review_texts, severity=0, seed=1) == review_texts


@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        ("typo", {"typo"}),
        ("autocomplete", {"autocomplete", "autocorrect"}),
        ("autocorrect", {"autocorrect"}),
        ("synonym", {"synonym", "typo"}),
    ],
)
@for_any_text
def test_one_weight_alone_leaves_its_corruption_and_what_stands_in_for_it(kind, rules, text, seed):
    transform = dict(zip(KINDS, (typist, completer, corrector, translator), strict=True))[kind]
    assert {edit.rule for edit in edits_of(transform.transform(text, seed=seed, severity=1.0))} <= rules


@for_any_text
def test_words_are_joined_by_spaces_but_for_the_marks_that_lean_on_a_word(text, seed):
    twin = typist.transform(text, seed=seed, severity=0.5).transformed
    joined = re.sub(r" (?=[.?!,])", "", " ".join(TOKEN.findall(text)))
    assert len(twin) == len(joined)
    assert [k for k, c in enumerate(twin) if c == " "] == [k for k, c in enumerate(joined) if c == " "]
