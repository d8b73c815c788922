"""The page about word vectors on the sets of outliers."""

from __future__ import annotations

from collections.abc import Iterator

from salva.pages import Chart
from tools.results.tables import Recorded, bars, shown, table
from tools.results.vectors import SOURCES

# HAMOD's authors report that people agree on the outlier "typically over 90 %" of the time.
PEOPLE = 90


def page(recorded: Recorded) -> Iterator[str | Chart]:
    """Yield one table of scores, one by sub-set, and bars."""
    runs = recorded.matching("outliers-")
    if not runs:
        return
    yield (
        "The HAMOD sets in four languages: which of nine words does not belong? Accuracy is the share of "
        "exercises in which the outlier is found (chance: 11.1 %), OPP its mean place (OP/n, chance: 50 "
        "%). Intervals come from a bootstrap over topics. People agree on the outlier in more than "
        f"{PEOPLE} % of the exercises, as HAMOD's authors report. Coverage is the share of words that have "
        "a vector; an encoder and a table of tokens make one for any string, so their coverage says "
        "nothing."
    )
    order = [(name, language) for name, source in SOURCES.items() for language in source.languages]
    found = [
        (name, language, runs[f"{name}-{language}"])
        for name, language in order
        if f"{name}-{language}" in runs
    ]
    rows = [
        [
            f"`{name}`",
            language,
            str(run["dimension"]),
            f"{run['coverage']['percent']:.1f}",
            f"{run['figures']['hits']} of {run['figures']['counted']}",
            shown(run["figures"]["accuracy"]),
            shown(run["figures"]["opp"]),
        ]
        for name, language, run in found
    ]
    yield table(["vectors", "language", "numbers", "coverage, %", "found", "accuracy, %", "OPP, %"], rows)
    shown_bars = [(f"{name} {language}", run["figures"]["accuracy"], False) for name, language, run in found]
    yield bars("vectors-accuracy", "Outliers found, in % (chance: 11)", shown_bars, None)
    yield "## By distance of the outlier"
    yield "Outliers of sub-set 1 are most like the inliers; those of sub-set 4 have nothing to do with them."
    parts = [
        [f"`{name}`", language, *(shown(value) for value in run["subsets"].values())]
        for name, language, run in found
    ]
    yield table(["vectors", "language", "1", "2", "3", "4"], parts)
    yield "## Where the vectors come from"
    known = {name for name, _, _ in found}
    sources = [
        [f"`{name}`", source.what, source.package] for name, source in SOURCES.items() if name in known
    ]
    yield table(["vectors", "what", "package"], sources)
