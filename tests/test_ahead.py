"""Work ahead: the same results in the same order as without threads, bounded, and nothing left behind."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading

import pytest

from salva._ahead import work_ahead
from salva._arguments import argument, on_command_line

THREADS = [0, 1, 3]
RUN = [sys.executable, "-m", "salva"]


class BrokenError(Exception):
    """What a test raises."""


def counted(taken, stop=None):
    """Yield numbers; note each that is taken, and break at `stop`."""
    for number in range(50):
        if number == stop:
            raise BrokenError
        taken.append(number)
        yield number


@pytest.mark.parametrize("threads", THREADS)
def test_results_come_in_order(threads):
    assert list(work_ahead(range(50), lambda number: -number, threads=threads)) == list(range(0, -50, -1))


def test_results_come_in_order_even_if_they_are_ready_in_another():
    second = threading.Event()

    def work(number):
        if number == 0:
            assert second.wait(60)
        else:
            second.set()
        return number

    assert list(work_ahead(range(4), work, threads=2)) == [0, 1, 2, 3]


@pytest.mark.parametrize("threads", THREADS)
def test_no_more_is_taken_than_is_held(threads):
    taken: list[int] = []
    for number in work_ahead(counted(taken), lambda number: number, threads=threads):
        assert len(taken) <= number + 1 + (threads + 1 if threads else 0)
    assert len(taken) == 50


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("broken", ["items", "work"])
def test_an_error_comes_after_all_earlier_results(threads, broken):
    def work(number):
        if broken == "work" and number == 7:
            raise BrokenError
        return number

    items, found = counted([], 7 if broken == "items" else None), []
    with pytest.raises(BrokenError):
        found.extend(work_ahead(items, work, threads=threads))
    assert found == list(range(7))


@pytest.mark.parametrize("threads", THREADS)
def test_whoever_stops_early_leaves_no_thread_behind(threads):
    before, taken = threading.active_count(), []
    with contextlib.closing(work_ahead(counted(taken), lambda number: number, threads=threads)) as results:
        assert next(results) == 0
    held = len(taken)
    assert (threading.active_count(), len(taken)) == (before, held)


@pytest.mark.parametrize("threads", THREADS)
def test_messages_name_arguments_as_in_the_thread_of_the_caller(threads):
    with on_command_line():
        items = (argument("fit") for _ in "ab")
        names = list(work_ahead(items, lambda name: name + argument("seed"), threads=threads))
    assert names == ["--fit--seed"] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "number", "code"),
    [
        (["transform", "--preset", "none"], signal.SIGINT, 130),
        (["transform", "--preset", "none"], signal.SIGTERM, 143),
        (["transform", "--preset", "none"], None, 141),
        (["transform", "--preset", "typos", "--threads", "2"], signal.SIGINT, 130),
    ],
)
def test_a_command_that_works_ahead_stops_at_once(command, number, code, tmp_path):
    (tmp_path / "a.txt").write_text("a great film\n" * 800_000)
    run = [*RUN, *command, "a.txt", "-o", "-", "-q"]
    with subprocess.Popen(run, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout.read(1)  # it waits now, because nobody reads on
        if number is None:
            running.stdout.close()
        else:
            running.send_signal(number)
        errors = running.stderr.read().decode()
    assert (running.returncode, errors) == (code, "salva: interrupted\n" if code == 130 else "")
