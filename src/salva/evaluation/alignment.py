"""Runs side by side: the same data and texts, distinct names, and the answers of all of them as codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from salva._types import Ints32, Ints64, PathLike
from salva.errors import InputError, UsageError
from salva.evaluation.answers import read_answer_table
from salva.evaluation.comparison import CLEAN
from salva.evaluation.facts import RowFacts
from salva.evaluation.results import Results
from salva.evaluation.run import Run, load_run
from salva.runs import RunRows, Texts

_REMEDY = "evaluate all models on the same data, with the same seed and presets"


@dataclass(frozen=True, slots=True)
class AlignedRuns:
    """Runs and their codes over the rows that all of them have; -1 means no label or no answer.

    `places` are the numbers of these rows in the first run. `answers` has one line per model and one column
    per row, for the clean texts and for every condition that all runs have. Rows of one of the `clusters` are
    not independent; None if all rows are.
    """

    runs: tuple[Run, ...]
    names: tuple[str, ...]
    ids: pa.ChunkedArray
    places: Ints64
    rows_apart: int
    vocabulary: list[str]
    clusters: Ints64 | None
    labels: Ints32
    answers: dict[str, Ints32]

    @property
    def conditions(self) -> list[str]:
        """The conditions that all runs have."""
        return [name for name in self.answers if name != CLEAN]


def align_runs(runs: Sequence[PathLike | Run], names: Sequence[str] | None = None) -> AlignedRuns:
    """Return runs side by side; refuse runs over other data, or with other seeds or settings of presets."""
    if len(runs) < 2:
        raise UsageError(f"{len(runs)} run given; compare takes two or more")
    loaded = tuple(run if isinstance(run, Run) else load_run(run) for run in runs)
    where = [str(run.folder or f"run {k}") for k, run in enumerate(loaded, 1)]
    named = name_models(loaded, names)
    _refuse_differences([run.results for run in loaded], where)
    shared = _share_conditions([run.results for run in loaded], where)
    columns = ["id", "label", CLEAN, *shared]
    tables = [_read(run, columns) for run in loaded]
    places = _common([table["id"] for table in tables], where)
    _refuse_texts(loaded, places, where)
    rows_apart = len(pc.unique(_chain(table["id"] for table in tables))) - len(places[0])
    tables = [table.take(rows) for table, rows in zip(tables, places, strict=True)]
    vocabulary = pc.unique(_chain(pc.unique(column) for table in tables for column in table.columns[1:]))
    vocabulary = vocabulary.drop_null()
    codes = {name: np.stack([_encode(table[name], vocabulary) for table in tables]) for name in columns[1:]}
    labels = codes.pop("label")
    _refuse_labels(labels, tables[0]["id"], where)
    return AlignedRuns(
        runs=loaded,
        names=named,
        ids=tables[0]["id"],
        places=places[0],
        rows_apart=rows_apart,
        vocabulary=vocabulary.to_pylist(),
        clusters=_find_clusters(loaded, places),
        labels=labels[0],
        answers=codes,
    )


def name_models(runs: Sequence[Run], names: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return distinct names: those given, or else of the models, with their folders if two are the same."""
    if names is not None:
        if len(names) != len(runs):
            raise UsageError(f"{len(names)} names for {len(runs)} runs; give one name per run")
        if not all(names) or len(set(names)) < len(names):
            raise UsageError(f"names {', '.join(map(repr, names))} must be distinct and not empty")
        return tuple(names)
    found = [run.results.model.name for run in runs]
    folders = [run.folder or Path(name) for run, name in zip(runs, found, strict=True)]
    for others in ([folder.name for folder in folders], list(map(str, folders))):
        counts = Counter(found)
        found = [new if counts[name] > 1 else name for name, new in zip(found, others, strict=True)]
    counts, seen = Counter(found), Counter[str]()
    for k, name in enumerate(found):
        seen[name] += 1
        found[k] = f"{name} ({seen[name]})" if counts[name] > 1 else name
    return tuple(found)


def _read(run: Run, names: Sequence[str]) -> pa.Table:
    """Return some columns of the answers of a run, from its folder or, without one, from memory."""
    if run.folder is None:
        assert run.answer_table is not None  # noqa: S101
        table = run.answer_table.select(list(names))
        return table.cast(pa.schema([(name, pa.large_string()) for name in names]))
    return read_answer_table(run.folder / "answers.parquet", names)


def _share_conditions(results: Sequence[Results], where: Sequence[str]) -> list[str]:
    names = [[condition.name for condition in one.conditions] for one in results]
    shared = [name for name in names[0] if all(name in others for others in names[1:])]
    if not shared:
        raise InputError(f"{', '.join(where)} share no condition; {_REMEDY}")
    return shared


