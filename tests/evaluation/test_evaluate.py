"""A run from end to end: what is asked, counted and kept."""

from __future__ import annotations

import json
import math
import re
from collections import Counter

import pyarrow.parquet as pq
import pytest

from salva.errors import InputError, ModelError, UsageError
from salva.evaluation import evaluate, load_run
from salva.questions.conditions import DEFAULT_PRESETS, name_transforms
from salva.rows import reviews
from salva.transforms import BUNDLES, preset
from tests.evaluation.keywords import balance, classify
from tests.flat import flat

ROWS = [("A great film", "positive"), ("A dull film", "negative"), ("Lovely acting", "positive")] * 5

ARGUMENTS = ("presets", "severities", "task", "out", "seed", "sample", "resume", "overwrite", "progress")
EVERY_WORD = preset("typos", prob=1.0, render="splice")


def run_of(data=ROWS, model=classify, **settings):
    """Evaluate a model under typos at 1; fields of options are keywords."""
    own = {name: settings.pop(name) for name in ARGUMENTS if name in settings}
    return evaluate(
        data, model, **{"presets": ["typos"], "severities": [1.0], **own}, options=flat(**settings)
    )


@pytest.mark.slow
def test_everything_that_a_run_reports_is_there():
    names = ["natural", *BUNDLES["documents"]]
    results = run_of(reviews("test"), presets=["natural", "documents"], severities=[0.5, 1]).results
    rendered = [name for name in names if preset(name).render != "splice"]
    assert [one.name for one in results.conditions][2:5] == ["hybrid/render", "hybrid@0.5", "hybrid@1"]
    assert len(results.conditions) == 2 * len(names) + len(rendered)
    assert [one.preset for one in results.presets] == names
    assert [one.family for one in results.presets] == [preset(name).family for name in names]
    assert len(results.comparisons) == 2 * math.comb(len(names), 2)
    assert results.noise.asked == 100
    assert results.blame.explained > 0
    json.dumps(results.as_dict(), allow_nan=False)


def test_without_presets_a_run_has_those_of_the_default():
    results = run_of(presets=None).results
    assert [one.preset for one in results.presets] == [*DEFAULT_PRESETS]
    assert {one.family for one in results.presets} == {"meaning"}


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        (["documents"], ["hybrid", "synonyms", "typos", "corrupt"]),
        ("documents", ["hybrid", "synonyms", "typos", "corrupt"]),
        ("typos", ["typos"]),
        (
            ["corrupt", "documents", "natural", "corrupt"],
            ["corrupt", "hybrid", "synonyms", "typos", "natural"],
        ),
        ([preset("typos"), "documents"], ["typos", "hybrid", "synonyms", "typos-2", "corrupt"]),
    ],
)
def test_a_bundle_stands_for_its_presets(chosen, names):
    assert list(name_transforms(chosen)) == names


def test_an_edited_condition_has_the_validity_of_its_preset():
    results = run_of(presets=["hybrid", preset("hybrid", p_typo=1.0)]).results
    measured, own = results.presets
    assert measured.validity == preset("hybrid").validity
    assert own.validity is None
    rates = {one.name: one.validity for one in results.conditions}
    assert rates["hybrid@1"] == measured.validity.edits.rate
    assert rates["hybrid/render"] is rates["hybrid-2@1"] is None


def test_a_run_is_fitted_on_data_in_memory_and_on_files(tmp_path):
    (tmp_path / "more.txt").write_text("zebras lovely\n", "utf-8")
    run = run_of(presets=["corrupt", "typos"], fit=["self", tmp_path / "more.txt"])
    settings = run.results.settings["presets"]["corrupt"]["settings"]
    assert settings["vocabulary"] == ["lovely", "acting", "great", "zebras"]
    with pytest.raises(UsageError, match="preset typos has nothing to fit"):
        run_of(fit="self")
    with pytest.raises(UsageError, match="fit names no file"):
        run_of(presets=["corrupt"], fit=[])


def test_the_model_is_asked_once_about_every_different_text():
    asked = Counter()

    def model(texts):
        asked.update(texts)
        return classify(texts)

    run = run_of(reviews("test"), model=model, noise=0, blame_calls=0)
    assert set(asked.values()) == {1}
    assert len(asked) == run.results.distinct_texts


def test_a_rerun_gives_the_same_results_whatever_the_batches(tmp_path):
    one = run_of(reviews("test"), batch_size=7, model_id="m", threads=1)
    other = run_of(reviews("test"), batch_size=100, model_id="m", threads=2)
    assert one.results == other.results
    assert one.flips == other.flips


