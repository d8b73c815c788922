"""Turn what somebody's function returned into answers, and check everything it may get wrong.

Only texts go by position, and only if there is one result per text; classes go by name.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from types import NoneType
from typing import Any

import numpy as np

from salva._arguments import argument
from salva._show import number_of, shorten
from salva._types import Bools, Floats
from salva.errors import InputError, UsageError
from salva.models.protocol import STATUSES, Answer, Answers, clip

_NUMBERED = re.compile(r"label[ _-]?(?=\d+$)")
_WHOLE = re.compile(r"(-?\d+)\.0+")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BLANK = "?"  # for a label of the data that the user must fill in
_LONGEST = 100  # characters of a label in a message
_MISSING_TYPES = {"NAType", "NaTType"}  # pandas: no value can be compared with these


class LabelMismatchError(InputError):
    """Labels of the model stand for no label of the data."""


def label_name(value: object, *, answer: bool = False) -> str | None:
    """Return a label as the string that Salva compares, or None for a value that means no label.

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
    for likeness in (str.casefold, _likeness):
        candidates = [name for name in data_labels if likeness(name) == likeness(label)]
        if candidates:
            return candidates[0] if len(candidates) == 1 else None
    return label if len(data_labels) == 1 else None


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


_SURROGATE = "the answer holds a lone surrogate, which is not a character; decode it as UTF-8"
KNOWN_STATUSES = ", ".join(STATUSES)
_SLACK = 0.01  # 16-bit floats are rounded by as much


class OutputError(Exception):
    """What the model returned does not answer the batch; asking about parts of it would not help."""


def answers_of(
    raw: object, count: int, *, classes: Sequence[str] | None = None, logits: bool = False
) -> Answers:
    """Return the answers to `count` texts from labels, from {class: probability}, or from a table of numbers.

    >>> answers_of([{"pos": 0.75, "neg": 0.25}, 1], 2).labels
    ['pos', '1']
    >>> answers_of([[0.75, 0.25]], 1, classes=("pos", "neg")).probabilities
    [0.75]
    """
    if isinstance(raw, Answers):
        return checked(raw, count)
    columns = getattr(raw, "columns", None)
    if columns is not None and hasattr(raw, "to_numpy"):
        classes, raw = class_names(columns), raw.to_numpy()
    rows = _rows(raw, count)
    if _is_table(rows):
        return matrix_answers(_matrix(rows), classes, logits=logits)
    return Answers.of_each([_answer(row, logits=logits) for row in rows])


def texts_of(raw: object, count: int) -> Answers:
    """Return the answers of a model that writes text, unchanged: an empty one is an answer, None is not.

    >>> texts_of(["A B", "", None], 3).labels
    ['A B', '', None]
    """
    if isinstance(raw, Answers):
        return checked(raw, count)
    rows = list(_rows(raw, count))
    for row in rows:
        if row is not None and not isinstance(row, str):
            raise OutputError(f"model returned {clip(repr(row), 60)} for one text, not a string")
    return Answers.of([None if row is None else str(row) for row in rows])


def checked(answers: object, count: int) -> Answers:
    """Return the answers of a model that follows the protocol, or refuse them."""
    if not isinstance(answers, Answers):
        raise OutputError(f"model returned {_kind(answers)}, not Answers")
    for name in ("labels", "probabilities", "statuses", "errors", "cut"):
        size = len(getattr(answers, name))
        if size != count:
            raise OutputError(f"model returned {size} {name} for {number_of(count, 'text')}")
    _check_types(answers.labels, (str, NoneType), "the label {!r:.60}, which is not a string")
    _check_types(answers.errors, (str, NoneType), "the error {!r:.60}, which is not a string")
    _check_types(answers.cut, (bool, np.bool_), "{!r:.60} in cut, which is not True or False")
    unknown = [one for one in answers.statuses if not isinstance(one, str) or one not in STATUSES]
    if unknown:
        raise OutputError(f"model returned the status {unknown[0]!r:.60}; it must be one of {KNOWN_STATUSES}")
    broken = {label for label in set(answers.labels) if label and _LONE_SURROGATE.search(label)}
    errors = [
        _SURROGATE if label in broken else error and error.encode("utf-8", "backslashreplace").decode()
        for label, error in zip(answers.labels, answers.errors, strict=True)
    ]
    return Answers.of(
        [None if label in broken else label for label in answers.labels],
        probabilities=_as_floats(answers.probabilities),
        statuses=answers.statuses,
        errors=errors,
        cut=list(map(bool, answers.cut)),
    )


