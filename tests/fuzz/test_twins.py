"""Lines, pairs and answers of twins: read, or refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import strategies as st

from salva.questions.make import plan_questions
from salva.twins.natural.synonyms import read_synonyms
from salva.twins.pair import read_pair_lines
from salva.twins.pcfg.generator import generate_lines
from salva.twins.pcfg.language import interpret, interpret_lines, measures
from salva.twins.pcfg.names import ALIASES, FUNCTIONS, read_names
from salva.twins.pcfg.pairing import read_pairs
from tests.fuzz.strategies import damaged, fuzz, one_line_errors, texts

WORDS = [
    *FUNCTIONS,
    *ALIASES,
    "append_twin",
    "swap_twin",
    "A1",
    "B22",
    "Z999999999",
    "A1",
    ",",
    ",",
    "a1",
    "A",
    "é1",
]
GAPS = [" ", " ", " ", "  ", "\t", "\u00a0", "\u3000", "\r", "\x1c", "", "\n"]
pieces = st.tuples(st.sampled_from(WORDS) | texts, st.sampled_from(GAPS)).map("".join)
valid = st.recursive(
    st.lists(st.sampled_from(["A1", "B22", "Z999999999", "É"]), min_size=1, max_size=4).map(" ".join),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from([n for n, k in FUNCTIONS.items() if k == 1]), inner).map(" ".join),
        st.tuples(
            st.sampled_from([n for n, k in FUNCTIONS.items() if k == 2]), inner, st.just(","), inner
        ).map(" ".join),
    ),
    max_leaves=12,
)
lines = st.lists(st.lists(pieces, max_size=8).map("".join) | valid, min_size=1, max_size=5)
languages = st.fixed_dictionaries(
    {},
    optional={
        "twins": st.dictionaries(
            st.sampled_from([*FUNCTIONS, "swap"]), st.sampled_from(["dax", "wug", "é", "A1", ","]), max_size=2
        ),
        "alphabet": st.lists(st.sampled_from(["A1", "É", "x" * 300, "B22", "copy", "a b", ""]), max_size=4),
    },
)


@fuzz(rows=lines, language=languages)
def test_lines_are_interpreted_and_measured_or_refused(rows, language):
    with one_line_errors():
        values = interpret_lines(rows, **language)
        assert values == [interpret(row, **language) for row in rows]
        assert [measures(row, **language).length for row in rows] == [len(row.split()) for row in rows]


bounds = st.none() | st.integers(-1, 9) | st.tuples(st.integers(0, 9), st.integers(0, 12))


@fuzz(
    count=st.integers(-1, 9),
    seed=st.integers(0, 99),
    depth=bounds,
    length=bounds,
    alphabet=st.sampled_from([None, 0, 1, 3, 26, ["a", "a"], ["x", "y"], []]),
)
def test_lines_are_drawn_within_bounds_or_refused(count, seed, depth, length, alphabet):
    with one_line_errors(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "salva.twins.pcfg.sampling._LEAST_TRIES", 1 << 18
        )  # lines that are rare are refused soon
        drawn = generate_lines(count, seed=seed, depth=depth or 2, length=length, alphabet=alphabet)
        assert len(drawn) == count
        interpret_lines(drawn, alphabet=alphabet if isinstance(alphabet, list) else None)


FOLDER = {
    "test.src": b"append A1 B2 , C3\nrepeat A1\n",
    "test_twin.src": b"append_twin A1 B2 , C3\nrepeat_twin A1\n",
    "test.tgt": b"A1 B2 C3\nA1 A1\n",
    "test_twin.tgt": b"A1 B2 C3\nA1 A1\n",
    "manifest.json": b'{"manifest": 1, "names": {"append": "append_twin"}, "pairs": "twins"}',
}
PLAIN = {
    "pairs.jsonl": [b'{"source": "a", "twin": "b", "target": "x", "row": 0}\n{"source": "c", "twin": "d"}\n'],
    "synonyms.tsv": ["donut\tdoughnut\nüber\tover\ta|b\n".encode()],
    "names.txt": [b"# names\nappend dax\nswap wug\n"],
}
READERS = {
    "pairs.jsonl": read_pair_lines,
    "synonyms.tsv": read_synonyms,
    "names.txt": lambda path: read_names(str(path)),
}


def check(path: Path) -> None:
    with one_line_errors():
        READERS[path.name](path)
    if path.name == "pairs.jsonl":
        check_questions(path)


@fuzz(name=st.sampled_from(list(PLAIN)), data=st.data())
def test_a_damaged_file_is_read_or_refused(tmp_path_factory, name, data):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(data.draw(damaged(PLAIN[name], [b'"row": ', b"\t", b"append ", b"{}\n", b"[]"])))
    check(path)


def check_folder(folder: Path) -> None:
    with one_line_errors():
        for pair in read_pairs(folder):
            assert pair.source
            assert pair.twin
    check_questions(folder)


def check_questions(source: Path) -> None:
    """Make both questions about every pair."""
    with one_line_errors():
        plan = plan_questions(source)
        assert sum(len(group.block) for group in plan.groups(0, {})) == 2 * plan.info().rows


@fuzz(part=st.sampled_from(list(FOLDER)), data=st.data())
def test_a_damaged_folder_of_pairs_is_read_or_refused(tmp_path_factory, part, data):
    folder = tmp_path_factory.getbasetemp() / "pairs"
    folder.mkdir(exist_ok=True)
    for name, content in FOLDER.items():
        drawn = (
            data.draw(damaged([content], [b"append_twin ", b"A1 ", b", ", b"[]", b'"control"']))
            if name == part
            else content
        )
        (folder / name).write_bytes(drawn)
    check_folder(folder)
