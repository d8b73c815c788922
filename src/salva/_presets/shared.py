"""Planners that are made once per process, however many transforms have their settings.

Only for planners that keep nothing of the texts they have seen: a memo would outlive its transform.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, wraps
from typing import Any, TypeVar

from salva._presets.resources import named_files
from salva._presets.settings import Settings

MOST = 4  # planners of each preset
# These settings matter only before or after planning.
_ELSEWHERE = ("protect", "protect_markup", "protect_patterns", "protect_words", "render")

Made = TypeVar("Made")


def shared(make_planner: Callable[[Any], Made]) -> Callable[[Any], Made]:
    """Make a planner only once for equal settings, unless they name a file, which may change."""
    known = lru_cache(MOST)(make_planner)

    @wraps(make_planner)
    def make(settings: Settings) -> Made:
        if any(named_files(settings).values()):
            return make_planner(settings)
        usual = type(settings)()
        return known(replace(settings, **{name: getattr(usual, name) for name in _ELSEWHERE}))

    return make
