"""The headline: what makes numbers doubtful, then presets that keep the meaning, then corruptions."""

from __future__ import annotations

import dataclasses
import json

import pytest

from salva.evaluation import evaluate, load_run
from salva.evaluation.headline import summary_lines, write_headline
from salva.evaluation.page import report_page
from salva.evaluation.results import Failure, Noise, Results
from salva.models import text_id
from salva.numbers import wilson
from tests.evaluation.conftest import of_both_families
from tests.evaluation.keywords import classify
from tests.evaluation.test_page import text_of

ROWS = [("A great film, and I do not regret it", "positive"), ("A dull film", "negative")] * 10


def sentences(results: Results) -> list[str]:
    return [str(sentence) for sentence in write_headline(results)]


def order_of(text: str, *parts: str) -> bool:
    places = [text.index(part) for part in parts]
    return places == sorted(places)


def test_a_small_drop_that_keeps_the_meaning_comes_before_a_large_one_of_a_corruption(results):
    first, second, third = sentences(of_both_families(results))
    assert third == "4 texts got no answer and count neither way. ValueError: no text"
    assert first.startswith("synonyms at severity 1 costs 4.5 points [")
    assert first.endswith("Validity of synonyms: 50 % of 12 edits keep the meaning [25, 75].")
    assert second.startswith("Under corruption: typos at severity 1 costs 20.1 points [")
    assert second.endswith("Validity of typos: not measured.")


def test_the_order_of_conditions_does_not_change_the_order_of_sentences(results):
    both = of_both_families(results)
    turned = dataclasses.replace(
        both, conditions=tuple(reversed(both.conditions)), presets=tuple(reversed(both.presets))
    )
    assert sentences(turned) == sentences(both)


def test_a_run_of_corruptions_alone_says_so_first(results):
    first, second, _ = sentences(results)
    assert first.startswith("No preset of this run keeps the meaning;")
    assert second.startswith("typos at severity 1 costs 20.1 points")


def test_a_run_that_keeps_the_meaning_has_one_sentence(results):
    both = of_both_families(results)
    assert len(sentences(dataclasses.replace(both, conditions=both.conditions[:2], failures=()))) == 1


def test_page_and_summary_have_the_sentences_before_everything_else(results, flips):
    both = of_both_families(results)
    page, summary = text_of(report_page(both, flips)), " ".join(summary_lines(both))
    first, second, third = sentences(both)
    assert order_of(page, first, second, third, "Clean accuracy", "Presets that keep the meaning")
    assert order_of(
        summary, first, second, third, "noise floor", "Presets that keep the meaning", "Corruptions"
    )


def repeated(results: Results, changed: int, alone_changed: int = 0) -> Results:
    """Return results of a model that was asked 100 texts again, and 16 of them alone."""
    return dataclasses.replace(
        results, noise=Noise(100, changed, wilson(changed, 100), 16, alone_changed), failures=()
    )


@pytest.mark.parametrize(("again", "alone", "said"), [(48, 5, "53 of 116 repeats (45.7 %)"), (0, 8, "8 of")])
def test_a_model_that_contradicts_itself_gets_that_as_its_headline(results, again, alone, said):
    first, second, _ = sentences(repeated(results, again, alone))
    assert first.startswith(f"The model contradicts itself: {said}")
    assert second.startswith("No preset of this run keeps the meaning;")


def test_little_noise_is_no_headline_but_noise_as_large_as_the_drops_is(results):
    noisy = repeated(results, 5)
    assert sentences(noisy)[0].startswith("No preset of this run")
    small = dataclasses.replace(noisy, conditions=noisy.conditions[:1])
    assert sentences(small)[0].startswith("The drops may be noise: 5 of 116 repeats (4.3 %)")


def test_of_several_errors_the_most_frequent_is_in_the_headline(results):
    failures = (Failure("Timeout: no reply", 2), Failure("ValueError: " + "x" * 500, 7))
    last = sentences(dataclasses.replace(results, failures=failures))[-1]
    assert last.startswith("9 texts got no answer and count neither way. 7 of them: ValueError: xxx")
    assert len(last) < 250


def test_noise_of_answers_from_files_is_unknown(results, tmp_path):
    text = "A dull film"
    answer = json.dumps({"id": text_id(text).hex(), "label": "negative"})
    (tmp_path / "answers.jsonl").write_text(answer, "utf-8")
    rows = [(text, "negative")] * 9
    run = evaluate(rows, f"answers:{tmp_path}", presets=["contractions"], severities=[1.0])
    assert run.results.noise is None
    assert "noise floor: unknown, because the answers come from files" in run.summary()
    assert "unknownthe answers come from files" in text_of(report_page(run.results, []))
    unasked = dataclasses.replace(results, noise=Noise(0, 0, wilson(0, 0), 0, 0))
    assert "unknown, because no text was asked about twice" in " ".join(summary_lines(unasked))


@pytest.mark.parametrize("family", ["", "natural", "corruption<b>", "Meaning"])
def test_an_unknown_family_is_not_taken_for_one_that_keeps_the_meaning(results, family):
    strange = tuple(dataclasses.replace(one, family=family) for one in results.conditions)
    assert sentences(dataclasses.replace(results, conditions=strange))[0].startswith("No preset of this run")


def test_names_keep_their_hyphens_and_numbers_get_a_minus(results):
    named = tuple(dataclasses.replace(one, preset="my-preset") for one in results.conditions)
    said = text_of(report_page(dataclasses.replace(results, conditions=named), []))
    assert "my-preset at severity 1 costs" in said


def test_a_real_run_over_both_families_orders_them(tmp_path):
    run = evaluate(ROWS, classify, presets=["typos", "natural"], severities=[1.0], out=tmp_path / "run")
    assert [one.family for one in run.results.presets] == ["corruption", "meaning"]
    summary = run.summary()
    assert order_of(summary, "natural at severity 1", "Under corruption: typos", "natural@1", "typos@1")
    assert load_run(tmp_path / "run").results == run.results
