"""Cells of a notebook, executed as Jupyter does."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow

pytest.importorskip("ipykernel")
nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

CELLS = [
    """
import salva
from salva.rows import reviews

few = salva.Options(data=salva.Data(limit=60))
run = salva.evaluate(
    reviews("test"), "builtin:reviews", presets="corrupt", severities=[0.5, 1], out="run", options=few
)
run
""",
    'run.chart("curves")',
    "run.results",
    "run.to_pandas()[['condition', 'drop']]",
    "run.answers.to_pandas().query('right_before and not right_after').text.iloc[0][:40]",
    "salva.load_run('run').flips[0]",
    "salva.preset('typos').transform(['A great film'])",
]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    cells = [nbformat.v4.new_code_cell(cell.strip()) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    folder = {"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}}
    client = nbclient.NotebookClient(notebook, kernel_name="python3", timeout=None, resources=folder)
    client.execute()
    return [cell.outputs for cell in notebook.cells]


def shown(cell):
    return next(output.data for output in cell if output.output_type == "execute_result")


@pytest.mark.slow
def test_no_cell_fails_or_floods_the_page(outputs):
    assert not [output for cell in outputs for output in cell if output.output_type in ("error", "stream")]
    for cell in outputs:
        assert len(shown(cell)["text/plain"].splitlines()) <= 10


def test_a_run_is_shown_with_headline_table_and_chart(outputs):
    page = shown(outputs[0])["text/html"]
    assert "corrupt@0.5</td>" in page
    assert "<svg" in page
    assert "costs" in shown(outputs[0])["text/plain"]


def test_a_chart_is_shown_as_svg(outputs):
    assert shown(outputs[1])["image/svg+xml"].startswith("<svg")
