"""Pages: templates filled with values of unknown origin, self-contained and inert.

Everything that templates print is escaped: markup, and control and hidden characters. A page may run only its
own script and style sheet, by their digests.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from salva import _show
from salva._show import UNSHOWN, Between, escape, printable

if TYPE_CHECKING:
    from jinja2 import Environment
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, is_dataclass
from typing import Literal

_HOME = "salva.pages"
_MINUS = "\u2212"


def render_page(package: str, template: str, values: Mapping[str, Any]) -> str:
    """Return a page that states its own size; in the template, `page_size` stands for it."""
    mark = f"size-{secrets.token_hex(16)}"  # which no value contains
    page = render(package, template, {**values, "page_size": mark})
    rest = len(page.encode()) - (len(mark) - len(_show.size(0))) * page.count(mark)
    return page.replace(mark, _show.size(rest))


def render(package: str, template: str, values: Mapping[str, Any]) -> str:
    """Return a page: a template of `package` (from its folder `templates`) filled with values.

    Values may be hostile: their markup is escaped, and control and hidden characters are shown as escapes.
    """
    return _environment(package).get_template(template).render(values)


@cache
def _environment(package: str) -> Environment:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(home) for home in dict.fromkeys([_HOME, package])]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(_FILTERS)
    environment.globals |= {"pieces": pieces, "is_plain": is_plain}
    for name in ("style", "script"):
        environment.globals[f"{name}_digest"] = _digest(environment, f"{name}.jinja")
    environment.globals["digest"] = partial(_digest, environment)
    return environment


def _harmless(value: Any) -> Any:
    """Return template output with control and hidden characters escaped; markup of templates is unchanged."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _digest(environment: Environment, template: str) -> str:
    """Return the digest of what a template without values renders to."""
    content = environment.get_template(template).render()
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a string: plain text, escapes of characters that would be invisible, or what was left out."""

    text: str = ""
    escaped: bool = False
    left_out: int = 0


def pieces(text: str, most: int | None = None) -> list[Piece]:
    r"""Return a text in pieces, at most `most` characters of it.

    >>> [piece.text for piece in pieces("a\x00b")]
    ['a', '\\x00', 'b']
    """
    start = text if most is None or len(text) <= most else text[:most]
    parts, last = [], 0
    for match in UNSHOWN.finditer(start):
        parts += [Piece(start[last : match.start()])] if match.start() > last else []
        parts.append(Piece(escape(match[0]), escaped=True))
        last = match.end()
    parts += [Piece(start[last:])] if last < len(start) else []
    return parts + ([Piece(left_out=len(text) - len(start))] if len(start) < len(text) else [])


def is_plain(text: str, most: int | None = None) -> bool:
    """Return whether a text is one piece, which templates print as it is; most texts are."""
    return (most is None or len(text) <= most) and not UNSHOWN.search(text)


def short(text: str, most: int = 80) -> str:
    """Return a text for a place with room for one line, such as a title.

    >>> short("a fine film", 7)
    'a fine …'
    """
    line = " ".join(text[: most + 1].split())
    return printable(line if len(text) <= most else f"{line[:most].rstrip()} …")


def typeset(text: str) -> str:
    r"""Return the text of a number with a real minus sign.

    >>> ascii(typeset("-1"))
    "'\\u22121'"
    """
    return text.replace("-", _MINUS)


def _typeset(write: Callable[..., str]) -> Callable[..., str]:
    return lambda *arguments: typeset(write(*arguments))


def _interval(estimate: Between, digits: int = 1) -> str:
    return _show.interval(estimate, digits, missing="")


_FILTERS: dict[str, Callable[..., str | int]] = {
    "count": _typeset(_show.count),
    "digits_of": _show.digits_of,
    "interval": _typeset(_interval),
    "number": _typeset(_show.number),
    "number_of": _show.number_of,
    "p_value": _show.p_value,
    "short": short,
    "size": _show.size,
    "typeset": typeset,
}


_WORTH_CUTTING = 40  # a shorter gap takes no more room than the note in its place
_WORD = 20  # how far to look for the end of a word


@dataclass(frozen=True, slots=True)
class Mark:
    """A span of a text, the original there, and whether it matters most."""

    start: int
    end: int
    old: str
    note: str = ""
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a marked text: unchanged `text`, an `edit`, or a `gap` where text is left out."""

    kind: Literal["text", "edit", "gap"]
    text: str = ""
    old: str = ""
    note: str = ""
    strong: bool = False
    left_out: int = 0


