"""Exercises for people: balanced, seeded, resumed; and pages and files that do not tell the answer."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.cli.outliers.people import _read_keys
from salva.errors import InputError, UsageError
from salva.outliers.authoring.suggestions import suggest
from salva.outliers.people.agreement import agreement
from salva.outliers.people.annotation import Session, annotation_page, questions, write_annotation_page
from salva.outliers.people.answers import Answer, append_answer, keep_latest, read_answers
from salva.outliers.sets import WordSet
from tests.evaluation.test_page import STRANGE_ELEMENTS, TOGETHER
from tests.outliers.small_sets import many_sets, run, word_set, written

TERMINAL = "from salva.cli.outliers.people import annotate_command as c; c.main(standalone_mode=False)"


@pytest.fixture
def asked():
    return questions(many_sets(4), seed=3)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.jsonl"


def session(asked, path, name="Ann"):
    return Session(asked, path, name, clock=lambda: "2026-11-15T12:00:00+00:00")


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
    with pytest.raises(UsageError, match=problem):
        suggest(["oak", "elm"], seed=seed)


def test_too_many_exercises_are_refused():
    with pytest.raises(UsageError, match="exercises=9 must be between 1 and 8, eight per set"):
        questions([word_set()], count=9)


def test_a_set_with_a_word_twice_is_left_out_and_named(caplog):
    twice = WordSet("Trees", "EN", ("oak", *word_set().inliers[:7]), word_set().outliers)
    assert len(questions([twice, word_set()])) == 1
    assert "because a word appears twice: EN-Trees" in caplog.text


def test_a_session_goes_on_where_it_stopped(asked, path):
    first = session(asked, path)
    first.answer(asked[0].words[2])
    first.answer(None)
    later = session(asked, path)
    assert (later.current, later.done, later.skipped, later.total) == (asked[2], 2, 1, 4)
    assert session(asked, path, "Ben").current == asked[0]


def test_an_answer_is_one_json_line_keyed_by_the_set(asked, path):
    session(asked, path).answer(asked[0].words[0])
    assert json.loads(path.read_text("utf-8")) == {
        "annotator": "Ann",
        "exercise": asked[0].id,
        "set": asked[0].digest,
        "words": list(asked[0].words),
        "answer": asked[0].words[0],
        "at": "2026-11-15T12:00:00+00:00",
    }


def test_undo_takes_back_the_last_answer_also_of_another_day(asked, path):
    for word in (asked[0].words[0], None):
        session(asked, path).answer(word)
    later = session(asked, path)
    assert later.undo()
    assert (later.current, later.done) == (asked[1], 1)
    assert later.undo()
    assert not later.undo()
    assert session(asked, path).current == asked[0]
    assert len(path.read_text("utf-8").splitlines()) == 4


def test_a_line_that_a_power_cut_tore_is_cut_off(asked, path):
    session(asked, path).answer(None)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"annotator": "An')
    assert session(asked, path).done == 1
    assert path.read_bytes() == whole


def test_a_whole_last_line_without_its_newline_is_kept(asked, path):
    session(asked, path).answer(None)
    path.write_bytes(path.read_bytes().rstrip())
    session(asked, path).answer(asked[1].words[0])
    assert session(asked, path).done == 2


def test_a_word_that_was_not_shown_is_no_answer(asked, path):
    with pytest.raises(UsageError, match="'dog' is not one of the words"):
        session(asked, path).answer("dog")
    assert not path.exists()


@given(st.text(min_size=1), st.text(), st.booleans())
def test_answers_read_back_as_they_were_written(tmp_path_factory, word, at, skipped):
    path = tmp_path_factory.mktemp("a") / "a.jsonl"
    answer = Answer("Ann", "x1", (word, "b"), None if skipped else word, f"t{at}", "sha256:1")
    append_answer(path, answer)
    assert list(read_answers(path)) == [(1, answer)]


def test_of_two_lines_the_last_stands():
    lines = [Answer("Ann", "x", ("a", "b"), word, "now") for word in ("a", "b")]
    assert [answer.answer for answer in keep_latest(lines).values()] == ["b"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "'{' must be an answer as a JSON object"),
        ("[" * 100_000, "must be an answer as a JSON object"),
        ("[]", "'[]' must be an answer as a JSON object"),
        ('{"annotator": 1}', "annotator is 1; it must be a string"),
        ('{"annotator": "a", "exercise": "x", "at": "t"}', "words is None; it must be a list of strings"),
        (
            '{"annotator": "a", "exercise": "x", "at": "t", "words": ["a"], "answer": "b"}',
            "answer is 'b'; it must be one of the words, or null for a skip",
        ),
        (
            '{"annotator": "a", "exercise": "x", "at": "t", "words": ["a"]}',
            "answer is None; it must be one of",
        ),
    ],
)
def test_a_bad_line_is_refused_with_its_place(path, line, problem):
    path.write_text(f"\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}:2: ") as error:
        list(read_answers(path))
    assert problem in str(error.value)


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


def in_terminal(arguments, keys):
    """Run the command on a pseudo-terminal, press keys one by one, and return what was seen."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", TERMINAL, *map(str, arguments)]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True)
    os.close(theirs)
    seen = b""
    for key in keys:
        seen += until(ours, b"q quit")
        os.write(ours, key.encode())
    seen += until(ours, None)
    process.wait(600)
    os.close(ours)
    return process.returncode, seen.decode("utf-8")


