"""What tests of commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from salva.cli import show


@pytest.fixture
def set_width(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Return a function that sets how many columns the terminal has, also for consoles that are kept."""

    def set_columns(columns: int) -> None:
        monkeypatch.setenv("COLUMNS", str(columns))
        show._console.cache_clear()

    yield set_columns
    show._console.cache_clear()
