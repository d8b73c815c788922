"""Results in more detail: classes, slices, confidence and duplicates agree with counting by hand."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from salva.errors import UsageError
from salva.evaluation import load_run, rescore
from salva.evaluation.scoring import split_values
from salva.rows import reviews
from tests.evaluation.keywords import classify
from tests.evaluation.running import run

ROWS = [("A great film", "positive"), ("A dull film", "negative"), ("Lovely acting", "positive")] * 5


def run_of(data=ROWS, model=classify, **settings):
    return run(data, model, **{"presets": ["typos"], "severities": 1.0, **settings})


def answers_of(done) -> dict[str, np.ndarray]:
    """Return labels, and the answers before and under `typos@1`, row by row."""
    rows = [row for row in done.answers.to_pylist() if row["condition"] == "typos@1"]
    return {name: np.array([row[name] for row in rows], object) for name in ("label", "before", "after")}


def percent(hits, among) -> float:
    return pytest.approx(100 * (hits & among).sum() / among.sum())


def test_classes_are_scored_as_by_hand(tmp_path):
    done = run_of(reviews("test"), out=tmp_path / "run")
    results = done.results
    assert results == load_run(tmp_path / "run").results
    labels, before, after = answers_of(done).values()
    found = results.by_class[1]
    assert found.condition == "typos@1"
    for one in found.classes:
        mine = labels == one.label
        assert one.n == mine.sum()
        assert one.recall_before.value == percent(before == one.label, mine)
        assert one.recall_after.value == percent(after == one.label, mine)
        assert one.drop.value == pytest.approx(one.recall_before.value - one.recall_after.value)
        assert one.precision_before.value == percent(mine, before == one.label)
        assert one.precision_after.value == percent(mine, after == one.label)
        assert one.precision_after.low < one.precision_after.value < one.precision_after.high
    for one in found.confusions:
        assert one.before == ((labels == one.label) & (before == one.answer)).sum()
        assert one.after == ((labels == one.label) & (after == one.answer)).sum()
    assert sum(one.before for one in found.confusions) == len(labels)


def test_class_counts_have_the_names_of_data_and_model():
    def model(texts):
        return ["POS" if one == "positive" else "NEG" for one in classify(texts)]

    results = run_of(model=model, label_map={"POS": "positive", "NEG": "negative"}).results
    counts = [(one.label, one.rows, one.model_labels) for one in results.classes]
    assert counts == [("negative", 5, ("NEG",)), ("positive", 10, ("POS",))]


def test_very_many_classes_are_cut():
    rows = [(f"film {k}", f"c{k:04}") for k in range(1000)]
    results = run_of(rows, model=lambda texts: [f"c{len(text):04}" for text in texts]).results
    assert len(results.classes) == 1000
    assert len(results.by_class[0].classes) == 50
    assert len(results.by_class[0].confusions) == 400


def test_without_labels_there_are_no_classes():
    results = run_of({"text": [text for text, _ in ROWS]}).results
    assert (results.classes, results.by_class) == ((), ())


def test_slices_by_length_are_quartiles():
    done = run_of(reviews("test"))
    (by_length,) = done.results.slices
    lengths = np.array([len(text) for text in reviews("test")["text"].to_pylist()])
    labels, _, after = answers_of(done).values()
    assert by_length.column is None
    assert sum(part.rows for part in by_length.slices) == len(lengths)
    for part in by_length.slices:
        rows = (lengths >= part.low) & (lengths <= part.high)
        assert part.rows == rows.sum() == pytest.approx(len(lengths) / 4, abs=2)
        score = part.scores[1]
        right = after == labels
        assert (score.condition, score.n) == ("typos@1", part.rows)
        assert score.accuracy_after.value == percent(right, rows)
        assert score.drop.value == pytest.approx(score.accuracy_before.value - score.accuracy_after.value)
        assert score.drop.low < score.drop.value < score.drop.high


def test_slices_by_a_column_count_every_row():
    genres = ["war", "love", None] * 5
    data = {"text": [text for text, _ in ROWS], "label": [label for _, label in ROWS], "genre": genres}
    found = run_of(data, slice_by="genre").results.slices[-1]
    assert found.column == "genre"
    assert [(part.name, part.kind, part.rows) for part in found.slices] == [
        ("love", "value", 5),
        ("war", "value", 5),
        ("no value", "missing", 5),
    ]


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([str(k) for k in range(1, 101)], ["1 to 25", "26 to 50", "51 to 75", "76 to 100"]),
        (["10", "2", "1.5"], ["1.5", "2", "10"]),
        ([*map(str, range(20)), None], ["0 to 4", "5 to 9", "10 to 14", "15 to 19", "no value"]),
        (["0"] * 90 + [str(k) for k in range(1, 12)], ["0", "1 to 11"]),
        (["nan", "1"], ["1", "nan"]),
        ([None, None], ["no value"]),
    ],
)
def test_values_are_split_by_what_they_are(values, names):
    parts = split_values(values)
    assert [part.name for part in parts] == names
    assert sum(part.rows.sum() for part in parts) == len(values)


def test_rare_values_are_one_slice():
    values = [f"v{k}" for k in range(30) for _ in range(30 - k)]
    parts = split_values(values)
    assert [part.name for part in parts[:2]] == ["v0", "v1"]
    assert (len(parts), parts[-1].name, parts[-1].kind) == (11, "20 other values", "other")
    assert sum(part.rows.sum() for part in parts) == len(values)


def sure(texts):
    return [{"positive": p, "negative": 1 - p} for p in (len(text) % 7 / 7 for text in texts)]


def test_confidence_is_the_mean_probability_of_answers_and_labels():
    rows = [("one", "positive"), ("seven", "negative"), ("eleven!", "positive")]
    found = run_of(rows, model=sure, presets=["contractions"]).results.confidence[0]
    chances = [len(text) % 7 / 7 for text, _ in rows]
    assert found.before.value == pytest.approx(100 * np.mean([max(p, 1 - p) for p in chances]))
    right = [p if label == "positive" else 1 - p for p, (_, label) in zip(chances, rows, strict=True)]
    assert found.label_before.value == pytest.approx(100 * np.mean(right))
    assert (found.n, found.label_n, found.change.value) == (3, 3, 0)


def test_with_three_classes_only_the_confidence_in_answers_is_known():
    def model(texts):
        return [{"a": 0.5, "b": 0.3, "c": 0.2} for _ in texts]

    found = run_of([("x", "a"), ("y", "b"), ("z", "c")], model=model).results.confidence[0]
    assert (found.before.value, found.label_n, found.label_before.value) == (50, 0, None)


def test_without_probabilities_there_is_no_confidence():
    assert run_of().results.confidence == ()


def test_duplicates_are_counted_with_those_that_contradict_each_other():
    done = run_of([*ROWS, ("A dull film", "positive"), ("Once", "negative"), (None, "negative")])
    found = done.results.duplicates
    assert (found.texts, found.rows) == (3, 16)
    assert (found.contradictory_texts, found.contradictory_rows) == (1, 6)
    assert "6 rows have the text of another row, but not its label" in done.summary()


def test_a_resumed_run_has_the_same_details(tmp_path):
    data = reviews("test")
    data = data.append_column("half", pa.array([k % 2 for k in range(data.num_rows)]))
    given = {"model_id": "m", "slice_by": "half"}
    run_of(data, out=tmp_path / "a", **given)
    with pytest.raises(UsageError, match="calls=300"):
        run_of(data, out=tmp_path / "b", calls=300, **given)
    run_of(data, out=tmp_path / "b", resume=True, **given)
    assert (tmp_path / "a/results.json").read_bytes() == (tmp_path / "b/results.json").read_bytes()
    assert json.loads((tmp_path / "a/results.json").read_text())["slices"][1]["column"] == "half"
    assert rescore(tmp_path / "b").results == load_run(tmp_path / "a").results
