"""The Jinja environment: everything printed is escaped, an unknown name is an error, nothing is fetched.

The page allows the one script and the one style sheet that stand in it, by their digests, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from salva._show import number_of, printable
from salva.pages.numbers import count, interval, number, p_value, size
from salva.pages.strings import pieces, short

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["render"]

_HOME = "salva.pages"
_FILTERS = {
    "count": count,
    "number_of": number_of,
    "interval": interval,
    "number": number,
    "p_value": p_value,
    "short": short,
    "size": size,
}


def render(package: str, template: str, values: Mapping[str, Any]) -> str:
    """Return a page: a template of `package` (from its folder `templates`) filled with values.

    Values may be hostile: they are escaped as markup, and what acts or hides in them is shown as its escape.
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
    environment.globals["pieces"] = pieces
    for name in ("style", "script"):
        content = environment.get_template(f"{name}.jinja").render()
        environment.globals[f"{name}_digest"] = _digest(content)
    return environment


def _harmless(value: Any) -> Any:
    """Return what a template prints, with the escapes of what acts or hides; markup of templates as it is."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _digest(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
