"""Ask a sequence model about pairs: every distinct text once, in batches, saving each answer at once.

A run is stored in a folder: `run.json` (settings), `pairs.jsonl`, `run.db` (answers), `results.json` and
`report.html`. A stopped run continues with `resume`, and its result is as if it had never been stopped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from salva._arguments import argument, check_whole
from salva._files import digest
from salva._progress import ProgressOption, tracking
from salva._results import as_json, brief
from salva._show import number_of
from salva._types import PathLike
from salva._version import __version__
from salva.errors import InputError
from salva.models import Adapter, Model, ModelOptions, Text, as_text, open_generator, text_id
from salva.models.functions import FunctionGenerator
from salva.models.protocol import combined
from salva.runs import AnswerStore, Asker, Budget, Purpose, Reruns, RunFolder, Sample
from salva.runs.folder import SETTINGS, read_run_file
from salva.runs.noise import ALONE_TEXTS, NOISE_TEXTS
from salva.twins.comparators import Comparator, Same, find_comparator
from salva.twins.notes import unmet_kinds
from salva.twins.page import report_page
from salva.twins.pair import TwinPair, read_pair_lines, write_pair_lines
from salva.twins.reference.model import ABOUT, WEIGHTS, load_reference
from salva.twins.results import Rule, TwinScore
from salva.twins.scoring import score

PAIRS, RESULTS, PAGE, ANSWERS = "pairs.jsonl", "results.json", "report.html", "run.db"


@dataclass(frozen=True, slots=True)
class RunAnswers:
    """The answers to pairs, None where the model failed, and those of sources that were asked again."""

    answers: list[str | None]
    twin_answers: list[str | None]
    reruns: Reruns
    cut: int  # distinct texts whose input or answer was cut off by a limit of the model


@brief
@dataclass(frozen=True, slots=True)
class SavedRun:
    """The content of a run's folder."""

    pairs: Sequence[TwinPair]
    answers: RunAnswers
    model: str
    data: str
    accepted: Mapping[str, Sequence[str]]
    unmet: Sequence[str]  # expected kinds that have no pair

    def score(
        self,
        *,
        rule: Rule = "any",
        compare: str | Comparator | Same = "exact",
        accepted: Mapping[str, Sequence[str]] | None = None,
        **options: Any,
    ) -> TwinScore:
        """Return the score of the answers; the options are those of `salva.twins.score`."""
        return score(
            self.pairs,
            self.answers.answers,
            self.answers.twin_answers,
            reruns=self.answers.reruns,
            rule=rule,
            compare=compare,
            accepted=accepted or self.accepted,
            model=self.model,
            data=self.data,
            cut=self.answers.cut,
            expected=self.unmet,
            **options,
        )


@brief
@dataclass(frozen=True, slots=True)
class TwinRun:
    """The result of a run."""

    score: TwinScore
    answers: RunAnswers
    folder: Path


def open_sequence_model(spec: object, options: ModelOptions | None = None) -> Model:
    """Open a model that writes texts: from a spec of `salva.models`, or one of `ADAPTERS`."""
    return open_generator(spec, options, also=ADAPTERS)


def _open_reference(folder: str, options: ModelOptions) -> Model:
    model = load_reference(folder, device=options.device)

    def write(texts: list[Text]) -> list[str]:
        return model.write([as_text(text, " ") for text in texts])

    files = (digest(Path(folder) / name) for name in (WEIGHTS, ABOUT))
    return FunctionGenerator(
        write,
        name=f"reference:{folder}",
        digest=combined("reference", *files, options.model_id),
        options=replace(options, batch_size=options.batch_size or 4096),
    )


# Models that only `salva twins` asks, next to those of `salva.models`.
ADAPTERS = {"reference": Adapter("reference:DIR", text=_open_reference)}


