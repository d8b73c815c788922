"""What is asked, as options: those that `salva evaluate` and `salva questions` share, and keys as KEY=VALUE.

-M is for the model, -R for reading, -S for what is measured. Each key has a line of help. A mistyped one gets
a suggestion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args, get_type_hints

import click

from salva._arguments import did_you_mean
from salva._schema import convert
from salva.cli.options import option, read_value, split_pairs
from salva.errors import UsageError
from salva.models import ModelOptions, load_function
from salva.questions.conditions import DEFAULT_PRESETS
from salva.questions.options import SEVERITIES, Conditions, Data, Limits, Measure, Options
from salva.questions.plan import is_pairs, is_suite
from salva.tasks import Task, span_task
from salva.transforms import BUNDLES


class Key(NamedTuple):
    """A key: the group of `salva.Options` and the field that it sets, and its line of help."""

    group: str
    field: str
    help: str


GROUPS: dict[str, type] = {
    "data": Data,
    "model": ModelOptions,
    "conditions": Conditions,
    "measure": Measure,
    "limits": Limits,
}
READING: dict[str, Key] = {
    "format": Key("data", "format", "format of the file, if its name does not show it"),
    "delimiter": Key("data", "delimiter", "separator between the cells of a csv file"),
    "encoding": Key("data", "encoding", "encoding of the text, if not UTF-8"),
    "on_bad_row": Key("data", "on_bad_row", "fail, keep or drop: what to do with a row that cannot be read"),
    "max_line_bytes": Key("data", "max_line_bytes", "longest line in bytes; default: 256 MiB"),
    "limit": Key("data", "limit", "take only the first N rows"),
    "rewrite": Key("data", "rewrite", "which of two text columns is rewritten; default: the first"),
}
MEASURING: dict[str, Key] = {
    "slice_by": Key("data", "slice_by", "column by whose values drops are reported, too; several: A,B"),
    "opposites": Key(
        "conditions", "opposites", "opposite labels for negation and antonyms: positive/negative"
    ),
    "fit": Key("conditions", "fit", "data whose words become the vocabulary of corrupt; self is DATA"),
    "cross": Key("conditions", "cross", "true: ask about the twins of presets along the axes too"),
    "share_answers": Key(
        "conditions", "share_answers", "false: ask about a twin that equals its original by itself"
    ),
    "noise": Key("measure", "noise", "clean questions to ask twice; default: 100"),
    "alone": Key("measure", "alone", "how many of them to ask one at a time, too; default: 16"),
    "flips": Key("measure", "flips", "flips to keep and examine per condition; default: 50"),
    "blame_calls": Key("measure", "blame_calls", "model calls per flip to find the words to blame; 0: none"),
    "resamples": Key("measure", "resamples", "resamples of bootstrap intervals; default: 10,000"),
    "metric": Key(
        "measure", "metric", "your own metric: python:pkg.mod:f, f(labels, answers); none leaves it out"
    ),
    "max_errors": Key("limits", "errors", "stop if more questions than this fail, such as 20 or 5%"),
    "threads": Key("limits", "threads", "threads that make twins; default: all cores"),
    "engine": Key("limits", "engine", "where the model is asked: local or ray"),
    "actors": Key("limits", "actors", "ray: processes with the model; default: one per GPU or core"),
    "address": Key("limits", "address", "ray: the cluster; default: RAY_ADDRESS, or none"),
    "same_model": Key(
        "limits", "same_model", "true, with --resume: keep the answers although the model changed"
    ),
}
SCORING = {name: key for name, key in MEASURING.items() if key.group == "measure"}
"""What may differ when a run is scored again."""
_MODEL_HELP = {
    "batch_size": "texts per model call",
    "timeout": "seconds after which a call fails",
    "concurrency": "openai: requests at a time; default: 4",
    "retries": "openai: further tries per request; default: 5",
    "deadline": "openai: total seconds per text; default: 120",
    "prompt": "openai: the prompt, with {labels} and {text}",
    "api_key_variable": "openai: variable with the key; default: OPENAI_API_KEY",
    "device": "hf: cpu, cuda or cuda:1; default: a GPU if there is one",
    "dtype": "hf: number type of the weights",
    "max_new_tokens": "hf, openai: longest reply in tokens; default: 256",
    "choose_by": "hf, openai: how an option of a task is chosen: reply, likelihood, likelihood-per-character",
    "reply_format": "openai: how JSON replies are asked for, if the task has json_field",
    "chat_template": "hf: false gives prompts as they are, without the template of the tokenizer",
    "logits": "true: the scores of the model are logits",
    "model_id": "version of the model, if its files do not show it",
}
OPENING = {name: Key("model", name, help_) for name, help_ in _MODEL_HELP.items()}
REQUEST = "(others)  openai: any other field of a request, such as temperature=0.2"
_FIELDS = (
    "max_tokens",
    "max_completion_tokens",
    "min_tokens",
    "logit_bias",
    "chat_template_kwargs",
    "safe_prompt",
)
"""Fields of requests that could be taken for a mistyped key."""

FLAGS: dict[str, str] = {
    **{key.field: f"-R {name}" for name, key in READING.items()},
    **{key.field: f"-S {name}" for name, key in MEASURING.items()},
    **{key.field: f"-M {name}" for name, key in OPENING.items()},
    "text_column": "--text",
    "label_column": "--label",
    "id_column": "--id",
    "presets": "--preset",
    "severities": "--severity",
}
"""How `salva evaluate` spells the arguments of Python whose flag is not their name with hyphens."""


def describe_keys(keys: Mapping[str, Key]) -> str:
    """Return the keys with their help, one per line."""
    return "\n".join(f"{name}  {key.help}" for name, key in keys.items())


def parse_settings(flag: str, pairs: Iterable[str], keys: Mapping[str, Key]) -> dict[str, dict[str, Any]]:
    """Return settings by the group of `salva.Options` that they belong to."""
    groups: dict[str, dict[str, Any]] = {}
    for name, text in split_pairs(flag, pairs):
        if name not in keys:
            hint = did_you_mean(name, keys, otherwise=f"choose from {', '.join(keys)}")
            raise UsageError(f"{flag}: there is no setting {name!r}; {hint}")
        key = keys[name]
        groups.setdefault(key.group, {})[key.field] = _read(f"{flag} {name}", key, text)
    return groups


def parse_model(pairs: Iterable[str], role: str = "") -> dict[str, Any]:
    """Return the options of a model; what is not one of them is a field of a request.

    `role` is what stands before the keys of another model than the main one: `judge.`
    """
    known, request = {}, {}
    for name, text in split_pairs("-M", pairs):
        if name in OPENING:
            known[name] = _read(f"-M {role}{name}", OPENING[name], text)
            continue
        hint = did_you_mean(name, OPENING)
        if hint and name not in _FIELDS:
            raise UsageError(f"-M: there is no option {role + name!r} of a model; {hint}")
        request[name] = read_value(text)
    return {**known, **({"request": request} if request else {})}


def _read(name: str, key: Key, text: str) -> Any:
    """Return the value of a key as the type of its field."""
    if key.field in _READERS:
        return _READERS[key.field](name, text)
    wanted = get_type_hints(GROUPS[key.group])[key.field]
    is_text = str in (wanted, *get_args(wanted))
    value = read_value(text)
    return convert(text if is_text and not isinstance(value, str) else value, wanted, name=name)


def _read_list(name: str, text: str) -> tuple[str, ...]:
    value = read_value(text)
    values = value if isinstance(value, list) else str(value).split(",")
    return tuple(str(one).strip() for one in values)


def _read_opposites(name: str, text: str) -> dict[str, str]:
    """Return pairs that are given as a table, or as A/B,C/D."""
    value = read_value(text)
    if isinstance(value, dict):
        return {str(one): str(other) for one, other in value.items()}
    split = [one.partition("/") for one in str(value).split(",")]
    if not all(all(parts) for parts in split):
        raise UsageError(f"{name}={text!r:.60} must be A/B, such as positive/negative")
    return {one.strip(): other.strip() for one, _, other in split}


def _read_errors(name: str, text: str) -> float:
    """Return a number of questions, or a share of them."""
    number = text.removesuffix("%").strip()
    try:
        return float(number) / 100 if text.endswith("%") else int(number)
    except ValueError:
        raise UsageError(f"{name}={text!r:.60} must be a count (20) or a percentage (5%)") from None


_READERS: dict[str, Callable[[str, str], Any]] = {
    "slice_by": _read_list,
    "fit": _read_list,
    "opposites": _read_opposites,
    "metric": lambda _, text: None if text == "none" else load_function(text),
    "errors": _read_errors,
}


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
        groups.setdefault("data", {}).update(
            {name: value for name, value in columns.items() if value is not None}
        )
        conditions = groups.pop("conditions", {})
        if self.copies is not None:
            conditions["copies"] = self.copies
        asked = Conditions.of_axes(parse_axes(self.axes), **conditions)
        is_made = is_suite(source) or is_pairs(source)
        return {
            "presets": self.presets or (None if is_made or self.axes else DEFAULT_PRESETS),
            "severities": self.severities or SEVERITIES,
            "task": self._find_task(),
            "seed": self.seed,
            "sample": self.sample,
            "options": Options(conditions=asked).replace(**groups),
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
    return columns if columns is None or "," not in columns else tuple(map(str.strip, columns.split(",")))


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


def parse_label_map(pairs: Sequence[str]) -> dict[str, str]:
    """Return the data label for each label of the model."""
    for pair in pairs:
        if not all(pair.partition("=")):
            raise UsageError(f"--label-map {pair!r} must be MODEL=DATA, such as POSITIVE=1")
    return {label: target for label, _, target in (pair.partition("=") for pair in pairs)}
