"""The pytest plugin: the fixture `robustness`, and the marker of the same name for its settings.

The rest of Salva is imported when a test calls the fixture, so other suites do not notice the plugin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from salva.evaluation import Run

_MARKER = "robustness"


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    about = "settings of the fixture `robustness`, which are those of salva.assert_robust"
    config.addinivalue_line("markers", f"{_MARKER}(**settings): {about}")


class Robustness:
    """Calls `salva.assert_robust` with the settings of a test."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings

    def __call__(self, data: Any, model: Any, **options: Any) -> Run:
        """Fail the test if the model is not robust on the data; return the run otherwise."""
        __tracebackhide__ = True
        from salva.evaluation import assert_robust

        return assert_robust(data, model, **{**self.settings, **options})


@pytest.fixture
def robustness(request: pytest.FixtureRequest) -> Robustness:
    """Return `salva.assert_robust` with the settings of the markers; the nearest marker wins."""
    settings: dict[str, Any] = {}
    for marker in reversed([*request.node.iter_markers(_MARKER)]):
        if marker.args:
            raise pytest.UsageError(f"the marker {_MARKER} takes settings by name, such as max_drop=2")
        settings |= marker.kwargs
    return Robustness(settings)
