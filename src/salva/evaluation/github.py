"""A checked run on GitHub: a summary of the step in Markdown, and annotations of the workflow."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

from salva._show import interval, number, number_of
from salva.evaluation.gate import Checked, CheckedRun
from salva.evaluation.headline import warnings_of, write_headline
from salva.evaluation.results import GROUPS, ConditionResult, group_by_family
from salva.models.protocol import clip

_LONGEST = 200  # characters of a name
_MARKUP = re.compile(r"[!-$&'*:-?\[-`{-~]")  # ASCII that Markdown or HTML may read


def step_summary(checked: CheckedRun) -> str:
    """Return the summary: the headline, one row per condition, and one flip for each that breaks a limit."""
    results = checked.run.results
    lines = [f"### Salva: {_plain(results.model.name)} on {_plain(results.data.name)}", ""]
    state = f"{number_of(len(checked.broken), 'condition breaks', 'conditions break')} a limit"
    lines += [f"**{state if checked.broken else 'No limit is broken.'}**", ""]
    lines += [f"- {_plain(str(sentence))}" for sentence in write_headline(results)]
    lines += [f"- warning: {_plain(line)}" for line in warnings_of(results)]
    lines += ["", *_table(checked)] if checked.conditions else []
    lines += ["", *_contrasts(checked)] if checked.contrasts else []
    for condition in checked.broken:
        lines += ["", *_details(condition)]
    return "\n".join([*lines, "", ""])


def annotation_lines(checked: CheckedRun) -> Iterator[str]:
    """Yield workflow commands: an error for each condition that breaks a limit, and warnings of the run."""
    for condition in checked.broken:
        title = f"salva: {clip(condition.result.name, _LONGEST)} breaks a limit"
        example = condition.show_example()
        yield _command("error", title, "\n".join([*condition.problems(), condition.summary(), *example]))
    for warning in warnings_of(checked.run.results):
        yield _command("warning", "salva", clip(warning, 4 * _LONGEST))


def _command(level: str, title: str, message: str) -> str:
    r"""Return a workflow command with everything escaped that the runner would read.

    >>> _command("error", "a: b, c", "50 %\nworse")
    '::error title=a%3A b%2C c::50 %25%0Aworse'
    """
    name = _escape(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={name}::{_escape(message)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _table(checked: CheckedRun) -> Iterator[str]:
    compared = any(condition.change is not None for condition in checked.conditions)
    headings = ["condition", "before", "after", "drop", "95 % interval", "same", "limits"]
    headings[5:5] = ["change of the drop"] if compared else []
    yield f"| {' | '.join(headings)} |"
    yield f"|---|{'---:|' * (len(headings) - 2)}---|"
    by_name = {condition.result.name: condition for condition in checked.conditions}
    for family, conditions in group_by_family(checked.run.results.conditions).items():
        yield f"| *{GROUPS[family]}* {'| ' * len(headings)}".rstrip()
        for one in conditions:
            yield f"| {' | '.join(_cells(by_name[one.name], compared=compared))} |"


def _contrasts(checked: CheckedRun) -> Iterator[str]:
    yield "| contrast | sensitivity | 95 % interval | n | limits |"
    yield "|---|---:|---:|---:|---|"
    for one in checked.contrasts:
        rate, n = one.result.score.sensitivity, f"{one.result.score.n:,}"
        cells = [_plain(one.result.name), number(rate.value), interval(rate), n, _limits(one)]
        yield f"| {' | '.join(cells)} |"


def _cells(condition: Checked[ConditionResult], *, compared: bool) -> list[str]:
    score, change = condition.result.score, condition.change
    numbers = (score.accuracy_before.value, score.accuracy_after.value, score.drop.value)
    cells = [_plain(condition.result.name), *map(number, numbers), interval(score.drop)]
    if compared:
        cells.append("" if change is None else f"{number(change.value)} {interval(change)}")
    return [*cells, number(score.consistency.value), _limits(condition)]


def _limits(checked: Checked[Any]) -> str:
    broken = ", ".join(str(breach.limit) for breach in checked.breaches)
    return f"**breaks {_plain(broken)}**" if broken else "kept"


def _details(condition: Checked[Any]) -> Iterator[str]:
    example = condition.show_example() or ["no flip was kept"]
    lines = [*condition.problems(), condition.summary(), *example]
    yield f"<details><summary>{_plain(condition.result.name)}</summary>"
    yield f"<pre>{html.escape(chr(10).join(lines))}</pre>"
    yield "</details>"


def _plain(text: str) -> str:
    """Return a text as Markdown that shows it as it is.

    >>> _plain("a|b <i> *c*")
    'a&#124;b &#60;i&#62; &#42;c&#42;'
    """
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", clip(text, 4 * _LONGEST))