def run(
    pairs: Sequence[TwinPair],
    model: object,
    folder: PathLike,
    *,
    model_options: ModelOptions | None = None,
    resume: bool = False,
    overwrite: bool = False,
    same_model: bool = False,
    noise: int = NOISE_TEXTS,
    max_calls: int | None = None,
    max_errors: float = 0.1,
    rule: Rule = "any",
    compare: str | Comparator | Same = "exact",
    accepted: Mapping[str, Sequence[str]] | None = None,
    expected: Sequence[str] = (),
    data: str = "",
    progress: ProgressOption = False,
    **scoring: Any,
) -> TwinRun:
    """Ask a model about pairs, score its answers, and keep everything in a folder.

    `model` is a spec or a function from a list of texts to a list of texts. `noise` sources are asked again:
    answers that change then vary by themselves. A note names the `expected` kinds that have no pair. A run
    stops before the model is asked about more than `max_calls` texts, and when more than `max_errors` of them
    fail, a count or a share; a text that failed is asked again on `resume`. `overwrite` replaces an older
    run; `same_model` keeps its answers although the model changed. `progress` is as for `salva.evaluate`.
    """
    check_whole("noise", noise)
    options, budget = model_options or ModelOptions(), Budget(max_calls, max_errors)
    comparator = find_comparator(compare, accepted)
    # Refuse wrong settings before the model is asked.
    score([], [], [], rule=rule, compare=comparator, **scoring)
    unmet = unmet_kinds(pairs, expected)
    with (
        tracking(progress) as tracker,
        RunFolder.open(folder, resume=resume, overwrite=overwrite) as home,
    ):
        tracker.begin("opening the model")
        with closing(open_sequence_model(model, options)) as opened:
            settings = _settings(pairs, opened, data, accepted=accepted or {}, noise=noise, unmet=unmet)
            identity = home.settle(settings, same_model=same_model)
            write_pair_lines(home.path / PAIRS, pairs, overwrite=True)
            with AnswerStore(home.path / ANSWERS, identity["digest"]) as store:
                asker = Asker(opened, store, budget, timeout=options.timeout, tracker=tracker)
                errors = _ask_pairs(pairs, asker, noise=noise)
                answers = _find_answers(pairs, store, noise=noise)
        tracker.begin("scoring and writing the report")
        saved = SavedRun(pairs, answers, identity["name"], data, accepted or {}, unmet)
        result = saved.score(rule=rule, compare=comparator, errors=errors, **scoring)
        home.write(PAGE, report_page(result).encode())
        home.write(RESULTS, as_json(result.as_dict()))  # last: a run that has it is complete
    return TwinRun(result, answers, Path(folder))


def read_run(folder: PathLike) -> SavedRun:
    """Return the pairs and answers of a run, finished or not; nothing in its folder is changed."""
    home = Path(folder)
    settings = read_run_file(home / SETTINGS)
    if settings.get("kind") != "twins":
        raise InputError.at(home, None, "holds a run of another command; name one made by salva twins run")
    try:
        model, data = settings["model"], settings["data"]
        name, model_digest, data_name = str(model["name"]), str(model["digest"]), str(data["name"])
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
        remedy = f"continue with {argument('resume', True)}, which writes it again"
        raise InputError.at(home / PAIRS, None, f"{problem}; {remedy}")
    with AnswerStore(home / ANSWERS, model_digest, read_only=True) as store:
        return SavedRun(pairs, _find_answers(pairs, store, noise=noise), name, data_name, accepted, unmet)


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


def _ask_pairs(pairs: Sequence[TwinPair], asker: Asker, *, noise: int) -> dict[str, int]:
    """Ask about the sources and twins of pairs, then about some sources again; return why texts failed."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.source, pair.twin)))
    asker.tracker.begin("asking", "texts", len(texts))
    asker.answers(texts)
    errors = asker.failures()
    asker.rerun(_sample_sources(pairs, noise))
    asker.finish()
    return errors


def _find_answers(pairs: Sequence[TwinPair], store: AnswerStore, *, noise: int) -> RunAnswers:
    def find(texts: Sequence[Text], purpose: Purpose = Purpose.FIRST) -> list[str | None]:
        ids = [text_id(text) for text in texts]
        stored = store.find(list(dict.fromkeys(ids)), purpose)
        return [stored[name].label if name in stored else None for name in ids]

    sources, twins = [pair.source for pair in pairs], [pair.twin for pair in pairs]
    again = _sample_sources(pairs, noise)
    reruns = Reruns(again, find(again), find(again, Purpose.AGAIN), find(again[:ALONE_TEXTS], Purpose.ALONE))
    first = store.find(list(dict.fromkeys(map(text_id, (*sources, *twins)))))
    return RunAnswers(find(sources), find(twins), reruns, sum(answer.truncated for answer in first.values()))


def _sample_sources(pairs: Sequence[TwinPair], size: int) -> list[Text]:
    sample = Sample[None](size)
    for pair in pairs:
        sample.offer(pair.source)
    return sample.texts()
