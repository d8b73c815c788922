"""The release check: a sheet is blind, and its score is counted per preset, rule and corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from salva.rows import reviews
from tools.corpora import Text
from tools.validity_sheet import draw_sheet, main, rates, show_sheet
from tools.write_validity import count_verdicts, join

TEXTS = [Text("ab"[n % 2], str(n), text) for n, text in enumerate(reviews("test")["text"].to_pylist()[:40])]


@pytest.fixture
def sheet(tmp_path):
    items = draw_sheet({"natural": 9, "hybrid": 2}, TEXTS, seed=0)
    (tmp_path / "s.key.jsonl").write_text("".join(f"{json.dumps(item)}\n" for item in items))
    (tmp_path / "s.txt").write_text(show_sheet(items))
    return tmp_path / "s", items


def answer(path, items, bad=()):
    lines = (f"{item['n']}\t{'c' if item['n'] in bad else 'a'}\t{item['rule']}\n" for item in items)
    path.with_name("s.verdicts.tsv").write_text("".join(lines))


def joined_lines(path):
    return join(Path(f"{path}.key.jsonl"), Path(f"{path}.verdicts.tsv"))


def test_a_sheet_is_mixed_even_and_the_same_for_a_seed(sheet):
    _, items = sheet
    assert [item["n"] for item in items] == list(range(1, 12))
    natural = [item["corpus"] for item in items if item["preset"] == "natural"]
    assert (natural.count("a"), natural.count("b")) == (5, 4)
    assert len({item["row"] for item in items if item["preset"] == "natural"}) == 9
    assert items == draw_sheet({"natural": 9, "hybrid": 2}, TEXTS, seed=0)
    assert items != draw_sheet({"natural": 9, "hybrid": 2}, TEXTS, seed=1)


def test_the_reader_sees_edits_in_context_but_no_preset(sheet):
    path, items = sheet
    shown = path.with_suffix(".txt").read_text()
    assert all(f"[[{item['old']} => {item['new']}]]" in item["context"] in shown for item in items)
    assert "natural" not in shown
    assert "hybrid" not in shown


def test_verdicts_are_joined_and_counted(sheet):
    path, items = sheet
    wrong = next(item for item in items if item["preset"] == "natural")
    answer(path, items, bad=[wrong["n"]])
    joined = [
        json.loads(line) for line in join(path.with_name("s.key.jsonl"), path.with_name("s.verdicts.tsv"))
    ]
    assert [item["verdict"] for item in joined].count("c") == 1
    assert {*joined[0]} == {*items[0]} - {"n"} | {"verdict", "note"}
    assert rates(joined, "preset")["natural",][:2] == (8, 9)
    assert rates(joined, "preset", "corpus")["natural", wrong["corpus"]][0] in {3, 4}


@pytest.mark.parametrize(("bar", "code"), [("80", None), ("97", 1)])
def test_the_score_fails_below_the_bar(sheet, monkeypatch, capsys, tmp_path, bar, code):
    path, items = sheet
    answer(path, items, bad=[next(item["n"] for item in items if item["preset"] == "natural")])
    monkeypatch.setattr(
        "sys.argv", ["x", "score", str(path), "--bar", bar, "-o", str(tmp_path / "out.jsonl")]
    )
    if code is None:
        main()
    else:
        with pytest.raises(SystemExit, match=r"natural keeps the meaning in 88\.9 %, not 97 %"):
            main()
    assert "natural: 8 of 9, 88.9 % [56.5, 98.0]" in capsys.readouterr().out
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 11


def test_the_joined_lines_are_a_sheet_of_docs_validity(sheet, tmp_path):
    path, items = sheet
    answer(path, items)
    lines = tmp_path / "NAME.jsonl"
    lines.write_text(
        "".join(f"{own}\n" for own in join(Path(f"{path}.key.jsonl"), Path(f"{path}.verdicts.tsv")))
    )
    assert count_verdicts(lines) == {"natural": {"a": 9}, "hybrid": {"a": 2}}
