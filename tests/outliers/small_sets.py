"""What tests of people and translation share: small sets made by hand, and a command run by its module."""

from __future__ import annotations

import os

from salva.cli.outliers import command
from salva.outliers.sets import WordSet, set_path, write_set


def word_set(topic: str = "Zebrafinch", language: str = "EN", mark: str = "") -> WordSet:
    """Return a set whose words say who they are only to those who made them."""
    inliers = tuple(f"{mark}{word}" for word in ("oak", "elm", "ash", "fir", "yew", "pine", "birch", "beech"))
    outliers = ("bush", "fern", "nest", "saw", "shade", "autumn", "ice_cream", "bus")
    return WordSet(topic, language, inliers, tuple(f"{mark}{word}" for word in outliers))


def many_sets(n: int) -> list[WordSet]:
    return [word_set(f"Topic{i}", mark=chr(97 + i)) for i in range(n)]


def written(sets, folder):
    """Write sets to a folder and return it."""
    for words in sets:
        path = set_path(folder, words.topic, words.language)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_set(words, path)
    return folder


def run(name: str, *arguments) -> None:
    """Run a command of `salva outliers` in this process; errors come through as they are."""
    command.main([name, *map(os.fspath, arguments)], standalone_mode=False)
