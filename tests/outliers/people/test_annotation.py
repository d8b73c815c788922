"""Exercises for people: balanced, seeded; and a page that does not tell the answer."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import InputError, UsageError
from salva.outliers.people.agreement import agreement
from salva.outliers.people.annotation import annotation_page, questions, write_annotation_page
from salva.outliers.sets import WordSet
from tests.evaluation.test_page import STRANGE_ELEMENTS, TOGETHER
from tests.outliers.small_sets import many_sets, run, word_set, written


@pytest.fixture
def asked():
    return questions(many_sets(4), seed=3)


@given(st.integers(1, 17), st.integers(1, 136), st.integers(0, 3))
def test_outliers_and_sub_sets_have_equal_shares_however_many_are_asked(sets, wanted, seed):
    wanted = min(wanted, 8 * sets)
    asked = questions(many_sets(sets), count=wanted, seed=seed)
    assert len({(q.digest, q.number) for q in asked}) == wanted
    for share, groups in ((lambda q: q.number, 8), (lambda q: q.number // 2, 4), (lambda q: q.digest, sets)):
        counts = Counter(map(share, asked))
        assert max(counts.values()) - (min(counts.values()) if len(counts) == groups else 0) <= 1


def test_a_set_comes_again_only_after_all_others():
    asked = questions(many_sets(5), count=40)
    assert all(len({q.digest for q in asked[i : i + 5]}) == 5 for i in range(36))


def test_the_order_depends_on_the_seed_and_the_words_alone():
    sets = many_sets(6)
    assert questions(sets, seed=1) == questions(reversed(sets), seed=1)
    assert questions(sets, seed=1) != questions(sets, seed=2)
    renamed = [WordSet("Other", "EN", one.inliers, one.outliers) for one in sets]
    assert questions(renamed, seed=1) == questions(sets, seed=1)


def test_words_are_shuffled_so_that_the_outlier_may_stand_anywhere():
    sets = many_sets(20)
    outliers = {one.digest: one.outliers for one in sets}
    places = Counter(q.words.index(outliers[q.digest][q.number]) for q in questions(sets, count=160))
    assert sorted(places) == list(range(9))


@pytest.mark.parametrize("seed", [-1, 1 << 64, 0.5, True])
def test_64_a_seed_is_a_whole_number_as_everywhere(seed):
    sets, problem = many_sets(2), r"seed=.+ must be a whole number from 0"
    with pytest.raises(UsageError, match=problem):
        questions(sets, seed=seed)
    with pytest.raises(UsageError, match=problem):
        agreement(sets, [], seed=seed)


def test_too_many_exercises_are_refused():
    with pytest.raises(UsageError, match="exercises=9 must be between 1 and 8, eight per set"):
        questions([word_set()], count=9)


def test_a_set_with_a_word_twice_is_left_out_and_named(caplog):
    twice = WordSet("Trees", "EN", ("oak", *word_set().inliers[:7]), word_set().outliers)
    assert len(questions([twice, word_set()])) == 1
    assert "because a word appears twice: EN-Trees" in caplog.text


def keys_of(page, keys):
    for key in keys:
        page.keyboard.press(key)


def downloaded(page):
    with page.expect_download() as started:
        page.get_by_role("button", name="Download answers").click()
    name, path = started.value.suggested_filename, started.value.path()
    return name, [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def begun(page, name="Ann Lee"):
    page.get_by_label("Your name").fill(name)
    page.keyboard.press("Enter")
    return page


def test_the_page_is_worked_with_the_keyboard_and_gives_its_answers(asked, opened):
    seen = opened(annotation_page(asked))
    page = begun(seen.page)
    keys_of(page, "3us9u7")
    name, answers = downloaded(page)
    assert name == "answers-Ann_Lee.jsonl"
    assert [one["answer"] for one in answers] == [None, asked[1].words[6]]
    assert [one["exercise"] for one in answers] == [asked[0].id, asked[1].id]
    assert answers[1]["words"] == list(asked[1].words)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", answers[0]["at"])
    assert ([url for url in seen.requests if not url.startswith("blob:")], seen.complaints) == (
        [seen.address],
        [],
    )


def test_the_page_goes_on_where_it_was_closed(asked, opened):
    page = begun(opened(annotation_page(asked)).page)
    keys_of(page, "12")
    page.reload()
    assert page.locator("#progress").inner_text() == "Exercise 3 of 4"
    keys_of(page, "34")
    assert page.locator("#end").is_visible()
    assert len(downloaded(page)[1]) == 4


def test_the_answers_of_the_page_are_read_by_agreement(opened, tmp_path):
    sets = many_sets(4)
    page = begun(opened(annotation_page(questions(sets, seed=3))).page)
    keys_of(page, "12s4")
    with page.expect_download() as started:
        page.get_by_role("button", name="Download answers").click()
    started.value.save_as(tmp_path / "answers.jsonl")
    found = agreement(sets, tmp_path / "answers.jsonl", seed=3)
    assert (found.exercises, found.total.answered, found.total.skipped) == (4, 3, 1)
    assert [one.name for one in found.annotators] == ["Ann Lee"]


def test_the_page_works_with_the_mouse_and_for_another_annotator(asked, opened):
    page = begun(opened(annotation_page(asked)).page)
    page.locator("#choices button").nth(4).click()
    page.locator("#skip").click()
    page.locator("#undo").click()
    assert [one["answer"] for one in downloaded(page)[1]] == [asked[0].words[4]]
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("#again").click()
    assert page.get_by_label("Your name").is_visible()


def test_letters_in_the_name_are_no_answers(asked, opened):
    page = opened(annotation_page(asked)).page
    page.get_by_label("Your name").press_sequentially("su1")
    page.keyboard.press("Enter")
    assert page.locator("#progress").inner_text() == "Exercise 1 of 4"


def test_without_storage_the_page_works_and_says_so(asked, opened):
    page = opened(annotation_page(asked)).page
    page.evaluate("void (Storage.prototype.setItem = () => { throw new Error('full'); })")
    keys_of(begun(page), "1")
    assert page.locator("#unkept").is_visible()
    assert len(downloaded(page)[1]) == 1


def test_without_scripts_every_exercise_can_be_read(asked, opened):
    page = opened(annotation_page(asked), java_script_enabled=False).page
    assert page.locator("noscript .notice").is_visible()
    assert page.locator("#all li:visible").count() == 9 * len(asked)
    assert page.locator("button:visible, input:visible").count() == 0


def test_the_page_tells_neither_topic_nor_role_nor_answer():
    sets = [word_set("Zebrafinch"), word_set("Quicksilver", mark="x")]
    asked = questions(sets, seed=5)
    page = annotation_page(asked, language="EN")
    secrets = ["Zebrafinch", "Quicksilver", "inlier", "outlier", "sub-set", "subset", "role", "topic", "seed"]
    assert page.startswith("<!DOCTYPE html>")
    text = re.sub(r'role="status"', "", page)
    assert [word for word in secrets if word.lower() in text.lower()] == []
    assert not any(one.digest[7:15] in page or one.digest[7:] in page for one in sets)
    shown = json.loads(re.search(r'id="data">(.+?)</script>', page)[1])
    assert [set(one) for one in shown] == [{"exercise", "words"}] * 2


@pytest.mark.parametrize("name", ["Zebrafinch.html", "annotate-zebrafinch-1.html"])
def test_a_file_name_that_names_a_topic_is_refused(tmp_path, name):
    with pytest.raises(UsageError, match="reveals the topic 'Zebrafinch'; choose another name"):
        write_annotation_page([word_set()], tmp_path / name)
    assert write_annotation_page([word_set()], tmp_path / "page-1.html") == 1


@pytest.mark.parametrize("payload", TOGETHER, ids=["forward", "backward"])
def test_hostile_words_are_inert_and_come_back_as_they_are(opened, payload):
    hostile = [f"{word}{payload}" for word in word_set().words]
    asked = questions([WordSet("T", "EN", tuple(hostile[:8]), tuple(hostile[8:]))])
    seen = opened(annotation_page(asked))
    page = begun(seen.page)
    keys_of(page, "5")
    assert page.evaluate("window.pwned") is None
    assert page.title() == "Which word does not belong?"
    assert page.evaluate(STRANGE_ELEMENTS) == []
    assert [one["answer"] for one in downloaded(page)[1]] == [asked[0].words[4]]
    assert [url for url in seen.requests if not url.startswith("blob:")] == [seen.address]
    assert seen.complaints == []


@pytest.mark.parametrize("width", [320, 1200])
def test_nothing_is_wider_than_the_screen(asked, opened, width):
    page = begun(opened(annotation_page(asked), viewport={"width": width, "height": 700}).page)
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_an_underscore_is_a_space_to_people():
    page = annotation_page(questions([word_set()], count=8))
    shown, _, given = page.partition('id="data">')
    assert "<bdi>ice cream</bdi>" in shown
    assert "ice_cream" not in shown
    assert '"ice_cream"' in given


def test_the_command_writes_a_page(tmp_path, capsys):
    folder = written(many_sets(3), tmp_path / "sets")
    run("annotate", folder, "-o", tmp_path / "page.html", "--json")
    assert json.loads(capsys.readouterr().out) == {"page": str(tmp_path / "page.html"), "exercises": 3}
    with pytest.raises(InputError, match=r"page.html: exists; pass overwrite=True"):
        run("annotate", folder, "-o", tmp_path / "page.html")


def test_sets_in_several_languages_are_refused(tmp_path, capsys):
    folder = written([word_set(), word_set(language="DE")], tmp_path / "sets")
    with pytest.raises(UsageError, match="the sets are in DE, EN; pass --language"):
        run("annotate", folder, "-o", tmp_path / "page.html")
    run("annotate", folder, "-o", tmp_path / "page.html", "--language", "EN")
    assert capsys.readouterr().out.endswith("page.html: 1 exercise\n")