def _check_types(values: Sequence[object], kinds: tuple[type, ...], problem: str) -> None:
    """Refuse a list of which an entry has another type; `problem` shows the first of them."""
    if not all(issubclass(kind, kinds) for kind in set(map(type, values))):
        wrong = next(value for value in values if not isinstance(value, kinds))
        raise OutputError(f"model returned {problem.format(wrong)}")


def _as_floats(values: Sequence[Any]) -> list[float | None]:
    if set(map(type, values)) <= {float, NoneType}:
        return list(values)
    try:
        return [None if value is None else float(value) for value in values]
    except (TypeError, ValueError, OverflowError):
        raise OutputError("model returned probabilities that are not numbers") from None


def class_names(values: Any) -> tuple[str, ...]:
    """Return the names of classes; refuse names that are invalid, empty or repeated."""
    try:
        names = [label_name(value, answer=True) for value in values]
    except (TypeError, InputError) as error:
        raise OutputError(f"the model's class names cannot be read ({error})") from None
    if not names or None in names or len(set(names)) < len(names):
        raise OutputError(f"the model's class names {names!r:.100} are empty, or not distinct")
    return tuple(name for name in names if name is not None)


def matrix_answers(values: Floats, classes: Sequence[str] | None, *, logits: bool = False) -> Answers:
    """Return the answers for rows of numbers, one column per class."""
    if classes is None:
        remedy = "give it an attribute `classes`, or return {class: probability} for each text"
        raise OutputError(f"model returned probabilities without class names; {remedy}")
    if values.shape[1] != len(classes):
        columns, names = number_of(values.shape[1], "column"), number_of(len(classes), "class", "classes")
        raise OutputError(f"model returned {columns} for {names}")
    finite: Bools = np.isfinite(values).all(axis=1)  # type: ignore[assignment]
    scores = np.where(finite[:, None], values, 0.0)
    if logits:
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        scores /= scores.sum(axis=1, keepdims=True)
    best = scores.argmax(axis=1)
    sums = scores.sum(axis=1)
    if finite.all() and (scores >= -_SLACK).all() and (np.abs(sums - 1) <= _SLACK).all():
        return Answers.of([classes[i] for i in best], probabilities=scores.max(axis=1).tolist())
    errors = [_row_fault(row, logits=logits) for row in values]
    return Answers.of(
        [classes[i] if error is None else None for i, error in zip(best, errors, strict=True)],
        probabilities=[
            p if error is None else None for p, error in zip(scores.max(axis=1).tolist(), errors, strict=True)
        ],
        errors=errors,
    )


def _row_fault(row: Floats, *, logits: bool) -> str | None:
    if not np.isfinite(row).all():
        return "a score is not a finite number"
    if logits:
        return None
    remedy = f"if the scores are logits, add {argument('logits', True)}"
    if row.min() < -_SLACK:
        return f"a probability is {row.min():.4g}; {remedy}"
    return f"probabilities sum to {row.sum():.4g}, not 1; {remedy}" if abs(row.sum() - 1) > _SLACK else None


def _rows(raw: Any, count: int) -> Sequence[Any]:
    """Return one result per text as a sequence, whichever library they come from."""
    if hasattr(raw, "detach"):  # a tensor, perhaps on a GPU, with gradients, in bfloat16
        raw = raw.detach().cpu()
        raw = (raw.float() if raw.is_floating_point() else raw).numpy()
    rows: Sequence[Any] = raw
    if isinstance(raw, np.ndarray) and raw.ndim > 0:
        rows = raw if raw.ndim > 1 else raw.tolist()  # type: ignore[assignment]
    elif method := getattr(raw, "to_pylist", None) or getattr(raw, "to_list", None):
        rows = method()
    elif isinstance(raw, str | bytes | bytearray) or not isinstance(raw, Sequence):
        if inspect.iscoroutine(raw):
            raw.close()  # otherwise Python warns about it much later
        raise OutputError(f"model returned {_kind(raw)}, not a list of {number_of(count, 'answer')}")
    if len(rows) != count:
        raise OutputError(f"model returned {number_of(len(rows), 'result')} for {number_of(count, 'text')}")
    return rows


