"""A run that went wrong is mended: other labels, a new start, other settings for the same answers."""

from __future__ import annotations

import json
import shutil

import pytest

from salva.asking.run_folder import FILES, QUESTIONS
from salva.errors import InputError, ModelError, UsageError
from salva.evaluation import evaluate, rescore
from tests.evaluation.keywords import balance, classify
from tests.flat import flat

WORDS = ("good", "great", "best", "lovely", "perfect")
ROWS = [(f"this film number {i} is a {WORDS[i % 5]} one to see", "positive") for i in range(30)]
ROWS += [(f"this film number {i} is a boring one to see", "negative") for i in range(30)]
SETTINGS = {"model_id": "m", "noise": 5, "flips": 2, "blame_calls": 8, "resamples": 100}
MAPPED = {"NEG": "negative", "POS": "positive"}


class Reviewer:
    """Classifies with other labels than those of the data, and counts the texts."""

    def __init__(self, classes=None, names=("POS", "NEG")):
        self.asked = 0
        self.classes = classes
        self.names = dict(zip(("positive", "negative"), names, strict=True))

    def predict(self, texts):
        self.asked += len(texts)
        return [self.names[label] for label in classify(texts)]


def run_of(model, out=None, rows=ROWS, *, seed=0, resume=False, overwrite=False, **settings):
    """Evaluate a model under typos at 1; fields of options are keywords."""
    about = {"presets": "typos", "severities": 1, "options": flat(**{**SETTINGS, **settings})}
    return evaluate(rows, model, out=out, seed=seed, resume=resume, overwrite=overwrite, **about)


def assert_same(run, whole):
    for name in ("results.json", "report.html", "run.json", "answers.parquet", "flips.parquet"):
        assert (run / name).read_bytes() == (whole / name).read_bytes(), name


def test_labels_that_do_not_match_are_listed_and_mapped_without_asking_again(tmp_path):
    model = Reviewer()
    with pytest.raises(InputError) as refused:
        run_of(model, tmp_path / "run")
    assert "labels 'NEG', 'POS' of the model do not match one label of the data" in str(refused.value)
    kept = "add resume=True too: the answers so far are kept"
    assert str(refused.value).endswith(f"map them with label_map={MAPPED}; {kept}")
    asked = model.asked
    assert asked <= 60
    run = run_of(model, tmp_path / "run", resume=True, label_map=MAPPED)
    whole = Reviewer()
    run_of(whole, tmp_path / "whole", label_map=MAPPED)
    assert run.results.model.labels == MAPPED
    assert model.asked == whole.asked
    assert_same(tmp_path / "run", tmp_path / "whole")


def test_nothing_is_left_when_the_labels_are_known_not_to_match(tmp_path):
    with pytest.raises(InputError, match="labels 'NEG', 'POS' of the model"):
        run_of(Reviewer(("POS", "NEG")), tmp_path / "a/run")
    assert list(tmp_path.iterdir()) == []


def fail(texts):
    raise ValueError("nothing works")


