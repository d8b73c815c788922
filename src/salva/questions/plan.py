"""What will be asked about rows, pairs or a suite: known before anything is read, and made group by group."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from salva._arguments import argument, check_whole
from salva._files import digest, scratch_folder
from salva._types import Ints64, PathLike
from salva._version import __version__
from salva.errors import InputError, UsageError
from salva.models.outputs import both_ways
from salva.questions.conditions import (
    Presets,
    Way,
    describe_presets,
    list_recipes,
    list_rewritings,
    list_ways,
    name_transforms,
)
from salva.questions.items import ItemReader, as_source, sample_items, warn_of_absent_labels
from salva.questions.options import AXES, SEVERITIES, Options, check_severities
from salva.questions.pairs import PairMaker
from salva.questions.prompts import PromptMaker
from salva.questions.suite import MANIFEST, Suite, open_suite
from salva.questions.table import SCHEMA, About, DataInfo
from salva.questions.texts import TextMaker
from salva.rows.columns import USUAL_NAMES
from salva.tasks import Task, read_task
from salva.transforms import Summary, Transform, fit_files
from salva.twins.pcfg.files import PAIR_FILES

_MOST_LINE = 1 << 20  # bytes of the first line of a file
_COLUMNS = ("text", "label", "id", "group", "rewrite", "limit")


class Group(NamedTuple):
    """Some questions: those about so many items, a digest of all items so far, and what presets did."""

    items: int
    block: pa.Table
    content: str
    summaries: Mapping[str, Summary] = {}


class Plan(ABC):
    """What will be asked."""

    about: About

    @abstractmethod
    def groups(self, skip: int, known: Mapping[int, str]) -> Iterator[Group]:
        """Yield the questions about all items but the first; `known` are digests of items up to a number."""

    @abstractmethod
    def info(self) -> DataInfo:
        """Return what is known about the data, once all groups were made."""

    def estimate(self) -> int | None:
        """Return how many items there are, as far as this can be told before all are read."""
        return self.info().rows

    def digest(self) -> str | None:
        """Return the digest of the data; None if only making everything would show it."""
        return self.info().digest


def plan_questions(
    data: Any,
    *,
    presets: Presets = None,
    severities: float | Iterable[float] = SEVERITIES,
    task: PathLike | Task | None = None,
    seed: int = 0,
    sample: int | None = None,
    options: Options | None = None,
) -> Plan:
    """Return what will be asked about data: rows, a suite, or pairs."""
    chosen = options or Options()
    check_whole("seed", seed)
    if is_suite(data):
        given = {"presets": presets, "task": task, "sample": sample, "seed": seed or None}
        _refuse_settings(f"{data} is a suite, which is evaluated as it is", given, severities, chosen)
        return SuitePlan(open_suite(data))
    if is_pairs(data):
        rest = replace(chosen, data=replace(chosen.data, limit=None))
        given = {"presets": presets, "task": task}
        _refuse_settings(f"{data} holds pairs, which are asked as they are", given, severities, rest)
        return PairPlan(Path(data), chosen.data.limit, sample, seed)
    source, wanted = as_source(data), chosen.conditions
    transforms = {} if presets is None and wanted.has_axes else name_transforms(presets)
    if wanted.fit is not None:
        reading, threads = chosen.data.reading, chosen.limits.threads
        fitted = fit_files(transforms.values(), wanted.fit, source=source, options=reading, threads=threads)
        transforms = dict(zip(transforms, fitted, strict=True))
    levels = check_severities(severities)
    if not transforms and not wanted.has_axes:
        raise UsageError(f"there is no preset; give one, or leave out {argument('presets', flag='--preset')}")
    if wanted.cross and not (transforms and wanted.has_axes):
        raise UsageError(
            f"{argument('cross', True)} needs {argument('presets', flag='--preset')} and an axis, "
            "which it combines"
        )
    if wanted.opposites and task is not None:
        raise UsageError(f"{argument('opposites')} is for labels of data; a task has [contrast] opposites")
    own = read_task(task) if isinstance(task, str | os.PathLike) else task
    return RowPlan(source, own, transforms, severities=levels, seed=seed, sample=sample, options=chosen)


def is_suite(source: Any) -> bool:
    """Return whether a source is the folder of a suite."""
    return isinstance(source, str | Path) and (Path(source) / MANIFEST).is_file()


def is_pairs(source: Any) -> bool:
    """Return whether a source is a folder of pairs, or a file of JSON lines that begins with a pair."""
    if not isinstance(source, str | os.PathLike):
        return False
    path = Path(source)
    if path.is_dir():
        return (path / PAIR_FILES[2]).is_file()
    return path.suffix == ".jsonl" and path.is_file() and _begins_with_pair(path)


def _begins_with_pair(path: Path) -> bool:
    """Return whether the first object of a file has both sides of a pair, and no column that holds texts."""
    try:
        with path.open("rb") as stream:
            lines = iter(lambda: stream.readline(_MOST_LINE), b"")
            held = json.loads(next((line for line in lines if line.strip()), b"null"))
    except (OSError, ValueError, RecursionError):
        return False
    has_both = isinstance(held, dict) and {"source", "twin"} <= held.keys()
    return has_both and held.keys().isdisjoint(USUAL_NAMES["text"])


def _refuse_settings(problem: str, given: Mapping[str, Any], severities: Any, options: Options) -> None:
    """Refuse settings that would change questions which are there already."""
    usual = Options()
    changed = {
        **given,
        "severities": True if severities != SEVERITIES else None,
        "conditions": True if options.conditions != usual.conditions else None,
        "data": True if options.data != usual.data else None,
    }
    wrong = next((name for name, value in changed.items() if value is not None), None)
    if wrong is not None:
        flag = {"presets": "--preset", "conditions": "--axis", "data": "--text"}.get(wrong)
        raise UsageError(f"{problem}; leave out {argument(wrong, flag=flag)} and the like")


class RowPlan(Plan):
    """Questions about the rows of a data set."""

    def __init__(
        self,
        source: PathLike | pa.Table,
        task: Task | None,
        transforms: Mapping[str, Transform],
        *,
        severities: tuple[float, ...],
        seed: int,
        sample: int | None,
        options: Options,
    ) -> None:
        data, wanted = options.data, options.conditions
        self._source, self._task, self._options = source, task, options
        self._opposites = both_ways(wanted.opposites)
        self._scratch = contextlib.ExitStack()
        if source == "-" and (sample is not None or wanted.order == "all"):
            self._keep_input()
        self._chosen: Ints64 | None = None
        self._labels: Iterable[str | None] = ()
        if sample is not None:
            self._chosen, self._labels = sample_items(self._source, data, task, sample, seed)
        ways = list(list_ways(task, wanted, seed, self._read(())))
        rewritings = list(list_rewritings(transforms, severities, wanted.copies, seed))
        recipes = list_recipes(task, rewritings, ways, cross=wanted.cross)
        shares, threads = wanted.share_answers, options.limits.threads
        self._maker: TextMaker | PromptMaker = (
            TextMaker(data, recipes, opposites=self._opposites, shares=shares, threads=threads)
            if task is None
            else PromptMaker(task, data, recipes, shares=shares, threads=threads)
        )
        self._reader = self._read(ways)
        self._reader.check()
        made_with = {
            "seed": seed,
            "severities": severities,
            "copies": wanted.copies,
            "opposites": self._opposites,
            "share_answers": wanted.share_answers,
            "axes": {name: getattr(wanted, name) for name in AXES},
            "cross": wanted.cross,
            "sample": sample,
            "slice_by": data.slice_by,
            **{name: getattr(data, name) for name in _COLUMNS},
        }
        self.about = About(
            conditions=self._maker.conditions,
            grading={"kind": "label"} if task is None else {"kind": "task", "task": task.as_dict()},
            presets=describe_presets(transforms),
            made_with=msgspec.json.decode(msgspec.json.encode(made_with)),
            salva=__version__,
        )

    def _keep_input(self) -> None:
        """Copy standard input to a file: it is read twice."""
        self._source = place = self._scratch.enter_context(scratch_folder()) / "input"
        with place.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)

    def _read(self, ways: Sequence[Way]) -> ItemReader:
        """Return what reads the items, with all columns that some ways to ask need."""
        columns = [name for way in ways if way.task is not None for name in way.task.kept_columns]
        columns += self._options.conditions.variants
        return ItemReader(self._source, self._options.data, self._task, columns, self._chosen)

    def groups(self, skip: int, known: Mapping[int, str]) -> Iterator[Group]:
        """Yield the questions; items that are in earlier parts are read, and compared with their digest."""
        seen = 0
        for items in self._reader:
            before, seen = seen, seen + len(items)
            content = self._reader.content.hexdigest()
            if known.get(seen, content) != content or before < skip < seen:
                raise _other_data(self._reader.name)
            if seen > skip:
                columns = self._reader.columns
                assert columns is not None  # noqa: S101
                summaries: dict[str, Summary] = {}
                yield Group(len(items), self._maker.make(items, columns.text, summaries), content, summaries)
        if seen < skip:
            raise _other_data(self._reader.name)
        self.about = replace(self.about, rewritten_part=self._maker.rewritten_part)

    def estimate(self) -> int | None:
        """Return how many rows there are, by the share of the bytes that were read if need be."""
        return self._reader.estimate()

    def info(self) -> DataInfo:
        """Return what is known about the data."""
        info = self._reader.info()
        if self._task is None or self._task.answer.has_classes:
            named = sorted(label for label in self._labels if label is not None)
            info = replace(info, labels={**dict.fromkeys(named, 0), **info.labels})
        if self._options.data.limit is not None or self._chosen is not None:
            warn_of_absent_labels(info, self._options.data.limit)
        absent = next((label for label in self._opposites if label not in info.labels), None)
        if absent is not None:
            listed = ", ".join(map(repr, list(info.labels)[:12])) or "none"
            raise UsageError(
                f"{argument('opposites')}: the data has no label {absent!r}; its labels are {listed}"
            )
        self._scratch.close()
        return info

    def digest(self) -> str | None:
        """Return the digest of the data; None for standard input."""
        if isinstance(self._source, pa.Table):
            for _ in self._reader:
                pass
            return self._reader.info().digest
        return digest(self._source) if Path(self._source).is_file() else None


class PairPlan(Plan):
    """Questions about pairs, which are asked as they are."""

    def __init__(self, path: Path, limit: int | None, sample: int | None, seed: int) -> None:
        self._path, self._maker = path, PairMaker(path, limit, sample, seed)
        self._info = self._maker.info()
        self.about = About(
            conditions=self._maker.conditions,
            grading={"kind": "words", "compare": "exact"},
            made_with={"seed": seed, "sample": sample, "limit": limit, "slice_by": list(self._maker.facts)},
            salva=__version__,
        )

    def groups(self, skip: int, known: Mapping[int, str]) -> Iterator[Group]:
        """Yield the questions; refuse to go on if earlier parts are about other pairs."""
        if set(known.values()) - {self._info.digest}:
            raise _other_data(str(self._path))
        for items, block in self._maker.make(skip):
            yield Group(items, block, self._info.digest)

    def info(self) -> DataInfo:
        """Return what is known about the pairs."""
        return self._info


class SuitePlan(Plan):
    """Questions of a suite, which are there already."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        made_with = {**suite.about.made_with, "suite": f"{suite.name}.{suite.digest}"}
        self.about = replace(suite.about, data=None, summaries={}, made_with=made_with)

    def groups(self, skip: int, known: Mapping[int, str]) -> Iterator[Group]:
        """Yield the questions as they are."""
        summaries = {name: Summary.from_dict(counts) for name, counts in self._suite.about.summaries.items()}
        for block in self._suite.questions.blocks(SCHEMA.names):
            some = block.filter(pc.greater_equal(block["item"], skip))
            if len(some):
                items = pc.count_distinct(some["item"]).as_py()
                yield Group(items, some, self._suite.digest, summaries if not skip else {})
                summaries = {}

    def info(self) -> DataInfo:
        """Return what is known about the data."""
        assert self._suite.about.data is not None  # noqa: S101
        return self._suite.about.data


def _other_data(name: str) -> InputError:
    problem = "the data is not that of the earlier run"
    return InputError.at(name, None, f"{problem}; give the same data, or start over")