def until(handle, wanted):
    """Read until something is seen, or until the other side is gone."""
    seen, end = b"", time.monotonic() + 600
    while (wanted is None or wanted not in seen) and time.monotonic() < end:
        if select.select([handle], [], [], 1)[0]:
            try:
                seen += os.read(handle, 4096)
            except OSError:  # Linux's word for a terminal that nobody holds any more
                break
    return seen


def test_a_terminal_session_answers_skips_undoes_quits_and_goes_on(tmp_path):
    folder = written(many_sets(4), tmp_path / "sets")
    arguments = [folder, "--annotator", "Ann", "-o", tmp_path / "a.jsonl", "--seed", "3"]
    code, seen = in_terminal(arguments, "3usq")
    assert code == 0
    assert "1 of 4 done, 1 of them skipped" in seen
    assert "Topic" not in seen
    code, seen = in_terminal([*arguments, "--json"], "192")
    assert json.loads(seen[seen.rindex("{") :])["done"] == 4
    asked = questions(many_sets(4), seed=3)
    stands = keep_latest(answer for _, answer in read_answers(tmp_path / "a.jsonl"))
    words = [asked[1].words[0], asked[2].words[8], asked[3].words[1]]
    assert [one.answer for one in stands.values()] == [None, *words]


def test_an_unknown_key_says_which_there_are(tmp_path):
    folder = written(many_sets(1), tmp_path / "sets")
    arguments = [folder, "--annotator", "Ann", "-o", tmp_path / "a.jsonl"]
    code, seen = in_terminal(arguments, ["x", "u", "\x1b[A", "\u00e9", "0", "3"])
    assert code == 0
    keys = "1-9, s skip, u undo, q quit"
    assert seen.count(f"'x' is not a key here; {keys}") == 1
    assert f"there is no answer to take back; {keys}" in seen
    assert f"that is not a key here; {keys}" in seen
    assert f"'\u00e9' is not a key here; {keys}" in seen
    assert f"'0' is not a key here; {keys}" in seen
    assert "1 of 1 done, 0 of them skipped" in seen


@pytest.mark.parametrize(
    ("pressed", "keys"), [(b"3U", ["3", "u"]), (b"\x1b[3~", ["\x1b"]), ("\u00c9".encode(), ["\u00e9"])]
)
def test_arrows_and_the_like_are_no_answers(pressed, keys):
    reading, writing = os.pipe()
    os.write(writing, pressed)
    os.close(writing)
    assert list(_read_keys(reading)) == keys
    os.close(reading)


def test_an_underscore_is_a_space_to_people(tmp_path):
    folder = written([word_set()], tmp_path / "sets")
    arguments = [folder, "--annotator", "A", "-o", tmp_path / "a", "--exercises", "8"]
    seen = in_terminal(arguments, "12345678")[1]
    assert "ice cream" in seen
    assert "ice_cream" not in seen


def test_the_command_writes_a_page(tmp_path, capsys):
    folder = written(many_sets(3), tmp_path / "sets")
    run("annotate", folder, "--html", tmp_path / "page.html", "--json")
    assert json.loads(capsys.readouterr().out)["exercises"] == 3
    with pytest.raises(InputError, match=r"page.html: exists; pass overwrite=True"):
        run("annotate", folder, "--html", tmp_path / "page.html")


def test_without_a_terminal_or_a_name_the_command_says_what_to_do(tmp_path):
    folder = written([word_set(), word_set(language="DE")], tmp_path / "sets")
    with pytest.raises(UsageError, match="the sets are in DE, EN; pass --language"):
        run("annotate", folder)
    with pytest.raises(UsageError, match="pass --annotator NAME and -o FILE, or --html FILE"):
        run("annotate", folder, "--language", "EN")
    with pytest.raises(UsageError, match="standard input must be a terminal"):
        run("annotate", folder, "--language", "EN", "--annotator", "A", "-o", tmp_path / "a")