@pytest.mark.parametrize(("model", "error"), [("hf:nowhere", InputError), (fail, ModelError)])
def test_nothing_is_left_of_a_model_that_gave_no_answer(tmp_path, model, error):
    with pytest.raises(error):
        run_of(model, tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_a_label_that_the_model_never_answers_is_reported(tmp_path, caplog):
    rows = [*ROWS, ("a film that is neither", "neutral")]
    model = Reviewer(("negative", "positive"), ("positive", "negative"))
    run_of(model, rows=rows)
    assert "never answers some labels of the data" in caplog.text
    assert "'neutral' (1 row)" in caplog.text


def test_a_new_run_takes_the_place_of_the_old(tmp_path):
    run_of(classify, tmp_path / "run")
    names = {path.name for path in (tmp_path / "run").iterdir() if not path.name.startswith(".")}
    assert names <= {*FILES, QUESTIONS}
    with pytest.raises(InputError, match="pass resume=True to continue it, overwrite=True to start over"):
        run_of(classify, tmp_path / "run")
    model = Reviewer()
    run_of(model, tmp_path / "run", overwrite=True, label_map=MAPPED, seed=1)
    run_of(Reviewer(), tmp_path / "whole", label_map=MAPPED, seed=1)
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


CHANGES = [
    {"drop_limit": 1.0, "resamples": 200},
    {"noise": 3, "alone": 2},
    {"flips": 1, "blame_calls": 0},
    {"label_map": {"NEG": "positive", "POS": "negative"}, "blame_calls": 0},
    {"metric": balance},
]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run, to be copied."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    run_of(Reviewer(), folder, label_map=MAPPED)
    return folder


@pytest.mark.parametrize("change", CHANGES, ids="+".join)
def test_other_settings_on_the_same_answers_give_what_a_new_run_gives(tmp_path, finished, change):
    for name in ("resumed", "scored"):
        shutil.copytree(finished, tmp_path / name)
    settings = {"label_map": MAPPED, **change}
    model = Reviewer()
    run_of(model, tmp_path / "resumed", resume=True, **settings)
    assert model.asked == 0
    rescore(tmp_path / "scored", **change)
    run_of(Reviewer(), tmp_path / "whole", **settings)
    assert_same(tmp_path / "resumed", tmp_path / "whole")
    assert_same(tmp_path / "scored", tmp_path / "whole")


def test_only_what_is_new_is_asked_on_resume(tmp_path, finished):
    shutil.copytree(finished, tmp_path / "run")
    model, whole = Reviewer(), Reviewer()
    run_of(model, tmp_path / "run", resume=True, label_map=MAPPED, noise=20)
    assert model.asked == 20 - 5 + 16 - 5
    run_of(whole, tmp_path / "whole", label_map=MAPPED, noise=20)
    assert_same(tmp_path / "run", tmp_path / "whole")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            {"noise": 50},
            "lacks answers that are needed to measure noise; ask for them with salva evaluate and",
        ),
        ({"flips": 30, "blame_calls": 32}, "needed to explain flips; .* or pass blame_calls=0"),
        ({"seed": 1}, "rescore has no setting 'seed'; choose from task, metric, noise, alone"),
        ({"presets": ["corrupt"]}, "rescore has no setting 'presets'"),
        ({"noise": -1}, "noise=-1 must be a whole number"),
        ({"nose": 1}, "did you mean 'noise'"),
        ({"label_map": {"POS": "psitive"}}, "'psitive' is not a label of the data"),
    ],
)
def test_what_needs_new_answers_is_refused_and_nothing_changes(tmp_path, finished, change, problem):
    shutil.copytree(finished, tmp_path / "run")
    with pytest.raises((UsageError, InputError), match=problem):
        rescore(tmp_path / "run", **change)
    assert_same(tmp_path / "run", finished)


def test_a_metric_is_given_again_or_left_out(tmp_path, finished):
    shutil.copytree(finished, tmp_path / "run")
    rescore(tmp_path / "run", metric=balance)
    with pytest.raises(UsageError, match="was made with the metric 'balance'; give it again with metric="):
        rescore(tmp_path / "run", drop_limit=2)
    assert rescore(tmp_path / "run", metric=None).results.conditions[0].metric is None


def test_failed_texts_stay_failed(tmp_path):
    def model(texts):
        if any("number 7 " in text for text in texts):
            raise ValueError("seven")
        return classify(texts)

    run_of(model, tmp_path / "run")
    content = (tmp_path / "run/results.json").read_bytes()
    assert rescore(tmp_path / "run").results.failures
    assert (tmp_path / "run/results.json").read_bytes() == content


def test_a_changed_model_goes_on_as_the_same_if_the_user_says_so(tmp_path):
    run_of(classify, tmp_path / "run")
    content = (tmp_path / "run/results.json").read_bytes()
    with pytest.raises(UsageError, match="pass same_model=True to keep its answers, overwrite=True to start"):
        run_of(fail, tmp_path / "run", resume=True, model_id="m2")
    run_of(fail, tmp_path / "run", resume=True, model_id="m2", same_model=True)
    assert (tmp_path / "run/results.json").read_bytes() == content


def test_the_command_scores_again(salva, tmp_path, finished):
    shutil.copytree(finished, tmp_path / "run")
    assert salva("report", "run", "--drop-limit", "1", "--fail-if", "drop > 100").code == 0
    assert json.loads((tmp_path / "run/results.json").read_text())["settings"]["drop_limit"] == 1
    refused = salva("report", "run", "-S", "noise=50")
    assert refused.code == 2
    assert "salva evaluate and --resume, or pass a lower -S noise" in refused.err
    refused = salva("report", "run", "-S", "slice_by=genre")
    assert (refused.code, "make a new run with salva evaluate" in refused.err) == (2, True)
    assert salva("report", "run", "-S", "noise=2", "--json").code == 0
    assert json.loads((tmp_path / "run/results.json").read_text())["noise"]["asked"] == 2
