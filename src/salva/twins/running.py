"""Ask a sequence model about pairs: every distinct text once, in batches, saving each answer at once.

A run is stored in a folder: `run.json` (settings), `pairs.jsonl`, `run.db` (answers), `results.json` and
`report.html`. A stopped run continues with `resume`, and its result is as if it had never been stopped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from salva import __version__
from salva._arguments import check_whole
from salva._files import digest
from salva._results import as_json
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError
from salva.models import Adapter, Model, ModelOptions, Text, open_generator, text_id
from salva.models.functions import FunctionGenerator
from salva.models.identity import combined
from salva.runs import AnswerStore, Asker, Budget, Purpose, Reruns, RunFolder, Sample
from salva.runs.folder import SETTINGS, read_run_file
from salva.runs.noise import ALONE_TEXTS, NOISE_TEXTS
from salva.twins.comparators import Comparator, Same, find_comparator
from salva.twins.notes import unmet_kinds
from salva.twins.page import report_page
from salva.twins.pair import TwinPair, read_pair_lines, write_pair_lines
from salva.twins.reference.model import ABOUT, WEIGHTS, ReferenceModel, load_reference
from salva.twins.results import Rule, TwinScore
from salva.twins.scoring import score

PAIRS, RESULTS, PAGE, ANSWERS = "pairs.jsonl", "results.json", "report.html", "run.db"


@dataclass(frozen=True, slots=True)
class TwinRun:
    """The result of a run."""

    score: TwinScore
    asked: Asked
    folder: Path


@dataclass(frozen=True, slots=True)
class KeptRun:
    """The content of a run's folder."""

    pairs: list[TwinPair]
    asked: Asked
    model: str
    data: str
    accepted: Mapping[str, Sequence[str]]
    unmet: Sequence[str]  # expected kinds that have no pair


def open_sequence_model(spec: object, options: ModelOptions | None = None) -> Model:
    """Open a model that writes texts: python:, hf:, command:, openai:, or reference:DIRECTORY."""
    return open_generator(spec, options, also={"reference": Adapter(text=_open_reference)})


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
    noise: int = NOISE_TEXTS,
    max_calls: int | None = None,
    max_errors: float = 0.1,
    rule: Rule = "any",
    compare: str | Comparator | Same = "exact",
    accepted: Mapping[str, Sequence[str]] | None = None,
    expected: Sequence[str] = (),
    data: str = "",
    progress: Progress | None = None,
    **scoring: Any,
) -> TwinRun:
    """Ask a model about pairs, score its answers, and keep everything in a folder.

    `model` is a spec or a function from a list of texts to a list of texts. `noise` sources are asked again:
    answers that change then vary by themselves. A note names the `expected` kinds that have no pair. A run
    stops before the model is asked about more than `max_calls` texts, and when more than `max_errors` of them
    fail, a count or a share; a text that failed is asked again on `resume`.
    """
    check_whole("noise", noise)
    options, budget = model_options or ModelOptions(), Budget(max_calls, max_errors)
    chosen = find_comparator(compare, accepted)
    # Refuse wrong settings before the model is asked.
    score([], [], [], rule=rule, compare=chosen, **scoring)
    unmet = unmet_kinds(pairs, expected)
    with RunFolder.open(folder, resume=resume) as home:
        with closing(open_sequence_model(model, options)) as opened:
            home.settle(_settings(pairs, opened, data, accepted=accepted or {}, noise=noise, unmet=unmet))
            write_pair_lines(home.path / PAIRS, pairs, overwrite=True)
            with AnswerStore(home.path / ANSWERS, opened.digest) as store:
                asker = Asker(opened, store, budget, timeout=options.timeout)
                errors = ask_pairs(pairs, asker, noise=noise, progress=progress or (lambda _: None))
                asked = replace(kept_answers(pairs, store, noise=noise), errors=errors)
        found = score(
            pairs,
            asked.answers,
            asked.twin_answers,
            reruns=asked.reruns,
            rule=rule,
            compare=chosen,
            model=opened.name,
            data=data,
            errors=asked.errors,
            cut=asked.cut,
            expected=unmet,
            **scoring,
        )
        home.write(PAGE, report_page(found).encode())
        home.write(RESULTS, as_json(found.as_dict()))  # last: a run that has it is complete
    return TwinRun(found, asked, Path(folder))


