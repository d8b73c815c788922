"""Vector files that lie are refused with one line and no memory; `bad-inputs.md` 122 to 132."""

from __future__ import annotations

import contextlib
import gzip
import io
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import InputError
from salva.outliers.vectors.formats import open_vectors
from tests.outliers.vector_files import (
    VECTORS,
    WORDS,
    header,
    lines,
    records,
    write,
    write_npy,
    write_vocabulary,
)

BIG = 1_000_000


def array_header(shape: str, kind: str = "'<f4'") -> bytes:
    text = f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def row(numbers: str, word: str = "odd") -> str:
    return f"{lines()}{word} {numbers}\n"


def odd_record(word: bytes, after: bytes = b"") -> bytes:
    return header(6).encode() + records() + word + after


def archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("archive/data.pkl", b"\0" * 10_000_000)
    return out.getvalue()


VECTOR = np.full(4, 0.5, "<f4").tobytes()
SWAPPED = VECTORS * 1.1  # plain fractions have bytes that are sane in any order

# Item of the list and what is wrong: name of the file, content, the message.
HOSTILE = {
    "122 too high": ("v.txt", header(6) + lines(), "v.txt:1: the header promises 6 vectors; the file has 5"),
    "122 too low": ("v.txt", header(3) + lines(), "v.txt:5: the header promises 3 vectors, not more"),
    "122 negative": ("v.txt", header(-5) + lines(), "v.txt:1: header '-5 4' must be a number of vectors"),
    "122 no number": ("v.txt", header("five") + lines(), "v.txt:1: header 'five 4' must be a number"),
    "122 zero": ("v.txt", header(0) + lines(), "v.txt:1: header '0 4' must be a number of vectors"),
    "122 huge": (
        "v.txt",
        header(4 * 10**9, 1000) + lines(),
        "v.txt:1: the header promises 4,000,000,000 vec",
    ),
    "122 wide": ("v.txt", header(5, 10**9) + lines(), "v.txt:1: header '5 1000000000': the dimension must"),
    "122 other dimension": ("v.txt", header(5, 3) + lines(), "v.txt:2: 4 numbers, but the header promises 3"),
    "122 gzip": ("v.gz", gzip.compress((header(9) + lines()).encode()), "v.gz:1: the header promises 9"),
    "122 binary high": (
        "v.bin",
        header(10**9).encode() + records(),
        "v.bin:1: the header promises 1,000,000,00",
    ),
    "122 binary low": (
        "v.bin",
        header(4).encode() + records(),
        "v.bin:1: the header promises 4 vectors, but",
    ),
    "122 binary wide": ("v.bin", header(5, 10**12).encode() + records(), "v.bin:1: header '5 1000000000000'"),
    "123 cut in a word": ("v.bin", odd_record(b"od" * 12), "v.bin: record 6: no word of at most"),
    "123 cut in a vector": (
        "v.bin",
        odd_record(b"an_odd_word ", VECTOR[:10]),
        "v.bin: record 6: the file ends",
    ),
    "123 long word": (
        "v.bin",
        odd_record(b"o" * BIG, b" " + VECTOR),
        "v.bin: record 6: no word of at most 4",
    ),
    "123 not UTF-8": (
        "v.bin",
        odd_record(b"\xff\xfe\xfd ", VECTOR),
        "v.bin: record 6: the word is not UTF-8",
    ),
    "123 empty": ("v.bin", odd_record(b" ", VECTOR + b"  "), "v.bin: record 6: an empty word"),
    "123 NUL": ("v.bin", odd_record(b"o\0d ", VECTOR), "v.bin: record 6: a zero byte in the word"),
    "123 spaces": (
        "v.bin",
        odd_record(b"the tea ", VECTOR),
        "v.bin:1: the header promises 6 vectors, but the",
    ),
    "123 long word in text": ("v.txt", row("1 2 3 4", "o" * 9000), "v.txt:6: a word of 9,000 bytes"),
    "123 NUL in text": ("v.txt", row("1 2 3 4", "o\0d"), "is neither text nor word2vec's binary format"),
    "124 short row": ("v.txt", row("1 2 3"), "v.txt:6: 3 numbers, not 4 as in the first row"),
    "124 long row": ("v.txt", row("1 2 3 4 5"), "v.txt:6: 5 numbers, not 4 as in the first row"),
    "124 two wrongs": ("v.txt", row("1 2 3 4 5") + "or 1 2 3\n", "v.txt:6: 5 numbers, not 4"),
    "124 word alone": ("v.txt", row("").replace("odd ", "odd"), "v.txt:6: 0 numbers, not 4"),
    "124 empty line": ("v.txt", lines() + "\n", "v.txt:6: an empty line"),
    "124 no word": ("v.txt", row("1 2 3 4", ""), "v.txt:6: no word before the numbers"),
    "124 two spaces": ("v.txt", row("1 2  4"), "v.txt:6: number 3 is '', not a number"),
    "124 nan": ("v.txt", row("1 nan 3 4"), "v.txt:6: number 2 is 'nan', not finite"),
    "124 -nan": ("v.txt", row("1 2 3 -nan"), "v.txt:6: number 4 is '-nan', not finite"),
    "124 inf": ("v.txt", row("inf 2 3 4"), "v.txt:6: number 1 is 'inf', not finite"),
    "124 comma": (
        "v.txt",
        row("1,5 2 3 4", "tea"),
        "v.txt:6: number 1 is '1,5', not a number; use a decimal point",
    ),
    "124 1e400": ("v.txt", row("1 2 3 1e400", "lime"), "v.txt:6: number 4 of 'lime' is inf, not finite"),
    "124 underscore": ("v.txt", row("1 2 3 1_0", "lime"), "v.txt:6: number 4 is '1_0', not a number"),
    "124 letters": ("v.txt", row("1 2 x 4"), "v.txt:6: number 3 is 'x', not a number"),
    "124 nan in binary": (
        "v.bin",
        odd_record(b"odd ", b"\0\0\xc0\x7f" * 4),
        "v.bin: record 6: a number that is n",
    ),
    "124 one number": (
        "v.txt",
        "tea 1\ncoffee 2\n",
        "v.txt:1: header 'tea 1' must be a number of vectors and a",
    ),
    "124 a text": ("v.txt", "It was a fine day.\nThey read.\n", "v.txt:1: number 1 is 'was', not a number"),
    "126 big-endian": (
        "v.bin",
        header().encode() + records(dtype=">f4", vectors=SWAPPED),
        "v.bin: record 1: numbers such as",
    ),
    "126 float64": ("v.bin", header().encode() + records(dtype="<f8"), "v.bin: record "),
    "128 npz": ("v.npz", archive(), "v.npz: is an archive (npz, PyTorch or zip), which is not opened; save"),
    "128 pt": ("v.pt", archive(), "v.pt: is a pickle (PyTorch, gensim or joblib), which can run code"),
    "128 pickle": ("v.txt", pickle.dumps({"tea": [1.0]}), "v.txt: is a pickle (PyTorch, gensim or joblib)"),
    "128 old pickle": ("v.pkl", pickle.dumps({"tea": [1.0]}, 0), "v.pkl: is a pickle"),
    "128 gensim": ("v.kv", pickle.dumps([1], 4), "v.kv: is a pickle"),
    "130 fastText": (
        "v.bin",
        (793712314).to_bytes(4, "little") + b"\x0c\0\0\0" * 99,
        "is a fastText model (.bin)",
    ),
    "127 huge shape": (
        "v.npy",
        array_header("(4000000000, 1000)") + b"\0" * 999,
        "in 16,000,000,000,128 bytes;",
    ),
    "127 objects": ("v.npy", array_header("(5, 4)", "'|O'") + b"\0" * 160, "v.npy: contains Python objects"),
    "127 integers": ("v.npy", array_header("(5, 4)", "'<i4'") + b"\0" * 80, "it must be a matrix of floats"),
    "127 one dimension": ("v.npy", array_header("(20,)") + b"\0" * 80, "it must be a matrix of floats"),
    "127 negative": (
        "v.npy",
        array_header("(-5, 4)") + b"\0" * 80,
        "v.npy: declares an array of shape (-5, 4)",
    ),
    "127 broken": ("v.npy", b"\x93NUMPY\x01\x00\x04\x00{{{{", "v.npy: is not a valid npy file"),
    "127 cut": ("v.npy", b"\x93NUMPY", "v.npy: is not a valid npy file"),
    "129 long header": (
        "v.safetensors",
        (1 << 60).to_bytes(8, "little") + b"{}",
        "is not a valid safetensors file",
    ),
    "129 no JSON": ("v.safetensors", (4).to_bytes(8, "little") + b"}{}{", "is not a valid safetensors file"),
    "129 beyond the end": (
        "v.safetensors",
        (74).to_bytes(8, "little")
        + b'{"embeddings":{"dtype":"F32","shape":[9999,50],"data_offsets":[0,1999800]}}'[:74],
        "is not a valid safetensors file",
    ),
    "empty": ("v.txt", "", "v.txt: is empty"),
    "header alone": (
        "v.txt",
        header(1, 2),
        "v.txt:1: the header promises 1 vector of 2 numbers, which take",
    ),
    "UTF-16": ("v.txt", lines().encode("utf-16"), "v.txt: looks like UTF-16; convert it to UTF-8"),
    "one endless line": ("v.txt", "a " + "1 " * BIG, "v.txt:1: a line of more than 1 MB"),
    "cut gzip": ("v.gz", gzip.compress(lines().encode())[:-9], "v.gz: is cut off or damaged"),
    "bytes": ("v.bin", bytes(range(256)) * 9, "is neither text nor word2vec's binary format"),
}
ASKED = [*WORDS, "lime"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_lie_is_refused_with_its_place(tmp_path, name):
    file, content, message = HOSTILE[name]
    write_vocabulary(tmp_path / "v.vocab")
    path = write(tmp_path / file, content)
    with pytest.raises(InputError) as caught:
        open_vectors(path, ASKED)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


MEASURE = """
import re, sys
from pathlib import Path
from salva.errors import InputError
from salva.outliers.vectors.formats import open_vectors
import safetensors, numpy.lib.format, gzip
folder = Path(sys.argv[1])
def peak():  # not that of getrusage, which a process inherits
    return int(re.search(r"VmHWM:\\s+([0-9]+)", Path("/proc/self/status").read_text())[1])
open_vectors(folder / "good.txt", ["tea"])
for path in sorted(folder.glob("hostile-*")):
    before = peak()
    try:
        words = folder / "v.vocab" if path.suffix in (".npy", ".safetensors") else None
        open_vectors(path, ["tea"], vocabulary=words)
    except InputError:
        rise = peak() - before
        assert rise * 1024 < path.stat().st_size + 50_000_000, (path, rise)
    else:
        raise AssertionError(path)
print("fine")
"""


def test_no_lie_costs_more_memory_than_its_file(tmp_path):
    if not Path("/proc/self/status").is_file():
        pytest.skip("needs Linux, which tells the peak of a process")
    write(tmp_path / "good.txt", lines())
    write_vocabulary(tmp_path / "v.vocab")
    for number, (file, content, _) in enumerate(HOSTILE.values()):
        if "lime" not in str(content):
            write(tmp_path / f"hostile-{number}-{file}", content)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, tmp_path], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("fine\n", "")


