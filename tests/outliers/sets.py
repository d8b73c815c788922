"""What the tests of sets share: the words of one good set, and files made of it."""

from __future__ import annotations

from pathlib import Path

INLIERS = ("car", "bus", "lorry", "bike", "motorbike", "skateboard", "van", "tram")
OUTLIERS = ("boat", "train", "road", "roundabout", "traffic", "car_crash", "tomato", "toaster")
TEXT = "".join(f"{line}\n" for line in [*INLIERS, "", *OUTLIERS])


def write(folder: Path, content: str | bytes = TEXT, name: str = "Roads/EN-Roads.txt") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def replaced(old: str, new: str) -> str:
    """The good set with one word put for another."""
    assert f"{old}\n" in TEXT
    return TEXT.replace(f"{old}\n", f"{new}\n")
