"""Make the table of questions: choose a maker, write part after part, go on where a run stopped."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec
import pyarrow as pa

from salva._arguments import argument, check_whole
from salva._files import digest, scratch_folder
from salva._progress import ProgressOption, tracking
from salva._results import as_json
from salva._types import Ints64, PathLike
from salva._version import __version__
from salva.errors import InputError, UsageError
from salva.questions.items import ItemReader, as_source, sample_items, warn_of_absent_labels
from salva.questions.options import SEVERITIES, Options, check_severities
from salva.questions.pairs import PairMaker, is_pairs
from salva.questions.prompts import PromptMaker, TaskWay, count_orders, list_ways, need_task
from salva.questions.rewriting import (
    Presets,
    Rewriting,
    describe_presets,
    list_rewritings,
    name_transforms,
)
from salva.questions.suite import Suite, check_place, is_suite, open_suite, write_suite
from salva.questions.table import (
    MADE,
    TABLE,
    About,
    Condition,
    DataInfo,
    PresetInfo,
    Questions,
    Tally,
    finished,
    open_questions,
    read_about,
    read_tally,
    write_about,
    write_part,
)
from salva.questions.texts import TextMaker, Way
from salva.tasks import Task, both_ways, read_task
from salva.transforms import Summary, fit_files

_FIRST_ITEMS, _MOST_ITEMS = 2048, 32_768  # of a part: the first is soon there, later ones are twice as large


class Group(NamedTuple):
    """Some questions: those about so many items, and a digest of all items so far."""

    items: int
    block: pa.Table
    content: str


class Plan(Protocol):
    """What will be asked: `about` it before anything is read, and the questions, group by group."""

    about: About
    summaries: dict[str, Summary]

    def groups(self, skip: int, known: dict[int, str]) -> Iterator[Group]:
        """Yield the questions about all items but the first; `known` are digests of items up to a number."""
        ...

    def info(self) -> DataInfo:
        """Return what is known about the data, once all groups were made."""
        ...


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
    if is_suite(data) or is_pairs(data):
        given = {"presets": presets, "task": task, "sample": sample if is_suite(data) else None}
        named = {name for name, value in given.items() if value is not None}
        _refuse_settings(data, named | ({"seed"} if is_suite(data) and seed else set()), severities, chosen)
        if is_suite(data):
            return SuitePlan(open_suite(data))
        return PairPlan(Path(data), chosen.data.limit, sample, seed)
    source = as_source(data)
    own = read_task(task) if isinstance(task, str | os.PathLike) else task
    transforms = {} if presets is None and chosen.conditions.has_axes else name_transforms(presets)
    if chosen.conditions.fit is not None:
        fitted = fit_files(
            transforms.values(),
            chosen.conditions.fit,
            source=source,
            options=chosen.data.reading,
            threads=chosen.limits.threads,
        )
        transforms = dict(zip(transforms, fitted, strict=True))
    levels = check_severities(severities)
    if not transforms and not chosen.conditions.has_axes:
        raise UsageError(f"there is no preset; give one, or leave out {argument('presets', flag='--preset')}")
    if chosen.conditions.cross and not (transforms and chosen.conditions.has_axes):
        both = f"{argument('presets', flag='--preset')} and an axis"
        raise UsageError(f"{argument('cross', True)} needs {both}, which it combines")
    rewritings = list(list_rewritings(transforms, levels, chosen.conditions.copies, seed))
    return RowPlan(source, own, rewritings, describe_presets(transforms), levels, seed, sample, chosen)


def _refuse_settings(data: Any, given: set[str], severities: Any, options: Options) -> None:
    """Refuse settings that change questions which are there already."""
    usual, limit = Options(), options.data.limit
    own = dict.fromkeys(sorted(given), True) | {
        "severities": severities != SEVERITIES,
        "conditions": options.conditions != usual.conditions,
        "data": replace(options.data, limit=None) != usual.data or (is_suite(data) and limit is not None),
    }
    wrong = next((name for name, is_given in own.items() if is_given), None)
    if wrong is not None:
        what = (
            "is a suite, which is evaluated as it is"
            if is_suite(data)
            else "holds pairs, which are asked as they are"
        )
        flag = {"presets": "--preset", "conditions": "--axis", "data": "--text"}.get(wrong)
        raise UsageError(f"{data} {what}; leave out {argument(wrong, flag=flag)} and the like")


@dataclass
class RowPlan:
    """Questions about the rows of a data set."""

    source: PathLike | pa.Table
    task: Task | None
    rewritings: Sequence[Rewriting]
    presets: dict[str, PresetInfo]
    severities: tuple[float, ...]
    seed: int
    sample: int | None
    options: Options

    def __post_init__(self) -> None:
        self._scratch: Any = None
        self._chosen: Ints64 | None = None
        self._labels: Iterable[str | None] = ()
        if self.source == "-" and (self.sample is not None or self.options.conditions.order == "all"):
            self._keep_input()
        if self.sample is not None:
            self._chosen, self._labels = sample_items(
                self.source, self.options.data, self.task, self.sample, self.seed
            )
        self._reader = self._read(())
        self._maker = self._make_maker()
        opposites = both_ways(self.options.conditions.opposites)
        if opposites and self.task is not None:
            name = argument("opposites")
            raise UsageError(f"{name} is for labels of data; a task has [contrast] opposites")
        data = self.options.data
        grading: dict[str, Any] = {"kind": "label"}
        if self.task is not None:
            grading = {"kind": "task", "task": self.task.as_dict()}
        reading = {name: getattr(data, name) for name in ("text", "label", "id", "group", "rewrite", "limit")}
        axes = self.options.conditions
        made_with = {
            "seed": self.seed,
            "severities": self.severities,
            "copies": axes.copies,
            "opposites": opposites,
            "share_answers": axes.share_answers,
            "axes": {name: getattr(axes, name) for name in ("prompts", "order", "repeat", "variants")},
            "cross": axes.cross,
            "sample": self.sample,
            "slice_by": data.slice_by,
            **reading,
        }
        self.about = About(
            conditions=self._maker.conditions,
            grading=grading,
            presets=self.presets,
            made_with=msgspec.json.decode(msgspec.json.encode(made_with)),
            salva=__version__,
        )
        self.summaries = self._maker.summaries

    def _read(self, more: Sequence[str]) -> ItemReader:
        columns = [*self.options.conditions.variants, *more]
        return ItemReader(self.source, self.options.data, self.task, columns, self._chosen)

    def _keep_input(self) -> None:
        """Copy standard input to a file: it is read twice."""
        self._scratch = scratch_folder()
        place = self._scratch.__enter__() / "input"
        with place.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        self.source = place

    def _make_maker(self) -> TextMaker | PromptMaker:
        wanted, limits = self.options.conditions, self.options.limits
        common: dict[str, Any] = {
            "cross": wanted.cross,
            "share_answers": wanted.share_answers,
            "threads": limits.threads,
        }
        if self.task is None:
            for axis in ("prompts", "order"):
                if getattr(wanted, axis):
                    raise need_task(axis)
            times = (Way(axis="repeat", value=str(k), time=k) for k in range(1, int(wanted.repeat) + 1))
            columns = (Way(axis="variants", value=name, column=name) for name in wanted.variants)
            opposites = both_ways(wanted.opposites)
            return TextMaker(
                self.options.data, self.rewritings, [*times, *columns], opposites=opposites, **common
            )
        orders = int(wanted.order) if wanted.order != "all" else count_orders(self._reader)
        ways = list(list_ways(self.task, wanted, self.seed, orders))
        needed = [name for way in ways for name in _columns_of(way)]
        self._reader = self._read(needed)
        return PromptMaker(self.task, self.options.data, self.rewritings, ways, **common)

    def groups(self, skip: int, known: dict[int, str]) -> Iterator[Group]:
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
                yield Group(len(items), self._maker.make(items, columns.text), content)
        if seen < skip:
            raise _other_data(self._reader.name)

    @property
    def rewritten_part(self) -> int:
        """Which part of the questions is rewritten."""
        return self._maker.rewritten_part

    def info(self) -> DataInfo:
        """Return what is known about the data."""
        info = self._reader.info()
        if self._chosen is not None:
            info = replace(info, labels={**dict.fromkeys(self._known_labels(), 0), **info.labels})
        if self.options.data.limit is not None or self.sample is not None:
            warn_of_absent_labels(info, self.options.data.limit)
        self._check_opposites(info)
        if self._scratch is not None:
            self._scratch.__exit__(None, None, None)
        return info

    def _known_labels(self) -> list[str]:
        has_classes = self.task is None or self.task.answer.has_classes
        return sorted(label for label in self._labels if label is not None) if has_classes else []

    def _check_opposites(self, info: DataInfo) -> None:
        """Refuse opposite labels that the data does not have."""
        for label in both_ways(self.options.conditions.opposites):
            if label not in info.labels:
                name = argument("opposites")
                listed = ", ".join(map(repr, list(info.labels)[:12])) or "none"
                raise UsageError(f"{name}: the data has no label {label!r}; its labels are {listed}")


def _other_data(name: str) -> InputError:
    problem = "the data is not that of the earlier run"
    return InputError.at(name, None, f"{problem}; give the same data, or start over")


def _columns_of(way: TaskWay) -> list[str]:
    return [*way.task.kept_columns, *([way.column] if way.column else [])]


@dataclass
class PairPlan:
    """Questions about pairs, which are asked as they are."""

    path: Path
    limit: int | None
    sample: int | None
    seed: int

    def __post_init__(self) -> None:
        self._maker = PairMaker(self.path, self.limit, self.sample, self.seed)
        made_with = {
            "seed": self.seed,
            "sample": self.sample,
            "limit": self.limit,
            "slice_by": list(self._maker.facts),
        }
        self.about = About(
            conditions=self._maker.conditions,
            grading={"kind": "words", "compare": "exact"},
            made_with=made_with,
            salva=__version__,
        )
        self.summaries: dict[str, Summary] = {}

    def groups(self, skip: int, known: dict[int, str]) -> Iterator[Group]:
        """Yield the questions; refuse to go on if earlier parts are about other pairs."""
        content = self._maker.info().digest
        if set(known.values()) - {content}:
            raise _other_data(str(self.path))
        for items, block in self._maker.make(skip):
            yield Group(items, block, content)

    def info(self) -> DataInfo:
        """Return what is known about the pairs."""
        return self._maker.info()


@dataclass
class SuitePlan:
    """Questions of a suite, which are there already."""

    suite: Suite

    def __post_init__(self) -> None:
        self.about = replace(
            self.suite.about,
            data=None,
            made_with={
                **self.suite.about.made_with,
                "suite": f"{self.suite.name}.{self.suite.digest}",
            },
        )
        self.summaries: dict[str, Summary] = {}

    def groups(self, skip: int, known: dict[int, str]) -> Iterator[Group]:
        """Yield nothing: the table is copied."""
        yield from ()

    def info(self) -> DataInfo:
        """Return what is known about the data."""
        assert self.suite.about.data is not None  # noqa: S101
        return self.suite.about.data


def write_parts(plan: Plan, folder: Path) -> Iterator[str]:
    """Write the table of a plan to a folder, and yield the name of each part once it is there.

    Parts of an earlier run are kept; `check_earlier` says whether they are those of this plan. If only the
    right answers are read in another way, all parts are made again: the model gets the same questions.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known = read_about(folder / TABLE) if (folder / TABLE).is_file() else None
    if known is not None and known.as_dict()["grading"] != plan.about.as_dict()["grading"]:
        (folder / TABLE).unlink()
        known = None
    if known is not None and known.data is not None:
        made = _made_parts(folder)
        _check_whole(Questions(folder, known, made))
        yield from made
        return
    if known is None:
        for name in _made_parts(folder):  # nobody knows what they were made with
            (folder / f"{name}.parquet").unlink()
        write_about(folder, plan.about)
    if isinstance(plan, SuitePlan):
        plan.suite.copy_to(folder)
        write_about(folder, finished(plan.about, plan.info(), plan.suite.about.summaries))
        yield from _made_parts(folder)
        return
    made, items, contents = _made_parts(folder), 0, {}
    total: dict[str, Summary] = {name: Summary() for name in plan.summaries}
    for name in made:
        tally = read_tally(folder / f"{name}.parquet")
        items += tally.items
        contents[items] = tally.content
        for condition, counts in tally.summaries.items():
            total[condition] += Summary.from_dict(counts)
        yield name
    groups = plan.groups(items, contents)
    number, size = len(made), min(_FIRST_ITEMS << len(made), _MOST_ITEMS)
    first = next(groups, None)
    while first is not None:
        part = _Part(plan, first, groups, size)
        name = f"{MADE}-{number:04d}"
        write_part(folder / f"{name}.parquet", part, part.tally)
        for condition, summary in part.summaries.items():
            total[condition] += summary
        first = part.next
        number, size = number + 1, min(2 * size, _MOST_ITEMS)
        if first is None:  # first, so that nobody asks the last part of a table that is not complete
            _finish(plan, folder, total)
        yield name
    if not number:
        raise InputError("there is nothing to ask")
    if known is not None and known.data is None and number == len(made):
        _finish(plan, folder, total)


