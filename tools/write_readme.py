"""Fill in the outputs of the examples in README.md and the guide to presets, and the tables of the README."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from salva._presets.validity import UNMEASURED, describe_share
from salva.questions.conditions import DEFAULT_PRESETS
from salva.transforms import expand_names, preset

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = (README, ROOT / "docs/choosing.md")
EXAMPLE = re.compile(r"(```python\n(.+?)```\n\n```text\n)(.*?)(```)", re.DOTALL)
PRESETS = re.compile(r"(<!-- presets -->\n).*?(<!-- end presets -->)", re.DOTALL)
TEXT = "I loved this movie! The acting was great."
SPEED = re.compile(r"(<!-- speed -->\n).*?(<!-- end speed -->)", re.DOTALL)

# The names that the README gives to a measurement and its peer, then the file in benchmarks/results and the
# first two cells of the row.
ROWS = [
    ("`corrupt`", "corrupted-text 0.2.0", "peers", "`corrupt`", "corrupted-text"),
    ("`synonyms`", "nlpaug's SynonymAug", "peers", "`synonyms`", "nlpaug SynonymAug"),
    ("`typos`", "nlpaug's KeyboardAug", "peers", "`typos`", "nlpaug KeyboardAug"),
    ("tokens and tags", "NLTK", "words", "text in, tags out", "NLTK's two calls"),
    ("scoring vectors on outliers", "gensim only loads them", "outliers", "score 128", "`KeyedVectors"),
    ("a Hugging Face model, CPU", "its pipeline", "hugging_face", "`hf:` on the CPU", "transformers"),
]


def times_as_fast(file: str, what: str, against: str) -> str:
    """Return how many times as fast Salva is, according to a row of a results file."""
    for line in (ROOT / f"benchmarks/results/{file}.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) > 2 and cells[0].startswith(what) and cells[1].startswith(against):
            found = re.match(r"([\d.]+) times", cells[2])
            if found:
                return found[1]
    raise LookupError(f"benchmarks/results/{file}.md has no row {what!r}, {against!r}")


def speeds() -> str:
    """Return the list of speeds."""
    return "\n".join(f"- {what}: {times_as_fast(*row)} times as fast as {peer}" for what, peer, *row in ROWS)


def presets() -> str:
    """Return the table of the presets of a default run and of the specifications."""
    lines = ["| family | preset | the text becomes | edits that keep the meaning |", "|---|---|---|---|"]
    for name in expand_names([*DEFAULT_PRESETS, "documents"]):
        transform = preset(name, render="splice")
        share = transform.validity and transform.validity.edits
        rate = describe_share(share, "edits", str(transform.version)) if share else UNMEASURED
        text = transform.transform(TEXT, seed=38).transformed
        lines.append(f"| {transform.family} | `{name}` | {text} | {rate} |")
    return "\n".join(lines)


def output_of(code: str) -> str:
    """Return what a program prints."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603
    return done.stdout


def filled(text: str) -> str:
    """Return a page with all outputs and tables up to date."""
    text = PRESETS.sub(lambda found: f"{found[1]}{presets()}\n{found[2]}", text)
    text = SPEED.sub(lambda found: f"{found[1]}{speeds()}\n{found[2]}", text)
    return EXAMPLE.sub(lambda found: f"{found[1]}{output_of(found[2])}{found[4]}", text)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(filled(page.read_text("utf-8")), "utf-8")
