"""`salva transform`, `revert` and `presets` as a user calls them."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib

import pytest

import salva as package
from salva._presets import validity
from salva._presets.validity import Reading

CSV = "text,label\nThis movie was really great,1\nAn awful film,0\n"


@pytest.fixture
def data(tmp_path):
    (tmp_path / "in.csv").write_text(CSV)


def test_presets_are_listed_and_printed_as_toml(salva):
    listed = salva("presets")
    assert all(name in listed.out for name in package.presets())
    printed = salva("presets", "hybrid")
    assert tomllib.loads(printed.out)["settings"]["p_typo"] == 0.1
    assert json.loads(salva("presets", "typos", "--json").out)["preset"] == "typos"
    assert len(json.loads(salva("presets", "--json").out)) == len(package.presets())


def test_presets_are_listed_by_family_with_their_validity(salva, set_width, monkeypatch):
    read = Reading("2", "a.jsonl", "reviews", "2026-11-16", "one reader", {"a": 97, "c": 3})
    monkeypatch.setattr(validity, "load_readings", lambda: {"hybrid": (read,)})
    set_width(200)
    listed = salva("presets").out
    assert listed.index("natural") < listed.index("Corruptions") < listed.index("hybrid")
    assert "97 % of 100 edits keep the meaning [92, 99]" in listed
    assert "not measured" in listed
    known = {one["preset"]: one for one in json.loads(salva("presets", "--json").out)}
    assert (known["natural"]["family"], known["typos"]["family"]) == ("meaning", "corruption")
    edits = known["hybrid"]["validity"]["edits"]
    assert (edits["kept"], edits["n"], edits["rate"]["value"]) == (97, 100, 97)
    assert known["typos"]["validity"] is None


def test_a_bundle_is_not_a_preset(salva, tmp_path):
    (tmp_path / "a.txt").write_text("A film\n")
    outcome = salva("transform", "a.txt", "--preset", "documents", "--preview", "1")
    assert outcome.code == 2
    assert "'documents' stands for several presets; choose one of hybrid, synonyms" in outcome.err


def test_a_preset_printed_changed_and_used(salva, data, tmp_path):
    (tmp_path / "mine.toml").write_text(salva("presets", "typos").out.replace("prob = 0.25", "prob = 1.0"))
    assert salva("transform", "in.csv", "-o", "out.csv", "--preset", "mine.toml").code == 0
    expected = package.preset("typos", prob=1.0).transform("An awful film").transformed
    assert expected in (tmp_path / "out.csv").read_text()


def test_the_summary_names_rows_edits_rates_seed_and_severity(salva, data):
    done = salva("transform", "in.csv", "-o", "out.csv", "--preset", "hybrid", "--severity", "0.9")
    assert done.code == 0
    assert "out.csv: 2 rows in, 2 out; " in done.out
    assert "seed 0, severity 0.9" in done.out
    assert "by rule: " in done.out
    assert "by part of speech: " in done.out
    assert salva("transform", "in.csv", "-o", "q.csv", "--preset", "typos", "-q").out == ""


def test_json_is_the_manifest(salva, data, tmp_path):
    printed = salva("transform", "in.csv", "-o", "out.csv", "--preset", "typos", "--json")
    assert json.loads(printed.out) == json.loads((tmp_path / "out.csv.manifest.json").read_text())


@pytest.mark.parametrize(
    ("setting", "key", "value"),
    [
        ("p_typo=0.5", "p_typo", 0.5),
        ("protect=true", "protect", True),
        ("render=splice", "render", "splice"),
        ("exclude=[]", "exclude", []),
        ('exclude=["a", "b"]', "exclude", ["a", "b"]),
    ],
)
def test_settings_are_set(salva, data, setting, key, value):
    done = salva("transform", "in.csv", "-o", "out.csv", "--preset", "hybrid", "--set", setting, "--json")
    assert json.loads(done.out)["transform"]["settings"][key] == value


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["--preset", "hybird"],
            2,
            "salva: 'hybird' is not a preset; did you mean 'hybrid'?",
        ),
        (["--preset", "typos", "--set", "prb=1"], 2, "no setting 'prb'; did you mean 'prob'?"),
        (["--preset", "typos", "--set", "prob"], 2, "--set 'prob' must be KEY=VALUE"),
        (["--preset", "typos", "--set", "prob=2"], 2, "prob=2 must be between 0 and 1"),
        (["--preset", "typos", "--severity", "1.5"], 2, "severity=1.5 must be between 0 and 1"),
        (["--preset", "typos", "--severity", "nan"], 2, "severity=nan must be between 0 and 1"),
        (["--preset", "typos", "--seed", "-1"], 2, "seed=-1 must be a whole number"),
        (["--preset", "typos", "--seed", "0.5"], 2, "'0.5' is not a valid int"),
        (["--preset", "typos", "--render", "glue"], 2, "render='glue' is unknown"),
        (["--preset", "typos", "--fit", "self"], 2, "preset typos has nothing to fit"),
        (["--preset", "typos", "--save-vocabulary", "v"], 2, "saves the words that --fit finds"),
        (["--preset", "typos", "--text-column", "txt"], 3, "no column 'txt'"),
        (["--preset", "typos", "--presett", "x"], 2, "No such option"),
        (["--preset", "typos", "--set", 'protect_patterns=["("]'], 2, "is not a regular expression"),
        (["--preset", "typos", "--set", 'protect_patterns=["(a+)+$"]'], 0, ""),
        (["--preset", "nowhere.toml"], 3, "nowhere.toml: no such file"),
        ([], 2, "Missing option '--preset'"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(salva, data, tmp_path, arguments, code, message):
    done = salva("transform", "in.csv", "-o", "out.csv", *arguments)
    assert done.code == code, done.err
    assert message in done.err
    assert done.err.count("\n") <= 1
    assert (tmp_path / "out.csv").exists() == (code == 0)


def test_an_output_or_a_preview_must_be_named(salva, data):
    done = salva("transform", "in.csv", "--preset", "typos")
    assert (done.code, "pass either -o OUT" in done.err) == (2, True)


def test_a_preview_marks_the_edits_and_writes_nothing(salva, data, tmp_path):
    done = salva("transform", "in.csv", "--preset", "typos", "--set", "prob=1.0", "--preview", "1")
    twins = package.preset("typos", prob=1.0).transform("This movie was really great")
    first = twins.edits.to_pylist()[0]
    assert f"[-{first['old']}-]" in done.out
    assert f"{{+{first['new']}+}}" in done.out
    assert "row 2" not in done.out
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_preview_leaves_out_what_is_far_from_the_edits_of_a_long_text(salva, tmp_path):
    (tmp_path / "in.txt").write_text("A film. " + "1234567 " * 500 + "A movie. " + "1234567 " * 500 + "\n")
    done = salva("transform", "in.txt", "--preset", "typos", "--set", "prob=1.0", "--preview", "1")
    before = next(line for line in done.out.splitlines() if line.startswith("  before: "))
    assert before.startswith("  before: A [-film.-] 1234567 ")
    assert "[-movie.-]" in before
    assert before.count("characters …]") == 2
    assert len(before) < 600
    assert before.rstrip().endswith("characters …]")


def test_a_preview_shows_what_acts_as_its_escape(salva, tmp_path):
    (tmp_path / "in.txt").write_text("a \x1b[2J great [bold] :heart: movie\u202e\n", "utf-8")
    done = salva("transform", "in.txt", "--preset", "typos", "--preview", "3")
    assert "\\x1b[2J" in done.out
    assert "[bold] :heart:" in done.out
    assert "\x1b" not in done.out


def test_there_and_back_again(salva, data, tmp_path):
    arguments = ["--preset", "corrupt", "--render", "splice", "--edits", "e.parquet"]
    assert salva("transform", "in.csv", "-o", "out.csv", *arguments).code == 0
    done = salva("revert", "out.csv", "--edits", "e.parquet", "-o", "back.csv")
    assert (done.code, done.out) == (0, "back.csv: 2 rows restored\n")
    assert (tmp_path / "back.csv").read_text() == CSV
    assert salva("transform", "in.csv", "-o", "s.csv", "--preset", "typos", "--edits", "f.parquet").code == 0
    done = salva("revert", "s.csv", "--edits", "f.parquet", "-o", "no.csv")
    assert done.code == 3
    assert (
        "cannot be undone; transform with render splice, or keep both texts with --keep-original" in done.err
    )


def test_a_vocabulary_is_fitted_kept_and_used_again(salva, data, tmp_path):
    common = ["--preset", "corrupt", "--severity", "1"]
    assert (
        salva(
            "transform", "in.csv", "-o", "a.csv", *common, "--fit", "self", "--save-vocabulary", "v.txt"
        ).code
        == 0
    )
    assert (tmp_path / "v.txt").read_text() == "awful\ngreat\nmovie\nreally\n"
    assert salva("transform", "in.csv", "-o", "b.csv", *common, "--set", "vocabulary=v.txt").code == 0
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()


def test_a_vocabulary_is_fitted_on_several_files(salva, data, tmp_path):
    (tmp_path / "more.txt").write_text("awful awful pictures\n")
    files = ["--fit", "self", "--fit", "more.txt", "--save-vocabulary", "v.txt"]
    assert salva("transform", "in.csv", "-o", "a.csv", "--preset", "corrupt", *files).code == 0
    assert (tmp_path / "v.txt").read_text() == "awful\ngreat\nmovie\npictures\nreally\n"


@pytest.mark.slow
def test_standard_input_and_output():
    command = [
        sys.executable,
        "-m",
        "salva",
        "transform",
        "-",
        "-o",
        "-",
        "--format",
        "txt",
        "--preset",
        "typos",
    ]
    text = "This movie was great\n"
    done = subprocess.run(
        [*command, "--set", "prob=1.0"], input=text, capture_output=True, text=True, check=False
    )
    expected = package.preset("typos", prob=1.0).transform(text.strip()).transformed
    assert (done.returncode, done.stdout) == (0, f"{expected}\n")
    assert done.stderr.startswith("-: 1 row in, 1 out; ")
    both = subprocess.run([*command, "--json"], input=text, capture_output=True, text=True, check=False)
    assert both.returncode == 2


def test_rows_without_words_are_told(salva, tmp_path):
    (tmp_path / "in.txt").write_text("这部电影非常好看\n", "utf-8")
    done = salva("transform", "in.txt", "-o", "out.txt", "--preset", "synonyms")
    assert "0 eligible words in 100 % of rows" in done.out


def test_the_summary_beside_an_output_on_a_stream_has_lines(salva, data):
    done = salva("transform", "in.csv", "-o", "-", "--preset", "hybrid")
    assert "\\n" not in done.err
    assert [line.split(":")[0] for line in done.err.splitlines()] == ["-", "  by rule", "  by part of speech"]


def test_one_row_is_a_row(salva, tmp_path):
    (tmp_path / "one.txt").write_text("A movie\n")
    assert (
        "one.txt: 1 row in, 1 out; 0 edits in 0 rows, "
        in salva("transform", "one.txt", "-o", "new-one.txt", "--preset", "typos", "--severity", "0").out
    )


def test_a_composition_goes_there_and_back_and_is_printed_as_toml(salva, data, tmp_path):
    arguments = ["--preset", "natural+corrupt", "--severity", "0.9", "--edits", "e.parquet", "--json"]
    made = json.loads(salva("transform", "in.csv", "-o", "out.csv", *arguments).out)["transform"]
    assert (made["preset"], made["version"]) == ("natural+corrupt", package.preset("natural+corrupt").version)
    assert (tmp_path / "out.csv").read_text() != CSV
    assert salva("revert", "out.csv", "--edits", "e.parquet", "-o", "back.csv").code == 0
    assert (tmp_path / "back.csv").read_text() == CSV
    (tmp_path / "mine.toml").write_text(salva("presets", "natural+corrupt").out)
    assert package.preset(tmp_path / "mine.toml") == package.preset("natural+corrupt")
    assert "natural+corrupt: " in salva("transform", "in.csv", "--preview", "1", *arguments[:2]).out


def test_the_part_of_a_composition_that_is_wrong_is_named(salva, data):
    done = salva("transform", "in.csv", "-o", "out.csv", "--preset", "natural+typso")
    assert done.code == 2
    assert done.err == "salva: 'natural+typso': 'typso' is not a preset; did you mean 'typos'?\n"