def _finish(plan: Plan, folder: Path, summaries: dict[str, Summary]) -> None:
    about = replace(plan.about, rewritten_part=getattr(plan, "rewritten_part", 0))
    counts = {name: summary.as_dict() for name, summary in summaries.items()}
    write_about(folder, finished(about, plan.info(), counts))


class _Part:
    """The questions of one part: groups until it has so many items."""

    def __init__(self, plan: Plan, first: Group, groups: Iterator[Group], size: int) -> None:
        self._plan, self._groups, self._size = plan, groups, size
        self._first: Group = first
        self.next: Group | None = None
        self.items, self.content = 0, ""
        self.summaries = dict(plan.summaries)  # the first group is made already
        for name in plan.summaries:
            plan.summaries[name] = Summary()

    def __iter__(self) -> Iterator[pa.Table]:
        group: Group | None = self._first
        while group is not None:
            self.items += group.items
            self.content = group.content
            yield group.block
            if self.items >= self._size:
                break
            group = next(self._groups, None)
            self._take_summaries()
        self.next = None if group is None else next(self._groups, None)

    def _take_summaries(self) -> None:
        for name, summary in self._plan.summaries.items():
            self.summaries[name] += summary
            self._plan.summaries[name] = Summary()

    def tally(self) -> Tally:
        """Return what is kept about the part."""
        counts = {name: summary.as_dict() for name, summary in self.summaries.items()}
        return Tally(self.items, self.content, counts)


def _made_parts(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob(f"{MADE}-*.parquet"))


def _check_whole(questions: Questions) -> None:
    """Refuse a table that lacks a part."""
    following = 0
    for first, last in questions.items:
        if first > following:
            break
        following = last + 1
    if questions.about.data is None or following != questions.about.data.rows:
        problem = f"has no question about row {following}"
        raise InputError.at(questions.folder, None, f"{problem}; make the questions again")


def check_earlier(plan: Plan, folder: Path) -> About | None:
    """Return what is known about an earlier table; refuse one of other questions, saying what differs."""
    if not (folder / TABLE).is_file():
        return None
    known = read_about(folder / TABLE)
    old, new = (_questions_of(about) for about in (known, plan.about))
    if old != new:
        name = next(name for name in dict.fromkeys([*new, *old]) if old.get(name) != new.get(name))
        problem = (
            f"was made with different settings: {describe_difference(name, old.get(name), new.get(name))}"
        )
        afresh = f"{argument('overwrite', True)} to start over, or give another folder"
        raise UsageError(f"{folder.parent}: {problem}; resume with the same settings, pass {afresh}")
    if known.data is not None and known.data.digest != (found := _digest_of(plan)) and found is not None:
        problem = f"was made with other data (digest {known.data.digest[:19]}…, now {found[:19]}…)"
        raise UsageError(f"{folder.parent}: {problem}; resume with the same data, or give another folder")
    return known


def _questions_of(about: About) -> dict[str, Any]:
    """Return everything on which questions depend, by name."""
    plain = about.as_dict()
    presets = {f"preset {name}": one["digest"] for name, one in plain["presets"].items()}
    task = (plain["grading"].get("task") or {}).get("question")
    return {**plain["made_with"], "task": task, **presets}


def describe_difference(name: str, old: Any, new: Any) -> str:
    """Return what differs between two settings, by the innermost name."""
    if isinstance(old, dict) and isinstance(new, dict):
        inner = next(key for key in dict.fromkeys([*old, *new]) if old.get(key) != new.get(key))
        return describe_difference(f"{name}.{inner}", old.get(inner), new.get(inner))
    shown = (as_json(value).decode().strip() for value in (old, new))
    first, second = (text if len(text) <= 60 else f"{text[:57]}..." for text in shown)
    return f"{name} was {first} and is {second}"


def _digest_of(plan: Plan) -> str | None:
    """Return the digest of the data of a plan; None if only reading all of it would show it."""
    if isinstance(plan, RowPlan):
        source = plan.source
        if isinstance(source, str | os.PathLike) and Path(source).is_file():
            return digest(source)
        if isinstance(source, pa.Table):
            for _ in plan._reader:
                pass
            return plan._reader.info().digest
        return None
    return plan.info().digest


def make_questions(
    data: Any,
    *,
    presets: Presets = None,
    severities: float | Iterable[float] = SEVERITIES,
    task: PathLike | Task | None = None,
    out: PathLike | None = None,
    seed: int = 0,
    sample: int | None = None,
    overwrite: bool = False,
    progress: ProgressOption = False,
    options: Options | None = None,
    name: str | None = None,
    licence: str | None = None,
) -> Questions:
    """Make the questions that `salva.evaluate` would ask, without asking them.

    The result counts them (`count`), and has them as an Arrow table (`to_arrow`). With `out`, they are kept
    in a folder as a suite, which can be shared and evaluated: its `name` and `licence` are notes for its
    readers. Without, they are in a temporary folder until Python ends.
    """
    overwrite = overwrite if out is None else check_place(out, overwrite=overwrite)
    plan = plan_questions(
        data, presets=presets, severities=severities, task=task, seed=seed, sample=sample, options=options
    )
    with tracking(progress) as tracker:
        tracker.begin("making questions")
        folder = _temporary_folder()
        for _ in write_parts(plan, folder):
            pass
    questions = open_questions(folder)
    if out is None:
        return questions
    known = questions.about.data
    named = name or (Path(known.name).stem if known else "suite")
    return write_suite(questions, out, name=named, licence=licence, overwrite=overwrite).questions


def _temporary_folder() -> Path:
    import atexit
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="salva-questions-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def conditions_of(about: About, must: str) -> list[Condition]:
    """Return the conditions under which answers must stay, or must change."""
    return [one for one in about.conditions if one.must == must and not one.is_clean]
