"""What `salva evaluate` and `salva questions` share: the options that say what is asked about the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from salva.cli.options import option
from salva.cli.settings import MEASURING, READING, describe_keys, parse_settings
from salva.errors import UsageError
from salva.questions.options import SEVERITIES, Conditions, Options
from salva.questions.pairs import is_pairs
from salva.questions.rewriting import DEFAULT_PRESETS
from salva.questions.suite import is_suite
from salva.tasks import Task, span_task
from salva.transforms import BUNDLES

_BUNDLES = ", ".join(f"{name} for {', '.join(members)}" for name, members in BUNDLES.items())
DATA, QUESTIONS, CONDITIONS, MEASURES, RUN, MODEL = (
    "The data",
    "The questions",
    "The conditions",
    "What is measured",
    "The run",
    "The model",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOptions:
    """What is asked about which rows."""

    text: str | None = option("--text", metavar="C", help="Column of the text; two columns: A,B.", group=DATA)
    label: str | None = option("--label", metavar="C", help="Column of the label.", group=DATA)
    id: str | None = option("--id", metavar="C", help="Column of the id.", group=DATA)
    group: str | None = option(
        "--group", metavar="C", help="Column of families: such rows are not independent.", group=DATA
    )
    sample: int | None = option(
        "--sample",
        type=click.IntRange(min=1),
        metavar="N",
        help="Take N random rows, the same share of every class.",
        group=DATA,
    )
    reading: tuple[str, ...] = option(
        "-R", multiple=True, metavar="KEY=VALUE", help="A setting of reading, listed below.", group=DATA
    )
    task: str | None = option(
        "--task",
        metavar="T",
        help="Ask the questions of a task: a name (see salva tasks) or a TOML file.",
        group=QUESTIONS,
    )
    spans: str | None = option(
        "--spans",
        metavar="C",
        help="Column with labelled spans of the text, which the model has to find.",
        group=QUESTIONS,
    )
    axes: tuple[str, ...] = option(
        "--axis",
        multiple=True,
        metavar="AXIS=VALUE",
        help="Ask in other ways too: prompts=FILE, order=K or order=all, repeat=N, variants=COLUMN. "
        "Without --preset, no preset runs.",
        group=QUESTIONS,
    )
    presets: tuple[str, ...] = option(
        "--preset",
        multiple=True,
        metavar="P",
        help=f"Name, several as A+B, TOML file, or {_BUNDLES}; default: {' and '.join(DEFAULT_PRESETS)}.",
        group=CONDITIONS,
    )
    severities: tuple[float, ...] = option(
        "--severity",
        type=float,
        multiple=True,
        metavar="S",
        help="Severity; default: 0.25, 0.5 and 1.",
        group=CONDITIONS,
    )
    copies: int | None = option(
        "--copies", type=int, metavar="K", help="Independent variants of every twin.", group=CONDITIONS
    )
    seed: int = option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        metavar="N",
        help="Seed for the edits and --sample.",
        group=CONDITIONS,
    )
    measuring: tuple[str, ...] = option(
        "-S",
        multiple=True,
        metavar="KEY=VALUE",
        help="A setting of what is measured, listed below.",
        group=MEASURES,
    )

    def gather(self, source: str) -> dict[str, Any]:
        """Return the arguments of `salva.make_questions` about a source."""
        groups = parse_settings("-R", self.reading, READING)
        for group, values in parse_settings("-S", self.measuring, MEASURING).items():
            groups.setdefault(group, {}).update(values)
        columns = {"text": _split(self.text), "label": self.label, "id": self.id, "group": self.group}
        data = groups.setdefault("data", {})
        data.update({name: value for name, value in columns.items() if value is not None})
        conditions = groups.pop("conditions", {})
        if self.copies is not None:
            conditions["copies"] = self.copies
        asked = Conditions.of_axes(parse_axes(self.axes), **conditions)
        is_made = is_suite(source) or is_pairs(source)
        options = Options(conditions=asked).replace(**groups)
        return {
            "presets": self.presets or (None if is_made or self.axes else DEFAULT_PRESETS),
            "severities": self.severities or SEVERITIES,
            "task": self._find_task(),
            "seed": self.seed,
            "sample": self.sample,
            "options": options,
        }

    def _find_task(self) -> str | Task | None:
        """Return the task to ask: that of the user, or to find spans."""
        if self.spans is None:
            return self.task
        if self.task is not None:
            raise UsageError(
                '--task and --spans exclude each other; write [answer] kind = "spans" in the task'
            )
        return span_task(self.spans, self.text or "text")


KEYS: Mapping[str, str] = {
    "Keys of -R": describe_keys(READING),
    "Keys of -S": describe_keys(MEASURING),
}


def _split(columns: str | None) -> str | tuple[str, ...] | None:
    if columns is None or "," not in columns:
        return columns
    return tuple(name.strip() for name in columns.split(","))


def parse_axes(pairs: Iterable[str]) -> dict[str, Any]:
    """Return the settings of axes by name; only variants may have several."""
    axes: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not value:
            raise UsageError(f"--axis {pair[:100]!r} must be AXIS=VALUE, such as order=4 or prompts=FILE")
        if name == "variants":
            axes.setdefault(name, []).append(value)
        elif name in axes:
            raise UsageError(f"--axis {name} is given twice; only variants can be repeated")
        else:
            axes[name] = value
    return axes


def parse_label_map(pairs: Iterable[str]) -> dict[str, str]:
    """Return the data label for each label of the model."""
    labels = {}
    for pair in pairs:
        label, equals, target = pair.partition("=")
        if not equals or not label or not target:
            raise UsageError(f"--label-map {pair!r} must be MODEL=DATA, such as POSITIVE=1")
        labels[label] = target
    return labels
