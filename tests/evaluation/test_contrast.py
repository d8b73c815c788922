"""Answers that must change: a constant model, a perfect one and a coin; invariance and sensitivity apart."""

from __future__ import annotations

import json
import random
import re

import pytest

import salva
from salva.errors import InputError, ThresholdError, UsageError
from salva.evaluation import load_run, rescore
from salva.evaluation.gate import check_limits, check_names, check_run
from salva.evaluation.github import step_summary
from salva.evaluation.junit import junit_xml
from tests.evaluation.running import run

PRAISE, BLAME = "positive", "negative"
WORDS = {
    "awful": BLAME,
    "wonderful": PRAISE,
    "good": PRAISE,
    "bad": BLAME,
    "great": PRAISE,
    "terrible": BLAME,
}
ROWS = [
    (f"It was {'an' if word[0] == 'a' else 'a'} {word} film in room {n}.", WORDS[word])
    for n, word in enumerate(WORDS)
]
CASE = salva.preset("case", p_case=1.0)
TASK = """
prompt = "Which number is in this text? {text}"
edit = ["text"]
target = "number"
[answer]
kind = "number"
[contrast]
aim = "answer"
"""


def constant(texts):
    return [PRAISE for _ in texts]


def perfect(texts):
    return [next(label for word, label in WORDS.items() if f" {word} " in text.lower()) for text in texts]


def coin(texts):
    return [random.Random(text).choice([PRAISE, BLAME]) for text in texts]


def run_on(model, rows=ROWS, presets=(CASE, "antonyms"), **settings):
    return run(rows, model, presets=presets, severities=1.0, resamples=100, **settings)


def both(run):
    """Return invariance and sensitivity, which no number blends."""
    return run.results.conditions[0].score.consistency.value, run.results.contrasts[0].score.sensitivity.value


def test_a_constant_model_is_invariant_and_not_sensitive():
    run = run_on(constant)
    assert both(run) == (100, 0)
    assert run.results.contrasts[0].score.stayed == len(ROWS) == len(run.unchanged)
    assert all(flip.before == flip.after and flip.edits for flip in run.unchanged)


def test_a_perfect_model_is_both():
    run = run_on(perfect, opposites={PRAISE: BLAME})
    score = run.results.contrasts[0].score
    assert both(run) == (100, 100)
    assert (score.n_targets, score.on_target.value, score.both_on_target.value) == (len(ROWS), 100, 100)
    assert run.unchanged == ()


def test_a_coin_changes_half_of_its_answers_wherever_texts_change():
    rows = [(f"It was a {word} film in room {n}.", PRAISE) for n in range(500) for word in ("good", "bad")]
    texts = [text for text, _ in rows]
    run = run_on(coin, rows)
    kept, changed = (one.transform(texts, seed=0).transformed for one in (CASE, salva.preset("antonyms")))
    assert all(twin != text for twin, text in zip([*kept, *changed], texts * 2, strict=True))
    same = [a == b for a, b in zip(coin(texts), coin(kept), strict=True)]
    other = [a != b for a, b in zip(coin(texts), coin(changed), strict=True)]
    assert both(run) == (100 * sum(same) / len(rows), 100 * sum(other) / len(rows))
    assert all(
        abs(rate - 50) < 6 for rate in both(run)
    )  # 3.8 standard errors; the coin is seeded by its texts


def test_contrasts_have_no_drop_and_stand_apart():
    run = run_on(constant, presets=("natural", "contrast"))
    assert [one.preset for one in run.results.conditions] == ["natural"]
    assert [one.preset for one in run.results.presets] == ["natural"]
    assert [one.name for one in run.results.contrasts] == ["negation@1", "antonyms@1", "numbers@1", "names@1"]
    assert {flip.condition for flip in run.flips} <= {"natural@1"}
    assert run.results.comparisons == ()


def test_rows_without_an_edit_are_in_no_rate():
    run = run_on(perfect, [*ROWS, ("no good", PRAISE), (None, BLAME)], presets="antonyms")
    score = run.results.contrasts[0].score
    assert (score.n, score.n_unedited, score.sensitivity.value) == (len(ROWS), 2, 100)
    assert "No condition was measured" not in run.summary()


