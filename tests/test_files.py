"""Files appear whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import signal
import subprocess
import sys

import pytest

from salva._files import (
    _journal,
    digest,
    finish_publishing,
    locked,
    replacing,
    scratch_folder,
    storage_errors,
    write_atomically,
)
from salva.errors import InputError, StorageError

SLOW_WRITER = """
import sys
from salva._files import replacing
with replacing(sys.argv[1], overwrite=True) as stream:
    stream.write(b"new")
    stream.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


def test_a_file_appears_only_when_the_block_ends(tmp_path):
    target = tmp_path / "out"
    with replacing(target) as stream:
        stream.write(b"text")
        assert not target.exists()
    assert target.read_bytes() == b"text"
    assert list(tmp_path.iterdir()) == [target]


def test_an_error_leaves_the_old_file_and_no_trace(tmp_path):
    target = tmp_path / "out"
    target.write_bytes(b"old")
    with pytest.raises(TypeError), replacing(target, overwrite=True) as stream:
        stream.write("text, which is no bytes")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


@contextlib.contextmanager
def slow_writer(target):
    """Start a process that writes until its standard input is closed."""
    command = [sys.executable, "-c", SLOW_WRITER, target]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE) as writer:
        writer.stdout.readline()
        yield writer


def test_a_killed_writer_leaves_the_old_file_and_the_next_one_clears_up(tmp_path):
    target = tmp_path / "out"
    target.write_bytes(b"old")
    with slow_writer(target) as killed:
        killed.send_signal(signal.SIGKILL)
    assert target.read_bytes() == b"old"
    (left,) = tmp_path.glob(".tmp-*")
    write_atomically(tmp_path / "another", b"text")
    assert left.exists()
    write_atomically(target, b"new", overwrite=True)
    assert sorted(tmp_path.iterdir()) == [tmp_path / "another", target]


def test_what_a_living_process_writes_is_not_cleared(tmp_path):
    target = tmp_path / "out"
    with slow_writer(target) as writer:
        write_atomically(target, b"quicker", overwrite=True)
        assert len(list(tmp_path.glob(".tmp-*"))) == 1
        writer.stdin.close()
    assert (writer.returncode, target.read_bytes()) == (0, b"new")
    assert list(tmp_path.iterdir()) == [target]


def test_a_scratch_folder_of_a_killed_process_is_removed(tmp_path, monkeypatch):
    code = (
        "import os\nfrom salva._files import scratch_folder\nwith scratch_folder(): os.kill(os.getpid(), 9)"
    )
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    subprocess.run([sys.executable, "-c", code], check=False)
    (left,) = tmp_path.iterdir()
    with scratch_folder() as folder:
        assert list(tmp_path.iterdir()) == [folder] != [left]
    assert not list(tmp_path.iterdir())


def test_a_journal_renames_only_to_what_the_caller_names(tmp_path):
    (tmp_path / ".tmp-planted").write_bytes(b"planted")
    entries = [{"temporary": ".tmp-planted", "target": name, "new": True} for name in ("mine", "../mine")]
    _journal(tmp_path / "out").write_text(json.dumps(entries))
    assert finish_publishing(tmp_path / "out", tmp_path / "edits") == set()
    assert [path.name for path in tmp_path.iterdir()] == [".tmp-planted"]


def test_an_existing_file_and_a_folder_are_refused(tmp_path):
    target = tmp_path / "out"
    target.write_bytes(b"old")
    with pytest.raises(InputError, match="exists; pass overwrite=True"), replacing(target):
        pass
    with pytest.raises(InputError, match="is a folder"), replacing(tmp_path, overwrite=True):
        pass


def test_a_link_keeps_pointing_at_the_file_that_was_replaced(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_atomically(tmp_path / "link", b"new", overwrite=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_name_of_255_bytes_can_be_written(tmp_path):
    target = tmp_path / ("x" * 255)
    write_atomically(target, b"text")
    assert target.read_bytes() == b"text"


def test_the_mode_follows_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "out", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_one_line_with_the_path_and_the_remedy(number):
    with pytest.raises(StorageError, match=r"^out: .*; free some space"), storage_errors("out"):
        raise OSError(number, os.strerror(number))


def test_a_device_is_written_as_it_is():
    with pytest.raises(StorageError, match="no space left"), replacing("/dev/full") as stream:
        stream.write(b"x")


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path):
    with pytest.raises(InputError, match="exists"), replacing(tmp_path / "out"):
        (tmp_path / "out").write_bytes(b"quicker")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"quicker"]


def test_the_errors_of_a_block_stay_its_own(tmp_path):
    with pytest.raises(FileNotFoundError), locked(tmp_path):
        (tmp_path / "nothing").read_bytes()
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "out"):
        (tmp_path / "nothing").read_bytes()


def test_the_digest_is_sha256(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    assert digest(tmp_path / "a") == f"sha256:{hashlib.sha256(b'abc').hexdigest()}"


def test_a_second_holder_of_a_folder_is_told_who_has_it(tmp_path):
    code = "import sys; from salva._files import locked\nwith locked(sys.argv[1]): pass"
    with locked(tmp_path):
        done = subprocess.run(
            [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=False
        )
    assert f"in use by process {os.getpid()} on " in done.stderr
    with locked(tmp_path):
        assert (tmp_path / ".lock-owner").exists()