def _kind(raw: object) -> str:
    if raw is None:
        return "None"
    shown = f" ({clip(repr(raw), 40)})" if isinstance(raw, str | bytes | int | float) else ""
    return f"one {type(raw).__name__}{shown}"


def _is_table(rows: Sequence[Any]) -> bool:
    first: Any = next((row for row in rows if row is not None), None)
    if hasattr(first, "detach") or isinstance(first, np.ndarray):
        return bool(first.ndim)
    return isinstance(first, list | tuple) and not (first and isinstance(first[0], Mapping))


def _matrix(rows: Sequence[Any]) -> Floats:
    width = next(len(row) for row in rows if row is not None)
    numbers = [_numbers(row, width) for row in rows]
    try:
        values = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise OutputError("model returned rows that do not make a table of numbers") from None
    if values.ndim != 2 or not values.shape[1]:
        raise OutputError(f"model returned numbers of shape {values.shape}, not (texts, classes)")
    return values


def _numbers(row: Any, width: int) -> Any:
    if row is None:
        return [math.nan] * width
    row = row.detach().float().cpu().numpy() if hasattr(row, "detach") else row
    if not isinstance(row, np.ndarray | list | tuple):
        raise OutputError(f"model returned {clip(repr(row), 60)} among rows of numbers")
    if not hasattr(row, "dtype") and any(isinstance(value, str | bytes) for value in row):
        raise OutputError(f"model returned {clip(repr(row), 60)} for one text, not one label")
    return row


def _answer(row: Any, *, logits: bool) -> Answer:
    if isinstance(row, Mapping):
        if "label" in row and set(row) <= {"label", "score"}:  # what a transformers pipeline returns
            return Answer(_label(row["label"]), _score(row.get("score")))
        return _of_classes(row, logits=logits)
    if isinstance(row, list | tuple):  # the same with top_k=None: the scores of all classes
        return _best(row)
    return Answer(_label(row))


def _best(scores: Sequence[Any]) -> Answer:
    if not scores or not all(isinstance(score, Mapping) for score in scores):
        raise OutputError(f"model returned {clip(repr(scores), 60)} for one text, not one label")
    scored = [(_score(score.get("score")), score.get("label")) for score in scores]
    if any(score is None or label is None for score, label in scored):
        return Answer(error="a score is not a finite number, or has no label")
    score, label = max(scored, key=lambda pair: pair[0] or 0.0)
    return Answer(_label(label), score)


def _of_classes(row: Mapping[Any, Any], *, logits: bool) -> Answer:
    try:
        values = np.array([[float(value) for value in row.values()]], np.float64)
    except (TypeError, ValueError, OverflowError):
        raise OutputError(f"model returned {clip(repr(row), 60)}, not {{class: probability}}") from None
    answers = matrix_answers(values, class_names(row), logits=logits)
    return Answer(answers.labels[0], answers.probabilities[0], error=answers.errors[0])


def _label(value: Any) -> str | None:
    if isinstance(value, float | np.floating) and math.isfinite(value) and value != int(value):
        problem = f"model returned the number {float(value):.4g} for a label"
        raise OutputError(f"{problem}; return labels, or a probability for every class")
    try:
        return label_name(value, answer=True)
    except InputError as error:
        raise OutputError(f"model returned a wrong answer: {clip(str(error), 120)}") from None


def _score(value: Any) -> float | None:
    try:
        score = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return score if math.isfinite(score) else None


def both_ways(opposites: Mapping[str, str]) -> dict[str, str]:
    """Return opposites in both directions; refuse a name that has two.

    >>> both_ways({"yes": "no"})
    {'yes': 'no', 'no': 'yes'}
    """
    found: dict[str, str] = {}
    for one, other in opposites.items():
        for name, opposite in ((one, other), (other, one)):
            if not isinstance(opposite, str) or found.get(name, opposite) != opposite or name == opposite:
                raise UsageError(f"{name!r:.60} must have exactly one other name as its opposite")
            found[name] = opposite
    return found