def _refuse_differences(results: Sequence[Results], where: Sequence[str]) -> None:
    """Refuse to compare answers to different texts, naming the runs that differ from most of the others."""
    presets = dict.fromkeys(name for one in results for name in one.settings["presets"])
    axes = [one.settings.get("axes", {}) for one in results]
    prompts = dict.fromkeys(name for one in axes for name in one.get("prompts", {}))
    aspects = {
        "seed": [one.settings["seed"] for one in results],
        "task": [one.settings.get("task") for one in results],
        "group column": [one.settings.get("group_column") for one in results],
        "orders of options": [one.get("all_orders") if one.get("order") else None for one in axes],
        **{f"prompt {name}": [one.get("prompts", {}).get(name) for one in axes] for name in prompts},
        **{f"settings of {name}": [one.settings["presets"].get(name) for one in results] for name in presets},
    }
    problems = [problem for name, values in aspects.items() for problem in _odd_ones(name, values, where)]
    if problems:
        raise InputError(f"{'; '.join(problems)}; {_REMEDY}")


def _odd_ones(name: str, values: Sequence[Any], where: Sequence[str]) -> Iterator[str]:
    """Yield which runs differ; a value of None is not compared."""
    known = [repr(value) for value in values if value is not None]
    if not known:
        return
    usual = max(known, key=known.count)
    model = where[[repr(value) for value in values].index(usual)]
    for value, place in zip(values, where, strict=True):
        if value is not None and repr(value) != usual:
            shown = f" ({value}, not {usual})" if isinstance(value, int) else ""
            yield f"{place} differs from {model} in {name}{shown}"


def _common(ids: Sequence[pa.ChunkedArray], where: Sequence[str]) -> list[Ints64]:
    """Return where the rows that all runs have are in each of them."""
    found = [pc.index_in(ids[0], value_set=_chain([other])) for other in ids]
    kept = np.logical_and.reduce([pc.is_valid(places).to_numpy() for places in found])
    if not kept.any():
        raise InputError(f"{', '.join(where)} share no row: no id is in all; {_REMEDY}")
    return [pc.fill_null(places, -1).to_numpy()[kept].astype(np.int64) for places in found]


def _chain(arrays: Iterable[pa.Array | pa.ChunkedArray]) -> pa.Array:
    """Return arrays of strings as one."""
    parts = [array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array for array in arrays]
    return pa.concat_arrays(parts)


def _refuse_texts(runs: Sequence[Run], places: Sequence[Ints64], where: Sequence[str]) -> None:
    """Refuse runs whose texts differ from those of the first; texts are read only if the data may differ."""
    digests = [_digest_texts(run.results) for run in runs]
    odd = [k for k, digest in enumerate(digests) if digest != digests[0]]
    first = _read_texts(runs[0], places[0]) if odd else None
    for k in odd:
        texts = _read_texts(runs[k], places[k])
        if not texts or not first or not all(map(pa.Array.equals, texts, first)):
            raise InputError(f"{where[k]} differs from {where[0]} in data; {_REMEDY}")


def _digest_texts(results: Results) -> tuple[object, ...]:
    return results.data.digest, results.data.text_columns, results.settings["transformed_column"]


def _read_texts(run: Run, places: Ints64) -> list[pa.Array] | None:
    """Return the texts of some rows, first those that are rewritten; None if there is no folder."""
    if run.folder is None:
        return None
    groups = [group.texts for group in RunRows(run.folder / "data.parquet")]
    columns = [pa.concat_arrays([text.array for text in texts]) for texts in zip(*groups, strict=True)]
    rewritten = run.results.settings["transformed_column"]
    order = sorted(range(len(columns)), key=lambda column: column != rewritten)
    return [columns[column].take(pa.array(places)) for column in order]


def _find_clusters(runs: Sequence[Run], places: Sequence[Ints64]) -> Ints64 | None:
    """Return which rows belong together, as the runs have it: by a column if a run has one, or by text."""
    known = [(one.results.clusters, one, rows) for one, rows in zip(runs, places, strict=True)]
    repeated = [(c.column, one, rows) for c, one, rows in known if c is not None and c.repeated_rows]
    if not repeated:
        return None
    # A run with a group column before others, and one with a folder before those in memory.
    column, run, rows = max(repeated, key=lambda one: (one[0] is not None, one[1].folder is not None))
    if run.folder is None:
        raise UsageError("rows repeat, but a run without a folder does not keep which; pass out= to evaluate")
    facts = RowFacts(run.results.data.rows, column)
    for group in RunRows(run.folder / "data.parquet"):
        texts = [column.array.to_pylist() for column in group.texts]
        facts.add(group, Texts(texts[0] if len(texts) == 1 else list(zip(*texts, strict=True))).ids)
    return facts.clusters[rows]


def _encode(column: pa.ChunkedArray, vocabulary: pa.Array) -> Ints32:
    codes: Ints32 = pc.fill_null(pc.index_in(column, value_set=vocabulary), -1).to_numpy()
    return codes


def _refuse_labels(labels: Ints32, ids: pa.ChunkedArray, where: Sequence[str]) -> None:
    for other, place in zip(labels[1:], where[1:], strict=True):
        unequal = np.flatnonzero(other != labels[0])
        if len(unequal):
            name = ids[int(unequal[0])].as_py()
            raise InputError(f"{where[0]} and {place} have different labels for id {name!r}; {_REMEDY}")
