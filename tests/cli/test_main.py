"""The frame: help, versions, exit codes, signals, pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import salva as package
from salva.cli.main import COMMANDS

NONE = ("transform", "--preset", "none")
REVIEWS = Path(package.__file__).parent / "rows/data/reviews-test.csv"
RUN = [sys.executable, "-m", "salva"]


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_lists_every_command_and_exit_code(salva, option):
    outcome = salva(option)
    assert outcome.code == 0
    assert all(f"  {name} " in outcome.out for name in COMMANDS)
    assert "143" in outcome.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(salva, name):
    outcome = salva(name, "--help")
    assert outcome.code == 0
    assert outcome.out.startswith(f"Usage: salva {name}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["--help"], "Swap the words, keep the meaning"),
        (["evaluate", "--help"], "Ask a model about"),
        (["presets"], "Words, contractions and spellings"),
        (["presets", "natural+case"], "Capitals left out"),
        (["outliers", "check", "EN-Pets.txt"], "The last line does not end with a newline: 'p'"),
        (["lexicon", "check", "groups.toml"], "A word occurs twice in a group"),
    ],
)
def test_messages_that_are_docstrings_are_shown_even_if_python_leaves_docstrings_out(
    tmp_path, arguments, shown
):
    (tmp_path / "EN-Pets.txt").write_text("\n".join(["cat", *"bcdefgh", "", *"ijklmnop"]))
    (tmp_path / "groups.toml").write_text('[[group]]\nkind = "film"\nwords = ["movie", "movie"]\n')
    command = [sys.executable, "-OO", "-m", "salva", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert shown in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("arguments", [[], ["lexicon"]])
def test_nothing_said_is_answered_with_help(salva, arguments):
    outcome = salva(*arguments)
    assert (outcome.code, outcome.err) == (2, "")
    assert outcome.out.startswith("Usage: salva")
    assert len(outcome.out.splitlines()) > 5


def test_the_version(salva):
    assert salva("--version").out == f"salva {package.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["transfrm"], "there is no command 'transfrm'; did you mean 'transform'?"),
        (["lexicon", "chekc", "x"], "there is no command 'chekc'; did you mean 'check'?"),
        ([*NONE, "a.csv", "--ouput", "b"], "--ouput"),
        (["transform", "a.csv"], "Missing option '--preset'; see salva transform --help"),
        ([*NONE, "a.csv", "-o", "b.csv", "--on-bad-row", "skip"], "'skip' is not one of"),
        ([*NONE, "a.csv", "-o", "b.csv", "--format", "xls"], "format 'xls' is unknown"),
        (
            [*NONE, "-", "-o", "b.csv"],
            "standard input has no file name to show its format; pass --format",
        ),
        ([*NONE, "a.csv", "-o", "-", "--json"], "--json needs an output file; leave out"),
        (["lexicon", "synonyms", "film", "--pos", "x"], "'x' is not one of"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_2(salva, tmp_path, arguments, message):
    (tmp_path / "a.csv").write_text("text\nx\n")
    outcome = salva(*arguments)
    assert outcome.code == 2
    assert len(outcome.err.splitlines()) == 1
    assert message in outcome.err


def test_json_is_the_result_object(salva):
    manifest = json.loads(salva(*NONE, REVIEWS, "-o", "b.parquet", "--json").out)
    assert manifest["rows_in"] == manifest["rows_out"] == 252
    assert manifest == json.loads(Path("b.parquet.manifest.json").read_text())
    assert json.loads(salva("lexicon", "synonyms", "film", "--json").out)["group"] == [
        "flick",
        "movie",
        "picture",
    ]
    assert json.loads(salva("lexicon", "groups", "--json").out)[0]["kind"] == "film"


def test_the_choice_of_columns_is_printed(salva):
    outcome = salva(*NONE, REVIEWS, "-o", "b.jsonl")
    assert outcome.out == "b.jsonl: 252 rows in, 252 out; columns: text 'text', label 'label', id 'id'\n"


def test_quiet_hides_warnings_before_and_after_the_command(salva, tmp_path):
    (tmp_path / "a.csv").write_text("text,n\n")
    assert "warning" in salva(*NONE, "a.csv", "-o", "1.csv").err
    assert salva("-q", *NONE, "a.csv", "-o", "2.csv").err == ""
    outcome = salva(*NONE, "-q", "a.csv", "-o", "3.csv")
    assert (outcome.out, outcome.err) == ("", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(salva, shell):
    assert "_SALVA_COMPLETE" in salva("completion", shell).out


def test_completion_offers_commands():
    words = {"_SALVA_COMPLETE": "bash_complete", "COMP_WORDS": "salva tra", "COMP_CWORD": "1"}
    done = subprocess.run(
        [Path(sys.executable).parent / "salva"],
        env=os.environ | words,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "transform" in done.stdout


def test_61_a_broken_pipe_is_quiet_and_141(tmp_path):
    (tmp_path / "a.csv").write_text("text\n" + "hello\n" * 1_000_000)
    pipe = f"{sys.executable} -m salva transform --preset none {tmp_path}/a.csv -o - | head -c 10 > /dev/null"
    code = pipe + "; exit ${PIPESTATUS[0]}"
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (141, "")


def test_61_pipes_in_and_out():
    command = [*RUN, *NONE, "-", "-o", "-", "--format", "csv", "--output-format", "tsv"]
    done = subprocess.run(command, input=b"text,n\na,1\n", capture_output=True, check=True)
    assert done.stdout == b"text\tn\na\t1\n"


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], [], ["lexicon", "groups"]], ids=" ".join)
def test_whatever_is_printed_a_full_device_is_5_and_a_broken_pipe_141(arguments):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*RUN, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, len(done.stderr.splitlines())) == (5, 1), done.stderr
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*RUN, *arguments], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(
    ("library", "arguments", "expected"),
    [
        (
            "regex",
            ["transform", REVIEWS, "-o", "b.csv", "--preset", "natural", "--set", "protect_words=['a']"],
            (5, "salva: libodd.so: cannot"),
        ),
        (
            "skops",
            ["evaluate", REVIEWS, "--model", "skops:a", "-o", "r"],
            (2, "salva: a library of salva[skops]"),
        ),
    ],
)
def test_a_library_that_cannot_be_loaded_is_named(tmp_path, library, arguments, expected):
    (tmp_path / f"{library}.py").write_text("import ctypes\nctypes.CDLL('libodd.so')\n")
    (tmp_path / "a").write_text("")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [*RUN, *arguments], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    code, beginning = expected
    assert (done.returncode, len(done.stderr.splitlines())) == (code, 1), done.stderr
    assert done.stderr.startswith(beginning)
    assert "libodd.so: cannot open shared object file" in done.stderr


def test_an_error_that_nobody_hears_keeps_its_code():
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*RUN, *NONE, "none.csv", "-o", "b.csv"], stderr=full, check=False)
    assert done.returncode == 3


@pytest.mark.parametrize("output", ["/dev/full", "-"])
def test_81_a_full_device_is_exit_5(output):
    with Path("/dev/full").open("wb") as full:
        command = [*RUN, *NONE, REVIEWS, "-o", output, "--output-format", "jsonl"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 5
    assert len(done.stderr.splitlines()) == 1
    assert "no space left" in done.stderr


def test_80_a_full_disk_is_exit_5_and_leaves_the_old_file(tmp_path):
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "salva-test", tmp_path], capture_output=True, check=False
    ).returncode:
        pytest.skip("needs the right to mount a small file system")
    try:
        (tmp_path / "b.csv").write_text("old")
        command = [*RUN, *NONE, REVIEWS, "-o", tmp_path / "b.csv", "--overwrite"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, "free some space" in done.stderr) == (5, True), done.stderr
        assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]
    finally:
        subprocess.run(["umount", tmp_path], check=True)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_83_84_a_signal_stops_cleanly(tmp_path, number, code):
    command = [*RUN, *NONE, "-", "--format", "csv", "-o", tmp_path / "b.csv"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdin.write(b"text\n" + b"hello\n" * 400_000)
        running.stdin.flush()
        while not list(tmp_path.glob(".tmp-*")):
            time.sleep(0.01)
        running.send_signal(number)
        running.stdin.close()
        errors = running.stderr.read().decode()
    assert running.returncode == code
    assert errors == ("salva: interrupted\n" if number == signal.SIGINT else "")
    assert list(tmp_path.iterdir()) == []


def test_84_an_error_of_python_after_an_interrupt_is_an_interrupt(salva, monkeypatch):
    def wait(_arguments):
        try:
            raise KeyboardInterrupt
        finally:
            raise RuntimeError("release unlocked lock")

    monkeypatch.setattr("salva.cli.main.run", wait)
    assert salva("presets") == (130, "", "salva: interrupted\n")


@pytest.mark.parametrize(("closed", "code"), [("<&-", 2), (">&-", 0), ("2>&-", 0)])
def test_a_closed_stream_is_no_traceback(tmp_path, closed, code):
    (tmp_path / "a.csv").write_text("text\nx\n")
    source = "- --format csv" if closed == "<&-" else "a.csv"
    command = f"{sys.executable} -m salva transform --preset none {source} -o b.csv {closed}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert (tmp_path / "b.csv").exists() == (code == 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "variables", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "cp1252"}]
)
def test_79_the_locale_changes_no_byte(tmp_path, variables):
    environment = {"PATH": os.environ["PATH"]} | variables
    command = [*RUN, *NONE, REVIEWS, "-o", "-", "--output-format", "jsonl"]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    usual = subprocess.run(command, capture_output=True, check=True)
    assert done.stdout == usual.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*NONE, "one.txt", "-o", "two.txt"], "two.txt: 1 row in, 1 out"),
        (["lexicon", "check", "bad.toml"], "bad.toml: 2 errors in 1 group; see above"),
        (["lexicon", "check", "good.toml"], "good.toml: 1 group, 0 warnings"),
        (["outliers", "score", "EN-One.txt", "--vectors", "v.txt"], "EN-One.txt:1: 1 inlier, not 8"),
    ],
)
def test_one_of_a_kind_is_not_several(salva, tmp_path, arguments, said):
    """`1 rows`, `1 sets` and `2 of 1 groups` were said."""
    (tmp_path / "one.txt").write_text("A fine day\n")
    (tmp_path / "EN-One.txt").write_text("tea\n")
    for name, words in (("good", '"film", "movie"'), ("bad", '"good", "bad", "awful", "great"')):
        (tmp_path / f"{name}.toml").write_text(f'[[group]]\nkind = "noun"\nwords = [{words}]\n')
    done = salva(*arguments)
    assert said in done.out + done.err
