"""Checks that rely on a frequency list or on vectors, and are therefore hints.

A check's docstring is its message.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from salva.outliers.drafts import SIZE, Entry
from salva.outliers.familiar import rarity
from salva.outliers.subjects import Checks, Place, Subject


def rare(one: Subject) -> Iterator[Place]:
    """The word is rare; a twelve-year-old may not know it."""
    given = one.collection.frequencies.get(one.language)
    for entry in one.draft.entries:
        why = rarity(entry.word, one.language, given=given, forms=one.forms)
        if why is not None:
            yield Place(entry.line, entry.word, f"{entry.word!r}, {why}")


def missing(one: Subject) -> Iterator[Place]:
    """The word is missing from the vectors' vocabulary."""
    vectors = one.collection.vectors.get(one.language)
    for entry in one.draft.entries if vectors else ():
        if vectors and not vectors.known(entry.word):
            yield Place(entry.line, entry.word, repr(entry.word))


def falling(one: Subject) -> Iterator[Place]:
    """In a category, each sub-set of outliers should be less similar to the inliers than the one before."""
    near = _nearness(one) if one.notes.kind == "category" else None
    if near is None or len(near[1]) != SIZE:
        return
    means = [float(np.mean([share for _, share in near[1][i : i + 2]])) for i in range(0, SIZE, 2)]
    for i in range(1, len(means)):
        if means[i] > means[i - 1]:
            entry = near[1][2 * i][0]
            yield Place(
                entry.line, None, f"sub-set {i + 1} has {means[i]:.3f}, sub-set {i} has {means[i - 1]:.3f}"
            )


def related(one: Subject) -> Iterator[Place]:
    """The last two outliers should be random words; this one is closer to the inliers than most inliers."""
    near = _nearness(one)
    if near is None:
        return
    inliers, outliers = near
    usual = float(np.median([share for _, share in inliers]))
    for entry, share in outliers:
        if entry in one.draft.outliers[SIZE - 2 :] and share > usual:
            yield Place(
                entry.line, entry.word, f"{entry.word!r} has {share:.3f}, the median inlier {usual:.3f}"
            )


def _nearness(one: Subject) -> tuple[list[tuple[Entry, float]], list[tuple[Entry, float]]] | None:
    """Return every known word with its mean similarity to the inliers; None if too few inliers are known."""
    vectors = one.collection.vectors.get(one.language)
    if vectors is None:
        return None
    inliers = [entry for entry in one.draft.inliers if vectors.known(entry.word)]
    outliers = [entry for entry in one.draft.outliers if vectors.known(entry.word)]
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
