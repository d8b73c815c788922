"""What the tests of vectors share: five small vectors, and files of them in every format."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

WORDS = ["tea", "coffee", "milk", "Zürich", "peanut"]
VECTORS = np.array(
    [
        [0.5, -0.25, 1.0, 0.125],
        [0.25, 0.5, -1.5, 0.75],
        [-1.0, 0.5, 0.5, -0.5],
        [1.5, 2.0, 0.25, -0.75],
        [0.75, 1.0, -0.125, 0.5],
    ]
)


def lines(gap: str = " ", end: str = "\n", words=WORDS, vectors=VECTORS) -> str:
    return "".join(
        f"{word}{gap}{gap.join(map(str, vector))}{end}"
        for word, vector in zip(words, vectors.tolist(), strict=True)
    )


def records(end: bytes = b"", dtype: str = "<f4", words=WORDS, vectors=VECTORS) -> bytes:
    return b"".join(
        word.encode() + b" " + vector.astype(dtype).tobytes() + end
        for word, vector in zip(words, vectors, strict=True)
    )


def header(rows: object = len(WORDS), dimension: object = 4) -> str:
    return f"{rows} {dimension}\n"


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def write_vocabulary(path: Path, words=WORDS) -> Path:
    return write(path, "".join(f"{word}\n" for word in words))


def write_npy(path: Path, array=VECTORS) -> Path:
    np.save(path, array)
    write_vocabulary(path.with_suffix(".vocab"))
    return path


def write_safetensors(path: Path, array=None) -> Path:
    from safetensors.numpy import save_file

    save_file({"embeddings": VECTORS.astype(np.float32) if array is None else array}, path)
    write_vocabulary(path.with_suffix(".vocab"))
    return path


# Name, and a function that writes the five vectors into a folder.
FORMATS = {
    "glove": lambda folder: write(folder / "v.txt", lines()),
    "glove-no-final-newline": lambda folder: write(folder / "v.txt", lines().rstrip("\n")),
    "glove-crlf": lambda folder: write(folder / "v.txt", lines(end="\r\n")),
    "glove-tabs": lambda folder: write(folder / "v.txt", lines(gap="\t")),
    "glove-bom": lambda folder: write(folder / "v.txt", "\ufeff" + lines()),
    "glove-gzip": lambda folder: write(folder / "v.txt.gz", gzip.compress(lines().encode())),
    "word2vec": lambda folder: write(folder / "v.txt", header() + lines()),
    "fasttext": lambda folder: write(folder / "v.vec", header() + lines(end=" \n")),
    "fasttext-gzip": lambda folder: write(folder / "v.vec.gz", gzip.compress((header() + lines()).encode())),
    "binary": lambda folder: write(folder / "v.bin", header().encode() + records()),
    "binary-newlines": lambda folder: write(folder / "v.bin", header().encode() + records(b"\n")),
    "npy": lambda folder: write_npy(folder / "v.npy"),
    "npy-by-column": lambda folder: write_npy(folder / "v.npy", np.asfortranarray(VECTORS)),
    "npy-half": lambda folder: write_npy(folder / "v.npy", VECTORS.astype(np.float16)),
    "npy-big-endian": lambda folder: write_npy(folder / "v.npy", VECTORS.astype(">f8")),
    "safetensors": lambda folder: write_safetensors(folder / "v.safetensors"),
}
