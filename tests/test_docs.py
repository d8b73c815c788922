"""Docs that are tested: every command, check and error has its heading, and examples run."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap

import pytest

from salva import errors
from salva.cli.main import COMMANDS
from salva.lexicon import CHECKS
from salva.models.opening import ADAPTERS
from salva.outliers.vectors.formats import FORMATS as VECTOR_FORMATS
from salva.rows.columns import USUAL_NAMES
from salva.rows.read import FORMATS
from salva.tasks import KINDS, shipped_tasks
from salva.text.tokens import TOKENIZERS
from salva.transforms import ENGINES, PRESETS, preset
from tests.conftest import ROOT
from tests.test_exports import PUBLIC
from tools.write_cli_reference import OUT
from tools.write_readme import PAGES, README, filled


def headings(name: str) -> set[str]:
    text = (ROOT / "docs" / name).read_text("utf-8")
    return {match[1].strip() for match in re.finditer(r"^#+ (.+)$", text, re.MULTILINE)}


def first_cells(name: str) -> str:
    """Return the first cell of every row of every table of a page."""
    text = (ROOT / "docs" / name).read_text("utf-8")
    return "\n".join(re.findall(r"^\| (.+?) \|", text, re.MULTILINE))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented(name):
    assert f"salva {name}" in headings("cli.md")


def test_the_reference_is_what_the_commands_say():
    # In a process of its own: a command that was called without its group keeps other names of --help.
    program = "import sys; from tools.write_cli_reference import reference; sys.stdout.write(reference())"
    made = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True)
    assert OUT.read_bytes() == made.stdout, "run make docs"


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_is_documented(name):
    assert name in headings("errors.md")


@pytest.mark.parametrize("code", CHECKS)
def test_every_check_is_documented(code):
    assert code in headings("lexicon.md")


def test_every_format_and_usual_column_name_is_documented():
    text = (ROOT / "docs/rows.md").read_text("utf-8")
    for name, entry in FORMATS.items():
        assert f"| `{name}` | {' '.join(f'`{suffix}`' for suffix in entry.suffixes)} |" in text
    assert all(f"| {role} | {', '.join(names)} |" in text for role, names in USUAL_NAMES.items())


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("models.md", [f"`{prefix}:" for prefix in ADAPTERS]),
        ("tasks.md", [f"`{name}`" for name in (*shipped_tasks(), *KINDS)]),
        ("text.md", [f'`"{name}"`' for name in TOKENIZERS]),
        ("scale.md", [f"`{name}`" for name in ENGINES]),
        ("outliers-score.md", [f"`{name}`" for name in VECTOR_FORMATS]),
        ("transforms.md", [f"[`{name}`](presets/{name}.md)" for name in PRESETS]),
        ("index.md", [f"[{name}](presets/{name}.md)" for name in PRESETS]),
    ],
)
def test_every_entry_of_a_registry_is_in_a_table_of_its_guide(page, names):
    assert [name for name in names if name not in first_cells(page)] == []


def test_the_page_of_every_preset_is_in_the_table_of_contents():
    lines = (ROOT / "docs/index.md").read_text("utf-8").splitlines()
    assert [name for name in PRESETS if f"presets/{name}" not in lines] == []


def test_every_link_between_pages_leads_somewhere():
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page}: {target}"


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_and_setting_is_documented_with_a_true_before_and_after(name):
    text = (ROOT / f"docs/presets/{name}.md").read_text("utf-8")
    before, after = (re.search(rf"^{word}: `(.+)`$", text, re.MULTILINE)[1] for word in ("Before", "After"))
    assert preset(name).transform(before, seed=0).transformed == after
    for setting in vars(preset(name).settings):
        assert f"`{setting}`" in text, setting


EXAMPLES = [
    pytest.param(textwrap.dedent(code), id=f"{page.name}-{number}")
    for page in sorted((ROOT / "docs").rglob("*.md"))
    for number, code in enumerate(re.findall(r"```python\n(.+?)```", page.read_text("utf-8"), re.DOTALL))
]


@pytest.mark.slow
@pytest.mark.parametrize("code", EXAMPLES)
def test_every_python_example_runs(tmp_path, monkeypatch, code):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reviews.csv").write_text("text,label\nfine,1\n")
    exec(code, {})


def test_the_readme_is_short():
    assert README.read_text("utf-8").count("\n") <= 100


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_what_its_examples_print(page):
    text = page.read_text("utf-8")
    assert filled(text) == text, "run make docs"


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_can_be_searched(tmp_path):
    pytest.importorskip("sphinx", reason="needs sphinx: pip install 'salva[docs]'")
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "docs", tmp_path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "severity" in (tmp_path / "searchindex.js").read_text("utf-8")


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_package_has_a_page_of_its_names(name):
    page = ROOT / f"docs/api/{[*name.split('.'), 'index'][1]}.md"
    assert f"automodule:: {name}\n" in page.read_text("utf-8")


def test_a_changelog_line_has_at_most_25_words():
    lines = [
        line for line in (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines() if line.startswith("- ")
    ]
    assert lines
    assert [line for line in lines if len(line[2:].split()) > 25] == []
