"""Checks that rely on a frequency list or on vectors, and are therefore hints.

A check's docstring is its message.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from salva.outliers.checks.collection import Checks, Problem, SetFile
from salva.outliers.drafts import SIZE, Entry
from salva.outliers.words.frequencies import rarity


def rare(file: SetFile) -> Iterator[Problem]:
    """The word is rare; a twelve-year-old may not know it."""
    frequencies = file.collection.frequencies.get(file.language)
    for entry in file.draft.entries:
        why = rarity(entry.word, file.language, frequencies=frequencies, forms=file.forms)
        if why is not None:
            yield Problem.at(entry, f", {why}")


def missing(file: SetFile) -> Iterator[Problem]:
    """The word is missing from the vectors' vocabulary."""
    vectors = file.collection.vectors.get(file.language)
    for entry in file.draft.entries:
        if vectors is not None and not vectors.known(entry.word):
            yield Problem.at(entry)


def falling(file: SetFile) -> Iterator[Problem]:
    """In a category, each sub-set of outliers should be less similar to the inliers than the one before."""
    near = _nearness(file) if file.notes.kind == "category" else None
    if near is None or len(near[1]) != SIZE:
        return
    means = [float(np.mean([share for _, share in near[1][i : i + 2]])) for i in range(0, SIZE, 2)]
    for i in range(1, len(means)):
        if means[i] > means[i - 1]:
            entry = near[1][2 * i][0]
            detail = f"sub-set {i + 1} has {means[i]:.3f}, sub-set {i} has {means[i - 1]:.3f}"
            yield Problem(detail, entry.line)


def related(file: SetFile) -> Iterator[Problem]:
    """The last two outliers should be random words; this one is closer to the inliers than most inliers."""
    near = _nearness(file)
    if near is None:
        return
    inliers, outliers = near
    usual = float(np.median([share for _, share in inliers]))
    for entry, share in outliers:
        if entry in file.draft.outliers[SIZE - 2 :] and share > usual:
            yield Problem.at(entry, f" has {share:.3f}, the median inlier {usual:.3f}")


def _nearness(file: SetFile) -> tuple[list[tuple[Entry, float]], list[tuple[Entry, float]]] | None:
    """Return every known word with its mean similarity to the inliers; None if too few inliers are known."""
    vectors = file.collection.vectors.get(file.language)
    if vectors is None:
        return None
    inliers = [entry for entry in file.draft.inliers if vectors.known(entry.word)]
    outliers = [entry for entry in file.draft.outliers if vectors.known(entry.word)]
    if len(inliers) < 2:
        return None
    n = len(inliers)
    table = np.array(vectors.matrix([entry.word for entry in [*inliers, *outliers]]), dtype=float)
    np.fill_diagonal(table, 0.0)
    both = (table + table.T)[:, :n].sum(axis=1) / 2
    sizes = [n - 1] * n + [n] * len(outliers)
    shares = (both / np.array(sizes)).tolist()
    pairs = list(zip([*inliers, *outliers], shares, strict=True))
    return pairs[:n], pairs[n:]


MODEL: Checks = {
    "M1": ("hint", rare),
    "M2": ("hint", missing),
    "M3": ("hint", falling),
    "M4": ("hint", related),
}
