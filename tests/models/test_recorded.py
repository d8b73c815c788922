"""`answers:PATH`: answers made elsewhere, joined by the keys of their questions; item 106."""

from __future__ import annotations

import csv
import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from salva.asking.pipeline import query
from salva.errors import InputError
from salva.models import ModelOptions, open_model, text_id

TEXTS = ["fine", "awful", ("a", "b")]
IDS = [text_id(text).hex() for text in TEXTS]


def write_jsonl(folder, rows):
    (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_csv(folder, rows):
    with (folder / "answers.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def write_parquet(folder, rows):
    pq.write_table(pa.Table.from_pylist(rows), folder / "answers.parquet")


FORMATS = [write_jsonl, write_csv, write_parquet]


def answers_to(folder, texts=TEXTS, **options):
    return query(open_model(f"answers:{folder}", ModelOptions(**options)), texts)


@pytest.mark.parametrize("write", FORMATS)
def test_106_labels_are_joined_by_id_in_any_order(tmp_path, write):
    write(tmp_path, [{"label": label, "id": key} for label, key in zip("abc", IDS, strict=True)][::-1])
    answers = answers_to(tmp_path)
    assert answers.labels == ["a", "b", "c"]
    assert open_model(f"answers:{tmp_path}").classes == ("a", "b", "c")


@pytest.mark.parametrize("write", FORMATS)
def test_one_file_may_be_named_wherever_it_is(tmp_path, write):
    write(tmp_path, [{"key": IDS[0], "label": "a"}, {"key": IDS[1].upper(), "label": "b"}])
    (path,) = tmp_path.iterdir()
    mine = path.rename(tmp_path / f"mine{path.suffix}")
    answers = answers_to(mine)
    assert answers.labels == ["a", "b", None]
    assert answers.errors[2] == f"no answer for key {IDS[2]}"


def test_a_packed_file_is_read_too(tmp_path):
    with gzip.open(tmp_path / "mine.jsonl.gz", "wt") as stream:
        stream.write(json.dumps({"id": IDS[0], "label": "a"}) + "\n")
    assert answers_to(tmp_path / "mine.jsonl.gz", TEXTS[:1]).labels == ["a"]


@pytest.mark.parametrize("write", FORMATS)
def test_a_file_may_say_what_became_of_a_text(tmp_path, write):
    states = [("a", "truncated"), ("", "refused"), ("no", "refused")]
    rows = [
        {"id": key, "label": label, "status": status}
        for key, (label, status) in zip(IDS, states, strict=True)
    ]
    write(tmp_path, [*rows, {"id": text_id("more").hex(), "label": "b", "status": ""}])
    answers = answers_to(tmp_path, [*TEXTS, "more"])
    assert answers.labels == ["a", None, None, "b"]
    assert answers.statuses == ["truncated", "refused", "refused", "answered"]
    refusal = "the model refused to answer"
    assert answers.errors == [None, refusal, f"{refusal}: 'no'", None]
    assert open_model(f"answers:{tmp_path}").classes == ("a", "b")


def test_replies_may_have_a_status_too(tmp_path):
    rows = [
        {"key": IDS[0], "output": "A, becau", "status": "truncated"},
        {"key": IDS[1], "output": None, "status": "refused"},
        {"key": IDS[2], "output": None, "status": None},
    ]
    write_jsonl(tmp_path, rows)
    answers = answers_to(tmp_path, writes=True)
    assert answers.labels == ["A, becau", None, None]
    assert answers.statuses == ["truncated", "refused", "failed"]


@pytest.mark.parametrize("write", FORMATS)
@pytest.mark.parametrize("label", [1, "1", True, 1.0])
def test_104_numbers_are_labels(tmp_path, write, label):
    write(tmp_path, [{"id": IDS[0], "label": label}])
    assert answers_to(tmp_path, TEXTS[:1]).labels[0] in {"1", "1.0", "true", "True"}


@pytest.mark.parametrize("write", FORMATS)
def test_probabilities_have_a_column_a_class(tmp_path, write):
    rows = [{"p_neg": 0.25, "id": IDS[0], "p_pos": 0.75}, {"p_neg": 0.5, "id": IDS[1], "p_pos": 0.25}]
    write(tmp_path, rows)
    answers = answers_to(tmp_path)
    assert (answers.labels, answers.probabilities[0]) == (["pos", None, None], 0.75)
    assert answers.errors[1].startswith("probabilities sum to 0.75, not 1")
    assert answers_to(tmp_path, logits=True).labels == ["pos", "neg", None]


def test_a_text_without_an_answer_fails(tmp_path):
    write_jsonl(tmp_path, [{"id": IDS[0], "label": "a"}, {"id": IDS[1], "label": None}])
    assert answers_to(tmp_path).errors == [
        None,
        "the model gave no answer",
        f"no answer for key {IDS[2]}",
    ]


def test_a_question_that_is_not_in_the_suite_is_explained(tmp_path):
    write_jsonl(tmp_path, [{"key": IDS[0], "label": "a"}])
    keys = pa.array([bytes.fromhex(name) for name in IDS[:2]], pa.binary(16))
    pq.write_table(pa.table({"key": keys}), tmp_path / "questions.parquet")
    again = "make them again with the presets, severities, seed and rows of this run"
    assert answers_to(tmp_path).errors == [
        None,
        f"no answer for key {IDS[1]}",
        f"the question is not among those in questions.parquet; {again}",
    ]


@pytest.mark.parametrize("kind", [pa.binary(16), pa.binary(), pa.large_binary()])
def test_keys_may_be_the_bytes_that_the_table_of_questions_has(tmp_path, kind):
    keys = pa.array([bytes.fromhex(name) for name in IDS], kind)
    pq.write_table(pa.table({"key": keys, "label": ["a", "b", "c"]}), tmp_path / "mine.parquet")
    assert answers_to(tmp_path / "mine.parquet").labels == ["a", "b", "c"]


def test_a_key_of_another_length_is_one_line(tmp_path):
    pq.write_table(pa.table({"key": [b"x"], "label": ["a"]}), tmp_path / "answers.parquet")
    assert "row 1: key '78' must be 32 hexadecimal digits, the key of a question" in refused(tmp_path)


def test_the_same_answer_twice_is_one(tmp_path):
    write_jsonl(tmp_path, [{"id": IDS[0], "label": "a"}, {"id": IDS[0].upper(), "label": "a"}])
    assert answers_to(tmp_path, TEXTS[:1]).labels == ["a"]


def refused(folder):
    with pytest.raises(InputError) as error:
        open_model(f"answers:{folder}")
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("write", FORMATS)
@pytest.mark.parametrize(
    ("rows", "error"),
    [
        (
            [{"id": IDS[0], "label": "a"}, {"id": IDS[0], "label": "b"}],
            f"rows 1 and 2 answer id {IDS[0]} diff",
        ),
        (
            [{"id": IDS[0], "label": "a"}, {"id": "7", "label": "b"}],
            "row 2: id '7' must be 32 hexadecimal digits",
        ),
        ([{"id": IDS[0], "text": "a"}], "has id and 'text'; expected id and label, or id and p_CLASS"),
        ([{"id": IDS[0], "label": "a", "p_a": 1.0}], "has id and 'label', 'p_a'; expected"),
        ([{"id": IDS[0]}], "expected id and label"),
        ([{"ids": IDS[0], "label": "a"}], "has no column key or id; columns: 'ids', 'label'"),
        ([{"id": IDS[0], "key": IDS[0], "label": "a"}], "has both key and id; keep one"),
        ([{"key": "7", "label": "b"}], "row 1: key '7' must be 32 hexadecimal digits"),
        ([{"key": IDS[0], "text": "a"}], "has key and 'text'; expected key and label, or key and p_CLASS"),
        (
            [{"id": IDS[0], "label": "a", "status": "ok"}],
            "row 1: status 'ok' must be one of answered, truncated, refused, failed",
        ),
        ([{"id": IDS[0], "p_a": "much", "p_b": "0"}], "row 1: p_a is 'much', not a number"),
        ([{"id": IDS[0], "p_": 1.0}], "class names"),
    ],
)
def test_a_wrong_answer_is_one_line(tmp_path, write, rows, error):
    write(tmp_path, rows)
    said = refused(tmp_path)
    assert error in said
    assert said.startswith(str(tmp_path / "answers."))


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("answers.jsonl", b'{"id": \n', "answers.jsonl:1: broken JSON"),
        ("answers.csv", b'id,label\n"x', "answers.csv:2: the quote opened here is never closed"),
        ("answers.parquet", b"PAR1", "answers.parquet: "),
        ("answers.csv", b"", "answers.csv: no rows; the file is empty"),
    ],
)
def test_an_unreadable_file_is_one_line(tmp_path, name, content, error):
    (tmp_path / name).write_bytes(content)
    assert error in refused(tmp_path)


def test_a_folder_without_answers_or_with_two_is_refused(tmp_path):
    assert "has no answers; put answers.jsonl, answers.csv or answers.parquet there" in refused(tmp_path)
    write_jsonl(tmp_path, [{"id": IDS[0], "label": "a"}])
    write_csv(tmp_path, [{"id": IDS[0], "label": "a"}])
    assert "has both answers.jsonl and answers.csv; keep one" in refused(tmp_path)
    missing = "is not a file or folder; give a file with answers, or a folder that has one"
    assert missing in refused(tmp_path / "elsewhere")
    assert missing in refused("")
    (tmp_path / "answers.dat").touch()
    ending = "answers.dat: has no known ending; call it .jsonl, .csv or .parquet"
    assert refused(tmp_path / "answers.dat").endswith(ending)


def test_120_the_digest_knows_the_answers(tmp_path):
    write_jsonl(tmp_path, [{"id": IDS[0], "label": "a"}])
    before = open_model(f"answers:{tmp_path}").digest
    write_jsonl(tmp_path, [{"id": IDS[0], "label": "b"}])
    assert open_model(f"answers:{tmp_path}").digest != before
