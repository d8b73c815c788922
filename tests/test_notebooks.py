"""Progress in a notebook, whose cells run in a real kernel."""

from __future__ import annotations

import pytest

nbformat = pytest.importorskip("nbformat", reason="needs nbclient: pip install nbclient ipykernel")
nbclient = pytest.importorskip("nbclient", reason="needs nbclient: pip install nbclient ipykernel")
pytest.importorskip("ipykernel", reason="needs ipykernel: pip install nbclient ipykernel")

SETUP = """
import salva
shown = []
from IPython.display import DisplayHandle
update = DisplayHandle.update
def keep(self, content, **options):
    shown.append(content)
    update(self, content, **options)
DisplayHandle.update = keep
data = [(f"film {k} is {word}", word) for k in range(40) for word in ("good", "bad")]
def model(texts):
    return ["good" if "good" in text else "bad" for text in texts]
"""
EVALUATE = 'salva.evaluate(data, model=model, presets=["typos"], severities=[1.0], progress=True);'
PHASES = "print([line['text/plain'].split(':')[0] for line in shown])"
BREAK = EVALUATE.replace("model=model", "model=lambda texts: 1 / 0")


@pytest.mark.slow
def test_a_notebook_shows_one_line_that_changes_and_says_how_it_ended():
    cells = [nbformat.v4.new_code_cell(code) for code in (SETUP, EVALUATE, PHASES, BREAK)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=None, allow_errors=True).execute()
    _, evaluated, phases, broken = (list(cell.outputs) for cell in notebook.cells)
    assert [output.output_type for output in evaluated] == ["display_data"]
    assert evaluated[0].data["text/plain"].startswith("finished in ")
    assert "'asking'" in phases[0].text
    assert "'noise'" in phases[0].text
    assert [output.output_type for output in broken] == ["display_data", "error"]
    assert broken[0].data["text/plain"].startswith("stopped after ")
