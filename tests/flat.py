"""Options of evaluations by the names of their fields, whatever group they belong to."""

from __future__ import annotations

import dataclasses
from typing import Any

from salva import Conditions, Data, Limits, Measure, ModelOptions, Options

GROUPS = {"data": Data, "conditions": Conditions, "measure": Measure, "limits": Limits, "model": ModelOptions}
_OWNERS = {field.name: group for group, owner in GROUPS.items() for field in dataclasses.fields(owner)}


def flat(**values: Any) -> Options:
    """Return options with some fields set: `flat(noise=0, copies=2).measure.noise` is 0."""
    groups: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        groups.setdefault(_OWNERS[name], {})[name] = value
    return Options(**{group: GROUPS[group](**own) for group, own in groups.items()})
