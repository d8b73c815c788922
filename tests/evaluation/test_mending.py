"""A run that went wrong is mended: other labels, a new start, other settings for the same answers."""

from __future__ import annotations

import json

import pytest

from salva.errors import InputError, ModelError
from salva.evaluation import evaluate
from salva.models import ModelOptions
from salva.runs.folder import FILES
from tests.evaluation.keywords import classify

WORDS = ("good", "great", "best", "lovely", "perfect")
ROWS = [(f"this film number {i} is a {WORDS[i % 5]} one to see", "positive") for i in range(30)]
ROWS += [(f"this film number {i} is a boring one to see", "negative") for i in range(30)]
OPTIONS = {"presets": ["typos"], "severities": [1.0], "model_options": ModelOptions(model_id="m")}
OPTIONS |= {"noise": 5, "flips": 5, "blame_calls": 8, "resamples": 100}


class Reviewer:
    """Classifies with other labels than those of the data, and counts the texts."""

    def __init__(self, classes=None, names=("POS", "NEG")):
        self.asked = 0
        self.classes = classes
        self.names = dict(zip(("positive", "negative"), names, strict=True))

    def predict(self, texts):
        self.asked += len(texts)
        return [self.names[label] for label in classify(texts)]


def assert_same(run, whole):
    for name in ("results.json", "report.html", "run.json", "answers.parquet", "flips.parquet"):
        assert (run / name).read_bytes() == (whole / name).read_bytes(), name


def test_labels_that_do_not_match_are_listed_and_mapped_without_asking_again(tmp_path):
    model = Reviewer()
    with pytest.raises(InputError) as refused:
        evaluate(ROWS, model=model, out=tmp_path / "run", **OPTIONS)
    assert "labels 'NEG', 'POS' of the model do not match one label of the data" in str(refused.value)
    mapped = {"NEG": "negative", "POS": "positive"}
    assert str(refused.value).endswith(f"map them with label_map={mapped}")
    asked = model.asked
    assert asked <= 60
    run = evaluate(ROWS, model=model, out=tmp_path / "run", resume=True, label_map=mapped, **OPTIONS)
    whole = Reviewer()
    evaluate(ROWS, model=whole, out=tmp_path / "whole", label_map=mapped, **OPTIONS)
    assert run.results.model.labels == mapped
    assert model.asked == whole.asked
    assert_same(tmp_path / "run", tmp_path / "whole")


def test_nothing_is_left_when_the_labels_are_known_not_to_match(tmp_path):
    with pytest.raises(InputError, match="labels 'NEG', 'POS' of the model"):
        evaluate(ROWS, model=Reviewer(("POS", "NEG")), out=tmp_path / "a/run", **OPTIONS)
    assert list(tmp_path.iterdir()) == []


def fail(texts):
    raise ValueError("nothing works")


@pytest.mark.parametrize(("model", "error"), [("hf:nowhere", InputError), (fail, ModelError)])
def test_nothing_is_left_of_a_model_that_gave_no_answer(tmp_path, model, error):
    with pytest.raises(error):
        evaluate(ROWS, model=model, out=tmp_path / "run", **OPTIONS)
    assert list(tmp_path.iterdir()) == []


def test_a_label_that_the_model_never_answers_is_reported(tmp_path, caplog):
    rows = [*ROWS, ("a film that is neither", "neutral")]
    model = Reviewer(("negative", "positive"), ("positive", "negative"))
    evaluate(rows, model=model, **OPTIONS)
    assert "never answers some labels of the data" in caplog.text
    assert "'neutral' (1 row)" in caplog.text


def test_a_new_run_takes_the_place_of_the_old(tmp_path):
    evaluate(ROWS, model=classify, out=tmp_path / "run", **OPTIONS)
    names = {path.name for path in (tmp_path / "run").iterdir() if not path.name.startswith(".")}
    assert names <= set(FILES)
    with pytest.raises(InputError, match="pass resume=True to continue it, overwrite=True to start over"):
        evaluate(ROWS, model=classify, out=tmp_path / "run", **OPTIONS)
    model = Reviewer()
    other = {**OPTIONS, "label_map": {"NEG": "negative", "POS": "positive"}, "seed": 1}
    evaluate(ROWS, model=model, out=tmp_path / "run", overwrite=True, **other)
    evaluate(ROWS, model=Reviewer(), out=tmp_path / "whole", **other)
    assert model.asked > len(ROWS)
    assert_same(tmp_path / "run", tmp_path / "whole")


def test_the_command_line_names_flags_to_paste(salva, tmp_path):
    rows = "\n".join(json.dumps({"text": text, "label": label[:3] + " review"}) for text, label in ROWS)
    (tmp_path / "data.jsonl").write_text(rows + "\n", "utf-8")
    run = ("evaluate", "data.jsonl", "--model", "builtin:reviews", "-o", "run", "--preset", "typos")
    refused = salva(*run)
    assert refused.code == 3
    assert not (tmp_path / "run").exists()
    flags = "--label-map 'negative=?' --label-map 'positive=?'"
    assert f"map them with {flags}, with a label of the data for each ?" in refused.err
    mapped = ("--label-map", "negative=neg review", "--label-map", "positive=pos review")
    assert salva(*run, *mapped).code == 0
    assert "pass --resume to continue it, --overwrite to start over, or give" in salva(*run, *mapped).err
    assert salva(*run, *mapped, "--overwrite").code == 0
