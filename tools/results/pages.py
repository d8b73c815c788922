"""Write docs/results from what was recorded. A page without a recorded run is not written.

Every number on these pages comes from a file in docs/results/recorded; nobody types one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from salva.pages import Chart
from tools.results import learned, reviews, sequences, training, vectors_page
from tools.results.recording import RECORDED
from tools.results.steps import ROOT
from tools.results.tables import Recorded, table

PAGES = ROOT / "docs/results"
# The title of each page, what it is about, and the function that yields its sections and charts.
CONTENTS: dict[str, tuple[str, str, Callable[[Recorded], Iterator[str | Chart]]]] = {
    "meaning": (
        "What is left if the meaning is kept",
        "the headline: every preset on every model",
        reviews.headline,
    ),
    "synonyms": (
        "Synonyms and typos",
        "the published table, with two renders and a control",
        reviews.documents,
    ),
    "severities": ("Corruption by severity", "the published table of corrupted-text", reviews.corruption),
    "reviews": ("All conditions", "every preset, severity and model; blame; time", reviews.everything),
    "training": ("Training with twins", "does the drop shrink, and what does it cost?", training.page),
    "sequences": ("Synonyms in PCFG SET", "both conditions, three seeds, per function", sequences.page),
    "vectors": ("Word vectors on outliers", "vectors from PyPI and npm in four languages", vectors_page.page),
}
CHOOSING = ROOT / "docs/choosing.md"
BLOCK = re.compile(r"(<!-- results -->\n).*?(<!-- end results -->)", re.DOTALL)


def make_pages(recorded: Recorded) -> dict[str, str]:
    """Return the content of every file by its name."""
    files: dict[str, str] = {}
    for name, (title, _, sections) in CONTENTS.items():
        parts: list[str] = []
        for part in sections(recorded):
            if isinstance(part, Chart):
                files[f"{part.name}.svg"] = f"{part.svg.strip()}\n"
                parts.append(f"![{part.figure.title}]({part.name}.svg)")
            else:
                parts.append(part)
        if parts:
            files[f"{name}.md"] = "\n\n".join([f"# {title}", *parts]) + "\n"
    if files:
        files["runs.md"] = _runs(recorded)
        files["README.md"] = _front(recorded, files)
    return files


def _front(recorded: Recorded, files: dict[str, str]) -> str:
    """Return the first page: the headline, and what the others are about."""
    rows = [
        [f"[{title}]({name}.md)", about]
        for name, (title, about, _) in CONTENTS.items()
        if f"{name}.md" in files
    ]
    rows.append(["[Runs](runs.md)", "the command, the machine and the signature of every run"])
    names = [*(name for name in CONTENTS if f"{name}.md" in files), "runs"]
    parts = [
        "# Results",
        (
            "The experiments of the [specifications](../transforms.md#where-the-presets-come-from) on real "
            "models, run with "
            "Salva. `make results` runs them again; `examples/README.md` in the source says what it needs."
        ),
        *reviews.summary(recorded),
        *learned.findings(recorded),
        table(["page", "about"], rows),
        "\n".join(["```{toctree}", ":hidden:", "", *names, "```"]),
    ]
    return "\n\n".join(parts) + "\n"


def _runs(recorded: Recorded) -> str:
    """Return how every run was made."""
    parts = [
        "# Runs",
        (
            "DATA is the folder of the data, INPUTS that of models and vectors from PyPI and npm, WORK that "
            "of the results. The signature says what the numbers depend on."
        ),
    ]
    for name, run in recorded.runs.items():
        about = run.get("about")
        lines = [f"## {name}", f"Signature: `{run['signature']}`"] if "signature" in run else []
        if about:
            lines += [f"```\n{about['command']}\n```", f"{about['seconds']:.0f} seconds; {about['machine']}."]
        parts += lines
    return "\n\n".join(parts) + "\n"


def fill_guide(text: str, recorded: Recorded) -> str:
    """Return the guide with the block of results filled in."""
    found = "\n\n".join(learned.findings(recorded))
    return BLOCK.sub(lambda match: f"{match[1]}{found}\n{match[2]}", text)


def write_pages(folder: Path = PAGES, recorded: Path = RECORDED) -> None:
    """Write all pages and charts, and the block in the guide to presets."""
    held = Recorded(recorded)
    for name, content in make_pages(held).items():
        (folder / name).write_text(content, "utf-8")
    CHOOSING.write_text(fill_guide(CHOOSING.read_text("utf-8"), held), "utf-8")
