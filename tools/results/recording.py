"""Keep the numbers of finished runs in docs/results/recorded, one small JSON file per run.

What is kept is what the pages show: numbers with their intervals, the signature of the run, the command and
the machine. No text of the data is kept.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import salva
from salva._arrow import is_text
from salva.audit.source import open_run
from salva.evaluation import Run, load_run
from salva.evaluation.results import ConditionResult
from salva.numbers import score_audited
from tools.results.steps import AUGMENTED, ROOT

RECORDED = ROOT / "docs/results/recorded"
LABELS = ROOT / "docs/validity/imdb-labels.jsonl"
MOST_WORDS = 12
LEAST_SEEN = 5  # in flips, for a word to be listed


def record_all(work: Path, place: Path = RECORDED) -> Iterator[Path]:
    """Record every finished run; yield the files."""
    for path in sorted(work.glob("runs/*/*/results.json")):
        subject, name = path.parts[-3:-1]
        kept = place / f"{subject}-{name}.json"
        if not kept.exists() or kept.stat().st_mtime < path.stat().st_mtime:
            yield _write(kept, record_run(path.parent, work, subject, name))
    encoder = work / "runs/encoder/all"
    for subject in AUGMENTED:
        other = work / f"runs/{subject}/all"
        if (encoder / "results.json").exists() and (other / "results.json").exists():
            yield _write(place / f"compare-{subject}.json", record_comparison(encoder, other))
    for path in sorted(work.glob("sequences/*/run/results.json")):
        name = path.parts[-3]
        yield _write(place / f"sequence-{name}.json", record_sequence(path, work, name))
    for path in sorted(work.glob("outliers/*.json")):
        yield _write(place / f"outliers-{path.stem}.json", record_outliers(path, work))
    for path in sorted(work.glob("package.json")):
        yield _write(place / "package.json", json.loads(path.read_text("utf-8")))


def _write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", "utf-8")
    return path


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8")) if path.is_file() else None


def rounded(estimate: Any) -> list[float | None] | None:
    """Return an estimate as value, low and high, with four decimals."""
    if estimate is None:
        return None
    held = estimate if isinstance(estimate, Mapping) else vars_of(estimate)
    values: list[float | None] = [held[key] for key in ("value", "low", "high")]
    return [None if value is None else round(value, 4) for value in values]


def vars_of(estimate: Any) -> dict[str, float | None]:
    """Return the numbers of an estimate."""
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def record_run(folder: Path, work: Path, subject: str, name: str) -> dict[str, Any]:
    """Return the numbers of a run of `salva evaluate`."""
    run = load_run(folder)
    results, timings = run.results, json.loads((folder / "timings.json").read_text("utf-8"))
    verdicts = read_verdicts() if name == "all" else {}
    model = work / "models" / subject
    return {
        "about": _read(work / f"commands/{subject}-{name}.json"),
        "training": _read(model / "training.json"),
        "signature": results.signature,
        "rows": results.data.rows,
        "clean": rounded(results.conditions[0].score.accuracy_before),
        "noise": None if results.noise is None else [results.noise.changed, results.noise.asked],
        "seconds": {key: round(value, 1) for key, value in timings["seconds"].items()},
        "texts": timings["texts_asked"],
        "truncated": results.truncated_clean,
        "conditions": [
            record_condition(one) | _audited(run, folder, one, verdicts) for one in results.conditions
        ],
        "reached": {one.preset: {str(k): v for k, v in one.curve.reached.items()} for one in results.presets},
        "blame": record_blame(run),
    }


def record_condition(one: ConditionResult) -> dict[str, Any]:
    """Return the numbers of a condition."""
    score = one.score
    return {
        "name": one.name,
        "preset": one.preset,
        "severity": one.severity,
        "family": one.family,
        "n": score.n,
        "after": rounded(score.accuracy_after),
        "drop": rounded(score.drop),
        "consistency": rounded(score.consistency),
        "p_holm": score.p_holm,
        "effective": score.effective,
        "surely_effective": score.surely_effective,
        "edits": one.edits,
        "edit_rate": None if one.edit_rate is None else round(one.edit_rate, 3),
        "validity": rounded(one.validity),
    }


def record_blame(run: Run) -> dict[str, Any] | None:
    """Return the words that are most often to blame, of those that were seen often enough."""
    blame = run.results.blame
    if blame is None:
        return None
    known = sorted((one for one in blame.words if one.seen >= LEAST_SEEN), key=lambda one: -one.blamed)
    words = [
        [one.word, list(one.became[:3]), one.seen, one.blamed, rounded(one.rate)]
        for one in known[:MOST_WORDS]
    ]
    kinds = {name: getattr(blame, name) for name in ("rows", "explained", "by_render", "alone", "together")}
    return kinds | {"words": words}


def read_verdicts() -> dict[str, dict[int, tuple[str, bool]]]:
    """Return, per preset and row of the test split, the label and whether readers kept it."""
    counted = tomllib.loads(LABELS.with_suffix(".toml").read_text("utf-8"))["counted"]
    found: dict[str, dict[int, tuple[str, bool]]] = {}
    for item in map(json.loads, LABELS.read_text("utf-8").splitlines()):
        if item["preset"] not in counted:  # it was changed after the reading
            continue
        found.setdefault(item["preset"], {})[item["row"]] = item["label"], item["read"] == item["label"]
    return found


def _audited(run: Run, folder: Path, one: ConditionResult, verdicts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the drop without twins that were read with another label, if the sheet is about this run."""
    read = verdicts.get(one.preset or "") if one.severity == 1 else None
    if not read or max(read) >= run.results.data.rows:
        return {}
    answers = _answers_of(run, one.name)
    if any(str(answers["label"][row]) != label for row, (label, _) in read.items()):
        return {}
    changed = np.zeros(run.results.data.rows, np.bool_)
    for _, twins in open_run(folder, preset=one.preset, severity=one.severity).blocks():
        changed[[twin.item for twin in twins]] = [twin.is_changed for twin in twins]
    numbers: dict[str | None, int] = {None: -1}
    labels, before, after = (
        np.array([numbers.setdefault(value, len(numbers) - 1) for value in answers[column]], np.int64)
        for column in ("label", "before", "after")
    )
    judged = np.full(len(changed), -1, np.int64)
    for row, (_, kept) in read.items():
        judged[row] = kept if changed[row] else -1
    found = score_audited(labels, before, after, changed, judged, readers=1)
    return {"audited": {"items": found.items, "invalid": rounded(found.invalid), "drop": rounded(found.drop)}}


