"""The guide of tasks: every file and every command in it works, with a local model and with a server."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.conftest import ROOT
from tests.language_model import write_language_model
from tests.models.chat import running, said

PAGE = (ROOT / "docs/tasks.md").read_text("utf-8")
GUIDE = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1]
COMMANDS = re.findall(r"^\$ salva (.+)$", GUIDE, re.MULTILINE)


@pytest.fixture
def server(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with running() as made:
        made.answer = lambda request: request.reply(said("B" if "coffee" in request.text else "A"))
        yield made


def test_every_command_of_the_guide_works(salva, server, tmp_path):
    pytest.importorskip("transformers")
    for name, content in re.findall(r"`(\w+\.\w+)`:\n\n```\w*\n(.+?)```", GUIDE, re.DOTALL):
        (tmp_path / name).write_text(content, "utf-8")
    write_language_model(tmp_path / "my-model")
    shown = []
    for command in COMMANDS:
        here = command.replace("http://localhost:8000", f"http://127.0.0.1:{server.server_port}")
        outcome = salva(*shlex.split(here))
        assert outcome.code == 0, (command, outcome.err)
        shown.append(outcome.out)
    assert len(shown) == 6
    assert "reply 'B. coffee': answer 'B', score 1" in shown[0]
    assert "reply 'I am not sure.': unparsed" in shown[0]
    assert "different questions to ask" in shown[1]
    assert all(
        (tmp_path / name).is_file() for name in ("local/report.html", "server/report.html", "page.html")
    )
    assert len(server.requests) > 12
