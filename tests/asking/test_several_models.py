"""Several models in one run: one table of questions, one log, and a folder for each model."""

from __future__ import annotations

import shutil

import pytest

from salva.errors import InputError, ModelError, UsageError
from salva.evaluation import compare, evaluate, load_run
from tests.asking.tables import logged
from tests.flat import flat

ROWS = [(f"a {word} film {k}", label) for k in range(8) for word, label in (("good", "pos"), ("bad", "neg"))]
QUICK = {"presets": "typos", "severities": [0.5, 1.0]}
OPTIONS = flat(noise=4, alone=1, flips=3, blame_calls=8, resamples=100, batch_size=4)
NAMES = ["python-tests.asking.test_several_models-careful", "python-tests.asking.test_several_models-hasty"]
SPECS = [f"python:tests.asking.test_several_models:{name}" for name in ("careful", "hasty")]
ASKED: list[str] = []
LIMITS = {"most": 1000}  # questions, after which every model stops


def note(texts):
    if len(ASKED) >= LIMITS["most"]:
        raise ModelError("the server is gone")
    ASKED.extend(texts)


def careful(texts):
    note(texts)
    return ["neg" if "b" in text else "pos" for text in texts]


def hasty(texts):
    note(texts)
    return ["pos" if "good" in text else "neg" for text in texts]


@pytest.fixture(autouse=True)
def nothing_asked():
    ASKED.clear()


def ask(folder, models=SPECS, options=OPTIONS, **more):
    return evaluate(ROWS, models, out=folder, options=options, **QUICK, **more)


def contents(folder):
    """Return all files but those with times, and the log, which has the answers as they came."""
    paths = [path for path in folder.rglob("*") if path.suffix in {".json", ".parquet", ".html"}]
    return {path.relative_to(folder): path.read_bytes() for path in paths if path.name != "timings.json"}


def test_models_are_asked_the_same_questions_and_each_gets_the_results_of_a_run_of_its_own(tmp_path):
    runs = ask(tmp_path / "run")
    assert [run.folder for run in runs] == [tmp_path / "run" / name for name in NAMES]
    assert [path.parent for path in tmp_path.rglob("made-*.parquet")] == [tmp_path / "run/questions"]
    assert [path.parent for path in tmp_path.rglob("answers.db")] == [tmp_path / "run"]
    assert len({row[0] for row in logged(tmp_path / "run/answers.db")}) == 2
    for run, spec in zip(runs, SPECS, strict=True):
        alone = ask(tmp_path / "alone", spec, overwrite=(tmp_path / "alone").exists())
        assert load_run(run.folder).results == run.results == alone.results
        assert load_run(run.folder).flips == alone.flips
        assert run.list_answers() == alone.list_answers()
    in_memory = ask(None, [careful, hasty])
    assert [run.results.conditions for run in in_memory] == [run.results.conditions for run in runs]


def test_the_report_of_several_models_compares_them(tmp_path):
    runs = ask(tmp_path / "run")
    page = (tmp_path / "run/report.html").read_text("utf-8")
    compare(*(run.folder for run in runs)).report(tmp_path / "other.html")
    assert page == (tmp_path / "other.html").read_text("utf-8")
    assert all(spec in page for spec in SPECS)


@pytest.mark.parametrize("share", [0.2, 0.8])
def test_a_run_of_several_models_that_was_stopped_goes_on_to_the_same_bytes(tmp_path, monkeypatch, share):
    ask(tmp_path / "whole")
    asked = sorted(ASKED)
    ASKED.clear()
    with monkeypatch.context() as patched:
        patched.setitem(LIMITS, "most", share * len(asked))
        with pytest.raises(ModelError, match="the server is gone"):
            ask(tmp_path / "run")
    for _ in range(2):
        ask(tmp_path / "run", resume=True)
        assert sorted(ASKED) == asked
        assert contents(tmp_path / "run") == contents(tmp_path / "whole")


def test_runs_of_other_models_are_not_mixed_and_are_replaced_as_a_whole(tmp_path):
    ask(tmp_path / "run")
    before = contents(tmp_path / "run")
    for models in (SPECS[:1], SPECS[::-1]):
        with pytest.raises(UsageError, match="run: was made with other models; pass overwrite=True"):
            ask(tmp_path / "run", models, resume=True)
    with pytest.raises(
        InputError, match=rf"holds the runs of several models; name one, such as .+{NAMES[0]}"
    ):
        ask(tmp_path / "run", SPECS[0], resume=True)
    with pytest.raises(InputError, match="holds the runs of several models; name one"):
        load_run(tmp_path / "run")
    assert contents(tmp_path / "run") == before
    ask(tmp_path / "run", SPECS[0], overwrite=True)
    ask(tmp_path / "alone", SPECS[0])
    assert contents(tmp_path / "run") == contents(tmp_path / "alone")
    assert not (tmp_path / "run" / NAMES[1]).exists()


def test_the_folder_of_several_models_may_be_moved(tmp_path):
    before = [run.answers for run in ask(tmp_path / "run")]
    shutil.move(tmp_path / "run", tmp_path / "moved")
    assert [load_run(tmp_path / "moved" / name).answers for name in NAMES] == before


def test_an_empty_list_of_models_is_refused(tmp_path):
    with pytest.raises(UsageError, match="the list of models is empty; give one model or more"):
        ask(tmp_path / "run", [])
    assert list(tmp_path.iterdir()) == []