def _answers_of(run: Run, condition: str) -> dict[str, list[Any]]:
    """Return the answers to all rows, before and after."""
    table = run.answers.filter(is_text(run.answers["condition"], condition))
    return {name: table[name].to_pylist() for name in ("label", "before", "after")}


def record_comparison(first: Path, second: Path) -> dict[str, Any]:
    """Return how much more the second model drops than the first, per condition."""
    compared = salva.compare(first, second, names=["plain", "twins"])
    clean = [rounded(model.accuracy) for model in compared.models]
    differences = {
        one.condition: [*(rounded(one.difference.value) or []), one.difference.p_holm]
        for one in compared.differences
    }
    runs = [load_run(path) for path in (first, second)]
    answers = [_answers_of(run, run.results.conditions[0].name) for run in runs]
    return {"clean": clean, "differences": differences, "changed_clean": _changed(answers)}


def _changed(answers: list[Any]) -> list[int]:
    """Return how many clean texts only the first, and only the second model gets right."""
    right = [[str(a) == str(b) for a, b in zip(one["label"], one["before"], strict=True)] for one in answers]
    pairs = list(zip(*right, strict=True))
    return [sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)]


def record_sequence(path: Path, work: Path, name: str) -> dict[str, Any]:
    """Return the score of a model on pairs, and how it was trained."""
    results, training = load_run(path.parent).results, _read(path.parents[1] / "training.json")
    kinds = next(one.slices for one in results.slices if one.column == "kind")
    scores: dict[str, Any] = {"all": results.conditions[0].score} | {one.name: one.scores[0] for one in kinds}
    return {
        "about": _read(work / f"commands/{name}.json"),
        "signature": results.signature,
        "training": training,
        "settings": {key: training[key] for key in ("size", "seed", "steps")},
        "scores": {
            name: {
                "n": one.n,
                "accuracy": rounded(one.accuracy_before),
                "twin_accuracy": rounded(one.accuracy_after),
                "both_right": rounded(getattr(one, "both_right", None)),
                "consistency": rounded(one.consistency),
            }
            for name, one in scores.items()
        },
    }


def record_outliers(path: Path, work: Path) -> dict[str, Any]:
    """Return the score of vectors on the sets of one language."""
    found = _read(path)
    name, _, language = path.stem.rpartition("-")
    return {
        "about": _read(work / f"commands/outliers-{name}-{language}.json"),
        "signature": found["signature"],
        "vectors": name,
        "language": language,
        "dimension": found["source"]["dimension"],
        "coverage": found["coverage"],
        "figures": {key: rounded(found["figures"][key]) for key in ("accuracy", "opp", "opp_1based")}
        | {key: found["figures"][key] for key in ("counted", "hits")},
        "subsets": {
            one["name"]: rounded(one["figures"]["accuracy"])
            for one in found["groups"]
            if one["by"] == "sub-set"
        },
        "pos": {
            one["name"]: rounded(one["figures"]["accuracy"])
            for one in found["groups"]
            if one["by"] in ("part of speech", "pos")
        },
    }
