"""Detects the format of a vector file from its first bytes; refuses formats that can run code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from salva._files import open_regular, storage_errors
from salva._types import PathLike
from salva.errors import InputError, UsageError

Format: TypeAlias = Literal["glove", "word2vec", "fasttext", "binary", "npy", "safetensors"]

_SAMPLE = 1 << 16
_CONVERT = "save the vectors as word2vec text, binary, npy or safetensors"
_PICKLES = {".joblib", ".kv", ".model", ".pickle", ".pkl", ".pt", ".pth"}
_FASTTEXT = (793_712_314).to_bytes(4, "little")
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\r")


def format_of(path: PathLike, chosen: str | None = None) -> Format | Literal["text"]:
    """Return the chosen format, or else the detected one: `npy`, `safetensors`, `binary` or `text`."""
    if chosen is not None and chosen not in get_args(Format):
        raise UsageError(f"format {chosen!r} must be one of {', '.join(get_args(Format))}")
    with open_regular(path) as stream, storage_errors(path):
        sample = stream.read(_SAMPLE)
    if not sample:
        raise InputError.at(path, None, "is empty")
    _refuse_code(path, sample)
    if chosen is not None:
        return chosen  # type: ignore[return-value]
    suffix = Path(path).suffix.lower()
    if sample.startswith(b"\x93NUMPY") or suffix == ".npy":
        return "npy"
    if suffix == ".safetensors":
        return "safetensors"
    return "binary" if _is_binary(path, sample) else "text"


def _refuse_code(path: PathLike, sample: bytes) -> None:
    suffix = Path(os.fspath(path).removesuffix(".gz")).suffix.lower()
    pickled = sample[0] == 0x80 and sample[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")
    if pickled or suffix in _PICKLES:
        problem = "is a pickle (PyTorch, gensim or joblib), which can run code when it is read"
        raise InputError.at(path, None, f"{problem}; {_CONVERT}")
    if sample.startswith(b"PK\x03\x04"):
        problem = "is an archive (npz, PyTorch or zip), which is not opened"
        raise InputError.at(path, None, f"{problem}; {_CONVERT}")
    if sample.startswith(_FASTTEXT):
        problem = "is a fastText model (.bin)"
        raise InputError.at(path, None, f"{problem}; use its .vec file, or fasttext's bin_to_vec")


def _is_binary(path: PathLike, sample: bytes) -> bool:
    if sample.startswith(b"\x1f\x8b"):
        return False
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError.at(path, None, "looks like UTF-16; convert it to UTF-8")
    header, newline, rest = sample.partition(b"\n")
    if not any(byte in _CONTROLS for byte in rest):
        return False
    if newline and len(header.split()) == 2 and len(header) < 64:
        return True
    problem = "is neither text nor word2vec's binary format, which starts with a number of vectors"
    raise InputError.at(path, None, f"{problem} and a dimension")
