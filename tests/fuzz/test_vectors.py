"""Vectors and thesauri: files with damaged bytes or false headers are read or refused, and never run code."""

from __future__ import annotations

import gzip
import io
import json
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from salva.errors import InputError
from salva.outliers.vectors.formats import FORMATS, open_vectors
from salva.outliers.vectors.thesaurus import open_thesaurus
from salva.outliers.words.frequencies import read_frequencies
from tests.fuzz.strategies import damaged, fuzz, one_line_errors
from tests.outliers.vector_files import VECTORS, WORDS, header, lines, records, write_vocabulary

ASKED = [*WORDS, "Tea", "peanut_butter", "\udcff", ""]


def npy(array: np.ndarray) -> bytes:
    sink = io.BytesIO()
    np.save(sink, array)
    return sink.getvalue()


def safetensors(shape: object, offsets: object, dtype: str = "F32", name: str = "embeddings") -> bytes:
    told = json.dumps({name: {"dtype": dtype, "shape": shape, "data_offsets": offsets}}).encode()
    return struct.pack("<Q", len(told)) + told + VECTORS.astype("<f4").tobytes()


FILES = {
    "glove.txt": [
        lines().encode(),
        lines(gap="\t", end=" \r\n").encode(),
        b"a b 1 2 3 4\n" + lines().encode(),
    ],
    "word2vec.txt": [(header() + lines()).encode(), (header() + lines(end=" \n")).encode()],
    "text.txt.gz": [gzip.compress((header() + lines()).encode())],
    "binary.bin": [header().encode() + records(), header().encode() + records(b"\n")],
    "array.npy": [npy(VECTORS), npy(np.asfortranarray(VECTORS)), npy(VECTORS.astype(">f2"))],
    "tensor.safetensors": [safetensors([5, 4], [0, 80]), safetensors([5, 4], [0, 80], name="other")],
}
TOKENS = [
    b"1 ",
    b"-0.0",
    b"5 4\n",
    b"99 4\n",
    b"'descr': '|O'",
    b"(1, 2, 3)",
    b"<f8",
    b"|V9",
    b"F64",
    b"tea ",
]


def check(path: Path) -> None:
    """Read vectors in the format that a file seems to have, and in every other one."""
    vocabulary = write_vocabulary(path.with_name("words.vocab"))
    for form in (None, *FORMATS):
        with one_line_errors():
            separate = form in ("npy", "safetensors") or path.suffix in (".npy", ".safetensors")
            found = open_vectors(path, ASKED, format=form, vocabulary=vocabulary if separate else None)
            known = [word for word in ASKED if found.known(word)]
            assert np.isfinite(found.matrix(known)).all()


@fuzz(name=st.sampled_from(list(FILES)), data=st.data(), step=st.sampled_from([1, 7, 64, 1 << 18]))
def test_damaged_vectors_are_read_or_refused(tmp_path_factory, name, data, step):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(data.draw(damaged(FILES[name], TOKENS)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("salva.outliers.vectors.text._STEP", step)
        check(path)


numbers = st.integers(-3, 9) | st.sampled_from([2**31, 2**62, 2**63, 2**64 - 1, 2**70, 1.5, None, "4", [4]])
dtypes = st.sampled_from(["F16", "F32", "F64", "BF16", "I8", "BOOL", "F8_E4M3", "f4", ""])


@fuzz(shape=st.lists(numbers, max_size=3), offsets=st.lists(numbers, max_size=3), dtype=dtypes)
def test_a_tensor_may_claim_any_shape_and_place(tmp_path_factory, shape, offsets, dtype):
    path = tmp_path_factory.getbasetemp() / "claims.safetensors"
    path.write_bytes(safetensors(shape, offsets, dtype))
    check(path)


shapes = st.lists(numbers.filter(lambda number: isinstance(number, int)), max_size=3).map(tuple)
descriptions = st.sampled_from(
    ["<f4", ">f8", "<f2", "|O", "|V8", "<U4", "<i8", "<c8", "<M8[ns]", "<f16", "f", ""]
)


@fuzz(shape=shapes, description=descriptions, by_column=st.booleans(), version=st.integers(0, 4))
def test_an_array_may_claim_any_shape_and_type(tmp_path_factory, shape, description, by_column, version):
    told = repr({"descr": description, "fortran_order": by_column, "shape": shape}).encode() + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(told))
    path = tmp_path_factory.getbasetemp() / "claims.npy"
    path.write_bytes(b"\x93NUMPY" + bytes([version, 0]) + size + told + VECTORS.astype("<f4").tobytes())
    check(path)


@fuzz(
    rows=st.integers(0, 7), dimension=numbers, count=st.integers(0, 6), block=st.sampled_from([1, 5, 1 << 18])
)
def test_fast_and_slow_readers_of_text_agree(tmp_path_factory, rows, dimension, count, block):
    """Lines in one block are checked at a glance, odd ones one by one; both give the same vectors."""
    path = tmp_path_factory.getbasetemp() / "agree.txt"
    path.write_text(f"{rows} {dimension}\n" + "".join(lines().splitlines(keepends=True)[:count]))
    found = []
    for step in (block, 1 << 18):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("salva.outliers.vectors.text._STEP", step)
            try:
                found.append(open_vectors(path, WORDS).info)
            except InputError as error:
                found.append(str(error))
    assert found[0] == found[1]


THESAURUS = [b"tea\tcoffee\t0.5\ncoffee\ttea\t0.25\n", b"word\tneighbour\tscore\ntea\tmilk\t1e-3\r\n"]


def check_thesaurus(path: Path) -> None:
    with one_line_errors():
        found = open_thesaurus(path, ASKED)
        assert np.isfinite(found.matrix([word for word in ASKED if found.known(word)])).all()


@fuzz(data=st.data(), packed=st.booleans())
def test_a_damaged_thesaurus_is_read_or_refused(tmp_path_factory, data, packed):
    path = tmp_path_factory.getbasetemp() / "thesaurus.tsv"
    content = data.draw(damaged(THESAURUS, [b"\t", b"1\t", b"tea\t"]))
    path.write_bytes(gzip.compress(content) if packed else content)
    check_thesaurus(path)


@fuzz(content=damaged([b"tea\t12\ncoffee\t3\nice cream\t1\n"], [b"\t", b"-3", b"1_0"]))
def test_damaged_frequencies_are_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "frequencies.tsv"
    path.write_bytes(content)
    with one_line_errors():
        read_frequencies(path, ASKED)
