"""Ask a sequence model about pairs: every distinct text once, in batches, kept as soon as it is answered.

A run lives in a folder: `run.json` (settings), `pairs.jsonl`, `run.db` (answers), `results.json` and
`report.html`. One that was stopped goes on with `resume`, and ends as if it had never been stopped.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from salva import __version__
from salva._files import digest
from salva._types import PathLike
from salva.errors import InputError, ModelError
from salva.models import Model, ModelOptions, Text, ask, open_generator, text_id
from salva.models.digests import combined
from salva.models.generation import FunctionGenerator
from salva.runs import AnswerStore, RunFolder, Stored
from salva.runs.folder import as_json, read_json
from salva.twins.comparators import Comparator, comparator
from salva.twins.natural import read_pair_lines, write_pair_lines
from salva.twins.page import report_page
from salva.twins.pairing import TwinPair
from salva.twins.reference_model import ABOUT, WEIGHTS, ReferenceModel, load_reference
from salva.twins.results import Rule, TwinScore
from salva.twins.scoring import score

__all__ = ["Asked", "KeptRun", "TwinRun", "ask_pairs", "open_sequence_model", "read_run", "run"]

Progress: TypeAlias = Callable[[int], None]
PAIRS, RESULTS, PAGE, ANSWERS = "pairs.jsonl", "results.json", "report.html", "run.db"
_ENOUGH = 20  # texts, before a share of failures means anything


@dataclass(frozen=True, slots=True)
class Asked:
    """The answers to pairs, None where the model failed, and why it did."""

    answers: list[str | None]
    twin_answers: list[str | None]
    errors: dict[str, int]
    asked: int  # texts that were asked now, not found


@dataclass(frozen=True, slots=True)
class TwinRun:
    """What became of a run."""

    score: TwinScore
    asked: Asked
    folder: Path


@dataclass(frozen=True, slots=True)
class KeptRun:
    """What the folder of a run holds."""

    pairs: list[TwinPair]
    asked: Asked
    model: str
    data: str
    accepted: Mapping[str, Sequence[str]]


def open_sequence_model(spec: object, options: ModelOptions | None = None) -> Model:
    """Open a model that writes texts: python:, hf:, command:, openai:, or reference:DIRECTORY."""
    options = options or ModelOptions()
    if isinstance(spec, str) and spec.startswith("reference:"):
        return _open_reference(spec.removeprefix("reference:"), options)
    return open_generator(spec, options)


def _open_reference(rest: str, options: ModelOptions) -> Model:
    model = load_reference(rest, device=options.device)
    known = combined("reference", *(digest(Path(rest) / name) for name in (WEIGHTS, ABOUT)), options.model_id)
    sized = replace(options, batch_size=options.batch_size or 4096)
    return FunctionGenerator(_on_texts(model), name=f"reference:{rest}", digest=known, options=sized)


def _on_texts(model: ReferenceModel) -> Callable[[list[Text]], list[str]]:
    return lambda texts: model.write([text if isinstance(text, str) else " ".join(text) for text in texts])


def run(
    pairs: Sequence[TwinPair],
    model: object,
    folder: PathLike,
    *,
    model_options: ModelOptions | None = None,
    resume: bool = False,
    max_errors: float = 0.1,
    rule: Rule = "nonempty",
    compare: str | Comparator = "exact",
    accepted: Mapping[str, Sequence[str]] | None = None,
    data: str = "",
    progress: Progress | None = None,
    **scoring: Any,
) -> TwinRun:
    """Ask a model about pairs, score what it answers, and keep all of it in a folder.

    `model` is a spec or a function from a list of texts to a list of texts. More than `max_errors` failures,
    a share of the texts asked, stop the run; a text that failed is asked again on `resume`.
    """
    options = model_options or ModelOptions()
    chosen = comparator(compare, accepted)
    with RunFolder.open(folder, resume=resume) as home:
        opened = open_sequence_model(model, options)
        try:
            home.settle(_settings(pairs, opened, data, accepted or {}))
            if not (home.path / PAIRS).exists():
                write_pair_lines(home.path / PAIRS, pairs)
            asked = ask_pairs(
                pairs,
                opened,
                home.path / ANSWERS,
                timeout=options.timeout,
                max_errors=max_errors,
                progress=progress or (lambda _: None),
            )
        finally:
            opened.close()
        found = score(
            pairs,
            asked.answers,
            asked.twin_answers,
            rule=rule,
            compare=chosen,
            model=opened.name,
            data=data,
            errors=asked.errors,
            **scoring,
        )
        home.write(RESULTS, as_json(found.as_dict()))
        home.write(PAGE, report_page(found).encode())
    return TwinRun(found, asked, Path(folder))


def ask_pairs(
    pairs: Sequence[TwinPair],
    model: Model,
    store: Path,
    *,
    timeout: float | None = None,
    max_errors: float = 0.1,
    progress: Progress = lambda _: None,
) -> Asked:
    """Return the answers to the sources and twins of pairs, from the store or from the model."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.source, pair.twin)))
    ids = {text: text_id(text) for text in texts}
    with AnswerStore(store, model.digest) as kept:
        known = {name: one.label for name, one in kept.find(list(ids.values())).items()}
        missing = [text for text in texts if ids[text] not in known]
        errors: Counter[str] = Counter()
        for first in range(0, len(missing), model.batch_size):
            some = missing[first : first + model.batch_size]
            answers = ask(model, some, timeout=timeout)
            fresh = {
                ids[text]: Stored(label, None, cut)
                for text, label, cut in zip(some, answers.labels, answers.truncated, strict=True)
                if label is not None
            }
            kept.add(list(fresh.items()))
            known |= {name: one.label for name, one in fresh.items()}
            errors.update(error for error in answers.errors if error is not None)
            _check_errors(first + len(some), errors, max_errors)
            progress(first + len(some))
    answered = {text: known.get(name) for text, name in ids.items()}
    sources, twins = [answered[pair.source] for pair in pairs], [answered[pair.twin] for pair in pairs]
    return Asked(sources, twins, dict(errors), len(missing))


