"""Every change of a suite is found, and named by file, line and item."""

from __future__ import annotations

import json
import random
import shutil

import pytest

from salva.errors import InputError
from salva.evaluation import freeze
from salva.rows import reviews
from salva.suites import open_suite, verify
from salva.suites.lines import seal
from salva.suites.manifest import MANIFEST

TWINS = "twins.natural@1.jsonl"


@pytest.fixture
def suite(choices, tmp_path):
    """A copy of the suite, to damage."""
    return shutil.copytree(choices.path, tmp_path / "suite")


def test_an_untouched_copy_has_no_fault(suite, choices):
    assert verify(suite, digest=choices.digest) == verify(suite, digest=choices.digest[:15]) == []


def change(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    return content[:place].count(b"\n") + 1


@pytest.mark.parametrize("name", ["items.jsonl", TWINS])
def test_any_changed_byte_is_found_and_named(suite, name):
    path = suite / name
    for place in random.Random(0).sample(range(path.stat().st_size), 60):
        line = change(path, place)
        (fault, *_) = verify(suite)
        assert (fault.path, fault.line) == (str(path), line)
        assert fault.item == f"q{line - 1}" or name == "items.jsonl"
        change(path, place)
    assert verify(suite) == []


def first_fault(suite):
    try:
        return str(verify(suite)[0])
    except InputError as error:
        return str(error)


def test_any_changed_byte_of_the_manifest_is_found(suite):
    path = suite / MANIFEST
    for place in random.Random(0).sample(range(path.stat().st_size), 60):
        change(path, place)
        assert MANIFEST in first_fault(suite)
        change(path, place)


def test_a_line_that_was_sealed_again_is_found_by_the_digest_of_its_file(suite):
    lines = (suite / TWINS).read_bytes().splitlines(keepends=True)
    record = json.loads(lines[2])
    del record["digest"]
    lines[2] = seal(record | {"edits": []})
    (suite / TWINS).write_bytes(b"".join(lines))
    (fault,) = verify(suite)
    assert "although those of its lines do" in str(fault)


def test_a_missing_doubled_or_moved_line_is_named(suite):
    lines = (suite / TWINS).read_bytes().splitlines(keepends=True)
    (suite / TWINS).write_bytes(b"".join(lines[:4] + lines[5:]))
    first, *_, last = verify(suite)
    assert (first.line, first.item, first.problem) == (5, "q4", "is missing here; there is 'q5'")
    assert last.problem == "has 11 lines, not 12"
    (suite / TWINS).write_bytes(b"".join([*lines, lines[0]]))
    assert [fault.problem for fault in verify(suite)] == ["is not in its place", "has 13 lines, not 12"]
    (suite / TWINS).write_bytes(b"".join(lines)[:-1])
    assert str(verify(suite)[0]) == f"{suite / TWINS}:12: item 'q11' is cut off"


def test_a_missing_or_foreign_file_is_named(suite):
    (suite / TWINS).rename(suite / "twins.other.jsonl")
    assert [str(fault) for fault in verify(suite)] == [
        f"{suite / TWINS}: is missing; get the suite again",
        f"{suite / 'twins.other.jsonl'}: is not a file of this suite; remove it",
    ]


def test_notes_beside_the_files_of_a_suite_are_no_fault(suite):
    (suite / "README.md").write_text("Our suite.")
    assert verify(suite) == []


def test_a_changed_section_of_the_manifest_is_named(suite):
    plain = json.loads((suite / MANIFEST).read_text())
    (suite / MANIFEST).write_text(json.dumps(plain | {"licence": "ours"}))
    assert "'licence' was changed" in str(verify(suite)[0])


def test_another_digest_than_the_given_one_is_refused(suite):
    with pytest.raises(InputError, match=r"has the digest sha256:\w+, not 'sha256:0000000000000'"):
        verify(suite, digest="sha256:0000000000000")
    with pytest.raises(InputError, match="has the digest"):
        verify(suite, digest="")


@pytest.mark.parametrize("name", ["../items.jsonl", "/etc/passwd", ".."])
def test_a_manifest_that_leads_out_of_its_folder_is_refused(suite, name):
    content = (suite / MANIFEST).read_text().replace(TWINS, name)
    (suite / MANIFEST).write_text(content)
    with pytest.raises(InputError, match=r"suite.json: is broken \(files"):
        verify(suite)


def test_a_link_instead_of_a_file_is_refused(suite, choices):
    (suite / TWINS).unlink()
    (suite / TWINS).symlink_to(choices.path / TWINS)
    assert "is missing" in str(verify(suite)[0])
    with pytest.raises(InputError, match="is missing"):
        list(open_suite(suite))


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 1}', '{"format": 99}', "{" * 9999])
def test_a_broken_manifest_is_one_line(suite, content):
    (suite / MANIFEST).write_text(content)
    with pytest.raises(InputError, match=r"suite.json") as caught:
        verify(suite)
    assert "\n" not in str(caught.value)


def test_reading_a_changed_suite_stops_at_the_change(suite):
    change(suite / TWINS, 900)
    with pytest.raises(InputError, match=r"twins.natural@1.jsonl:\d+: was changed"):
        list(open_suite(suite))


def test_a_suite_of_a_thousand_items_is_the_same_elsewhere_and_one_byte_is_found(tmp_path):
    rows = [{"id": f"r{k}", **row} for k in range(4) for row in reviews("test").to_pylist()]
    rows = [{**row, "id": f"r{k}"} for k, row in enumerate(rows)][:1000]
    suite = freeze(rows, tmp_path / "a", presets=["case", "misspellings"])
    copy = shutil.copytree(suite.path, tmp_path / "b")
    assert (len(suite), verify(copy, digest=suite.digest)) == (1000, [])
    path = copy / "twins.misspellings@0.5.jsonl"
    line = change(path, path.stat().st_size // 2)
    (fault,) = verify(copy)
    assert (fault.path, fault.line, fault.item) == (str(path), line, f"r{line - 1}")