def test_a_finished_run_is_read_as_it_was(tmp_path):
    run = run_of(reviews("test"), out=tmp_path / "run")
    found = load_run(tmp_path / "run")
    assert found.results == run.results
    assert found.flips == run.flips
    assert found.timings == pytest.approx(run.timings, abs=1)


def test_every_answer_is_kept_for_others_to_use(tmp_path):
    run_of(ROWS, out=tmp_path / "run")
    table = pq.read_table(tmp_path / "run/answers.parquet").to_pydict()
    assert list(table) == ["model", "key", "item", "condition", "reply", "answer", "score", "status"]
    assert list(zip(table["item"], table["condition"], strict=True)) == [
        (item, name) for item in range(len(ROWS)) for name in ("clean", "typos/render", "typos@1")
    ]
    assert table["answer"][::3] == table["reply"][::3] == [label for _, label in ROWS]
    assert {*table["status"]} == {"answered"}


def test_failed_rows_are_counted_and_never_dropped():
    def model(texts):
        return [None if "dull" in text else "positive" for text in texts]

    results = run_of(model=model, errors=1.0, seed=2).results
    score = results.conditions[0].score
    assert (score.n, score.n_failed, score.n_unlabelled) == (10, 5, 0)
    assert results.failures[0].error == "the model gave no answer"


def test_failed_texts_are_listed_by_row_and_condition():
    def model(texts):
        if any("dull" in text for text in texts):
            raise ValueError("too dull")
        return classify(texts)

    failed = run_of([*ROWS, (None, "positive")], model=model, errors=1.0, severities=[0.01]).results.failed
    assert (failed.rows, failed.texts) == (6, 18)
    first, last = failed.listed[0], failed.listed[-1]
    assert (first.id, first.condition) == ("1", "clean")
    assert re.fullmatch(r"ValueError: too dull \(.*test_evaluate\.py:\d+\)", first.error)
    assert (last.id, last.condition, last.error) == ("15", "typos@0.01", "the row has no text")


def test_very_many_failed_texts_are_counted_and_the_first_listed():
    def model(texts):
        return [None if "film" in text else "positive" for text in texts]

    failed = run_of(ROWS * 20, model=model, errors=1.0, severities=[0.01]).results.failed
    assert failed.texts > len(failed.listed) == 100
    assert [int(one.id) for one in failed.listed] == sorted(int(one.id) for one in failed.listed)


def test_a_run_in_which_too_much_fails_stops_early():
    calls = []

    def model(texts):
        calls.append(len(texts))
        raise ValueError("no weights")

    with pytest.raises(
        ModelError, match="failed, more than errors= allows; the first error: ValueError: no weights"
    ):
        run_of(reviews("test"), model=model)
    assert len(calls) < 40


def test_a_model_that_answers_nothing_in_few_rows_is_an_error_too():
    def model(texts):
        raise ValueError("no weights")

    with pytest.raises(ModelError, match=r"2 of 2 questions failed, .* first error: ValueError: no weights"):
        run_of([("one", "a")], model=model)
    with pytest.raises(ModelError, match="answered none of 1 text; ValueError: no weights"):
        run_of([("one", "a")], model=model, errors=1.0)


def test_a_row_without_a_text_is_counted_as_failed():
    results = run_of([*ROWS, (None, "positive")]).results
    assert results.conditions[0].score.n_failed == 1


def test_rows_without_a_label_count_for_consistency_alone():
    results = run_of([*ROWS, ("Fine", -1), ("Fine too", None)]).results
    assert results.data.unlabelled == 2
    assert results.conditions[0].score.n_unlabelled == 2


def test_data_without_labels_still_tells_consistency():
    results = run_of({"text": [text for text, _ in ROWS]}, presets=EVERY_WORD).results
    assert results.conditions[0].score.accuracy_before.value is None
    assert results.conditions[-1].score.consistency.value == pytest.approx(100 / 3)


def test_a_label_that_the_data_does_not_know_is_refused_with_the_list():
    with pytest.raises(InputError, match=r"'POS' of the model .* of the data \('negative', 'positive'\)"):
        run_of(model=lambda texts: ["POS"] * len(texts))


