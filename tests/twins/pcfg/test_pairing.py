"""Pairs: the properties of the official ones, controls, and folders read back or refused."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from salva.errors import InputError, UsageError
from salva.twins import (
    FUNCTIONS,
    generate_lines,
    interpret,
    make_controls,
    make_pairs,
    read_pairs,
    shuffle_pairs,
    write_pairs,
)
from salva.twins.pcfg.names import CONTROLS, NONCE_NAMES, occurrences, read_names, twin_names
from salva.twins.pcfg.pairing import BLOCKS, tally_pairs

LINES = ["append append A1 , B1 , repeat C1", "repeat D1 E1 F1", "copy swap_first_last G1 H1 I1"]


@pytest.fixture
def folder(tmp_path):
    write_pairs(tmp_path / "pairs", make_pairs(LINES))
    return tmp_path / "pairs"


def put(path, number: int, line: str) -> None:
    lines = path.read_text().splitlines()
    lines[number - 1] = line
    path.write_text("\n".join(lines) + "\n")


def changes(pair) -> Counter:
    both = zip(pair.source.split(), pair.twin.split(), strict=True)
    return Counter((old, new) for old, new in both if old != new)


def test_the_official_test_file_makes_ten_thousand_pairs_with_the_official_properties(pcfgset):
    pairs = make_pairs((pcfgset / "pcfgset/test.src").read_text().splitlines())
    assert list(tally_pairs(pairs).items()) == [(function, 2500) for function in BLOCKS]
    assert [pair.kind for pair in pairs] == [function for function in BLOCKS for _ in range(2500)]
    for pair in pairs:
        assert list(changes(pair)) == [(pair.kind, f"{pair.kind}_twin")]
        assert occurrences(pair.twin, pair.kind) == 0
        assert pair.target == pair.twin_target
    assert all(len({p.source for p in pairs if p.kind == kind}) == 2500 for kind in BLOCKS)
    assert 6_500 < len({pair.source for pair in pairs}) < 6_900  # officially 6,716


def test_official_folders_read_as_ten_thousand_pairs(pcfgset):
    one, two = (
        read_pairs(pcfgset / "substitutivity" / name) for name in ("primitive", "equally_distributed")
    )
    assert one == two
    assert [pair.kind for pair in one] == [function for function in BLOCKS for _ in range(2500)]
    counts = Counter(sum(changes(pair).values()) for pair in one)
    assert counts == {1: 7535, 2: 1913, 3: 443, 4: 84, 5: 19, 6: 5, 7: 1}


def test_one_function_is_replaced_wherever_it_stands():
    pairs = {(pair.kind, pair.source): pair.twin for pair in make_pairs(LINES)}
    assert pairs["append", LINES[0]] == "append_twin append_twin A1 , B1 , repeat C1"
    assert pairs["repeat", LINES[0]] == "append append A1 , B1 , repeat_twin C1"
    assert len(pairs) == 4


def test_pairs_depend_on_the_seed_alone():
    lines = generate_lines(200, depth=(2, 4))
    assert make_pairs(lines, per_function=9, seed=1) == make_pairs(lines, per_function=9, seed=1)
    assert make_pairs(lines, per_function=9, seed=1) != make_pairs(lines, per_function=9, seed=2)


def test_functions_and_names_may_be_chosen():
    pairs = make_pairs(LINES, functions=["copy"], names={"copy": "dax"})
    assert [pair.twin for pair in pairs] == ["dax swap_first_last G1 H1 I1"]


def test_controls_change_the_answer_and_nothing_but_the_function():
    pairs = make_pairs(generate_lines(300, depth=(2, 4)), per_function=100)
    controls = make_controls(pairs)
    assert len(controls) > 100
    for control in controls:
        old, new = control.kind.split("/")
        assert list(changes(control)) == [(old, new)]
        assert interpret(control.twin) == control.twin_target != control.target


def test_every_function_has_a_control_with_as_many_arguments():
    assert {name: FUNCTIONS[other] for name, other in CONTROLS.items()} == FUNCTIONS
    assert all(name != other for name, other in CONTROLS.items())


def test_shuffled_pairs_stand_beside_the_twin_of_another_line_of_their_kind():
    pairs = make_pairs(generate_lines(300, depth=(2, 4)), per_function=50)
    mixed = shuffle_pairs(pairs)
    twins = {pair.twin: pair for pair in pairs}
    assert len(mixed) == len(pairs)
    assert all(twins[pair.twin].source != pair.source for pair in mixed)
    assert all(twins[pair.twin].kind == pair.kind for pair in mixed)


def test_a_folder_reads_back_as_it_was_written(folder):
    assert read_pairs(folder) == make_pairs(LINES)
    files = [folder / name for name in ("test.src", "test_twin.src", "test.tgt", "test_twin.tgt")]
    assert read_pairs(files) == make_pairs(LINES)
    assert json.loads((folder / "manifest.json").read_text())["by_kind"] == tally_pairs(make_pairs(LINES))


def test_controls_and_shuffled_pairs_read_back_too(tmp_path):
    pairs = make_pairs(generate_lines(100, depth=2))
    for kind, some in (("control", make_controls(pairs)), ("shuffled", shuffle_pairs(pairs))):
        write_pairs(tmp_path / kind, some, role=kind)
        assert read_pairs(tmp_path / kind) == some


def test_names_are_remembered_by_the_folder(tmp_path):
    pairs = make_pairs(LINES, names=NONCE_NAMES)
    write_pairs(tmp_path / "pairs", pairs, notes={"names": twin_names(NONCE_NAMES)})
    assert read_pairs(tmp_path / "pairs") == pairs
    (tmp_path / "pairs/manifest.json").unlink()
    with pytest.raises(InputError, match=r"test_twin.src:1: token 1 .*'blicket' is not a function"):
        read_pairs(tmp_path / "pairs")


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"names": [1]}', '{"names": {"append": 1}}', '{"alphabet": "a"}', '{"pairs": "odd"}']
)
def test_a_manifest_of_somebody_else_is_refused(folder, text):
    (folder / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=r"manifest.json: (broken JSON|is not a manifest written by Salva)"):
        read_pairs(folder)


def test_targets_may_be_missing(folder):
    (folder / "test.tgt").unlink()
    (folder / "test_twin.tgt").unlink()
    assert read_pairs(folder) == make_pairs(LINES)


def test_line_ends_and_spaces_are_normalised(folder):
    """Bad input 77: a last line without its end, other line ends, spaces, empty lines at the end."""
    for name in ("test.src", "test_twin.src", "test.tgt"):
        path = folder / name
        path.write_bytes(path.read_bytes().replace(b"\n", b"  \r\n").replace(b" , ", b"  , ") + b"\n\n")
    (folder / "test_twin.tgt").write_bytes((folder / "test_twin.tgt").read_bytes().rstrip(b"\n"))
    assert read_pairs(folder) == make_pairs(LINES)


@pytest.mark.parametrize(
    ("name", "number", "line", "problem"),
    [
        ("test_twin.src", 3, "repeat D1 E1 F1", "test_twin.src:3: .*"),
        ("test_twin.src", 1, "append append A1 , B1 , repeat C1", "test_twin.src:1: no twin; expected one"),
        ("test_twin.src", 1, "append_twin append_twin A1 , B1 , repeat_twin C1", "1: two functions replaced"),
        (
            "test_twin.src",
            1,
            "append_twin append A1 , B1 , repeat C1",
            "1: 1 of 2 'append' not replaced; replace all",
        ),
        ("test_twin.src", 1, "append_twin append_twin A2 , B1 , repeat C1", "'A1' in the source became 'A2'"),
        (
            "test_twin.src",
            1,
            "append_twin prepend A1 , B1 , repeat C1",
            "'append' in the source became 'prep",
        ),
        ("test_twin.src", 1, "append_twin A1 , B1", "1: 4 tokens, 8 in the source; expected the same"),
        ("test_twin.src", 1, "", "test_twin.src:1: token 1 .*the line is empty"),
        (
            "test.src",
            1,
            "append_twin append A1 , B1 , repeat C1",
            "test.src:1: already contains the twin 'append_twin'",
        ),
        ("test.tgt", 1, "", "test.tgt:1: the target is empty, but line 1 of test.src means 'A1 B1 C1 C1'"),
        (
            "test.tgt",
            2,
            "A1",
            "test.tgt:2: the target is 'A1', but line 2 of test.src means .*; correct one of them",
        ),
    ],
)
def test_a_bad_pair_is_refused_with_its_line(folder, name, number, line, problem):
    """Bad input 76: no twin, two twins, a change elsewhere; 77: an empty target."""
    (folder / "test_twin.tgt").unlink()
    put(folder / name, number, line)
    with pytest.raises(InputError, match=problem):
        read_pairs(folder)


def test_files_of_different_lengths_are_refused(folder):
    path = folder / "test_twin.src"
    path.write_text("".join(f"{line}\n" for line in path.read_text().splitlines()[:2]))
    with pytest.raises(InputError, match=r"test_twin.src:2: ends after line 2, .*test.src has 4 lines"):
        read_pairs(folder)


def test_lines_that_hold_twins_make_no_pairs():
    with pytest.raises(InputError, match=r"^a.src:2: already contains the twin 'append_twin'"):
        make_pairs([LINES[0], "append_twin A1 , B1"], source="a.src")


def test_lines_without_the_functions_make_no_pairs():
    with pytest.raises(
        InputError, match=r"no line has any of append, swap_first_last, repeat, remove_second"
    ):
        make_pairs(["copy A1"])


@pytest.mark.parametrize(
    "options", [{"per_function": 0}, {"functions": ["apend"]}, {"functions": []}, {"seed": -1}]
)
def test_options_that_cannot_be_are_refused(options):
    with pytest.raises(UsageError):
        make_pairs(LINES, **options)


def test_names_come_from_a_file_or_are_nonce(tmp_path):
    path = tmp_path / "names.tsv"
    path.write_text("# mine\nappend\tdax\nrepeat wug\n")
    assert read_names(str(path)) == {"append": "dax", "repeat": "wug"}
    assert read_names("nonce") == NONCE_NAMES


@pytest.mark.parametrize("text", ["append\n", "append dax\nappend wug\n", "apend dax\n", "append copy\n"])
def test_a_bad_file_of_names_is_refused_with_its_line(tmp_path, text):
    path = tmp_path / "names.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=rf"names.tsv:{text.count(chr(10))}: "):
        read_names(str(path))


@pytest.mark.parametrize("lines", ["append A1 , B1", [3]])
def test_what_are_no_lines_is_refused(lines):
    with pytest.raises(UsageError, match="lines must be a list of strings"):
        make_pairs(lines)


def test_a_line_that_stands_twice_comes_once_a_block():
    lines = ["append A1 , B1", "append  A1 , B1 ", "repeat append A1 , B1"] * 3
    assert tally_pairs(make_pairs(lines)) == {"append": 2, "repeat": 1}
    assert len(make_pairs(lines, per_function=1)) == 2


def test_lines_with_swap_make_pairs_of_swap_first_last(tmp_path):
    lines = ["swap A1 B1 C1", "copy swap swap_first_last A1 B1"]
    pairs = make_pairs(lines, functions=["swap", "swap_first_last"])
    assert sorted(pair.twin for pair in pairs) == [
        "copy swap_first_last_twin swap_first_last_twin A1 B1",
        "swap_first_last_twin A1 B1 C1",
    ]
    assert tally_pairs(pairs) == {"swap_first_last": 2}
    assert [pair.twin for pair in make_controls(pairs)] == ["copy A1 B1 C1"]
    write_pairs(tmp_path / "pairs", pairs)
    assert read_pairs(tmp_path / "pairs") == pairs


def test_files_that_write_swap_and_swap_twin_read_as_pairs_of_swap_first_last(tmp_path):
    (tmp_path / "test.src").write_text("swap A1 B1\ncopy swap C1 D1\n")
    (tmp_path / "test_twin.src").write_text("swap_twin A1 B1\ncopy swap_first_last_twin C1 D1\n")
    assert [(pair.kind, pair.target) for pair in read_pairs(tmp_path)] == [
        ("swap_first_last", "B1 A1"),
        ("swap_first_last", "D1 C1"),
    ]
