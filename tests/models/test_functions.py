"""Models that are Python: modules, functions, estimators, pipelines; item 120."""

from __future__ import annotations

import functools
import re
import subprocess
import sys

import numpy as np
import pytest

from salva.asking.pipeline import query
from salva.errors import ModelError, UsageError
from salva.models import Answers, ModelOptions, load_function, open_model
from tests.models.conftest import all_positive, errors_of, labels_of


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write a module into the current folder, under a name that no other test has."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    name = f"model_{tmp_path.name}".replace("-", "_")

    def write(source):
        (tmp_path / f"{name}.py").write_text(source)
        sys.modules.pop(name, None)
        return name

    yield write
    sys.modules.pop(name, None)


PREDICT = "def predict(texts):\n    return [text.upper() for text in texts]\n"


def test_a_function_of_a_module_in_the_current_folder(module):
    name = module(PREDICT)
    model = open_model(f"python:{name}:predict")
    assert model.name == f"python:{name}:predict"
    assert query(model, ["a", "b"]).labels == ["A", "B"]


SHADOWS = """
import pathlib, helper
def predict(texts):
    import colorsys, html.entities
    return [colorsys.rgb_to_hsv(0, 0, helper.HALF)[2]] * len(texts)
"""


@pytest.mark.slow
@pytest.mark.parametrize("start", [["-c", "from salva.cli.main import main; main()"], ["-m", "salva"]])
def test_files_of_the_current_folder_replace_no_package(tmp_path, start):
    """A module of the user's finds its neighbours, but nobody finds jinja2.py or colorsys.py there."""
    (tmp_path / "mine.py").write_text(SHADOWS)
    (tmp_path / "helper.py").write_text("HALF = 1\n")
    for name in ("jinja2", "colorsys", "scipy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('replaced')\n")
    (tmp_path / "data.csv").write_text("text,label\na fine film,1\na dull film,0\n")
    asked = ["evaluate", "data.csv", "--model", "python:mine:predict", "-o", "run", "--preset", "typos"]
    # Without -P, Python itself puts the current folder first for -c.
    safe = [] if start[0] == "-m" else ["-P"]
    done = subprocess.run(
        [sys.executable, *safe, *start, *asked], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "replaced" in done.stderr) == (0, False), done.stderr
    assert (tmp_path / "run/report.html").exists()


def test_a_module_called_like_an_installed_one_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "colorsys.py").write_text(PREDICT)
    with pytest.raises(UsageError, match="module 'colorsys' is in the current folder, but also among the"):
        open_model("python:colorsys:predict")


def test_an_attribute_may_lie_deeper(module):
    name = module("class Model:\n    def predict(self, texts): return texts\nbest = Model()\n")
    assert query(open_model(f"python:{name}:best.predict"), ["a"]).labels == ["a"]
    assert query(open_model(f"python:{name}:best"), ["a"]).labels == ["a"]


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        ("python:", "'' is incomplete; expected MODULE:FUNCTION"),
        ("python:math", "'math' is incomplete"),
        (
            "python:no_such_thing:f",
            "there is no module 'no_such_thing' in the current folder or among the installed",
        ),
        ("python:salva.no_such_thing:f", "there is no module 'salva.no_such_thing' in"),
        ("python:math:hypo", "'math:hypo': there is no 'hypo'; did you mean 'hypot'?"),
        ("python:model.py:predict", "'model.py' is not the name of a module; write python:model:FUNCTION"),
        ("python:../model:predict", "'../model' is not the name of a module"),
        ("python:collections:OrderedDict", "is a class; give a function or an object with a predict method"),
        ("python:math:pi", "is neither a function nor an object with a predict method"),
    ],
)
def test_what_is_not_there_is_one_clear_line(spec, error):
    with pytest.raises(UsageError) as refused:
        open_model(spec)
    assert error in str(refused.value)


def test_a_module_that_needs_another_says_which(module):
    name = module("import no_such_package\n")
    with pytest.raises(UsageError, match=f"module '{name}' needs 'no_such_package', which is not installed"):
        open_model(f"python:{name}:predict")


@pytest.mark.parametrize("source", ["1 / 0", "raise SystemExit('bye')", "def broken(:"])
def test_a_module_that_fails_is_the_models_failure(module, source, capsys):
    name = module(f"print('loading')\n{source}")
    with pytest.raises(ModelError, match=f"module '{name}' failed on import: "):
        open_model(f"python:{name}:predict")
    assert capsys.readouterr().out == ""