def test_labels_are_mapped_by_name():
    def model(texts):
        return ["POS" if one == "positive" else "NEG" for one in classify(texts)]

    results = run_of(model=model, label_map={"POS": "positive", "NEG": "negative"}).results
    assert results.conditions[0].score.accuracy_before.value == 100
    assert results.model.labels == {"NEG": "negative", "POS": "positive"}


def test_labels_beyond_the_limit_are_known():
    rows = [("good", 1)] * 30 + [("bad", 0)]
    results = run_of(rows, model=lambda texts: [0] * len(texts), limit=10).results
    assert results.data.labels == {"0": 0, "1": 10}


def test_noise_is_measured_beside_the_drop():
    seen = Counter()

    def model(texts):
        seen.update(texts)
        return ["positive" if seen[text] % 2 else "negative" for text in texts]

    run = run_of(reviews("test"), model=model, noise=40, blame_calls=0)
    assert (run.results.noise.asked, run.results.noise.changed) == (40, 40)
    assert "depends on the batch" not in run.summary()


def test_an_answer_that_depends_on_the_batch_is_noticed():
    def model(texts):
        return ["positive" if len(texts) > 1 else "negative"] * len(texts)

    run = run_of(reviews("test"), model=model, limit=100)
    assert run.results.noise.changed == 0
    assert run.results.noise.alone_changed == run.results.noise.alone_asked == 16
    assert "the model's answers depend on the batch" in run.summary()


def test_noise_is_asked_in_whole_batches_and_then_alone():
    sizes = []

    def model(texts):
        sizes.append(len(texts))
        return classify(texts)

    run_of(reviews("test"), model=model, limit=50, noise=20, alone=4, blame_calls=0)
    assert sizes[-5:] == [20, 1, 1, 1, 1]


def test_a_metric_of_the_user_s_own_is_reported():
    change = run_of(reviews("test"), metric=balance).results.conditions[1].metric
    assert change.before is not None
    assert change.change.low <= change.change.value <= change.change.high


def test_pairs_of_texts_have_one_of_them_rewritten():
    asked = set()

    def model(pairs):
        asked.update(pairs)
        return ["same" if len(first) > len(second) else "other" for first, second in pairs]

    data = {"a": ["one great film here"] * 3, "b": ["a film"] * 3, "label": ["same"] * 3}
    run_of(data, model=model, presets=EVERY_WORD, text=("a", "b"), rewrite="b", noise=0)
    assert {first for first, _ in asked} == {"one great film here"}
    assert len(asked) > 1


def test_duplicate_ids_are_refused_by_name():
    data = {"id": ["x", "y", "x"], "text": ["a", "b", "c"], "label": ["p", "q", "p"]}
    with pytest.raises(InputError, match="duplicate ids: 'x'"):
        run_of(data)


def test_no_rows_are_refused():
    with pytest.raises(InputError, match="there are no rows to evaluate"):
        run_of({"text": [], "label": []})


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"severities": [0]}, "severity 0 changes nothing"),
        ({"severities": [1.5]}, "must be between 0 and 1"),
        ({"presets": []}, "no preset"),
        ({"copies": 0}, "copies=0 must be a whole number from 1"),
        ({"rewrite": "b"}, r"rewrite='b' must be one of the text columns \('text'\)"),
        ({"resume": True}, "nothing to resume"),
        ({"overwrite": True}, "nothing to overwrite"),
        ({"errors": 1.5}, "or a share"),
        ({"cross": True}, "needs a preset and an axis|needs presets= and an axis"),
    ],
)
def test_wrong_settings_are_refused(options, problem):
    with pytest.raises(UsageError, match=problem):
        run_of(**options)


def test_a_limit_of_calls_stops_before_the_call_and_keeps_the_answers(tmp_path):
    kept = {"out": tmp_path / "run", "batch_size": 10, "model_id": "m"}
    with pytest.raises(UsageError, match="calls=35"):
        run_of(reviews("test"), calls=35, **kept)
    run = run_of(reviews("test"), resume=True, **kept)
    asked = json.loads((tmp_path / "run/timings.json").read_text())["texts_asked"]
    total = run.results.distinct_texts + 116 + run.results.blame.calls
    assert total - 30 - asked in range(run.results.blame.calls)


def test_copies_are_conditions_of_their_own():
    results = run_of(reviews("test"), copies=3, severities=[0.5]).results
    names = [one.name for one in results.conditions]
    assert names == ["typos/render", "typos@0.5", "typos@0.5#1", "typos@0.5#2"]
    assert len({one.score.changed for one in results.conditions}) > 1
