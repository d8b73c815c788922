"""What tests of asking share: a log. Pytest must not import a module that kills whoever imports it."""

from __future__ import annotations

import pytest

from tests.asking.tables import open_log

collect_ignore = ["stillborn.py"]


@pytest.fixture
def log(tmp_path):
    """A new log of answers."""
    with open_log(tmp_path) as found:
        yield found
