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
