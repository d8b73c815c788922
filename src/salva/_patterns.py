"""The user's regular expressions: what would take too long or too much memory to compile is refused before.

The library copies what is repeated as often as it must occur, and a pattern that calls itself may never end.
Time limits hold only for matching.
"""

from __future__ import annotations

import re
from typing import Any

from salva._show import shorten
from salva.errors import UsageError

MOST_CHARACTERS = 100_000
MOST_PARTS = 100_000  # 0.1 s and 40 MB to compile; a million takes 1 s and 300 MB
_TOKEN = re.compile(
    r"""(?P<call>\(\?(?:R|\d+|&\w+|P>\w+)\))   # the whole pattern or a group again
    | (?P<open>\() | (?P<close>\))
    | \{(?P<least>\d+)(?:,\d*)?\}              # so many times
    | \\. | \[\^?\]?(?:\\.|[^]\\])*\] | .      # a character, or a set of them""",
    re.VERBOSE | re.DOTALL,
)


def compile_pattern(setting: str, pattern: str, *, multiline: bool = False) -> Any:
    """Return a pattern compiled by `regex`, or refuse it in one line that names the setting.

    With `multiline`, ^ and $ match at every line.
    """
    import regex

    problem = _find_problem(pattern)
    if problem is None:
        try:
            return regex.compile(pattern, regex.MULTILINE if multiline else 0)
        except regex.error as error:
            problem = f"is not a regular expression ({error})"
        except RecursionError:
            problem = "is nested too deeply; make it simpler"
    raise UsageError(f"{setting}: {shorten(repr(pattern))} {problem}")


def _find_problem(pattern: str) -> str | None:
    """Return what is wrong with a pattern that would be expensive to compile.

    >>> _find_problem("(?:(?:a{1000}){1000}){1000}")
    'repeats parts over 100,000 times; make the counts smaller'
    """
    if len(pattern) > MOST_CHARACTERS:
        return f"has over {MOST_CHARACTERS:,} characters; make it simpler"
    groups = [[0, 0]]  # for each open group its parts, and those of its last part, which a count would repeat
    for token in _TOKEN.finditer(pattern):
        if token["call"]:
            return f"calls a group with {token['call']}, which may never end; write it out"
        if token["open"]:
            groups.append([0, 0])
            continue
        if token["least"]:
            more = groups[-1][1] * (max(int(token["least"][:9]), 1) - 1)
            groups[-1] = [groups[-1][0] + more, groups[-1][1] + more]
        else:
            size = groups.pop()[0] if token["close"] and len(groups) > 1 else 1
            groups[-1] = [groups[-1][0] + max(size, 1), max(size, 1)]
        if groups[-1][0] > MOST_PARTS:
            return f"repeats parts over {MOST_PARTS:,} times; make the counts smaller"
    return None