def marked(text: str, marks: Sequence[Mark], *, context: int = 200, most: int = 1200) -> list[Segment]:
    """Return the text in segments: about `context` characters around the marks, about `most` in all.

    Strong marks come first. A mark that overlaps the previous one or exceeds the text is not shown.

    >>> [s.text or s.left_out for s in marked("a good film" + "." * 999, [Mark(2, 6, "great")], context=5)]
    ['a ', 'good', ' film', 999]
    """
    sound = list(_sound(text, marks))
    segments, last = [], 0
    for start, end in _windows(text, sound, context, most):
        segments += _gap(start - last)
        segments += _inside(text, start, end, [m for m in sound if start <= m.start and m.end <= end])
        last = end
    return segments + _gap(len(text) - last)


def _sound(text: str, marks: Sequence[Mark]) -> Iterator[Mark]:
    last = 0
    for mark in sorted(marks, key=lambda mark: mark.start):
        if last <= mark.start <= mark.end <= len(text):
            yield mark
            last = mark.end


def _windows(text: str, marks: Sequence[Mark], context: int, most: int) -> list[tuple[int, int]]:
    """Return the stretches to show, ascending and disjoint."""
    if not marks:
        return _joined([_around(text, 0, context, context, ())], len(text))
    chosen: list[tuple[int, int]] = []
    for mark in sorted(marks, key=lambda mark: (not mark.strong, mark.start)):
        if sum(end - start for start, end in chosen) >= most:
            break
        if not any(start <= mark.start and mark.end <= end for start, end in chosen):
            window = _around(text, mark.start, mark.end, context, marks)
            chosen = _joined([*chosen, window], len(text))
    return chosen


def _around(text: str, start: int, end: int, context: int, marks: Sequence[Mark]) -> tuple[int, int]:
    """Return a stretch around a span that splits no mark, and no word if a space is near."""
    first, last = max(0, start - context), min(len(text), end + context)
    word = min(_WORD, context // 4)
    first = text.find(" ", first, min(start, first + word)) + 1 or first
    space = text.rfind(" ", max(end, last - word), last)
    last = last if space < 0 or last == len(text) else space
    cut = [mark for mark in marks if mark.start < last and mark.end > first]
    return min([first, *(mark.start for mark in cut)]), max([last, *(mark.end for mark in cut)])


def _joined(windows: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Return the windows with those merged that touch or nearly do, also at the ends of the text."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(windows):
        left = joined[-1][1] if joined else 0
        if joined and start - left < _WORTH_CUTTING:
            joined[-1] = (joined[-1][0], max(left, end))
        else:
            joined.append((0 if start < _WORTH_CUTTING else start, end))
    start, end = joined[-1]
    return [*joined[:-1], (start, length if length - end < _WORTH_CUTTING else end)]


def _inside(text: str, start: int, end: int, marks: Sequence[Mark]) -> list[Segment]:
    segments, last = [], start
    for mark in marks:
        segments += _plain(text[last : mark.start])
        new = text[mark.start : mark.end]
        segments.append(Segment("edit", new, mark.old, mark.note, mark.strong))
        last = mark.end
    return segments + _plain(text[last:end])


def _plain(text: str) -> list[Segment]:
    return [Segment("text", text)] if text else []


def _gap(left_out: int) -> list[Segment]:
    return [Segment("gap", left_out=left_out)] if left_out else []


_ESTIMATE = {"value", "low", "high"}


def tabulate(records: Iterable[Any], *, texts: str = "") -> dict[str, Any] | None:
    """Return records as one table of plain values; None if there are none.

    A record is a mapping or a dataclass; what is nested in it gets columns of its own, and an estimate three:
    `drop`, `drop_low`, `drop_high`. `texts` is the id of the list that shows the texts of these records, in
    their order: the script adds them, so that the page has them once.

    >>> tabulate([{"name": "a", "drop": {"value": 1.5, "low": 0.5, "high": 2.5}}])
    {'columns': ['name', 'drop', 'drop_low', 'drop_high'], 'rows': [['a', 1.5, 0.5, 2.5]]}
    """
    flat = [dict(_flatten(_as_plain(record))) for record in records]
    if not flat:
        return None
    columns = list(dict.fromkeys(name for record in flat for name in record))
    table = {"columns": columns, "rows": [[record.get(name) for name in columns] for record in flat]}
    return {**table, "texts": texts} if texts else table


def _as_plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _flatten(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, given in record.items():
        name, value = f"{prefix}{key}", _as_plain(given)
        if isinstance(value, Mapping) and set(value) == _ESTIMATE:
            yield from zip((name, f"{name}_low", f"{name}_high"), map(_cell, value.values()), strict=True)
        elif isinstance(value, Mapping):
            yield from _flatten(value, f"{name}_")
        else:
            yield name, _cell(value)


def _cell(value: Any) -> Any:
    """Return a value that JSON has; a list becomes a text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else json.dumps(value, ensure_ascii=False)
