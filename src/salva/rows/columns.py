"""Which columns hold the text, the label and the id: named by the user, or found by their usual names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from salva._arguments import argument, did_you_mean
from salva.errors import InputError, UsageError
from salva.rows.options import ReadOptions

USUAL_NAMES = {
    "text": ("text", "review", "sentence", "content", "document", "body", "comment"),
    "label": ("label", "labels", "sentiment", "target", "class", "category"),
    "id": ("id", "idx", "guid", "uid", "uuid", "row_id"),
}


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a data set that Salva works on; `text` has two names for pairs of texts.

    `spans` has labelled spans of the text, which are checked as the rows are read.
    """

    text: tuple[str, ...]
    label: str | None = None
    id: str | None = None
    spans: str | None = None

    def __str__(self) -> str:
        """Describe the columns on one line: text 'review', label 'sentiment', no id (row numbers)."""
        text = ", ".join(map(repr, self.text))
        label = f"label {self.label!r}" if self.label else "no label"
        spans = f", spans {self.spans!r}" if self.spans else ""
        return f"text {text}, {label}, {f'id {self.id!r}' if self.id else 'no id (row numbers)'}{spans}"


def check_names(path: str, names: Sequence[str]) -> None:
    """Refuse column names that are empty or occur twice."""
    for i, name in enumerate(names, 1):
        if not name.strip():
            raise InputError.at(path, None, f"column {i} has no name; columns: {_list(names)}")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError.at(path, None, f"column {name!r} occurs twice; rename one")
        seen.add(name)


def find_columns(path: str, names: Sequence[str], options: ReadOptions) -> Columns:
    """Choose the columns: those that the options name, or else those with usual names.

    >>> print(find_columns("a.csv", ["Review", "sentiment", "stars"], ReadOptions()))
    text 'Review', label 'sentiment', no id (row numbers)
    """
    label, key, spans = options.label_column, options.id_column, options.spans_column
    return Columns(
        text=_find_texts(path, names, options.text_column),
        label=find_column(path, names, label) if label else _find_usual(path, names, "label"),
        id=find_column(path, names, key) if key else _find_usual(path, names, "id"),
        spans=find_column(path, names, spans) if spans else None,
    )


def _find_texts(path: str, names: Sequence[str], wanted: str | None) -> tuple[str, ...]:
    if wanted is not None:
        parts = (wanted,) if wanted in names else tuple(part.strip() for part in wanted.split(","))
        if len(set(parts)) < len(parts):
            raise UsageError(f"text column {wanted!r} names a column twice")
        return tuple(find_column(path, names, part) for part in parts)
    usual = names[0] if len(names) == 1 else _find_usual(path, names, "text")
    if usual is None:
        raise InputError.at(
            path, None, f"no text column; columns: {_list(names)}; pass {argument('text_column')}"
        )
    return (usual,)


def _find_usual(path: str, names: Sequence[str], role: str) -> str | None:
    """Return the column with a usual name: the first usual name wins, any other must be the only match."""
    usual = USUAL_NAMES[role]
    matches = [name for name in names if name.strip().lower() in usual]
    exact = [name for name in matches if name == usual[0]]
    if len(matches) > 1 and not exact:
        if role == "text":
            problem = f"several columns could be the text: {_list(matches)}; pass {argument('text_column')}"
            raise InputError.at(path, None, problem)
        return None
    return next(iter(exact or matches), None)


def find_column(path: str, names: Sequence[str], wanted: str) -> str:
    """Return the name of a column if the data has it; raise otherwise, with the names it has."""
    if wanted in names:
        return wanted
    known = f"columns: {_list(names)}"
    hint = "; ".join(filter(None, [known, did_you_mean(wanted, names)]))
    raise InputError.at(path, None, f"no column {wanted!r}; {hint}")


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:12]))
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown
