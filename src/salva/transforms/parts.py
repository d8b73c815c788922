"""One part of a folder: what a worker does with it, and the record by which a finished part is recognised.

A worker gets and returns plain data. It writes into a scratch folder, publishes the output, then the edits,
and the record last. So it does no harm if a part is worked on twice, at the same time or after a crash: both
times the bytes are the same, and a part without its record is simply done again.
"""

from __future__ import annotations

import contextlib
import functools
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import msgspec

from salva._arguments import on_command_line
from salva._files import digest
from salva._progress import Progress
from salva._results import as_json
from salva.errors import InputError, ModelError, SalvaError, StorageError, UsageError
from salva.rows.columns import Columns, ReadOptions
from salva.rows.places import Place, open_place
from salva.rows.source import BadRow
from salva.rows.write import Manifest, WriteOptions
from salva.transforms.files import transform_file
from salva.transforms.presets import restore
from salva.transforms.transform import Transform
from salva.transforms.vocabulary import count_words

SUCCESS, RECORDS = "_SUCCESS", "_salva/parts"
Stopped = Callable[[], bool]
_ERRORS = {kind.exit_code: kind for kind in (UsageError, InputError, ModelError, StorageError)}


class StoppedError(Exception):
    """The run was stopped while a part was being transformed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What became of one file of a folder."""

    input: str
    input_format: str
    input_digest: str
    columns: Columns
    output: str
    output_digest: str
    edits: str | None = None
    edits_digest: str | None = None
    rows_in: int
    rows_out: int
    rows_repaired: int
    rows_rejected: int
    bad_rows: tuple[BadRow, ...]
    summary: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What is written when a part is finished: the digest of the settings, and what became of the part."""

    settings: str
    part: Part


class _Targets(NamedTuple):
    out: Place
    edits: Place | None


def work_on(common: Mapping[str, Any], part: Mapping[str, Any], stopped: Stopped | None = None) -> Any:
    """Do a task of `TASKS` for one part; return what it returns, or an error of the user's as plain data.

    An error is returned, not raised: engines would try again, and report it in their own words.
    """
    try:
        with on_command_line(common["flags"]):
            return {"done": TASKS[common["task"]](common, part, stopped)}
    except SalvaError as error:
        return {"error": error.exit_code, "message": str(error)}


def error_of(outcome: Mapping[str, Any], more: str = "") -> SalvaError:
    """Return the error that `work_on` returned as plain data, with more to say at its end."""
    return _ERRORS[outcome["error"]](outcome["message"] + more)


def _transform(common: Mapping[str, Any], part: Mapping[str, Any], stopped: Stopped | None) -> Any:
    """Transform a part, unless that is done already; return what became of it."""
    edits = None if common["edits"] is None else open_place(common["edits"])
    targets = _Targets(open_place(common["output"]), edits)
    with _fetched(part) as source:
        done = _find_finished(common, part, source, targets)
        if done is None:
            targets.out.remove(SUCCESS)
            done = _publish(common, part, source, targets, stopped)
    return asdict(done)


def _publish(
    common: Mapping[str, Any],
    part: Mapping[str, Any],
    source: Path,
    targets: _Targets,
    stopped: Stopped | None,
) -> Part:
    """Transform a part, and publish the output, the edits and the record, in this order."""
    out, edits = targets
    with out.scratch() as folder, edits.scratch() if edits else contextlib.nullcontext() as beside:
        target = folder / PurePosixPath(part["output"]).name
        changes = None if beside is None else beside / "edits.parquet"
        with _renamed({source: part["name"], target: part["output_name"], changes: part["edits_name"]}):
            manifest = _transform_file(common, source, target, changes, stopped)
        done = _describe(part, manifest, None if changes is None else digest(changes))
        out.publish(target, part["output"])
        if edits is not None and changes is not None:
            edits.publish(changes, part["edits"])
        out.write(_record_name(part), as_json(asdict(Record(settings=common["settings"], part=done))))
    return done


def _transform_file(
    common: Mapping[str, Any], source: Path, target: Path, edits: Path | None, stopped: Stopped | None
) -> Manifest:
    def look(progress: Progress) -> None:
        if stopped is not None and stopped():
            raise StoppedError

    return transform_file(
        source,
        target,
        preset=_load(json.dumps(common["transform"])),
        **common["draw"],
        edits=edits,
        keep_original=common["keep_original"],
        protect_spans=common["protect_spans"],
        threads=common["threads"],
        options=ReadOptions(**common["reading"]),
        output=WriteOptions(format=common["format"]),
        progress=look,
    )


_loading = threading.Lock()


def _load(about: str) -> Transform:
    """Return the transform with its words loaded, once per worker however many parts and threads ask."""
    with _loading:
        return _loaded(about)


@functools.lru_cache(maxsize=1)
def _loaded(about: str) -> Transform:
    transform = restore(json.loads(about))
    transform.planner  # noqa: B018  (loads the lexicon)
    return transform


def _describe(part: Mapping[str, Any], manifest: Manifest, edits_digest: str | None) -> Part:
    names = ("input_format", "input_digest", "columns", "output_digest", "bad_rows")
    rows = ("rows_in", "rows_out", "rows_repaired", "rows_rejected")
    about = {name: getattr(manifest, name) for name in (*names, *rows)}
    summary = (manifest.transform or {})["summary"]
    placed = {"input": part["input"], "output": part["output"], "edits": part["edits"]}
    return Part(**placed, **about, edits_digest=edits_digest, summary=summary)


def read_record(place: Place, name: str) -> Record | None:
    """Return the record of a part; None if there is none, or a damaged one."""
    try:
        return msgspec.json.decode(place.read(name) or b"null", type=Record)
    except ValueError:  # of msgspec, or of bytes that are no text
        return None


def _find_finished(
    common: Mapping[str, Any], part: Mapping[str, Any], source: Path, targets: _Targets
) -> Part | None:
    """Return what became of a part earlier, if its input, settings and outputs are still the same."""
    out, edits = targets
    record = read_record(out, _record_name(part))
    if record is None or record.settings != common["settings"]:
        return None
    done = record.part
    if (done.input, done.input_digest, done.edits) != (part["input"], digest(source), part["edits"]):
        return None
    whole = _is_whole(out, done.output, done.output_digest)
    if whole and edits is not None:
        whole = _is_whole(edits, done.edits or "", done.edits_digest or "")
    return done if whole else None


def _is_whole(place: Place, name: str, wanted: str) -> bool:
    try:
        with place.fetch(name) as path:
            return digest(path) == wanted
    except FileNotFoundError:
        return False


def _record_name(part: Mapping[str, Any]) -> str:
    return f"{RECORDS}/{part['output']}.json"


def _count(common: Mapping[str, Any], part: Mapping[str, Any], stopped: Stopped | None) -> dict[str, int]:
    """Count the words of a part."""
    with _fetched(part) as source, _renamed({source: part["name"]}):
        options = ReadOptions(**common["reading"])
        return dict(count_words(source, None, options, common["threads"]).counts)


@contextlib.contextmanager
def _fetched(part: Mapping[str, Any]) -> Iterator[Path]:
    try:
        with open_place(part["folder"]).fetch(part["input"]) as path:
            yield path
    except FileNotFoundError:
        raise InputError.at(part["name"], None, "no such file") from None


@contextlib.contextmanager
def _renamed(names: Mapping[Path | None, str]) -> Iterator[None]:
    """Let messages name files as the user does, not where a worker has them."""
    try:
        yield
    except SalvaError as error:
        message = str(error)
        for path, name in names.items():
            message = message if path is None else message.replace(str(path), name)
        raise _ERRORS[error.exit_code](message) from None


TASKS = {"transform": _transform, "count": _count}
