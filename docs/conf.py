"""How Sphinx builds the documentation: `make docs`. Every warning, such as a broken link, is an error."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

import salva

project = "Salva"
author = "The Salva developers"
copyright = author  # noqa: A001  (Sphinx's name)
release = version = salva.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

html_theme = "furo"
html_title = "Salva"
html_show_sourcelink = False
html_show_copyright = False

# The docstrings of the public names are written with single backquotes, as Markdown has them.
default_role = "code"
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True


def bullets_for_tables(*event: Any) -> None:
    """Turn the Markdown tables of docstrings into lists, which reStructuredText can read."""
    lines = event[-1]
    rows = [line for line in lines if not line.startswith("|--")]
    lines[:] = [f"- {row.strip('| ').replace(' | ', ': ')}" if row.startswith("|") else row for row in rows]


def setup(app: Sphinx) -> None:
    """Connect the step above."""
    app.connect("autodoc-process-docstring", bullets_for_tables)
