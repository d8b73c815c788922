"""The pages about film reviews: presets that keep the meaning next to corruptions, on every model."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any

from salva.pages import Chart
from tools.results.steps import DOCUMENTS, MEANING, SEVERITIES
from tools.results.tables import NAMES, PLAIN, Recorded, bars, curves, shown, table, verdict

# What the specifications print: BERT on IMDB, and a simple Transformer by severity.
PUBLISHED_CLEAN, PUBLISHED = 92.252, {"synonyms": 86.576, "typos": 86.932}
PUBLISHED_SEVERITIES = dict(zip((0.0, *SEVERITIES), (0.87, 0.81, 0.78, 0.75, 0.71, 0.66, 0.64), strict=True))
TOLERANCE = 0.03
LIMIT = 4.0  # points; a drop over it is effective


def summary(recorded: Recorded) -> Iterator[str]:
    """Yield the headline in one paragraph."""
    drops = {
        name: recorded.condition("encoder", f"{name}@1") for name in (*PUBLISHED, "natural", "misspellings")
    }
    if any(one is None for one in drops.values()):
        return
    values = {name: one["drop"][0] for name, one in drops.items()}
    yield "## How much of the published drops is left when the meaning is really kept?"
    printed = " and ".join(f"{PUBLISHED_CLEAN - after:.1f} (`{name}`)" for name, after in PUBLISHED.items())
    ours = " and ".join(f"{shown(drops[name]['drop'])} (`{name}`)" for name in PUBLISHED)
    kept = " and ".join(f"{shown(drops[name]['drop'])} (`{name}`)" for name in ("natural", "misspellings"))
    share = 100 * values["natural"] / values["synonyms"]
    slips = 100 * values["misspellings"] / values["typos"]
    yield (
        f"Published for BERT: drops of {printed} points. Measured here on a smaller encoder, "
        f"{shown(recorded['encoder-all']['clean'])} % accurate on {recorded['encoder-all']['rows']:,} "
        f"reviews: {ours}. With edits that keep the meaning: {kept}. So {share:.0f} % of the drop of "
        f"`synonyms` is left if words are replaced only with words that mean the same, and {slips:.0f} % of "
        f"that of `typos` if errors are those that people make. {_density(drops)} [All presets and "
        "models](meaning.md)."
    )


def _density(drops: dict[str, Any]) -> str:
    """Return how many edits the presets make, and what ten of them cost."""
    told = []
    for name, one in drops.items():
        edits = one["edits"] / one["n"]
        told.append(f"`{name}` {edits:.1f} edits ({10 * one['drop'][0] / edits:.2f} points per ten)")
    return f"The presets do not edit equally often; per review, {', '.join(told)}."


def headline(recorded: Recorded) -> Iterator[str | Chart]:
    """Yield the table of all presets at severity 1, and the bars of the encoder."""
    subjects = recorded.subjects(among=PLAIN)
    if not subjects:
        return
    yield from summary(recorded)
    yield (
        f"Drops in points at severity 1, with 95 % intervals. *Over* says whether a drop is over {LIMIT:g} "
        "points, the rule by which the specification of `synonyms` and `typos` calls a transformation "
        "effective: *certainly* if its whole interval is. Validity is the share of edits that readers "
        "judged to keep the meaning."
    )
    columns = ["preset", "validity, %", *(part for name in subjects for part in (NAMES[name], "over"))]
    for family, presets in (("Presets that keep the meaning", MEANING), ("Corruptions", DOCUMENTS)):
        rows = []
        for preset in presets:
            found = [recorded.condition(name, f"{preset}@1") for name in subjects]
            if all(found):
                cells = [part for one in found for part in (shown(one["drop"]), verdict(one))]
                rows.append([f"`{preset}`", shown(found[0]["validity"], 0) or "not measured", *cells])
        yield f"## {family}"
        yield table(columns, rows)
    clean = "; ".join(f"{NAMES[name]} {shown(recorded[f'{name}-all']['clean'])}" for name in subjects)
    yield f"Accuracy on clean reviews, %: {clean}."
    if "encoder" in subjects:
        yield _encoder_bars(recorded)
    yield from _audited(recorded, subjects)


def _encoder_bars(recorded: Recorded) -> Chart:
    found = [(name, recorded.condition("encoder", f"{name}@1")) for name in (*MEANING, *DOCUMENTS)]
    rows = [(name, one["drop"], verdict(one) == "certainly") for name, one in found if one]
    return bars("encoder-drops", "Drop in points at severity 1, fine-tuned encoder", rows, LIMIT)


def _audited(recorded: Recorded, subjects: list[str]) -> Iterator[str]:
    """Yield the drops without twins whose label changed for a reader."""
    rows = []
    for preset in (*MEANING, *DOCUMENTS):
        found = [recorded.condition(name, f"{preset}@1") for name in subjects]
        if all(one and "audited" in one for one in found):
            audited = found[0]["audited"]
            cells = [part for one in found for part in (shown(one["drop"]), shown(one["audited"]["drop"]))]
            rows.append([f"`{preset}`", str(audited["items"]), shown(audited["invalid"], 0), *cells])
    if rows:
        yield "## Without twins that changed their label"
        yield (
            "Readers saw whole twins and said which label they have ([the sheets](../validity/README.md)). "
            "*Corrected* is the drop without twins that were read with another label, as `salva report "
            "--audit` [estimates it](../numbers.md#drops-without-invalid-twins); so few twins were read "
            "that its interval is wide."
        )
        columns = [part for name in subjects for part in (NAMES[name], "corrected")]
        yield table(["preset", "twins read", "other label, %", *columns], rows)


def documents(recorded: Recorded) -> Iterator[str | Chart]:
    """Yield the table of the specification of synonyms and typos: both renders, and the render alone."""
    subjects = [name for name in recorded.subjects("splice", PLAIN) if f"{name}-all" in recorded]
    if not subjects:
        return
    yield (
        "The specification puts texts back together with spaces between words. `splice` changes only the "
        "edited words; `render` alone changes no word. A drop that `render` has too is not due to words."
    )
    rows = []
    for preset in DOCUMENTS:
        for subject in subjects:
            ways = [
                recorded.condition(subject, f"{preset}@1"),
                recorded.condition(subject, f"{preset}@1", "splice"),
                recorded.condition(subject, f"{preset}/render"),
            ]
            if all(ways):
                published = PUBLISHED_CLEAN - PUBLISHED[preset] if preset in PUBLISHED else None
                cells = [shown(ways[0]["after"]), *(shown(one["drop"], 2) for one in ways), verdict(ways[0])]
                told = "" if published is None else f"{published:.2f}"
                rows.append([f"`{preset}`", NAMES[subject], *cells, told])
    columns = [
        "preset",
        "model",
        "accuracy after, %",
        "drop",
        "drop with `splice`",
        "drop of the render alone",
    ]
    yield table([*columns, "effective", "published for BERT"], rows)


def corruption(recorded: Recorded) -> Iterator[str | Chart]:
    """Yield the table of the specification of corrupt."""
    seeds = {
        name: run
        for name, run in recorded.runs.items()
        if name.startswith("simple-") and name.endswith("-severities")
    }
    if not seeds:
        return
    runs = list(seeds.values())
    yield (
        f"A simple Transformer, trained from scratch with {len(runs)} seeds: the mean accuracy on "
        f"{runs[0]['rows']:,} test reviews, and the range over seeds. `TextCorruptor` has the settings and "
        "rates of the package corrupted-text, `corrupt` those of its README. *Within* says whether "
        f"`TextCorruptor` is within {TOLERANCE:g} of the README's figure."
    )
    rows = []
    for severity, published in PUBLISHED_SEVERITIES.items():
        package, own = (_by_seed(runs, preset, severity) for preset in ("corrupt-2", "corrupt"))
        mean = statistics.fmean(package)
        close = "yes" if abs(mean - published) <= TOLERANCE else f"no, by {abs(mean - published):.3f}"
        rows.append([f"{severity:g}", f"{published:.2f}", _spread(package), close, _spread(own)])
    yield table(["severity", "published", "`TextCorruptor`", "within", "`corrupt`"], rows)
    yield from _explain(recorded, runs)
    yield from _package(recorded)
    others = [name for name in recorded.subjects("severities") if not name.startswith("simple-")]
    if others:
        yield "## Other models"
        columns = [
            "severity",
            *(f"{NAMES[name]}: `{what}`" for name in others for what in ("TextCorruptor", "corrupt")),
        ]
        yield table(
            columns,
            [[f"{severity:g}", *_others(recorded, others, severity)] for severity in PUBLISHED_SEVERITIES],
        )


def _explain(recorded: Recorded, runs: list[Any]) -> Iterator[str]:
    """Yield, for figures that are not close to the published ones, what the package itself costs."""
    clean = PUBLISHED_SEVERITIES[0]
    for severity, published in PUBLISHED_SEVERITIES.items():
        found = _by_seed(runs, "corrupt-2", severity)
        if "package" not in recorded or abs(statistics.fmean(found) - published) <= TOLERANCE:
            continue
        held = recorded["package"]["severities"]
        lost = {
            name: statistics.fmean(held["0"][name][1]) - statistics.fmean(held[f"{severity:g}"][name][1])
            for name in held["0"]
        }
        package, own = lost["corrupted-text 0.2.0"], lost["`TextCorruptor`"]
        if abs(package - own) >= abs(package - (clean - published)):
            continue
        told = ", ".join(f"{name} {value:.3f}" for name, value in sorted(lost.items()))
        yield (
            f"At severity {severity:g} the difference lies in the models, not in the corruption: the "
            f"README's model loses {clean - published:.2f} of its accuracy, and these lose, on the reviews "
            f"that the package itself corrupted (below): {told}. One seed differs from another by "
            f"{max(found) - min(found):.3f}."
        )


def _others(recorded: Recorded, subjects: list[str], severity: float) -> Iterator[str]:
    for name in subjects:
        for preset in ("corrupt-2", "corrupt"):
            yield f"{_by_seed([recorded[f'{name}-severities']], preset, severity)[0]:.3f}"


def _by_seed(runs: list[Any], preset: str, severity: float) -> list[float]:
    """Return the accuracy of every run at a severity, from 0 to 1."""
    if severity == 0:
        return [run["clean"][0] / 100 for run in runs]
    name = f"{preset}@{severity:g}"
    return [next(one["after"][0] for one in run["conditions"] if one["name"] == name) / 100 for run in runs]


def _spread(values: list[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:.3f}"
    return f"{statistics.fmean(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def _package(recorded: Recorded) -> Iterator[str]:
    """Yield the package itself next to both, on the same reviews."""
    if "package" not in recorded:
        return
    held = recorded["package"]
    yield "## The package itself"
    yield (
        f"The same models on {held['rows']:,} of these reviews, corrupted by the package itself and by "
        "Salva: the share of words that changed, and the mean accuracy. The package needs minutes per "
        "severity for so many reviews."
    )
    names = list(held["severities"]["0"])
    columns = ["severity", *(f"changed: {name}" for name in names), *(f"accuracy: {name}" for name in names)]
    rows = [
        [severity, *(f"{found[name][0]:.3f}" for name in names), *(_spread(found[name][1]) for name in names)]
        for severity, found in held["severities"].items()
    ]
    yield table(columns, rows)


def everything(recorded: Recorded) -> Iterator[str | Chart]:
    """Yield curves, all conditions, blame and time for every model."""
    for subject in recorded.subjects():
        run = recorded[f"{subject}-all"]
        yield f"## {NAMES[subject][0].upper()}{NAMES[subject][1:]}"
        split = ", ".join(f"{name} {seconds:g}" for name, seconds in run["seconds"].items())
        yield (
            f"{shown(run['clean'])} % of {run['rows']:,} clean reviews are right. {len(run['conditions'])} "
            f"conditions, {run['texts']:,} texts asked; seconds: {split}. Stages overlap. Signature: "
            f"`{run['signature']}`."
        )
        yield curves(
            f"{subject}-curves",
            f"Drop in points by severity: {NAMES[subject]}".replace("`", ""),
            _curves_of(run),
        )
        rows = [
            [
                f"`{one['name']}`",
                shown(one["after"]),
                shown(one["drop"]),
                verdict(one),
                shown(one["consistency"]),
                "" if one["edit_rate"] is None else f"{one['edit_rate']:.1f}",
            ]
            for one in run["conditions"]
        ]
        columns = [
            "condition",
            "accuracy after, %",
            "drop, points",
            "effective",
            "consistency, %",
            "edit rate, %",
        ]
        yield table(columns, rows)
        yield from _blame(run)


def _curves_of(run: Any) -> dict[str, list[tuple[float, Any]]]:
    found: dict[str, list[tuple[float, Any]]] = {}
    for one in run["conditions"]:
        if one["severity"] is not None:
            found.setdefault(one["preset"], []).append((one["severity"], one["drop"]))
    return found


def _blame(run: Any) -> Iterator[str]:
    blame = run["blame"]
    if not blame or not blame["words"]:
        return
    yield (
        f"Words to blame, of {blame['rows']:,} flips that were examined, {blame['explained']:,} of them "
        f"explained ({blame['alone']:,} by one edit alone, {blame['by_render']:,} by the render):"
    )
    rows = [
        [f"`{word}`", ", ".join(f"`{new}`" for new in became), str(seen), str(blamed), shown(rate, 0)]
        for word, became, seen, blamed, rate in blame["words"]
    ]
    yield table(["word", "became", "edited in flips", "to blame", "share, %"], rows)
