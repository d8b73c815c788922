"""Pages escape everything, and no template can forget it."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest
from jinja2 import StrictUndefined, UndefinedError

import salva
from salva.pages import render
from salva.pages.rendering import _environment

TEMPLATES = sorted(Path(salva.__file__).parent.rglob("templates/*.jinja"))
BANNED = [
    r"\|\s*safe",
    r"Markup\(",
    r"autoescape",
    r"\bstyle=",
    r"\son\w+=",
    r"(href|src|action)\s*=\s*[\"']?[^\"'#]*\{\{",
    r"=\{\{",
    r"<!--",
    r"https?:",
]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: f"{path.parts[-3]}-{path.name}")
def test_no_template_prints_anything_unescaped_or_from_elsewhere(path):
    text = path.read_text("utf-8")
    assert [pattern for pattern in BANNED if re.search(pattern, text)] == []


@pytest.mark.parametrize("name", ["style", "script"])
def test_no_data_enters_style_or_script(name):
    (path,) = (path for path in TEMPLATES if path.name == f"{name}.jinja")
    assert not re.search(r"\{\{|\{%|\{#", path.read_text("utf-8"))


def test_no_code_declares_strings_safe():
    for path in Path(salva.__file__).parent.rglob("*.py"):
        assert not re.search(r"\bMarkup\b|markupsafe|def __html__", path.read_text("utf-8"))


def test_autoescape_is_on_and_unknown_names_are_errors():
    environment = _environment("salva.pages")
    assert environment.autoescape is True
    assert environment.undefined is StrictUndefined
    with pytest.raises(UndefinedError):
        render("salva.evaluation", "report.html.jinja", {})


def test_everything_printed_is_escaped_and_shows_what_hides():
    print_it = _environment("salva.pages").from_string('<p title="{{ x }}">{{ x }}</p>')
    assert print_it.render(x='<b>"\u202e\ud800') == (
        '<p title="&lt;b&gt;&#34;\\u202e\\ud800">&lt;b&gt;&#34;\\u202e\\ud800</p>'
    )


def test_the_policy_names_the_one_script_and_the_one_style_sheet():
    page = render("salva.pages", "base.html.jinja", {})
    policy = re.search(r'Content-Security-Policy" content="(.+?)"', page)[1].replace("&#39;", "'")
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