def read_run(folder: PathLike) -> KeptRun:
    """Return the pairs and answers of a run, whatever became of it."""
    home = Path(folder)
    settings = read_json(home / "run.json")
    if settings.get("kind") != "twins":
        raise InputError.at(home, None, "holds another kind of run; name one that salva twins run made")
    pairs = read_pair_lines(home / PAIRS)
    ids = {text: text_id(text) for pair in pairs for text in (pair.source, pair.twin)}
    with AnswerStore(home / ANSWERS, settings["model"]["digest"]) as kept:
        known = kept.find(list(ids.values()))
    answered = {text: known[name].label if name in known else None for text, name in ids.items()}
    sources, twins = [answered[pair.source] for pair in pairs], [answered[pair.twin] for pair in pairs]
    return KeptRun(
        pairs,
        Asked(sources, twins, {}, 0),
        settings["model"]["name"],
        settings["data"]["name"],
        settings["accepted"],
    )


def _settings(
    pairs: Sequence[TwinPair], model: Model, data: str, accepted: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    content = json.dumps(
        [[pair.source, pair.twin, pair.target, pair.twin_target, pair.kind] for pair in pairs]
    )
    return {
        "kind": "twins",
        "salva": __version__,
        "model": {"name": model.name, "digest": model.digest},
        "data": {"name": data, "pairs": len(pairs), "digest": hashlib.sha256(content.encode()).hexdigest()},
        "accepted": {kind: list(outputs) for kind, outputs in accepted.items()},
    }


def _check_errors(asked: int, errors: Mapping[str, int], most: float) -> None:
    failed = sum(errors.values())
    if asked >= _ENOUGH and failed > most * asked:
        problem = f"{failed:,} of {asked:,} texts failed, more than --max-errors allows"
        raise ModelError(f"{problem}; the first error: {next(iter(errors))}")