def test_the_first_of_equal_words_wins_and_the_rest_is_counted(tmp_path):
    """125, in both Unicode normal forms."""
    path = write(tmp_path / "v.txt", lines() + "tea 9 9 9 9\nZu\u0308rich 9 9 9 9\n")
    vectors = open_vectors(path, WORDS)
    assert vectors.info.duplicates == 2
    assert vectors.matrix(["tea", "tea"])[0, 1] == pytest.approx(1)
    assert vectors.info.digest == open_vectors(write(tmp_path / "w.txt", lines()), WORDS).info.digest


def test_a_decomposed_word_is_found_by_its_composed_form(tmp_path):
    path = write(tmp_path / "v.txt", lines().replace("ü", "u\u0308"))
    assert open_vectors(path, ["Zürich"]).known("Zürich")


def test_words_that_differ_by_case_are_different_words(tmp_path):
    """125: the exact one wins, wherever it stands."""
    path = write(tmp_path / "v.txt", "TEA 1 0\ntea 0 1\nTea 1 1\nx 1 0\n")
    vectors = open_vectors(path, ["Tea", "tea", "x"])
    assert vectors.matrix(["Tea", "x"])[0, 1] == pytest.approx(0.5**0.5)
    assert vectors.matrix(["tea", "x"])[0, 1] == 0


