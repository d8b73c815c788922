"""The names that users may rely on."""

from __future__ import annotations

import importlib

import pytest

import salva

PUBLIC = [
    "salva",
    "salva.audit",
    "salva.compat",
    "salva.rows",
    "salva.errors",
    "salva.evaluation",
    "salva.harnesses",
    "salva.lexicon",
    "salva.models",
    "salva.numbers",
    "salva.outliers",
    "salva.outliers.authoring",
    "salva.outliers.checks",
    "salva.outliers.people",
    "salva.outliers.vectors",
    "salva.pages",
    "salva.questions",
    "salva.tasks",
    "salva.text",
    "salva.transforms",
    "salva.twins",
]


def test_the_root_exports_these_names_and_no_others():
    names = {
        *("Conditions", "CorruptionWeights", "Data", "InputError", "Limits", "Measure", "MissingExtraError"),
        *("ModelError", "ModelOptions", "Options", "Progress", "SalvaError", "StorageError", "TextCorruptor"),
        *("ThresholdError", "UsageError", "__version__", "assert_robust", "compare", "evaluate", "load_run"),
        *("make_questions", "preset", "presets", "rescore", "revert_file", "transform_file"),
    }
    assert set(dir(salva)) == set(salva.__all__) == names


@pytest.mark.parametrize("room", [name.partition(".")[2] for name in PUBLIC if name.count(".") == 1])
def test_every_room_is_found_by_name(room):
    if room not in ("harnesses", "pages"):
        assert getattr(salva, room).__name__ == f"salva.{room}"


@pytest.mark.parametrize("name", PUBLIC)
def test_every_exported_name_is_there_once(name):
    module = importlib.import_module(name)
    assert all(getattr(module, exported) is not None for exported in module.__all__)
    assert len(set(module.__all__)) == len(module.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'datsets'"):
        _ = salva.datsets
