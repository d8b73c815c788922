"""The Jinja environment: all output is escaped, an unknown name is an error, nothing is fetched.

The page allows only its own inline script and style sheet, by their digests.
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
    environment.globals["pieces"] = pieces
    for name in ("style", "script"):
        content = environment.get_template(f"{name}.jinja").render()
        environment.globals[f"{name}_digest"] = _digest(content)
    return environment


def _harmless(value: Any) -> Any:
    """Return template output with control and hidden characters escaped; markup of templates is unchanged."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _digest(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"
