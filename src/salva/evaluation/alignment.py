"""Runs side by side: the same data and texts, distinct names, and the answers of all of them as codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from salva._show import number_of
from salva._types import Bools, Floats, Ints32, Ints64, PathLike
from salva.asking.run_folder import list_runs
from salva.errors import InputError, UsageError
from salva.evaluation.answer_table import WideAnswers, list_clean_parts, widen_answers
from salva.evaluation.comparison import CLEAN
from salva.evaluation.results import Results
from salva.evaluation.run import Run, load_run

_REMEDY = "evaluate all models on the same data, with the same seed and presets"


@dataclass(frozen=True, slots=True)
class AlignedRuns:
    """Runs and their codes over the rows that all of them have; -1 means no label or no answer.

    `places` are the numbers of these rows in each run. `answers` has one line per model and one column per
    row, for the clean texts and for every condition that all runs have; `asked` says which rows a condition
    asks about, and `scores` are those of each model. Rows of one of the `clusters` are not independent.
    """

    runs: tuple[Run, ...]
    names: tuple[str, ...]
    ids: list[str]
    places: list[Ints64]
    rows_apart: int
    vocabulary: list[str]
    clusters: Ints64
    labels: Ints32
    answers: dict[str, Ints32]
    asked: dict[str, Bools]
    scores: list[dict[str, Floats]]

    @property
    def conditions(self) -> list[str]:
        """The conditions that all runs have, under which answers must stay."""
        return [name for name in self.answers if name != CLEAN]


def align_runs(runs: Sequence[PathLike | Run], names: Sequence[str] | None = None) -> AlignedRuns:
    """Return runs side by side; refuse runs over other data, or with other seeds or settings of presets."""
    loaded: list[Run] = []
    for one in runs:
        loaded += [one] if isinstance(one, Run) else map(load_run, list_runs(Path(one)))
    if len(loaded) < 2:
        raise UsageError(f"{number_of(len(loaded), 'run')} given; compare takes two or more")
    where = [str(run.folder or f"run {k}") for k, run in enumerate(loaded, 1)]
    named = name_models(loaded, names)
    _refuse_differences([run.results for run in loaded], where)
    own = [[condition.name for condition in run.results.conditions] for run in loaded]
    shared = [CLEAN, *_share(own, where, "condition")]
    wide = [widen_answers(run.list_answers()) for run in loaded]
    ids = _share([one.ids for one in wide], where, "row: no id is in all")
    numbered = [{name: row for row, name in enumerate(one.ids)} for one in wide]
    places = [np.array([rows[name] for name in ids], np.int64) for rows in numbered]
    _refuse_texts(loaded, wide, places, where)
    vocabulary = list(dict.fromkeys(name for one in wide for name in one.names))
    numbers = {name: k for k, name in enumerate(vocabulary)}
    coded = [np.array([*(numbers[name] for name in one.names), -1], np.int32) for one in wide]
    rows = list(zip(wide, places, coded, strict=True))
    labels = [codes[one.labels[some]] for one, some, codes in rows]
    _refuse_labels(labels, ids, where)
    # A run with a group column before others.
    grouped = max(range(len(loaded)), key=lambda k: loaded[k].results.settings.get("group") is not None)
    return AlignedRuns(
        runs=tuple(loaded),
        names=named,
        ids=ids,
        places=places,
        rows_apart=len(set().union(*(one.ids for one in wide))) - len(ids),
        vocabulary=vocabulary,
        clusters=wide[grouped].clusters[places[grouped]],
        labels=labels[0],
        answers={
            name: np.stack([codes[_as_if_asked_clean(one, name)[some]] for one, some, codes in rows])
            for name in shared
        },
        asked={name: wide[0].asked[name][places[0]] for name in shared},
        scores=[{name: one.scores[name][some] for name in shared} for one, some, _ in rows],
    )


def _as_if_asked_clean(wide: WideAnswers, condition: str) -> Ints32:
    """Return the answers under a condition; one that has its own right answers changes places with them.

    So an answer is right if it is the clean label, under every condition.
    """
    answers, own, clean = wide.answers[condition], wide.own_labels.get(condition), wide.labels
    if own is None:
        return answers
    moved = np.where(answers == own, clean, np.where(answers == clean, own, answers))
    unknown = (answers < 0) | ((own < 0) & (clean >= 0))
    return np.where(unknown, -1, moved).astype(np.int32)


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


def _share(own: Sequence[Sequence[str]], where: Sequence[str], problem: str) -> list[str]:
    """Return the names that all runs have, in the order of the first."""
    others = [set(names) for names in own[1:]]
    shared = [name for name in own[0] if all(name in names for names in others)]
    if not shared:
        raise InputError(f"{', '.join(where)} share no {problem}; {_REMEDY}")
    return shared


def _refuse_differences(results: Sequence[Results], where: Sequence[str]) -> None:
    """Refuse to compare answers to different texts, naming the runs that differ from most of the others."""
    presets = dict.fromkeys(name for one in results for name in one.settings["presets"])
    axes = [one.settings.get("axes") or {} for one in results]
    prompts = dict.fromkeys(name for one in axes for name in one.get("prompts") or {})
    aspects = {
        "seed": [one.settings["seed"] for one in results],
        "task": [one.settings.get("task") for one in results],
        "group column": [one.settings.get("group") for one in results],
        "orders of options": [one.get("order") == "all" if one.get("order") else None for one in axes],
        **{f"prompt {name}": [(one.get("prompts") or {}).get(name) for one in axes] for name in prompts},
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


def _refuse_texts(
    runs: Sequence[Run], wide: Sequence[WideAnswers], places: Sequence[Ints64], where: Sequence[str]
) -> None:
    """Refuse runs whose texts differ from those of the first; texts are read only if the data may differ."""
    digests = [
        (run.results.data.digest, run.results.data.text_columns, run.results.settings["rewritten_part"])
        for run in runs
    ]
    odd = [k for k, digest in enumerate(digests) if digest != digests[0]]
    first = _read_texts(runs[0], len(wide[0].ids), places[0]) if odd else None
    for k in odd:
        texts = _read_texts(runs[k], len(wide[k].ids), places[k])
        if not texts or texts != first:
            raise InputError(f"{where[k]} differs from {where[0]} in data; {_REMEDY}")


def _read_texts(run: Run, size: int, places: Ints64) -> list[Any] | None:
    """Return the clean questions about some rows, the rewritten part first; None if there is no folder."""
    if run.folder is None:
        return None
    parts = list_clean_parts(run.questions, size)
    first = run.results.settings["rewritten_part"]
    chosen = (parts[row] or [None] for row in places.tolist())
    return [(own[first], *own[:first], *own[first + 1 :]) for own in chosen]


def _refuse_labels(labels: Sequence[Ints32], ids: Sequence[str], where: Sequence[str]) -> None:
    for other, place in zip(labels[1:], where[1:], strict=True):
        unequal = np.flatnonzero(other != labels[0])
        if len(unequal):
            name = ids[int(unequal[0])]
            raise InputError(f"{where[0]} and {place} have different labels for id {name!r}; {_REMEDY}")
