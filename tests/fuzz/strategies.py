"""What fuzzers share: damaged bytes, hostile Arrow columns, and the one outcome that a fault may have."""

from __future__ import annotations

import contextlib
import copy
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from salva.errors import SalvaError
from tests.conftest import COMPILED
from tests.text.conftest import hostile_texts

SECONDS = float(os.environ.get("FUZZ_SECONDS") or 0)
PROFILE = settings.get_profile("fuzz" if SECONDS else "few" if COMPILED else "fewer")


def fuzz(*arguments: Any, **named: Any) -> Callable[[Any], Any]:
    """Return `given`, with as many examples as this run of the tests asks for."""
    return lambda test: settings(PROFILE)(given(*arguments, **named)(test))


def check_line(message: str) -> None:
    """Check that a message is one line."""
    assert len(message.splitlines()) == 1, message


@contextlib.contextmanager
def one_line_errors() -> Iterator[None]:
    """Let nothing but Salva's own errors happen, each with a message of one line."""
    try:
        yield
    except SalvaError as error:
        check_line(str(error))


def outcome(work: Callable[[], Any]) -> Any:
    """Return what a function returns, or the one line that it refuses its input with."""
    try:
        return work()
    except SalvaError as error:
        check_line(str(error))
        return f"{type(error).__name__}: {error}"


ODD_BYTES = [
    *(
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xc3",
        b"\xe2\x80\xa8",
        b"\x85",
    ),
    *(
        b"\n",
        b"\r",
        b"\r\n",
        b"\t",
        b" ",
        b'"',
        b"'",
        b"\\",
        b",",
        b"#",
        b"[",
        b"]",
        b"{",
        b"}",
        b"=",
        b":",
        b"-",
    ),
    *(b"nan", b"inf", b"1e999", b"-1", b"0", b"9" * 25, b"9" * 5000, b"1e-400", b"null", b"true", b"\\ud800"),
    *("é".encode(), "👨‍👩‍👧".encode(), "\ufeff".encode(), "\u200b".encode(), "٣".encode(), "İ".encode()),
]


@st.composite
def damaged(draw: st.DrawFn, contents: Sequence[bytes], tokens: Sequence[bytes] = ()) -> bytes:
    """Return one of the contents with some bytes flipped, lost, moved, or replaced by odd ones."""
    content = bytearray(draw(st.sampled_from(contents)))
    odd = st.sampled_from([*ODD_BYTES, *tokens]) | st.binary(max_size=4)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(content)))
        end = place + draw(st.sampled_from([0, 0, 1, 1, 2, 8, 64, 1 << 20]))
        kind = draw(st.sampled_from(["flip", "odd", "odd", "repeat", "cut"]))
        if kind == "flip" and place < len(content):
            content[place] ^= 1 << draw(st.integers(0, 7))
        elif kind == "odd":
            content[place : min(end, place + 8)] = draw(odd)
        elif kind == "repeat":
            content[place:place] = content[draw(st.integers(0, len(content))) :][:64]
        else:
            del content[place:end]
    return bytes(content)


texts = hostile_texts
values = st.lists(st.none() | hostile_texts, max_size=4)
KEYS = ["label", "score", "pos", "neg", "value", "low", "é"]
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.floats()
    | texts
    | st.sampled_from([10**400, "pos", 0.5]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=6,
)
ODD_VALUES = [
    None,
    True,
    0,
    -1,
    0.5,
    float("nan"),
    10**400,
    "",
    "x",
    "a\nb",
    "\ud800",
    [],
    [[]],
    {},
    {"": None},
]


@st.composite
def twisted(draw: st.DrawFn, values: Sequence[Any]) -> Any:
    """Return one of the plain values with some parts, wherever they are, replaced, lost, moved or doubled."""
    value = copy.deepcopy(draw(st.sampled_from(values)))
    for _ in range(draw(st.integers(1, 3))):
        places = [*_places(value)]
        holder, key = draw(st.sampled_from(places))
        kind = draw(st.sampled_from(["odd", "odd", "odd", "lose", "move", "any"]))
        if kind == "lose":
            del holder[key]
        else:
            other, its = draw(st.sampled_from(places))
            odd = {"odd": st.sampled_from(ODD_VALUES), "move": st.just(other[its])}.get(kind, json_values)
            holder[key] = copy.deepcopy(draw(odd))
        if not isinstance(value, dict | list) or not value:
            break
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every part of a plain value as its holder and its key there."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


