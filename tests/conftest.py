"""What tests share: the command line in this process, and the data beside the project where it is there."""

from __future__ import annotations

import functools
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings

from salva.cli.main import main
from tests.browser import browser, opened

__all__ = ["browser", "opened"]

ROOT = Path(__file__).parents[1]
# Whether kernels run as compiled: with `-p tests.plain_kernels` they take a hundred times as long.
COMPILED = "tests.plain_kernels" not in sys.modules
SHARED = ROOT.parent / "shared"

# The machine may be busy.
settings.register_profile("salva", deadline=None, max_examples=50)
# Uncompiled, a text takes milliseconds, not microseconds.
settings.register_profile("plain", deadline=None, max_examples=15)
settings.load_profile("salva" if COMPILED else "plain")
# Those of tests/fuzz: the same few examples in every run of the tests, and new ones for `make fuzz`.
settings.register_profile(
    "fuzz",
    deadline=None,
    max_examples=50,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    print_blob=True,
)
settings.register_profile("few", settings.get_profile("fuzz"), max_examples=20, derandomize=True)
settings.register_profile("fewer", settings.get_profile("few"), max_examples=3)

# The models of tests are tiny: threads of torch that wait for each other would take most of the time.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shell that starts the tests in the background makes them ignore Ctrl-C, and so every program they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path, config):
    """Leave out modules that cannot be imported without a heavy package, if heavy tests are not asked for."""
    light = "not heavy" in config.option.markexpr
    return True if light and collection_path.suffix == ".py" and is_heavy(collection_path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark tests that ask for a heavy package as heavy, and those that open pages in a browser as slow."""
    for item in items:
        if isinstance(item, pytest.Function) and (is_heavy(item.path) or any(map(asks, functions_of(item)))):
            item.add_marker(pytest.mark.heavy)
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)


@functools.cache
def is_heavy(path):
    """Return whether a module asks for a heavy package when it is imported."""
    return re.search(r"^\S.*\bimportorskip\(", path.read_text("utf-8"), re.MULTILINE) is not None


def functions_of(item):
    """Give the function of a test and those of its fixtures."""
    fixtures = item._fixtureinfo.name2fixturedefs.values()
    return [item.function, *(fixture.func for found in fixtures for fixture in found)]


def asks(function):
    """Return whether a function asks for a heavy package: one that `make test` does without."""
    return "importorskip" in getattr(function, "__code__", asks.__code__).co_names


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def salva(capsys, monkeypatch, tmp_path):
    """Run a command in an empty folder; give its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments) -> Outcome:
        with pytest.raises(SystemExit) as stop:
            main([os.fspath(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Outcome(stop.value.code, printed.out, printed.err)

    return run


@pytest.fixture(scope="session")
def imdb() -> Path:
    folder = SHARED / "data/imdb"
    if not folder.is_dir():
        pytest.skip("needs the IMDB reviews in ../shared, which are not part of the project")
    return folder


@pytest.fixture(scope="session")
def nltk_wordnet(tmp_path_factory):
    """NLTK's own reader, over the same WordNet."""
    script = SHARED / "tools/nltk-data"
    if not script.is_file():
        pytest.skip("needs ../shared/tools/nltk-data, which is not part of the project")
    if not Path("/usr/share/wordnet/data.noun").is_file() or not shutil.which("dpkg"):
        pytest.skip("needs Debian's wordnet-base and wordnet-sense-index")
    folder = tmp_path_factory.mktemp("nltk_data")
    subprocess.run(["sh", script, folder], check=True, capture_output=True)
    import nltk
    from nltk.corpus import wordnet

    nltk.data.path[:] = [str(folder)]
    wordnet.ensure_loaded()
    return wordnet


class Counted:
    """A model that does what a function says, and keeps the batches that it was asked."""

    name, digest, classes, batch_size = "counted", "sha256:0", None, 32

    def __init__(self, function):
        self.function, self.batches = function, []

    def predict(self, texts):
        self.batches.append(list(texts))
        return self.function(texts)

    def close(self):
        self.batches.append("closed")


@pytest.fixture
def counted():
    return Counted