def test_the_headline_has_one_sentence_for_each():
    lines = run_on(constant).summary()
    assert "No preset that keeps the meaning lowers accuracy." in lines
    assert "Sensitivity: 0.0 % of the answers change where they must, for antonyms [0.0," in lines
    assert "Contrasts, which change the meaning:" in lines


def test_opposites_flip_the_right_answer_only_if_the_user_names_them():
    assert run_on(perfect).results.contrasts[0].score.n_targets == 0
    with pytest.raises(UsageError, match="no label 'good'"):
        run_on(perfect, opposites={"good": "bad"})
    with pytest.raises(UsageError, match="exactly one other name"):
        run_on(perfect, opposites={PRAISE: PRAISE})


def test_limits_on_sensitivity_fail_and_need_a_contrast():
    check_names(["sensitivity < 80", "on_target.low < 10"])
    run = run_on(constant)
    with pytest.raises(ThresholdError, match="sensitivity < 80: antonyms@1 has 0"):
        check_limits(run.results, ["sensitivity < 80"])
    check_limits(run.results, ["drop > 4"])
    with pytest.raises(UsageError, match="is about contrasts"):
        check_limits(run_on(constant, presets="misspellings").results, ["sensitivity < 80"])


def test_continuous_integration_shows_contrasts_and_an_answer_that_stayed():
    checked = check_run(run_on(constant), ["sensitivity < 80"])
    xml, summary = junit_xml(checked).decode(), step_summary(checked)
    assert xml.count('<testcase name="antonyms@1"') == 1
    assert "one answer that stayed: positive" in xml
    assert "| 0.0 | [0.0, 39.0] | 6 | **breaks" in summary


def test_a_run_keeps_its_contrasts_and_can_be_scored_again(tmp_path):
    first = run_on(perfect, out=tmp_path / "run", opposites={PRAISE: BLAME})
    for again in (load_run(tmp_path / "run"), rescore(tmp_path / "run")):
        assert (again.results, again.unchanged) == (first.results, first.unchanged)
    page = (tmp_path / "run/report.html").read_text("utf-8")
    assert '<section id="contrasts">' in page
    plain = json.loads((tmp_path / "run/results.json").read_text("utf-8"))
    assert plain["contrasts"][0]["score"]["sensitivity"]["value"] == 100


def test_the_page_lists_answers_that_stayed(tmp_path):
    run_on(constant, out=tmp_path / "run")
    page = (tmp_path / "run/report.html").read_text("utf-8")
    assert "Answers that stayed" in page
    assert page.count("still <bdi>positive</bdi>") == len(ROWS)


def number_task(tmp_path):
    path = tmp_path / "number.toml"
    path.write_text(TASK, "utf-8")
    rows = [{"text": f"Room {n} has 2 beds.", "number": str(n)} for n in range(41, 61)]
    return path, rows


def answer_number(prompts):
    return [re.search(r"\? Room (\d+)", getattr(prompt, "text", prompt))[1] for prompt in prompts]


def test_the_new_answer_follows_from_an_edit_of_the_answer(tmp_path):
    path, rows = number_task(tmp_path)
    score = run_on(answer_number, rows, "numbers", task=path).results.contrasts[0].score
    assert (score.n, score.n_targets, score.sensitivity.value, score.on_target.value) == (20, 20, 100, 100)
    stuck = run_on(lambda prompts: ["41"] * len(prompts), rows, "numbers", task=path)
    score = stuck.results.contrasts[0].score
    assert (score.sensitivity.value, score.on_target.value) == (0, 0)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('aim = "there"', "must be one of"),
        ('opposites = {a = "a"}', "exactly one other"),
        ("x = 1", "unknown"),
    ],
)
def test_bad_rules_of_contrasts_are_refused(tmp_path, line, problem):
    path, rows = number_task(tmp_path)
    path.write_text(TASK.replace('aim = "answer"', line), "utf-8")
    with pytest.raises(InputError, match=problem):
        run_on(answer_number, rows, "numbers", task=path)
