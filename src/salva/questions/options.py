"""What few runs need: how the data is read, what is asked, how the model is opened, what is measured, limits.

`salva.evaluate` and `salva.make_questions` take these as `Options`.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from salva._arguments import argument, check_severity, check_whole, did_you_mean, is_short_number
from salva._types import PathLike
from salva.errors import UsageError
from salva.models.protocol import ModelOptions
from salva.rows import OnBadRow, ReadOptions, select_columns
from salva.rows.source import MAX_LINE_BYTES
from salva.tasks import read_prompts
from salva.transforms.vocabulary import FitOn

SEVERITIES = (0.25, 0.5, 1.0)
NOISE_TEXTS, ALONE_TEXTS = 100, 16
MOST_VALUES = 100  # orders or repeats
AXES = ("prompts", "order", "repeat", "variants")
_READING = ("format", "delimiter", "encoding", "on_bad_row", "max_line_bytes")  # fields of `ReadOptions`, too


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """How the data is read; columns with usual names are found.

    `text` may name two columns, for pairs of texts; `rewrite` is the one of them that is rewritten, by
    default the first. Items with the same value in the column `group` are not independent; by default, those
    with the same text are not. Results are also given for each value of the columns in `slice_by`. `limit`
    takes the first rows. The other fields are those of `salva.rows.ReadOptions`.
    """

    text: str | tuple[str, ...] | None = None
    label: str | None = None
    id: str | None = None
    group: str | None = None
    slice_by: tuple[str, ...] = ()
    rewrite: str | None = None
    limit: int | None = None
    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    on_bad_row: OnBadRow = "fail"
    max_line_bytes: int = MAX_LINE_BYTES

    def __post_init__(self) -> None:
        columns = (self.slice_by,) if isinstance(self.slice_by, str) else self.slice_by
        object.__setattr__(self, "slice_by", tuple(dict.fromkeys(columns)))
        if isinstance(self.text, list):
            object.__setattr__(self, "text", tuple(self.text))
        if self.limit is not None:
            check_whole("limit", self.limit, 1)
        _ = self.reading

    @property
    def reading(self) -> ReadOptions:
        """How the file is read."""
        options = ReadOptions(**{name: getattr(self, name) for name in _READING})
        return select_columns(options, self.text, self.label, self.id)

    @classmethod
    def of(cls, reading: ReadOptions) -> Data:
        """Return how data is read that is described by the options of a file."""
        text = reading.text_column
        columns = tuple(name.strip() for name in text.split(",")) if text and "," in text else text
        own = {name: getattr(reading, name) for name in _READING}
        return cls(text=columns, label=reading.label_column, id=reading.id_column, **own)

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """The columns that are kept with the texts, labels and ids."""
        return tuple(dict.fromkeys(name for name in (self.group, *self.slice_by) if name is not None))


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What is asked besides the presets.

    `copies` are independent variants of every twin. `fit` names files whose words become the vocabulary of
    `corrupt` ("self" is the data). `opposites` are labels that a negation or an antonym turns into one
    another. `prompts`, `order`, `repeat` and `variants` are axes: other prompts (a TOML file, or texts by
    name), so many orders of the options (or "all"), so many repeats, columns with paraphrases of the user's.
    With `cross`, twins are asked in these ways too. Without `share_answers`, a twin that is equal to its
    original is asked about by itself.
    """

    copies: int = 1
    fit: FitOn | None = None
    opposites: Mapping[str, str] = field(default_factory=dict)
    prompts: PathLike | Mapping[str, Any] | None = None
    order: int | str = 0
    repeat: int | str = 0
    variants: str | Sequence[str] = ()
    cross: bool = False
    share_answers: bool = True

    def __post_init__(self) -> None:
        check_whole("copies", self.copies, 1)
        object.__setattr__(self, "prompts", _read_prompts(self.prompts))
        if self.order != "all":
            object.__setattr__(self, "order", _count("order", self.order, "a number, or all"))
        object.__setattr__(self, "repeat", _count("repeat", self.repeat, "a number"))
        columns = [self.variants] if isinstance(self.variants, str) else self.variants
        if not isinstance(columns, Sequence) or not all(isinstance(name, str) and name for name in columns):
            raise UsageError(f"axis 'variants' is {self.variants!r:.60}; name one column of the data or more")
        object.__setattr__(self, "variants", tuple(dict.fromkeys(columns)))

    @property
    def has_axes(self) -> bool:
        """Whether there is another way to ask than the usual one."""
        return bool(self.prompts or self.order or self.repeat or self.variants)

    @classmethod
    def of_axes(cls, axes: Mapping[str, Any], **more: Any) -> Conditions:
        """Return conditions with axes by their names; refuse names that there are not."""
        for name in axes:
            if name not in AXES:
                hint = did_you_mean(name, AXES, otherwise=f"choose from {', '.join(AXES)}")
                raise UsageError(f"there is no axis {name!r}; {hint}")
        return cls(**axes, **more)


