"""Folders of suites, damaged by accident or forged with right digests: read and exported, or refused."""

from __future__ import annotations

import functools
import json
import operator
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from salva._files import digest
from salva._results import as_json
from salva.errors import SalvaError
from salva.questions import export, make_questions, open_suite
from salva.questions.suite import CONTENT, MANIFEST, _digest
from salva.questions.table import SCHEMA, checksum_of, read_about, write_part
from salva.tasks import make_task
from tests.fuzz.strategies import check_line, damaged, fuzz, one_line_errors, twisted
from tests.harnesses.conftest import CHOICE, ROWS

TOKENS = [b"null", b"[]", b"{}", b'""', b"-1", b"1e999", b"9" * 400, b"true", b'"..\\/x"', b'"\\ud800"']


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small suite."""
    folder, task = tmp_path_factory.mktemp("suite") / "films", make_task("films", CHOICE)
    make_questions(ROWS[:2], out=folder, task=task, name="films", presets="contractions", severities=1.0)
    return folder


def copied(whole: Path, name: str) -> Path:
    folder = whole.with_name(name)
    shutil.rmtree(folder, ignore_errors=True)
    return shutil.copytree(whole, folder)


def check(folder: Path) -> None:
    """Read a suite, and export it."""
    with one_line_errors():
        assert open_suite(folder).questions.count()["rows"] >= 0
    with one_line_errors():
        export(open_suite(folder), folder.with_name("exported"), to="promptfoo", overwrite=True)


def content_of(path: Path) -> Any:
    """Return what a file says: two manifests may differ in blanks alone."""
    try:
        return json.loads(path.read_bytes()) if path.name == MANIFEST else path.read_bytes()
    except ValueError:
        return None


@fuzz(data=st.data())
def test_a_damaged_file_of_a_suite_is_found(whole, data):
    folder, name = copied(whole, "damaged"), data.draw(st.sampled_from([MANIFEST, CONTENT]))
    (folder / name).write_bytes(data.draw(damaged([(whole / name).read_bytes()], TOKENS)))
    try:
        open_suite(folder)
    except SalvaError as error:
        check_line(str(error))
        return
    assert content_of(folder / name) == content_of(whole / name)


def forge(folder: Path, plain: dict[str, Any]) -> None:
    """Write plain values as a suite whose digests are right, as far as it can be written at all."""
    if any(None in (row.get("facts") or ()) for row in plain["rows"]):
        raise ValueError(plain["rows"])  # Arrow ends the process
    write_part(folder / CONTENT, [pa.Table.from_pylist(plain["rows"], SCHEMA)])
    manifest = plain["manifest"]
    manifest["content"] = digest(folder / CONTENT)
    (folder / MANIFEST).write_bytes(as_json(manifest))
    about = read_about(folder / MANIFEST).as_dict()
    manifest["digest"] = _digest(manifest.get("name"), manifest.get("licence"), about, manifest["content"])
    (folder / MANIFEST).write_bytes(as_json(manifest | {"checksum": checksum_of(manifest)}))


def read_plain(folder: Path) -> dict[str, Any]:
    """Return everything in a suite as plain values."""
    rows = open_suite(folder).questions.to_arrow().to_pylist()
    return {"manifest": json.loads((folder / MANIFEST).read_bytes()), "rows": rows}


def forge_and_export(folder: Path, plain: dict[str, Any]) -> None:
    forge(folder, plain)
    export(open_suite(folder), folder.with_name("exported"), to="lm-eval", overwrite=True)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("manifest", "conditions", 0, "replies"), "x"),
        (("manifest", "conditions", 1, "roles", 0), "\ud800"),
        (("manifest", "grading", "task"), True),
        (("manifest", "grading", "task", "question", "edit"), "\ud800"),
        (("rows", 0, "options", 1), None),
    ],
    ids=lambda one: ".".join(map(str, one)) if isinstance(one, tuple) else None,
)
def test_a_forged_value_is_refused(whole, place, value):
    folder, plain = copied(whole, "forged"), read_plain(whole)
    *outer, last = place
    functools.reduce(operator.getitem, outer, plain)[last] = value
    with pytest.raises(SalvaError):
        forge_and_export(folder, plain)


@fuzz(data=st.data())
def test_a_forged_suite_is_read_or_refused(whole, data):
    folder = copied(whole, "forged")
    plain = data.draw(twisted([read_plain(whole)]))
    try:
        forge(folder, plain)
    except (
        ArithmeticError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        OSError,
        pa.ArrowException,
        SalvaError,
    ):
        return  # nothing that can be written
    check(folder)
