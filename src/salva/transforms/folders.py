"""Folders in, folders out: every data file of a folder is a part, and an engine works on the parts.

Words are counted, and counts added up, part by part, so that the engine does not change what comes out.
"""

from __future__ import annotations

import dataclasses
import functools
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from salva._arguments import argument, check_choice, check_severity, check_whole, flags_shown
from salva._progress import ProgressOption, Tracker, tracking
from salva._show import number_of
from salva._types import PathLike
from salva._version import __version__
from salva.errors import InputError, UsageError
from salva.rows.columns import ReadOptions, select_columns
from salva.rows.places import Place, is_folder_of_parts, open_place
from salva.rows.read import find_output_format, parse_name
from salva.rows.write import MANIFEST_SUFFIX, WriteOptions
from salva.text.columns import thread_count
from salva.transforms.engines import ENGINES, Map
from salva.transforms.output_folder import FolderManifest, OutputFolder
from salva.transforms.parts import Part, error_of, work_on
from salva.transforms.presets import as_transform
from salva.transforms.transform import Transform, nothing_to_fit
from salva.transforms.vocabulary import FitOn, WordCounts, list_names

logger = logging.getLogger("salva")


def transform_folder(
    source: PathLike,
    target: PathLike,
    *,
    preset: PathLike | Transform,
    seed: int = 0,
    severity: float | None = None,
    replicate: int = 0,
    fit: FitOn | None = None,
    edits: PathLike | None = None,
    keep_original: bool = False,
    spans: str | None = None,
    protect_spans: bool = False,
    engine: str = "local",
    address: str | None = None,
    threads: int | None = None,
    resume: bool = False,
    text_column: str | None = None,
    options: ReadOptions | None = None,
    output: WriteOptions | None = None,
    progress: ProgressOption = False,
    **settings: Any,
) -> FolderManifest:
    """Transform every data file in `source`, a folder or a URI, and write one of the same name to `target`.

    `engine` is local, ray or spark; all give the same bytes. `address` names a cluster, which must reach both
    folders; on this machine, `threads` is how many parts to work on at a time. `edits` is a folder for one
    file of edits per part. `resume` keeps the parts that are finished. All other arguments are as for
    `transform_file`.
    """
    check_choice("engine", engine, ENGINES)
    options, output = select_columns(options, text_column, spans=spans), output or WriteOptions()
    transform = as_transform(preset, settings)
    draw: dict[str, Any] = {
        "seed": check_whole("seed", seed),
        "severity": transform.severity if severity is None else check_severity(severity),
        "replicate": check_whole("replicate", replicate),
    }
    if fit is not None and not transform.can_fit:
        raise nothing_to_fit([transform.name])
    if resume and output.overwrite:
        both = f"{argument('resume', True)} and {argument('overwrite', True)}"
        raise UsageError(f"{both} exclude each other; continue the run, or start over")
    workers = thread_count(threads)
    out, beside = open_place(target), None if edits is None else open_place(edits)
    parts = _plan(open_place(source), out, beside, options.format, output.format)
    reading = dataclasses.asdict(options)
    how = {"keep_original": keep_original, "format": output.format, "reading": reading}
    how["protect_spans"] = protect_spans
    with tracking(progress) as tracker, ENGINES[engine](address, workers) as over:
        if fit is not None:
            counts = _count_words(_parts_to_fit(fit, parts, options), reading, over, tracker)
            transform = transform.with_vocabulary(counts.common(transform.dictionary_size))
        about = transform.as_dict()
        made_with = {"salva": __version__, **how, "edits": edits is not None, "transform": about | draw}
        folder = OutputFolder(out, beside, made_with)
        common = {"settings": folder.digest, "transform": about, "draw": draw, **how}
        common |= {"output": out.uri, "edits": None if beside is None else beside.uri}
        with folder.open([part["output"] for part in parts], resume=resume, overwrite=output.overwrite):
            done = _over_parts(
                over,
                "transform",
                common,
                parts,
                tracker=tracker,
                use=functools.partial(msgspec.convert, type=Part),
            )
            return folder.finish(done)