def test_120_the_digest_follows_the_source_and_the_model_id(module):
    name = module(PREDICT)
    spec = f"python:{name}:predict"
    first = open_model(spec).digest
    assert open_model(spec).digest == first
    assert open_model(spec, ModelOptions(model_id="2")).digest != first
    module(PREDICT + "# changed\n")
    assert open_model(spec).digest != first


@pytest.mark.slow
def test_120_what_lies_in_memory_is_never_taken_for_another():
    digests = {open_model(all_positive).digest, open_model(all_positive).digest}
    code = "from salva.models import open_model; print(open_model(str.upper).digest)"
    digests |= {subprocess.check_output([sys.executable, "-c", code], text=True) for _ in range(2)}
    assert len(digests) == 4
    known = {open_model(all_positive, ModelOptions(model_id=name)).digest for name in ("a", "a", "b")}
    assert len(known) == 2


def test_a_pair_comes_as_two():
    assert labels_of(lambda pairs: [b + a for a, b in pairs], [("x", "y")]) == ["yx"]


def test_a_function_may_name_its_classes():
    def predict(texts):
        return np.array([[0.9, 0.1]] * len(texts))

    assert errors_of(predict)[0].startswith("model returned probabilities without class names")
    predict.classes = ("good", "bad")
    assert labels_of(predict) == ["good", "good"]
    assert open_model(predict).classes == ("good", "bad")


class Estimator:
    classes_ = np.array([1, 0])

    def predict_proba(self, texts):
        return np.array([[0.25, 0.75]] * len(texts))

    def predict(self, texts):
        raise AssertionError("probabilities come first")


def test_105_columns_follow_the_classes_of_the_estimator():
    model = open_model(Estimator())
    assert (model.name, model.classes) == ("Estimator", ("1", "0"))
    answers = query(model, ["a"])
    assert (answers.labels, answers.probabilities) == (["0"], [0.75])


def test_an_estimator_without_probabilities_predicts():
    class Plain:
        classes_ = ("a", "b")

        def predict(self, texts):
            return np.array(["b"] * len(texts))

    assert labels_of(Plain()) == ["b", "b"]


def test_a_pipeline_of_scikit_learn():
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    data = ["good film", "bad film"] * 5, ["pos", "neg"] * 5
    fitted = make_pipeline(CountVectorizer(), LogisticRegression()).fit(*data)
    answers = query(open_model(fitted), ["good", "bad"])
    assert answers.labels == ["pos", "neg"]
    assert min(answers.probabilities) > 0.5
    assert labels_of(make_pipeline(CountVectorizer(), LinearSVC()).fit(*data), ["good"]) == ["pos"]


def test_112_a_pipeline_of_transformers_is_called_as_it_is(bert):
    from transformers import pipeline

    pipe = pipeline("text-classification", model=str(bert), device="cpu")
    pipe.tokenizer.model_max_length = 16
    texts = ["good film .", "bad " * 30, ""]
    expected = [one["label"] for one in pipe(texts, truncation=True)]
    model = open_model(pipe)
    answers = query(model, texts)
    assert model.classes == ("NEGATIVE", "POSITIVE")
    assert (answers.labels, answers.cut) == (expected, [False, True, False])
    assert query(model, [("good", "bad")]).labels == [pipe({"text": "good", "text_pair": "bad"})["label"]]


def test_a_model_passes_through(counted):
    model = counted(all_positive)
    assert open_model(model) is model


@pytest.mark.parametrize("value", [3, None, Estimator, object()], ids=lambda value: type(value).__name__)
def test_what_is_no_model_is_refused(value):
    with pytest.raises(UsageError, match=r"is (neither a function nor|a class)"):
        open_model(value)


def test_a_function_may_give_answers():
    assert labels_of(lambda texts: Answers.of(["x"] * len(texts))) == ["x", "x"]


def test_a_function_of_the_users_own_is_loaded(module):
    name = module("def metric(labels, answers): return 0.5\n")
    assert load_function(f"{name}:metric")([], []) == 0.5
    with pytest.raises(UsageError, match="'math:pi' is not a function"):
        load_function("math:pi")


def test_titles_have_names():
    def local(texts):
        return texts

    name = open_model(lambda texts: texts).name
    assert re.fullmatch(r"lambda \(.*test_functions\.py:\d+\)", name)
    assert open_model(lambda texts: texts, ModelOptions(model_id="baseline")).name == "baseline"
    assert open_model(functools.partial(local)).name == f"{__name__}.local"
    local.__module__ = "__main__"
    assert open_model(local).name == "local"
