"""Folders of suites, damaged by accident or forged with right digests: read and exported, or refused."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from salva._results import as_json
from salva.errors import SalvaError
from salva.evaluation import freeze
from salva.suites import export, open_suite, verify
from salva.suites.lines import seal
from salva.suites.manifest import MANIFEST, seal_manifest
from salva.tasks import make_task
from tests.fuzz.strategies import check_line, damaged, fuzz, one_line_errors, twisted
from tests.harnesses.conftest import CHOICE, ROWS

TOKENS = [b"null", b"[]", b"{}", b'""', b"-1", b"1e999", b"9" * 400, b"true", b'"..\\/x"', b'"\\ud800"']


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small suite."""
    folder = tmp_path_factory.mktemp("suite") / "films"
    task = make_task("films", CHOICE)
    return freeze(ROWS[:2], folder, task=task, name="films", presets="contractions", severities=1.0).path


def copied(whole: Path, name: str) -> Path:
    folder = whole.with_name(name)
    shutil.rmtree(folder, ignore_errors=True)
    return shutil.copytree(whole, folder)


def check(folder: Path) -> None:
    """Read a suite, and export it."""
    with one_line_errors():
        assert all(isinstance(row.item.id, str) for row in open_suite(folder))
    with one_line_errors():
        export(open_suite(folder), folder.with_name("exported"), to="promptfoo", overwrite=True)


@fuzz(data=st.data())
def test_a_damaged_file_of_a_suite_is_found(whole, data):
    folder = copied(whole, "damaged")
    path = folder / data.draw(st.sampled_from(sorted(item.name for item in whole.iterdir())))
    content = path.read_bytes()
    path.write_bytes(data.draw(damaged([content], TOKENS)))
    try:
        faults = verify(folder)
    except SalvaError as error:
        check_line(str(error))
        return
    for fault in faults:
        check_line(str(fault))
    assert bool(faults) == (path.read_bytes() != content)


def read_plain(folder: Path) -> dict[str, Any]:
    """Return everything in a suite as plain values."""
    lines = {
        path.name: [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for path in folder.glob("*.jsonl")
    }
    return {"manifest": json.loads((folder / MANIFEST).read_text("utf-8")), "lines": lines}


def forge(folder: Path, plain: dict[str, Any]) -> None:
    """Write plain values as a suite whose digests are right, as far as it can be written at all."""
    manifest, files = plain["manifest"], {}
    for name, records in plain["lines"].items():
        bodies = [{key: part for key, part in record.items() if key != "digest"} for record in records]
        content = b"".join(map(seal, bodies))
        (folder / name).write_bytes(content)
        files[name] = {"digest": f"sha256:{hashlib.sha256(content).hexdigest()}", "lines": len(bodies)}
    if isinstance(manifest.get("files"), dict):
        manifest["files"] |= files
    (folder / MANIFEST).write_bytes(as_json(seal_manifest(manifest)))


@fuzz(data=st.data())
def test_a_forged_suite_is_read_or_refused(whole, data):
    folder = copied(whole, "forged")
    plain = data.draw(twisted([read_plain(whole)]))
    try:
        forge(folder, plain)
    except (ValueError, TypeError, AttributeError, KeyError, OSError):
        return  # nothing that can be written
    check(folder)