_GARBAGE = b"\xff\xc0\x80"  # what is under a null


def _validity(values: Sequence[Any]) -> pa.Buffer:
    valid = np.array([value is not None for value in values], bool)
    return pa.py_buffer(np.packbits(valid, bitorder="little"))


def _over_garbage(values: Sequence[str | None], kind: pa.DataType) -> pa.Array:
    """Return a column whose nulls have bytes that are not UTF-8."""
    cells = [_GARBAGE if value is None else value.encode() for value in values]
    width = np.int64 if kind in (pa.large_string(), pa.large_binary()) else np.int32
    offsets = np.cumsum([0, *map(len, cells)], dtype=width)
    buffers = [_validity(values), pa.py_buffer(offsets), pa.py_buffer(b"".join(cells) + _GARBAGE)]
    return pa.Array.from_buffers(kind, len(values), buffers)


def _views(values: Sequence[str | None], kind: pa.DataType) -> pa.Array:
    """Return a column of views whose nulls point nowhere."""
    column = pa.array(values, pa.string()).cast(kind)
    _, views, *data = column.buffers()
    slots = np.frombuffer(views, np.uint8)[: 16 * len(values)].reshape(-1, 16).copy()
    slots[np.array([value is None for value in values], bool)] = 255
    return pa.Array.from_buffers(kind, len(values), [_validity(values), pa.py_buffer(slots.tobytes()), *data])


def _dictionary(values: Sequence[str | None], kind: pa.DataType) -> pa.Array:
    """Return a dictionary with words that are not used, used twice, null or not UTF-8, and bad indices."""
    words = [None, *dict.fromkeys(value for value in values if value is not None), "unused"]
    known = _over_garbage(words, pa.string())
    places = np.array([words.index(value) if value is not None else 99 for value in values], np.int8)
    indices = pa.Array.from_buffers(pa.int8(), len(values), [_validity(values), pa.py_buffer(places)])
    return pa.DictionaryArray.from_arrays(indices, known, safe=False)


def _run_ends(values: Sequence[str | None], kind: pa.DataType) -> pa.Array:
    ends = pa.array(range(1, len(values) + 1), pa.int32())
    return pa.RunEndEncodedArray.from_arrays(ends, _over_garbage(values, pa.string()))


_LAYOUTS: dict[str, tuple[Callable[..., pa.Array], pa.DataType]] = {
    "string": (_over_garbage, pa.string()),
    "large_string": (_over_garbage, pa.large_string()),
    "binary": (_over_garbage, pa.binary()),
    "large_binary": (_over_garbage, pa.large_binary()),
    "string_view": (_views, pa.string_view()),
    "dictionary": (_dictionary, pa.string()),
    "run ends": (_run_ends, pa.string()),
}


@st.composite
def laid_out(draw: st.DrawFn, values: Sequence[str | None]) -> pa.Array | pa.ChunkedArray:
    """Return the values as a hostile Arrow column: any type, sliced, in chunks, with garbage under nulls."""
    if all(value is None for value in values) and draw(st.booleans()):
        return pa.nulls(len(values))
    make, kind = _LAYOUTS[draw(st.sampled_from(list(_LAYOUTS)))]
    before, after = (
        draw(st.lists(st.none() | hostile_texts, max_size=2)),
        draw(st.lists(st.none(), max_size=2)),
    )
    column = make([*before, *values, *after], kind).slice(len(before), len(values))
    if draw(st.booleans()):
        return column
    cuts = sorted(draw(st.lists(st.integers(0, len(values)), max_size=3)))
    edges = zip([0, *cuts], [*cuts, len(values)], strict=True)
    return pa.chunked_array([column.slice(start, stop - start) for start, stop in edges], column.type)
