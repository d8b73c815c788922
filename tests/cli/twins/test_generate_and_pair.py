"""`salva twins generate` and `salva twins pair`: files, what is printed, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from salva.twins import read_pairs
from salva.twins.pair import read_pair_lines
from salva.twins.pcfg.conditions import string_arguments


def test_generate_writes_a_corpus_and_both_conditions(salva):
    outcome = salva("twins", "generate", "-o", "out", "--lines", "600", "--seed", "4")
    assert (outcome.code, outcome.err) == (0, "")
    assert "wrote out/pcfgset: train 510, dev 30, test 60" in outcome.out
    assert "joint_depth_length" in outcome.out
    assert sorted(path.name for path in Path("out/substitutivity").iterdir()) == [
        "equally_distributed",
        "primitive",
    ]


def test_quiet_commands_say_nothing(salva):
    assert salva("twins", "generate", "-o", "out", "--lines", "60", "--no-conditions", "-q").out == ""
    assert salva("twins", "pair", "out/pcfgset/test.src", "-o", "pairs", "-q").out == ""


def test_json_is_the_result_object(salva):
    outcome = salva("twins", "generate", "-o", "out", "--lines", "300", "--condition", "primitive", "--json")
    result = json.loads(outcome.out)
    assert result["corpus"]["lines"] == {"train": 255, "dev": 15, "test": 30}
    assert [one["name"] for one in result["conditions"]] == ["primitive"]
    assert result["conditions"][0]["added_lines"] == 4 * 83


def test_free_mode_and_a_corpus_of_ones_own(salva):
    free = ("--depth", "1-2", "--length", "3-9", "--alphabet", "26", "--no-conditions")
    assert salva("twins", "generate", "-o", "a", "--lines", "400", *free).code == 0
    outcome = salva("twins", "generate", "-o", "b", "--from", "a", "--dose", "2", "--names", "nonce")
    assert outcome.code == 0
    assert not Path("b/pcfgset").exists()
    assert Path("b/substitutivity/primitive/train.src").read_text().count("blicket") == 2


@pytest.mark.parametrize(("given", "sizes"), [("3", {3}), ("3-4", {3, 4}), ("1:1,6:3", {1, 6})])
def test_the_sizes_of_strings_may_be_chosen(salva, given, sizes):
    free = ("--depth", "1", "--string-sizes", given, "--no-conditions", "--lines", "60")
    outcome = salva("twins", "generate", "-o", "a", *free)
    assert outcome.code == 0, outcome.err
    lines = Path("a/pcfgset/train.src").read_text().splitlines()
    assert {len(string.split()) for string in string_arguments(lines)} == sizes


def test_pair_writes_pairs_and_controls(salva):
    salva("twins", "generate", "-o", "a", "--lines", "1000", "--no-conditions")
    outcome = salva("twins", "pair", "a/pcfgset/test.src", "-o", "p", "--per-function", "20", "--controls")
    assert (outcome.code, outcome.err) == (0, "")
    assert "wrote p: 80 pairs (append 20, swap_first_last 20, repeat 20, remove_second 20)" in outcome.out
    assert all(read_pairs(folder) for folder in ("p", "p/control", "p/shuffled"))


def test_pair_makes_pairs_of_plain_texts_too(salva):
    Path("texts.csv").write_text("text,label\nThe lorry,yes\nA car,no\n", "utf-8")
    Path("s.tsv").write_text("lorry\ttruck\n", "utf-8")
    options = ("-o", "pairs.jsonl", "--synonyms", "s.tsv")
    outcome = salva("twins", "pair", "texts.csv", *options)
    assert (outcome.code, outcome.out) == (0, "wrote pairs.jsonl: 1 pair (lorry/truck 1)\n"), outcome.err
    assert [(pair.twin, pair.target) for pair in read_pair_lines("pairs.jsonl")] == [("The truck", "yes")]
    assert salva("twins", "pair", "texts.csv", *options).code == 3
    outcome = salva("twins", "pair", "texts.csv", *options, "--overwrite", "--json")
    assert json.loads(outcome.out)["folders"][0]["by_kind"] == {"lorry/truck": 1}


@pytest.mark.parametrize("name", ["typos", "natural+typos"])
def test_pair_makes_pairs_by_a_preset(salva, name):
    Path("texts.txt").write_text("A wonderful film with great actors\n", "utf-8")
    outcome = salva("twins", "pair", "texts.txt", "-o", "pairs.jsonl", "--preset", name, "--seed", "3")
    assert (outcome.code, [pair.kind for pair in read_pair_lines("pairs.jsonl")]) == (0, [name])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["generate", "-o", "x", "--depth", "a"], 2, "--depth 'a' must be a number (3) or a range (2-4)"),
        (["generate", "-o", "x", "--from", "y", "--lines", "3"], 2, "--lines describes a new corpus"),
        (["generate", "-o", "x", "--from", "y"], 3, "y/train.src: no such file"),
        (
            ["generate", "-o", "x", "--from", "y", "--no-conditions"],
            2,
            "--no-conditions makes only a corpus",
        ),
        (
            ["generate", "-o", "x", "--lines", "19"],
            2,
            "19 lines are too few for train, dev and test; use 20 or more",
        ),
        (["generate", "-o", "x", "--seed", "-1"], 2, "seed=-1 must be a whole number"),
        (["generate", "-o", "x", "--lines", "9", "--names", "n.tsv"], 3, "n.tsv: no such file"),
        (["generate", "-o", "x", "--string-sizes", "2:a"], 2, "--string-sizes '2:a' must be a size (3)"),
        (["generate", "-o", "x", "--string-sizes", "5-2"], 2, "--string-sizes '5-2' must be a size (3)"),
        (["generate", "-o", "x", "--from", "y", "--string-sizes", "2"], 2, "--string-sizes describes a new"),
        (["pair", "t.txt", "-o", "x", "--synonyms", "s.tsv", "--controls"], 2, "--controls is for PCFG SET"),
        (
            ["pair", "t.txt", "-o", "x", "--preset", "typos", "--per-function", "2"],
            2,
            "--per-function is for",
        ),
        (["pair", "t.csv", "-o", "x"], 3, "for plain texts, pass --synonyms or --preset"),
        (["pair", "t.csv", "-o", "x", "--both-ways"], 2, "--both-ways needs --synonyms"),
        (["pair", "t.csv", "-o", "x", "--severity", "0.5"], 2, "--severity needs --preset"),
        (
            ["pair", "t.csv", "-o", "x", "--preset", "typos", "--text-column", "text,label"],
            2,
            "--text-column names 2 columns; twins need exactly one",
        ),
        (["pair", "t.src", "-o", "x"], 3, "t.src: no such file"),
        (["pair", "bad.src", "-o", "x"], 3, "bad.src:2: token 1 (column 1): 'apend' is not a function"),
        (["pair", "bad.src", "-o", "x", "--alphabet", "5"], 2, "--alphabet must be a list of symbols here"),
    ],
)
def test_faults_are_one_line_and_leave_nothing(salva, arguments, code, message):
    Path("bad.src").write_text("append A1 , B1\napend A1 , B1\n")
    Path("t.csv").write_text("text,label\nA lorry,yes\n")
    outcome = salva("twins", *arguments)
    assert outcome.code == code
    assert outcome.err.count("\n") == 1
    assert message in outcome.err
    assert not Path("x").exists()


def test_what_is_read_is_never_replaced(salva):
    Path("own").mkdir()
    Path("own/test.src").write_text("append A1 , B1\ncopy A1\n")
    outcome = salva("twins", "pair", "own/test.src", "-o", "own", "--overwrite")
    assert (outcome.code, outcome.err.count("\n")) == (3, 1)
    assert "own/test.src: is the input itself; choose another name" in outcome.err
    assert [path.name for path in Path("own").iterdir()] == ["test.src"]


def test_a_corpus_is_never_replaced_by_its_conditions(salva):
    home = Path("own/substitutivity/primitive")
    salva("twins", "generate", "-o", "a", "--lines", "300", "--no-conditions")
    home.parent.mkdir(parents=True)
    Path("a/pcfgset").rename(home)
    outcome = salva("twins", "generate", "--from", home, "-o", "own", "--overwrite")
    assert (outcome.code, "primitive/train.src: is the input itself" in outcome.err) == (3, True)


def test_plain_texts_and_tables_are_never_replaced_by_their_pairs(salva):
    Path("s.tsv").write_text("lorry\ttruck\n", "utf-8")
    Path("t.jsonl").write_text('{"text": "A lorry"}\n', "utf-8")
    for output in ("s.tsv", "t.jsonl"):
        outcome = salva("twins", "pair", "t.jsonl", "--synonyms", "s.tsv", "-o", output, "--overwrite")
        assert (outcome.code, f"{output}: is the input itself" in outcome.err) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--lines", "30", "--depth", "1", "--alphabet", "3"], 3, "3 symbols cannot make enough new strings"),
        (
            ["--lines", "60", "--alphabet", "5", "--dose", "100000"],
            3,
            "5 symbols cannot make enough new strings",
        ),
        (["--lines", "60", "--names", "names.txt"], 2, "'A1' is both a function and a symbol"),
    ],
)
def test_a_corpus_whose_conditions_cannot_be_made_is_not_written(salva, arguments, code, message):
    Path("names.txt").write_text("append A1\n")
    outcome = salva("twins", "generate", "-o", "x", *arguments)
    assert (outcome.code, message in outcome.err, Path("x").exists()) == (code, True, False), outcome.err


def test_a_folder_in_the_way_is_found_before_any_other_is_written(salva):
    Path("x/substitutivity/equally_distributed").mkdir(parents=True)
    Path("x/substitutivity/equally_distributed/mine").touch()
    outcome = salva("twins", "generate", "-o", "x", "--lines", "300")
    assert (outcome.code, "equally_distributed: exists; pass --overwrite" in outcome.err) == (3, True)
    assert [path.name for path in Path("x").iterdir()] == ["substitutivity"]


def test_a_function_that_is_named_twice_makes_its_pairs_once(salva):
    Path("t.src").write_text("append A1 , B1\n")
    outcome = salva("twins", "pair", "t.src", "-o", "x", "--function", "append", "--function", "append")
    assert "1 pair (append 1)" in outcome.out


def test_a_corpus_that_is_a_file_is_said_to_be_one(salva):
    Path("t.src").write_text("append A1 , B1\n")
    outcome = salva("twins", "generate", "--from", "t.src", "-o", "x")
    assert (outcome.code, "t.src: is a file; name the folder of a corpus" in outcome.err) == (3, True)


def test_a_corpus_too_small_for_pairs_says_how_many_lines_there_are_and_not_where_they_were(salva):
    outcome = salva("twins", "generate", "-o", "x", "--lines", "20")
    assert (outcome.code, outcome.err.count("\n"), Path("x").exists()) == (2, 1, False)
    assert "the 2 lines of the test set have none of append, swap_first_last" in outcome.err
    assert "use more lines, or leave the pairs out with --no-conditions" in outcome.err
    assert ".tmp" not in outcome.err


def test_a_function_without_pairs_is_named(salva):
    Path("t.src").write_text("append A1 , B1\nrepeat A1\n")
    outcome = salva("twins", "pair", "t.src", "-o", "x")
    assert "wrote x: 2 pairs (append 1, repeat 1)\n" in outcome.out
    assert "no line has swap_first_last or remove_second: no pairs for them\n" in outcome.out
    named = json.loads(Path("x/manifest.json").read_text())["by_kind"]
    assert named == {"append": 1, "swap_first_last": 0, "repeat": 1, "remove_second": 0}


def test_conditions_name_a_function_without_pairs(salva):
    outcome = salva("twins", "generate", "-o", "out", "--lines", "60", "--condition", "primitive")
    assert outcome.code == 0
    assert "no line has append: no pairs for it\n" in outcome.out
    named = json.loads(Path("out/substitutivity/primitive/manifest.json").read_text())["by_kind"]
    assert named["append"] == 0 < named["repeat"]


def test_swap_is_a_function_for_pair_and_in_a_file_of_names(salva):
    Path("t.src").write_text("swap A1 B1\nswap_first_last C1 D1\n")
    Path("names").write_text("swap dax\n")
    outcome = salva("twins", "pair", "t.src", "-o", "x", "--function", "swap", "--names", "names")
    assert (outcome.code, "2 pairs (swap_first_last 2)" in outcome.out) == (0, True), outcome.err
    assert sorted(Path("x/test_twin.src").read_text().splitlines()) == ["dax A1 B1", "dax C1 D1"]


def test_a_corpus_may_write_swap(salva):
    salva("twins", "generate", "-o", "a", "--lines", "300", "--no-conditions")
    for path in Path("a/pcfgset").glob("*.src"):
        path.write_text(path.read_text().replace("swap_first_last", "swap"))
    plain = ("--dose", "2", "--per-function", "5")
    assert salva("twins", "generate", "-o", "b", "--from", "a", *plain).code == 0
    outcome = salva("twins", "generate", "-o", "c", "--from", "a", *plain, "--json")
    made = {one["name"]: one for one in json.loads(outcome.out)["conditions"]}
    half = made["equally_distributed"]["lines_with"]
    assert abs(half["swap_first_last"] - half["swap_first_last_twin"]) <= 1 < half["swap_first_last"]
    assert made["primitive"]["pairs"]["swap_first_last"] == 5
