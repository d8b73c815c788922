"""Texts for judging: where they come from, and which edits are drawn from them."""

from __future__ import annotations

import zipfile

import pytest

import salva
from salva.errors import InputError, UsageError
from tools.corpora import Edited, Text, draw_edits, read_corpora


def packed(folder, name, **files):
    with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
        for path, content in files.items():
            archive.writestr(f"{name}/{path}.txt", content)
    return folder / f"{name}.zip"


def test_rows_are_numbered_and_can_be_halved(tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    path = tmp_path / "a.txt"
    assert read_corpora([f"x={path}"]) == [
        Text("x", "0", "one"),
        Text("x", "1", "two"),
        Text("x", "2", "three"),
    ]
    assert [own.row for own in read_corpora([f"x={path}:even", f"y={path}:odd"])] == ["0", "2", "1"]


def test_the_corpora_of_nltk_are_cut_into_texts(tmp_path):
    long = "word " * 20
    product = packed(tmp_path, "product_reviews_1", Canon="[t]fine\nsize[+2]##small .\n[t]\n##ok .\n")
    union = packed(tmp_path, "state_union", **{"1945-Truman": f"{long}\n\nshort\n\n{long}"})
    web = packed(tmp_path, "webtext", wine=f"{long}\nshort\n")
    texts = read_corpora([f"p={product}", f"u={union}", f"w={web}"])
    rows = ["Canon.txt:0", "Canon.txt:1", "1945-Truman:0", "1945-Truman:2", "wine:0"]
    assert [own.row for own in texts] == rows
    assert [own.text for own in texts[:2]] == ["fine. small .", "ok ."]


def test_other_archives_and_bad_names_are_refused(tmp_path):
    with pytest.raises(InputError, match="is not one of NLTK's"):
        read_corpora([f"x={packed(tmp_path, 'brown', a='b')}"])
    with pytest.raises(UsageError, match="must be NAME=PATH"):
        read_corpora(["train.parquet"])


def test_one_edit_is_drawn_per_text_and_the_seed_decides_which():
    texts = [Text("x", str(n), f"Movie {n} is a movie and a film, a huge story.") for n in range(30)]
    transform = salva.preset("natural")
    drawn = [list(draw_edits(transform, texts, 8, seed, batch=4)) for seed in ("a", "a", "b")]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len({edit.source.row for edit in drawn[0]}) == 8
    assert not list(draw_edits(transform, texts, 8, "a", leave_out=frozenset({"pair"})))


def test_a_context_is_one_line_around_the_edit():
    text = Text("x", "0", "It was\na long movie.<br /><br />Yes.")
    shown = Edited(text, 14, 19, "movie", "film", "pair").show(12, 20)
    assert shown == "was a long [[movie => film]]. // Yes."