def _plan(
    home: Place, out: Place, edits: Place | None, read: str | None, written: str | None
) -> list[dict[str, Any]]:
    """Return every part with the names of its input, output and edits."""
    places = [place.uri for place in (home, out, edits) if place is not None]
    if len(set(places)) < len(places):
        raise UsageError(f"{home.name}: input, output and edits need folders of their own")
    parts: dict[str, dict[str, Any]] = {}
    for part in _list_parts(home, read):
        name = _output_name(part["input"], written)
        if name in parts:
            problem = f"{parts[name]['input']!r} and {part['input']!r} would both become {name!r}"
            raise InputError.at(home.name, None, f"{problem}; rename one")
        beside = None if edits is None else f"{name}.parquet"
        shown = {"output_name": f"{out.name}/{name}", "edits_name": edits and f"{edits.name}/{beside}"}
        parts[name] = part | {"output": name, "edits": beside} | shown
    return list(parts.values())


def _list_parts(home: Place, read: str | None) -> list[dict[str, Any]]:
    """Return the data files of a folder; warn about files of unknown format."""
    found = [name for name in home.files() if not name.endswith(MANIFEST_SUFFIX)]
    data = [name for name in found if read is not None or parse_name(name).format is not None]
    if not data:
        raise InputError.at(home.name, None, "is a folder without data files; pass a folder of csv, jsonl …")
    others = [name for name in found if name not in set(data)]
    if others:
        logger.warning("%s: not a data format, left out: %s", home.name, ", ".join(others[:5]))
    return [{"folder": home.uri, "input": name, "name": f"{home.name}/{name}"} for name in data]


def _output_name(name: str, written: str | None) -> str:
    """Return the name of an output: that of the input, with another extension if it gets another format.

    >>> _output_name("2024/a.csv.gz", "jsonl"), _output_name("a.csv", None)
    ('2024/a.jsonl', 'a.csv')
    """
    if written is None:
        find_output_format(name)
        return name
    path = PurePosixPath(name)
    path = path.with_suffix("") if parse_name(name).codec else path
    stem = path.with_suffix("") if parse_name(path).format else path
    return f"{stem}.{written}"


def _parts_to_fit(fit: FitOn, own: list[dict[str, Any]], options: ReadOptions) -> list[dict[str, Any]]:
    """Return the parts whose words are counted: of the input, other folders, and single files."""
    parts: list[dict[str, Any]] = []
    for name in list_names(fit):
        if os.fspath(name) == "self":
            parts += own
        elif is_folder_of_parts(name):
            parts += _list_parts(open_place(name), options.format)
        else:
            path = Path(name)
            parts.append({"folder": str(path.parent.absolute()), "input": path.name, "name": os.fspath(name)})
    return parts


def _count_words(
    parts: list[dict[str, Any]], reading: Mapping[str, Any], over: Map, tracker: Tracker
) -> WordCounts:
    """Count words on the engine, and add the counts up as they come in."""
    counts = WordCounts()
    _over_parts(over, "count", {"reading": reading}, parts, tracker=tracker, use=counts.counts.update)
    return counts


def _over_parts(
    over: Map,
    task: str,
    common: Mapping[str, Any],
    parts: Sequence[Mapping[str, Any]],
    *,
    tracker: Tracker,
    use: Callable[[Any], Any],
) -> list[Any]:
    """Return what `use` makes of each result, in the order of the parts; raise the first part's error.

    The other parts are finished first, so that what is wrong is the same on every engine.
    """
    tracker.begin({"transform": "transforming", "count": "counting words"}[task], "parts", len(parts))
    results: list[Any] = [None] * len(parts)
    failed: dict[int, Any] = {}
    for number, outcome in over(work_on, {**common, "task": task, "flags": flags_shown()}, parts):
        if "error" in outcome:
            failed[number] = outcome
        else:
            results[number] = use(outcome["done"])
        tracker.advance(1)
    if failed:
        more = f"; {number_of(len(failed) - 1, 'other part')} failed too" if len(failed) > 1 else ""
        raise error_of(failed[min(failed)], more)
    return results
