"""The official files of PCFG SET, where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import SHARED


@pytest.fixture(scope="session")
def pcfgset() -> Path:
    folder = SHARED / "data/pcfgset"
    if not folder.is_dir():
        pytest.skip("needs the official PCFG SET files in ../shared, which are not part of the project")
    return folder
