"""The validity of presets: how many of their edits readers judged to keep, or to change, the meaning.

The counts are data, made by `tools/write_validity.py` from the sheets in `docs/validity`; the rates and their
intervals are computed from them here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import msgspec

from salva._show import interval, number
from salva.numbers import Estimate, wilson

KEPT = "a"  # the verdict of an edit that keeps the meaning, or changes it as a contrast must, and reads well
UNMEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reading of a sheet found about one preset.

    `verdicts` counts edits by letter; of `twins` whole twins, `labels_kept` were read with the label of their
    original. A composition has the versions of its parts: `1+2`.
    """

    version: str
    sheet: str
    sample: str
    date: str
    reader: str
    verdicts: dict[str, int]
    twins: int = 0
    labels_kept: int = 0

    @property
    def edits(self) -> int:
        """How many edits were read."""
        return sum(self.verdicts.values())


@dataclass(frozen=True, slots=True)
class Share:
    """So many of `n`, in percent with Wilson's interval, for one version of a preset."""

    kept: int
    n: int
    version: str
    rate: Estimate


@dataclass(frozen=True, slots=True)
class Validity:
    """The share of edits that keep the meaning, the share of twins that keep the label, and who read them.

    Either share is None if it was not measured. Each is taken from the newest version that was read.
    """

    edits: Share | None
    label: Share | None
    readings: tuple[Reading, ...]


@cache
def load_readings() -> dict[str, tuple[Reading, ...]]:
    """Return the shipped readings by the name of the preset."""
    content = files("salva._presets").joinpath("data/validity.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, tuple[Reading, ...]])


def validity_of(name: str, version: str) -> Validity | None:
    """Return what readings found about a preset up to this version; None if nobody has read its edits."""
    known = load_readings().get(name, ())
    readings = tuple(reading for reading in known if _order(reading.version) <= _order(version))
    edits = _share([(r.version, r.verdicts.get(KEPT, 0), r.edits) for r in readings])
    label = _share([(r.version, r.labels_kept, r.twins) for r in readings])
    return Validity(edits, label, readings) if edits or label else None


def _order(version: str) -> list[int]:
    return [int(part) for part in version.split("+")]


def _share(counts: Sequence[tuple[str, int, int]]) -> Share | None:
    """Return the share over all (version, kept, n) of the newest version."""
    read = [count for count in counts if count[2]]
    if not read:
        return None
    newest = max((version for version, _, _ in read), key=_order)
    counted = [(kept, n) for version, kept, n in read if version == newest]
    kept, n = map(sum, zip(*counted, strict=True))
    return Share(kept, n, newest, wilson(kept, n))


def describe_validity(validity: Validity | None, version: str | None = None, family: str = "meaning") -> str:
    """Return the validity in words; a version other than `version` is named.

    The edits of a contrast are made to change the meaning, those of other families to keep it.

    >>> describe_validity(Validity(Share(97, 100, "1", wilson(97, 100)), None, ()))
    '97 % of 100 edits keep the meaning [92, 99]'
    """
    if validity is None or validity.edits is None:
        return UNMEASURED
    changed = "edits change the meaning and read well"
    what = changed if family == "contrast" else "edits keep the meaning"
    return describe_share(validity.edits, what, version)


def describe_share(share: Share, what: str, version: str | None = None) -> str:
    """Return a share in words."""
    older = "" if version in (None, share.version) else f", in version {share.version}"
    return f"{number(share.rate.value, 0)} % of {share.n:,} {what} {interval(share.rate, 0)}{older}"
