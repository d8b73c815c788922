"""The pytest plugin: its fixture and marker, what a failure shows, and that nobody else notices it."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import tomllib

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow

PLUGIN = "salva.pytest_plugin"
SUITE = """
    import pytest
    import salva

    ROWS = [(f"A great film number {k}", "positive") for k in range(10)]
    ROWS += [(f"A dull film number {k}", "negative") for k in range(10)]

    def shaky(texts):
        known = {text for text, _ in ROWS}
        return ["positive" if "great" in text or text not in known else "negative" for text in texts]

    def steady(texts):
        return ["positive"] * len(texts)

    QUIET = salva.Options(measure=salva.Measure(noise=0, blame_calls=0))

    pytestmark = pytest.mark.robustness(presets="typos", severities=1.0, options=QUIET, max_drop=0)

    def test_shaky(robustness):
        robustness(ROWS, shaky)  # the line of the test

    @pytest.mark.robustness(max_drop=100)
    def test_nearest_marker(robustness):
        assert robustness(ROWS, shaky).results.conditions[-1].name == "typos@1"

    def test_argument(robustness):
        robustness(ROWS, shaky, max_drop=None, min_consistency=1)

    def test_steady(robustness):
        robustness(ROWS, steady, severities=[0.5])

    @pytest.mark.robustness(3)
    def test_positional(robustness):
        robustness(ROWS, steady)
"""
OTHERS = """
    import sys

    def test_nothing_is_loaded():
        loaded = {name for name in sys.modules if name.startswith("salva")}
        assert loaded == {"salva", "salva._version", "salva.pytest_plugin"}
        assert not {"numpy", "pyarrow", "salva._kernels", "scipy"} & sys.modules.keys()
"""


def entry_points() -> dict[str, str]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["pytest11"]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """Run the suite once."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "test_suite.py").write_text(textwrap.dedent(SUITE), "utf-8")
    return run_pytest(folder, "-p", PLUGIN, "--strict-markers", "-rA", "-W", "error").stdout


def run_pytest(folder, *options, **variables):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
    environment = {**os.environ, **variables}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_test_fails_with_its_own_line_and_the_numbers(outcome):
    failure = outcome.partition("test_shaky ___")[2].partition("test_positional ___")[0]
    assert ">       robustness(ROWS, shaky)  # the line of the test" in failure
    assert "E       AssertionError: not robust: drop > 0: typos@1 has" in failure
    assert "E       condition " in failure
    assert "limits.py" not in failure
    assert "pytest_plugin.py" not in failure


def test_markers_and_arguments_set_what_is_checked(outcome):
    for name in ("nearest_marker", "argument", "steady"):
        assert f"PASSED test_suite.py::test_{name}" in outcome
    assert "takes settings by name, such as max_drop=2" in outcome
    assert "1 failed, 3 passed, 1 error" in outcome


def test_pytest_finds_the_plugin_by_its_entry_point_and_loads_it_once(tmp_path):
    """The entry point of pyproject.toml, as it is after an installation."""
    declared = "\n".join(f"{name} = {module}" for name, module in entry_points().items())
    info = tmp_path / "site/declared-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: declared\nVersion: 1\n", "utf-8")
    (info / "entry_points.txt").write_text(f"[pytest11]\n{declared}\n", "utf-8")
    path = os.pathsep.join([str(info.parent), str(ROOT / "src")])
    for options in ([], ["-p", PLUGIN]):
        shown = run_pytest(tmp_path, "--markers", *options, PYTHONPATH=path)
        assert shown.stdout.count("@pytest.mark.robustness(**settings)") == 1, shown.stderr


def test_a_suite_that_does_not_use_it_loads_nothing(tmp_path):
    (tmp_path / "test_others.py").write_text(textwrap.dedent(OTHERS), "utf-8")
    done = run_pytest(tmp_path, "-p", PLUGIN, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert done.returncode == 0, done.stdout


def test_the_entry_point_is_declared_under_the_name_of_its_module():
    assert entry_points() == {PLUGIN: PLUGIN}


def test_importing_the_plugin_imports_nothing_else():
    code = "import pytest, salva, sys; before = set(sys.modules); import salva.pytest_plugin; "
    code += "print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"['{PLUGIN}']"
