"""Several runs: which model is more robust, how they rank, and which texts only one of them loses?"""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau

from salva.errors import InputError, UsageError
from salva.evaluation import compare, load_run
from salva.numbers import Estimate, holm
from salva.rows import reviews
from salva.tasks import make_task
from tests.evaluation.keywords import classify
from tests.evaluation.running import run as run_on

QUICK = {"presets": ["corrupt"], "severities": [1.0]}


def keep(folder, model, data=None, **settings):
    run_on(reviews("test") if data is None else data, model, out=folder, **(QUICK | settings))
    return folder


def always(texts):
    return ["positive"] * len(texts)


def by_length(texts):
    return ["positive" if len(text) % 2 else "negative" for text in texts]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Three runs over the same rows under three conditions."""
    folder = tmp_path_factory.mktemp("runs")
    given = {"presets": ["corrupt"], "severities": [0.5, 1.0]}
    models = {"keywords": classify, "always": always, "length": by_length}
    return [keep(folder / name, model, **given) for name, model in models.items()]


@pytest.fixture(scope="module")
def comparison(runs):
    return compare(*runs, names=["keywords", "always", "length"])


def find_lost(run, condition):
    """Return which rows are right before and wrong under a condition."""
    rows = load_run(run).answers.to_pylist()
    own = [row for row in rows if row["condition"] == condition]
    return np.array([row["right_before"] and not row["right_after"] for row in own])


def test_accuracies_and_drops_are_those_of_the_runs(runs, comparison):
    for place, run in enumerate(runs):
        for condition in load_run(run).results.conditions:
            (compared,) = [one for one in comparison.conditions if one.name == condition.name]
            score = compared.scores[place]
            assert score.accuracy_before == condition.score.accuracy_before
            assert score.accuracy_after == condition.score.accuracy_after
            assert score.drop == condition.score.drop
            assert (score.n, score.lost) == (252, condition.score.right_to_wrong)
            assert compared.family == condition.family


def test_a_model_that_never_changes_its_answer_is_more_robust(comparison):
    found = {(one.condition, one.a, one.b): one for one in comparison.differences}
    full = found["corrupt@1", "keywords", "always"]
    assert full.more_robust == "always"
    assert full.difference.value.high < 0
    render = found["corrupt/render", "keywords", "always"]
    assert render.more_robust is None


def test_holms_correction_is_over_all_models_and_conditions(comparison):
    assert comparison.comparisons == len(comparison.differences) == 9
    plain = [one.difference.p for one in comparison.differences]
    assert [one.difference.p_holm for one in comparison.differences] == holm(plain)
    order = np.argsort(plain)
    by_hand = np.minimum(1, np.maximum.accumulate(np.sort(plain) * (9 - np.arange(9))))
    assert [comparison.differences[k].difference.p_holm for k in order] == pytest.approx(by_hand.tolist())


def test_rank_agreement_is_that_of_scipy(comparison):
    after = {one.name: [score.accuracy_after.value for score in one.scores] for one in comparison.conditions}
    after["clean"] = [model.accuracy.value for model in comparison.models]
    for a, b in combinations(after, 2):
        assert comparison.agreement(a, b) == pytest.approx(kendalltau(after[a], after[b]).statistic)
    assert {one.n for one in comparison.agreements} == {3}
    assert len(comparison.agreements) == 6


def test_models_are_ranked_by_accuracy(comparison):
    clean, *others = comparison.rankings
    accuracies = {model.name: model.accuracy.value for model in comparison.models}
    assert list(clean.models) == sorted(accuracies, key=lambda name: -accuracies[name])
    assert [one.on for one in others] == ["corrupt/render", "corrupt@0.5", "corrupt@1"]
    assert clean.show({name: name[:1] for name in clean.models}) == "k > l > a"


def test_texts_that_one_model_loses_alone_are_counted_and_shown(runs, comparison):
    for condition in comparison.conditions:
        lost = np.array([find_lost(run, condition.name) for run in runs])
        alone = lost & (lost.sum(axis=0) == 1)
        assert [score.lost_alone for score in condition.scores] == alone.sum(axis=1).tolist()
        assert condition.lost_by_all == lost.all(axis=0).sum()
    originals = {row["id"]: row["text"] for row in reviews("test").to_pylist()}
    names = [model.name for model in comparison.models]
    assert {text.model for text in comparison.texts} == {names[0], names[2]}
    for text in comparison.texts:
        assert text.text == originals[text.id]
        lost = [n for n in names if text.before[n] == text.label != text.after[n]]
        assert lost == [text.model]
        assert text.twin != text.text or not text.edits


def test_rows_with_the_same_text_are_one_cluster_as_in_the_runs(tmp_path):
    rows = [(row["text"], row["label"]) for row in reviews("test").slice(0, 60).to_pylist()]
    runs = [keep(tmp_path / name, model, rows * 5) for name, model in (("a", classify), ("b", always))]
    found, once = (
        compare(*runs),
        compare(
            *(
                keep(tmp_path / f"{run.name}1", model, rows)
                for run, model in zip(runs, (classify, always), strict=True)
            )
        ),
    )
    for place, run in enumerate(runs):
        for condition, result in zip(found.conditions, load_run(run).results.conditions, strict=True):
            assert condition.scores[place].drop == result.score.drop
            assert condition.scores[place].accuracy_before == result.score.accuracy_before
    assert found.differences[1].difference.p == pytest.approx(once.differences[1].difference.p)


def test_the_comparison_turns_around_with_its_sides(runs):
    there, back = compare(*runs[:2]).differences[2], compare(*runs[1::-1]).differences[2]
    assert there.difference.value.value == -back.difference.value.value
    assert there.difference.p == back.difference.p


def test_a_run_compared_with_itself_shows_nothing(runs):
    found = compare(runs[0], runs[0])
    assert {one.more_robust for one in found.differences} == {None}
    assert [model.name for model in found.models] == [f"{runs[0]} (1)", f"{runs[0]} (2)"]
    assert not found.texts or {text.model for text in found.texts} == {None}


def test_runs_may_be_given_as_objects_and_have_names(runs):
    found = compare(load_run(runs[0]), runs[1], names=["mine", "theirs"])
    assert [model.name for model in found.models] == ["mine", "theirs"]
    assert repr(found).startswith("theirs drops least under corrupt@1: 0.0 points")
    assert len(repr(found)) < 600


def test_the_table_and_the_json_have_every_number(comparison):
    table = comparison.table()
    assert (table.num_rows, table["drop_low"].null_count) == (9, 0)
    assert json.loads(json.dumps(comparison.as_dict(), allow_nan=False))["comparisons"] == 9


def test_models_of_the_same_name_are_called_by_their_folders(runs, tmp_path):
    other = keep(tmp_path / "other", always, severities=[0.5, 1.0])
    first, second, third, fourth = (model.name for model in compare(*runs, other).models)
    assert (second, fourth) == ("always", "other")
    assert first == load_run(runs[0]).results.model.name
    assert third == load_run(runs[2]).results.model.name


@pytest.mark.parametrize(
    ("names", "message"),
    [(["a"], "1 names for 3 runs"), (["a", "a", "b"], "must be distinct"), (["a", "", "b"], "not empty")],
)
def test_bad_names_are_refused(runs, names, message):
    with pytest.raises(UsageError, match=message):
        compare(*runs, names=names)


def test_one_run_is_not_compared(runs):
    with pytest.raises(UsageError, match="compare takes two or more"):
        compare(runs[0])


def test_a_run_with_another_seed_is_named(runs, tmp_path):
    odd = keep(tmp_path / "odd", classify, severities=[0.5, 1.0], seed=1)
    with pytest.raises(InputError) as refused:
        compare(odd, *runs)
    assert str(refused.value).startswith(f"{odd} differs from {runs[0]} in seed (1, not 0); evaluate all")
    assert "\n" not in str(refused.value)


def test_every_difference_is_listed_in_one_line(runs, tmp_path):
    odd = keep(tmp_path / "odd", classify, seed=2, severities=[1.0], fit=["self"])
    with pytest.raises(InputError, match=r"in seed \(2, not 0\); .*odd differs .* in settings of corrupt;"):
        compare(*runs, odd)


def test_other_texts_under_the_same_ids_are_refused(runs, tmp_path):
    table = reviews("test")
    data = table.set_column(1, "text", table["text"].take(list(range(251, -1, -1))))
    odd = keep(tmp_path / "odd", classify, data, severities=[0.5, 1.0])
    with pytest.raises(
        InputError, match=r"odd differs from .*keywords in data; evaluate all models on the same"
    ):
        compare(*runs, odd)


def test_another_second_text_is_other_data(tmp_path):
    rows = [{"a": f"A really great movie number {n}", "b": f"Text {n}", "label": "x"} for n in range(4)]
    other = [row | {"b": "Another text"} for row in rows]
    given = {"text": ("a", "b"), "presets": ["natural"]}
    a, b = (
        keep(tmp_path / str(k), lambda pairs: ["x"] * len(pairs), some, **given)
        for k, some in enumerate((rows, other))
    )
    with pytest.raises(InputError, match=r"differs from .* in data"):
        compare(a, b)


CHAT = {
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "{question} {note}"},
    ],
    "edit": ["question"],
    "target": "answer",
    "answer": {"kind": "text"},
}


def yes(prompts):
    return ["yes"] * len(prompts)


def yes_to_movies(prompts):
    return ["yes" if "movie" in prompt[-1]["content"] else "no" for prompt in prompts]


def test_questions_are_compared_and_shown_with_all_their_messages(tmp_path):
    rows = [
        {"question": f"Is the movie number {n} great?", "note": "Why?", "answer": "yes"} for n in range(4)
    ]
    given = {"task": make_task("own", CHAT), "presets": ["natural"]}
    runs = [keep(tmp_path / model.__name__, model, rows, **given) for model in (yes_to_movies, yes)]
    lost = next(text for text in compare(*runs).texts if text.edits)
    assert lost.text == f"[system]\nBe brief.\n\n[user]\nIs the movie number {lost.id} great? Why?"
    assert all(lost.twin[edit.start : edit.end] == edit.new for edit in lost.edits)
    odd = keep(tmp_path / "odd", yes, [row | {"note": "How?"} for row in rows], **given)
    with pytest.raises(InputError, match=r"odd differs from .* in data"):
        compare(*runs, odd)


def test_the_same_rows_in_another_order_or_file_are_the_same_data(runs, tmp_path):
    data = reviews("test").take(list(range(251, -1, -1)))
    other = keep(tmp_path / "other", classify, data, severities=[0.5, 1.0])
    found = compare(runs[0], other)
    assert [score.drop.value for score in found.conditions[2].scores] == [
        found.conditions[2].scores[0].drop.value
    ] * 2
    assert all(one.difference.p == 1 for one in found.differences)


def test_another_setting_of_a_preset_is_refused(tmp_path):
    a = keep(tmp_path / "a", classify)
    b = keep(tmp_path / "b", classify, presets=["corrupt"], fit=["self"])
    with pytest.raises(InputError, match=r"b differs from .*a in settings of corrupt; evaluate"):
        compare(a, b)


def test_runs_without_a_shared_condition_are_refused(tmp_path):
    a, b = keep(tmp_path / "a", classify), keep(tmp_path / "b", classify, presets=["typos"])
    with pytest.raises(InputError, match="share no condition"):
        compare(a, b)


def test_conditions_of_some_runs_are_named_and_left_out(runs, tmp_path):
    fewer = keep(tmp_path / "fewer", classify)
    found = compare(*runs, fewer)
    assert [one.name for one in found.conditions] == ["corrupt/render", "corrupt@1"]
    (apart,) = found.conditions_apart
    assert apart.name == "corrupt@0.5"
    assert apart.models == tuple(model.name for model in found.models[:3])


def test_rows_of_some_runs_are_left_out_and_counted(tmp_path):
    a, b = keep(tmp_path / "a", classify), keep(tmp_path / "b", always, limit=100)
    found = compare(b, a)
    assert (found.rows, found.rows_apart, found.conditions[0].n) == (100, 152, 100)
    assert found.differences == tuple(compare(b, a).differences)


def test_rows_that_a_model_did_not_answer_count_for_no_model(tmp_path):
    def shy(texts):
        return [None if text.startswith("A") else "positive" for text in texts]

    data = reviews("test").slice(0, 120)
    a = keep(tmp_path / "a", classify, data)
    b = keep(tmp_path / "b", shy, data, errors=1.0)
    condition = compare(a, b).conditions[1]
    assert condition.n_out > 0
    assert {score.n for score in condition.scores} == {condition.n} == {120 - condition.n_out}


def test_data_without_labels_has_nothing_to_rank(tmp_path):
    data = reviews("test").slice(0, 30).drop_columns(["label"])
    found = compare(keep(tmp_path / "a", classify, data), keep(tmp_path / "b", always, data))
    assert (found.comparisons, found.rankings, found.agreements, found.texts) == (0, (), (), ())
    assert found.conditions[0].scores[0].drop == Estimate()
    assert repr(found).startswith("No drop could be compared")


def test_an_unfinished_run_is_refused(tmp_path):
    a = keep(tmp_path / "a", classify)
    (a / "results.json").unlink()
    with pytest.raises(InputError, match="is not finished; continue it with resume=True"):
        compare(a, a)


def test_runs_without_a_folder_are_compared_as_well(runs):
    settings = QUICK | {"severities": [0.5, 1.0]}
    first, second = (run_on(reviews("test"), model, **settings) for model in (classify, always))
    names = ["keywords", "always"]
    there, here = compare(*runs[:2], names=names), compare(first, second, names=names)
    assert here.conditions == there.conditions
    assert here.differences == there.differences
    assert {text.text for text in here.texts} == {None}
    assert all(text.twin for text in here.texts)
    assert compare(runs[0], second, names=names).texts == there.texts


def test_repeated_texts_are_clusters_without_a_folder_too(tmp_path):
    data = [(row["text"], row["label"]) for row in reviews("test").slice(0, 40).to_pylist()] * 3
    kept = compare(*(keep(tmp_path / str(k), model, data) for k, model in enumerate((classify, always))))
    loose = compare(*(run_on(data, model, **QUICK) for model in (classify, always)))
    assert loose.conditions == kept.conditions
    assert loose.differences == kept.differences