def test_a_vector_of_zeros_is_as_good_as_missing(tmp_path):
    """124, and counted."""
    vectors = open_vectors(write(tmp_path / "v.txt", row("0 0 0 0")), ["odd", "tea"])
    assert (vectors.known("odd"), vectors.info.zeros) == (False, 1)


def test_words_that_are_not_utf8_are_counted(tmp_path):
    """123: in text nobody can ask for one, and the rest is sound."""
    path = write(tmp_path / "v.txt", lines().encode() + b"\xff\xfe\xfa 1 2 3 4\n")
    info = open_vectors(path, ["tea"]).info
    assert (info.rows, info.not_utf8) == (6, 1)


def test_a_vocabulary_of_another_length_is_refused(tmp_path):
    path = write_npy(tmp_path / "v.npy")
    write_vocabulary(tmp_path / "v.vocab", WORDS[:4])
    with pytest.raises(InputError, match=r"v\.vocab: 4 words, but the array has 5 rows"):
        open_vectors(path, WORDS)
    (tmp_path / "v.vocab").unlink()
    with pytest.raises(InputError, match=r"v\.npy: has no vocabulary; name one, or put v\.vocab or"):
        open_vectors(path, WORDS)


def test_a_nan_in_an_array_is_refused_with_its_row(tmp_path):
    array = VECTORS.copy()
    array[2, 1] = np.nan
    with pytest.raises(InputError, match=r"v\.npy: row 3: number 2 of 'milk' is nan, not finite"):
        open_vectors(write_npy(tmp_path / "v.npy", array), WORDS)