def read_run(folder: PathLike) -> KeptRun:
    """Return the pairs and answers of a run, finished or not; nothing in its folder is changed."""
    home = Path(folder)
    settings = read_run_file(home / SETTINGS)
    if settings.get("kind") != "twins":
        raise InputError.at(home, None, "holds a run of another command; name one made by salva twins run")
    try:
        model, data = settings["model"], settings["data"]
        name, known, about = str(model["name"]), str(model["digest"]), str(data["name"])
        count, content = int(data["pairs"]), str(data["digest"])
        noise = int(settings.get("noise", 0))  # runs of older versions did not ask again
        accepted = {kind: list(outputs) for kind, outputs in settings.get("accepted", {}).items()}
        unmet = [str(kind) for kind in settings.get("unmet", ())]
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        problem = f"is damaged: a setting is missing or invalid ({error!r:.80}); start a new run"
        raise InputError.at(home / SETTINGS, None, problem) from None
    pairs = read_pair_lines(home / PAIRS)
    if len(pairs) != count or _digest(pairs) != content:
        problem = f"differs from what the run was made with ({number_of(len(pairs), 'pair')}, {count:,} then)"
        raise InputError.at(home / PAIRS, None, f"{problem}; continue with --resume, which writes it again")
    with AnswerStore(home / ANSWERS, known, read_only=True) as store:
        return KeptRun(pairs, kept_answers(pairs, store, noise=noise), name, about, accepted, unmet)


def _digest(pairs: Sequence[TwinPair]) -> str:
    content = json.dumps(
        [[pair.source, pair.twin, pair.target, pair.twin_target, pair.kind] for pair in pairs]
    )
    return hashlib.sha256(content.encode()).hexdigest()


def _settings(
    pairs: Sequence[TwinPair],
    model: Model,
    data: str,
    *,
    accepted: Mapping[str, Sequence[str]],
    noise: int,
    unmet: Sequence[str],
) -> dict[str, Any]:
    settings = {
        "kind": "twins",
        "salva": __version__,
        "model": {"name": model.name, "digest": model.digest},
        "data": {"name": data, "pairs": len(pairs), "digest": _digest(pairs)},
        "accepted": {kind: list(outputs) for kind, outputs in accepted.items()},
        "noise": noise,
    }
    return settings | ({"unmet": list(unmet)} if unmet else {})  # runs of older versions do not have it


Progress: TypeAlias = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """The answers to pairs, None where the model failed; the answers of reruns; and why the model failed."""

    answers: list[str | None]
    twin_answers: list[str | None]
    reruns: Reruns
    errors: dict[str, int] = field(default_factory=dict)
    cut: int = 0  # distinct texts whose input or answer was cut off by a limit of the model


def ask_pairs(
    pairs: Sequence[TwinPair], asker: Asker, *, noise: int, progress: Progress = lambda _: None
) -> dict[str, int]:
    """Ask about the sources and twins of pairs, then about some sources again; return why texts failed."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.source, pair.twin)))
    size = asker.model.batch_size
    for first in range(0, len(texts), size):
        asker.answers(texts[first : first + size])
        progress(min(first + size, len(texts)))
    errors = asker.failures()
    asker.rerun(_some_sources(pairs, noise))
    asker.finish()
    return errors


def kept_answers(pairs: Sequence[TwinPair], store: AnswerStore, *, noise: int) -> Asked:
    """Return the answers to pairs from a store."""
    sources: list[Text] = [one.source for one in pairs]
    twins: list[Text] = [one.twin for one in pairs]
    ids = list(dict.fromkeys(map(text_id, (*sources, *twins))))
    cut = sum(one.truncated for one in store.find(ids).values())
    answers, twin_answers = (_found(store, texts) for texts in (sources, twins))
    again = _some_sources(pairs, noise)
    reruns = Reruns(
        again,
        _found(store, again),
        _found(store, again, Purpose.AGAIN),
        _found(store, again[:ALONE_TEXTS], Purpose.ALONE),
    )
    return Asked(answers, twin_answers, reruns, cut=cut)


def _found(store: AnswerStore, texts: Sequence[Text], purpose: Purpose = Purpose.FIRST) -> list[str | None]:
    ids = [text_id(text) for text in texts]
    found = store.find(list(dict.fromkeys(ids)), purpose)
    return [found[name].label if name in found else None for name in ids]


def _some_sources(pairs: Sequence[TwinPair], size: int) -> list[Text]:
    sample = Sample(size)
    for pair in pairs:
        sample.offer(pair.source)
    return sample.texts()
