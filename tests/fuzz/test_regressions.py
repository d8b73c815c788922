"""Every input that a fuzzer found is read again; its folder names the check."""

from __future__ import annotations

import shutil

import pytest

from tests.conftest import ROOT
from tests.fuzz import (
    test_columnar,
    test_edits,
    test_lexicon,
    test_logs,
    test_models,
    test_rows,
    test_sets,
    test_spans,
    test_tasks,
    test_twins,
    test_vectors,
)

HOME = ROOT / "tests/fuzz/regressions"
CHECKS = {
    "columnar": test_columnar.check,
    "edits": test_edits.check,
    "lexicon": test_lexicon.check,
    "lines": test_models.check_line,
    "logs": test_logs.check,
    "answers": test_models.check_recorded,
    "prompts": test_tasks.check_prompts,
    "replies": test_models.check_reply,
    "rows": test_rows.check,
    "sets": test_sets.check,
    "conll": test_spans.check_conll,
    "spans": test_spans.check_spans,
    "tasks": test_tasks.check_task,
    "sheets": test_sets.check_sheet,
    "thesauri": test_vectors.check_thesaurus,
    "translations": test_sets.check_translation,
    "twins": test_twins.check,
    "vectors": test_vectors.check,
    "waits": test_models.check_wait,
}
FILES = sorted(path for path in HOME.rglob("*") if path.is_file() and path.name != "README.md")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(HOME)))
def test_what_was_found_stays_mended(tmp_path, path):
    family, *_ = path.relative_to(HOME).parts
    CHECKS[family](shutil.copy(path, tmp_path / path.name))