def test_text_named_binary_is_read_as_text_unless_binary_is_said(tmp_path):
    """126: what the file holds decides, and a false word is found out."""
    numbers = np.round(np.random.default_rng(0).normal(size=(9, 50)), 5)
    text = header(9, 50) + lines(words=[f"w{i}" for i in range(9)], vectors=numbers)
    path = write(tmp_path / "v.bin", text)
    assert open_vectors(path, ["w3"]).known("w3")
    with pytest.raises(InputError, match=r"v\.bin: record 1: numbers such as"):
        open_vectors(path, ["w3"], format="binary")


def test_a_header_is_there_or_not_as_the_format_says(tmp_path):
    path = write(tmp_path / "v.txt", lines())
    assert open_vectors(path, ["tea"], format="glove").known("tea")
    with pytest.raises(InputError, match=r"v\.txt:1: the first line must be a header \(two numbers\)"):
        open_vectors(path, ["tea"], format="word2vec")


def test_a_bomb_is_read_as_the_stream_it_is(tmp_path):
    """128: 50 MB of nothing in 50 kB have no line, and no memory is made for them."""
    path = write(tmp_path / "v.txt.gz", gzip.compress(b"1" * 50_000_000))
    with pytest.raises(InputError, match=r"v\.txt\.gz:1: a line of more than 1 MB, too long for a vector"):
        open_vectors(path, ["tea"])


GOOD_FILES = {
    "v.txt": (header() + lines()).encode(),
    "v.bin": header().encode() + records(b"\n"),
    "v.npy": array_header("(5, 4)") + VECTORS.astype("<f4").tobytes(),
}


@pytest.mark.parametrize("name", GOOD_FILES)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_and_nothing_else(tmp_path_factory, name, data):
    content = bytearray(GOOD_FILES[name])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    path = write(tmp_path_factory.getbasetemp() / name, bytes(content))
    write_vocabulary(path.with_suffix(".vocab"))
    with contextlib.suppress(InputError):
        open_vectors(path, ASKED)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_and_nothing_else(tmp_path_factory, content):
    path = write(tmp_path_factory.getbasetemp() / "any", content)
    with contextlib.suppress(InputError):
        open_vectors(path, ASKED)
