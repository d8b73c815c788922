"""Labels of models and of data: one spelling for both, and which model label stands for which data label."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from salva.errors import InputError

_NUMBERED = re.compile(r"label[ _-]?(?=\d+$)")
_WHOLE = re.compile(r"(-?\d+)\.0+")
_MISSING_TYPES = {"NAType", "NaTType"}  # pandas: no value can be compared with these


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
    if not math.isfinite(value):
        return ""
    whole = int(value)
    return str(whole) if whole == value else str(value)


def align_labels(
    model_labels: Iterable[str], data_labels: Sequence[str], mapping: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the data label for each label of the model: by name, never by position.

    The user's `mapping` comes first, then equal names, names that differ only in case, then numbers:
    LABEL_1, 1, 1.0 and True are the same. A label that is not in the data may be mapped to itself.

    >>> align_labels(["LABEL_0", "LABEL_1"], ["0", "1"])
    {'LABEL_0': '0', 'LABEL_1': '1'}
    """
    mapped = dict(mapping or {})
    for label, target in mapped.items():
        if data_labels and target not in data_labels and target != label:
            raise InputError(f"label map: {target!r} is not a label of the data ({_listed(data_labels)})")
    return {label: mapped[label] if label in mapped else _find(label, data_labels) for label in model_labels}


def _find(label: str, data_labels: Sequence[str]) -> str:
    if not data_labels or label in data_labels:
        return label
    likenesses: tuple[Callable[[str], str], ...] = (str.casefold, _likeness)
    for likeness in likenesses:
        candidates = [name for name in data_labels if likeness(name) == likeness(label)]
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            problem = f"label {label!r} of the model could be any of {_listed(candidates)}"
            raise InputError(f"{problem}; choose one with --label-map MODEL=DATA")
    problem = f"label {label!r} of the model is not a label of the data ({_listed(data_labels)})"
    raise InputError(f"{problem}; map it with --label-map MODEL=DATA")


def _likeness(label: str) -> str:
    folded = _NUMBERED.sub("", label.casefold())
    whole = _WHOLE.fullmatch(folded)
    return whole[1] if whole else {"true": "1", "false": "0"}.get(folded, folded)


def _listed(labels: Sequence[str]) -> str:
    shown = ", ".join(map(repr, labels[:12]))
    return f"{shown} and {len(labels) - 12} more" if len(labels) > 12 else shown