def _read_prompts(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if isinstance(value, str | os.PathLike):
        return read_prompts(value)
    if not isinstance(value, Mapping):
        raise UsageError(f"axis 'prompts' is {value!r:.60}; name a TOML file with prompts")
    return {name: {"prompt": one} if isinstance(one, str) else dict(one) for name, one in value.items()}


def _count(axis: str, value: Any, expected: str) -> int:
    if isinstance(value, str):
        if not is_short_number(value):
            raise UsageError(f"axis {axis}={value!r:.60} must be {expected}")
        value = int(value)
    return check_whole(axis, value, 0, MOST_VALUES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What is measured, and how replies are read; nothing here changes what is asked about the data.

    `noise` clean questions are asked again, `alone` of them one at a time. For every condition, `flips` are
    kept for inspection; for each, the model is asked at most `blame_calls` times to find the edits to blame.
    `label_map` maps labels of the model to labels of the data; `metric` is a function of labels and answers.
    A task of the kind judge needs a `judge`: a model, opened with `judge_options`. A drop over `drop_limit`
    points is marked.
    """

    noise: int = NOISE_TEXTS
    alone: int = ALONE_TEXTS
    flips: int = 50
    blame_calls: int = 32
    resamples: int = 10_000
    drop_limit: float = 4.0
    label_map: Mapping[str, str] = field(default_factory=dict)
    metric: Callable[[Any, Any], float] | None = None
    judge: Any = None
    judge_options: ModelOptions | None = None

    def __post_init__(self) -> None:
        for name in ("noise", "alone", "flips", "blame_calls"):
            check_whole(name, getattr(self, name))
        check_whole("resamples", self.resamples, 100, 1_000_000)
        if isinstance(self.drop_limit, bool) or not math.isfinite(self.drop_limit):
            raise UsageError(f"drop_limit={self.drop_limit!r} must be a number of points")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When asking stops, and where it is done.

    A run stops before the model gets more than `calls` questions, and when more than `errors` of them fail: a
    number, or a share such as 0.1. `threads` make twins. With the `engine` "ray", as many `actors` ask the
    model, one per GPU or core by default, on the cluster at `address`. With `same_model`, a resumed run keeps
    its answers although the model changed since.
    """

    calls: int | None = None
    errors: float = 0.1
    threads: int | None = None
    engine: str = "local"
    actors: int | None = None
    address: str | None = None
    same_model: bool = False

    def __post_init__(self) -> None:
        if self.calls is not None:
            check_whole("calls", self.calls)
        share = isinstance(self.errors, float)
        if isinstance(self.errors, bool) or not 0 <= self.errors <= (1 if share else sys.maxsize):
            raise UsageError(
                f"errors={self.errors!r} must be a whole number of questions, "
                "or a share of them from 0.0 to 1.0"
            )
        if self.threads is not None:
            check_whole("threads", self.threads, 1)
        if self.actors is not None:
            check_whole("actors", self.actors, 1, 1 << 16)
        for name in ("actors", "address"):
            if self.engine == "local" and getattr(self, name) is not None:
                raise UsageError(f"{argument(name)} is for {argument('engine', 'ray')}; leave it out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Everything that few runs need, in five groups."""

    data: Data = field(default_factory=Data)
    model: ModelOptions = field(default_factory=ModelOptions)
    conditions: Conditions = field(default_factory=Conditions)
    measure: Measure = field(default_factory=Measure)
    limits: Limits = field(default_factory=Limits)

    def replace(self, **groups: Mapping[str, Any]) -> Options:
        """Return the options with some fields of some groups changed.

        >>> Options().replace(measure={"noise": 10}).measure.noise
        10
        """
        changed = {name: replace(getattr(self, name), **values) for name, values in groups.items()}
        return replace(self, **changed)


def check_severities(severities: float | Iterable[float]) -> tuple[float, ...]:
    """Return severities in ascending order, each once."""
    chosen = severities if isinstance(severities, Iterable) else (severities,)
    found = tuple(sorted({check_severity(value) for value in chosen}))
    if not found or found[0] == 0:
        raise UsageError("severity 0 changes nothing; give severities above 0, up to 1")
    return found
