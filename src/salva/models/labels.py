"""Labels of models and of data: one spelling for both, and which model label stands for which data label."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from salva._arguments import argument
from salva._show import shorten
from salva.errors import InputError

_NUMBERED = re.compile(r"label[ _-]?(?=\d+$)")
_WHOLE = re.compile(r"(-?\d+)\.0+")
_BLANK = "?"  # for a label of the data that the user must fill in
_LONGEST = 100  # characters of a label in a message
_MISSING_TYPES = {"NAType", "NaTType"}  # pandas: no value can be compared with these


class LabelMismatchError(InputError):
    """Labels of the model stand for no label of the data."""


def label_name(value: object, *, answer: bool = False) -> str | None:
    """Return a label as the string that Salva compares; None if there is no label.

    A whole number is written as one: 1, 1.0, np.int64(1), b"1" and True are all "1", because True is 1 in
    Python, in numpy and in data sets. Strings stay as they are, except for surrounding white space. None, NaN
    and the empty string mean no label. So does -1, as in Hugging Face data sets; but in the `answer` of a
    model -1 is a class like any other.

    >>> [label_name(value) for value in (1, 1.0, True, b"1", " 1 ", 1.5, -1, None)]
    ['1', '1', '1', '1', '1', '1.5', None, None]
    >>> label_name(-1, answer=True)
    '-1'
    """
    plain = _plain(value)
    if plain is None:
        return None
    if isinstance(plain, str):
        name = plain.strip()
    elif isinstance(plain, int | float | Decimal):
        name = _number_name(plain)
    else:
        raise InputError(f"label {plain!r:.60} must be a string or a number")
    return None if not name or (name == "-1" and not answer) else name


def _plain(value: Any) -> Any:
    """Return the Python value in a scalar of numpy, Arrow, torch or pandas."""
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "backslashreplace")
    if isinstance(value, str | int | float | Decimal) or value is None:
        return value
    if type(value).__name__ in _MISSING_TYPES:
        return None
    if hasattr(value, "as_py"):
        return _plain(value.as_py())
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return _plain(value.item())
    return value


def _number_name(value: float | Decimal) -> str:
    if isinstance(value, float | Decimal) and not math.isfinite(value):
        return ""
    whole = int(value)
    return str(whole) if whole == value else str(value)


def align_labels(
    model_labels: Iterable[str], data_labels: Sequence[str], mapping: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the data label for each label of the model: by name, never by position.

    The user's `mapping` comes first, then equal names, names that differ only in case, then numbers:
    LABEL_1, 1, 1.0 and True are the same. A label that is not in the data may be mapped to itself, and is if
    all rows of the data have the same label: the other classes have no row.

    >>> align_labels(["LABEL_0", "LABEL_1"], ["0", "1"])
    {'LABEL_0': '0', 'LABEL_1': '1'}
    """
    mapped = dict(mapping or {})
    for label, target in mapped.items():
        if data_labels and target not in data_labels and target != label:
            problem = f"label map: {shorten(repr(target))} is not a label of the data"
            raise InputError(f"{problem} ({_listed(data_labels)})")
    found = {label: mapped[label] if label in mapped else _find(label, data_labels) for label in model_labels}
    aligned = {label: target for label, target in found.items() if target is not None}
    if len(aligned) < len(found):
        raise LabelMismatchError(_describe_mismatch(found, data_labels))
    return aligned


def _find(label: str, data_labels: Sequence[str]) -> str | None:
    """Return the data label of a model label; None if there is none, or if there are several."""
    if not data_labels or label in data_labels:
        return label
    alone = label if len(data_labels) == 1 else None
    likenesses: tuple[Callable[[str], str], ...] = (str.casefold, _likeness)
    for likeness in likenesses:
        candidates = [name for name in data_labels if likeness(name) == likeness(label)]
        if candidates:
            return candidates[0] if len(candidates) == 1 else None
    return alone


def _describe_mismatch(found: Mapping[str, str | None], data_labels: Sequence[str]) -> str:
    """Return all labels without a data label, and the whole map to pass."""
    unknown = [label for label, target in found.items() if target is None]
    free = [name for name in data_labels if name not in found.values()]
    proposed = {label: _propose(label, free, len(unknown)) for label in unknown}
    many = len(unknown) > 1
    problem = f"label{'s' * many} {_listed(unknown)} of the model {'do' if many else 'does'} not match"
    shown = proposed if max(map(len, [*unknown, *proposed.values()])) <= _LONGEST else None
    remedy = f"map {'them' if many else 'it'} with {argument('label_map', shown)}"
    blanks = ", with a label of the data for each ?" if _BLANK in proposed.values() else ""
    return f"{problem} one label of the data ({_listed(data_labels)}); {remedy}{blanks}"


def _propose(label: str, free: Sequence[str], unknown: int) -> str:
    """Return the label of the data that a name suggests, among those that no other label of the model has.

    If there is none left, the label can only stand for itself.

    >>> _propose("POS", ["negative", "positive"], 2), _propose("LABEL_0", ["negative", "positive"], 2)
    ('positive', '?')
    """
    if not free:
        return label
    if unknown == len(free) == 1:
        return free[0]
    name = label.casefold()
    near = [other for other in free if other.casefold().startswith(name) or name.startswith(other.casefold())]
    return near[0] if len(near) == 1 else _BLANK


def _likeness(label: str) -> str:
    folded = _NUMBERED.sub("", label.casefold())
    whole = _WHOLE.fullmatch(folded)
    return whole[1] if whole else {"true": "1", "false": "0"}.get(folded, folded)


def _listed(labels: Sequence[str]) -> str:
    shown = ", ".join(shorten(repr(label)) for label in labels[:12])
    return f"{shown} and {len(labels) - 12} more" if len(labels) > 12 else shown
