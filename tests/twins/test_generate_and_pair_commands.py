"""`salva twins generate` and `salva twins pair`: files, what is printed, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from salva.twins import read_pairs


def test_generate_writes_a_corpus_and_both_conditions(salva):
    outcome = salva("twins", "generate", "-o", "out", "--lines", "600", "--seed", "4")
    assert (outcome.code, outcome.err) == (0, "")
    assert "wrote out/pcfgset: train 510, dev 30, test 60" in outcome.out
    assert "joint_depth_length" in outcome.out
    assert sorted(path.name for path in Path("out/substitutivity").iterdir()) == [
        "equally_distributed",
        "primitive",
    ]


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


def test_pair_writes_pairs_and_controls(salva):
    salva("twins", "generate", "-o", "a", "--lines", "1000", "--no-conditions")
    outcome = salva("twins", "pair", "a/pcfgset/test.src", "-o", "p", "--per-function", "20", "--controls")
    assert (outcome.code, outcome.err) == (0, "")
    assert "wrote p: 80 pairs (append 20, swap_first_last 20, repeat 20, remove_second 20)" in outcome.out
    assert all(read_pairs(folder) for folder in ("p", "p/control", "p/shuffled"))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["generate", "-o", "x", "--depth", "a"], 2, "--depth 'a' is no number"),
        (["generate", "-o", "x", "--from", "y", "--lines", "3"], 2, "--lines is for a new corpus"),
        (["generate", "-o", "x", "--from", "y"], 3, "y/train.src: no such file"),
        (
            ["generate", "-o", "x", "--from", "y", "--no-conditions"],
            2,
            "--no-conditions makes a corpus alone",
        ),
        (["generate", "-o", "x", "--lines", "19"], 2, "lines=19 are too few for train, dev and test"),
        (["generate", "-o", "x", "--seed", "-1"], 2, "seed=-1 is no whole number"),
        (["generate", "-o", "x", "--lines", "9", "--names", "n.tsv"], 3, "n.tsv: no such file"),
        (["pair", "t.src", "-o", "x"], 3, "t.src: no such file"),
        (["pair", "bad.src", "-o", "x"], 3, "bad.src:2: token 1 (column 1): 'apend' is no function"),
        (["pair", "bad.src", "-o", "x", "--alphabet", "5"], 2, "--alphabet is a list of symbols here"),
    ],
)
def test_faults_are_one_line_and_leave_nothing(salva, arguments, code, message):
    Path("bad.src").write_text("append A1 , B1\napend A1 , B1\n")
    outcome = salva("twins", *arguments)
    assert outcome.code == code
    assert outcome.err.count("\n") == 1
    assert message in outcome.err
    assert not Path("x").exists()
