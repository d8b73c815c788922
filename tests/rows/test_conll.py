"""CoNLL files: sentences become rows and come back byte for byte; tags follow the words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import InputError, UsageError
from salva.rows import ReadOptions, WriteOptions, open_rows
from salva.rows.columns import number_entities, spread_tags
from salva.rows.texts import _Token, _write_tokens
from salva.transforms import transform_file
from tests.rows.passing import pass_through

FILE = (
    "-DOCSTART- -X- -X- O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\nGerman JJ B-NP S-MISC\n. . O O\n\n\n"
    "# id 7\r\nI\tO\r\nlove\tO\r\nNew\tB-LOC\r\nYork\tI-LOC\r\nmovies\tO \r\n\r\n# the end\n"
)
tags = st.lists(
    st.sampled_from(["O", *(f"{prefix}-{label}" for prefix in "BIES" for label in ("PER", "LOC"))]),
    max_size=12,
)


def read(path) -> list[dict]:
    with open_rows(path) as rows:
        return [row for batch in rows for row in batch.select(["text", "spans"]).to_pylist()]


def write(folder, text: str = FILE):
    path = folder / "a.conll"
    path.write_bytes(text.encode())
    return path


def tokens_of(words: list[str], given_tags: list[str]) -> list[_Token]:
    start, found = 0, []
    for word, tag, entity in zip(words, given_tags, number_entities(given_tags), strict=True):
        found.append(_Token(start, start + len(word), word, f" {tag}\n", tag, entity))
        start += len(word) + 1
    return found


def test_a_sentence_is_a_row_and_its_entities_are_spans(tmp_path):
    first, second = read(write(tmp_path))
    assert first["text"] == "EU rejects German ."
    assert json.loads(first["spans"])[1] == {"start": 11, "end": 17, "label": "MISC"}
    assert second["text"] == "I love New York movies"
    assert json.loads(second["spans"]) == [{"start": 7, "end": 15, "label": "LOC"}]


@pytest.mark.parametrize("text", [FILE, "\ufeff" + FILE, "a O\n\nb B-X", "\n\n# x\n\na O\n", "#\tO\nb\tO\n"])
def test_what_is_not_edited_comes_back_byte_for_byte(text, tmp_path):
    path = write(tmp_path, text)
    pass_through(path, tmp_path / "b.conll")
    transform_file(path, tmp_path / "c.conll", preset="typos", severity=0, render="splice")
    assert (tmp_path / "b.conll").read_bytes() == path.read_bytes()
    assert (tmp_path / "c.conll").read_bytes() == path.read_bytes()


def test_words_are_edited_in_their_lines(tmp_path):
    transform_file(write(tmp_path), tmp_path / "b.conll", preset="natural", seed=1)
    assert (tmp_path / "b.conll").read_bytes().decode() == FILE.replace("movies", "films")


@pytest.mark.slow
def test_many_sentences_keep_their_order(tmp_path):
    text = "".join(f"# {n}\nMaria B-PER\n{n} O\n\n" for n in range(60_000))
    pass_through(write(tmp_path, text), tmp_path / "b.conll")
    assert (tmp_path / "b.conll").read_text() == text


@pytest.mark.parametrize(
    ("words", "own_tags", "text", "lines"),
    [
        (["NY", "now"], ["B-LOC", "O"], "New York now", ["New B-LOC", "York I-LOC", "now O"]),
        (["NY", "now"], ["S-LOC", "O"], "New York now", ["New B-LOC", "York E-LOC", "now O"]),
        (["NY", "now"], ["U-LOC", "O"], "New York now", ["New B-LOC", "York L-LOC", "now O"]),
        (["NY", "now"], ["I-LOC", "O"], "New York now", ["New I-LOC", "York I-LOC", "now O"]),
    ],
)
def test_a_token_that_becomes_several_continues_its_entity(words, own_tags, text, lines):
    first, second = tokens_of(words, own_tags)
    moved = [first._replace(end=8), second._replace(start=9, end=12)]
    assert _write_tokens(text, moved) == [f"{line}\n" for line in lines]


def test_tokens_that_become_one_get_the_line_of_the_entity():
    a, b, c = tokens_of(["in", "New", "York"], ["O", "B-LOC", "E-LOC"])
    joined = [a._replace(end=5), b._replace(start=0, end=5), c._replace(start=6, end=10)]
    assert _write_tokens("inNew York", joined) == ["inNew B-LOC\n", "York E-LOC\n"]
    joined = [a, b._replace(start=3, end=10), c._replace(start=3, end=10)]
    assert _write_tokens("in NewYork", joined) == ["in O\n", "NewYork S-LOC\n"]


def test_an_entity_begins_with_the_next_token_if_its_first_is_left_out():
    _, b, c = tokens_of(["'", "New", "York"], ["B-LOC", "I-LOC", "I-LOC"])
    moved = [b._replace(start=0, end=3), c._replace(start=4, end=8)]
    assert _write_tokens("New York", moved)[1] == "York I-LOC\n"


@given(tags)
def test_entities_spread_over_their_own_tokens_keep_their_number(own):
    numbers = number_entities(own)
    spread = list(own)
    for number in set(numbers) - {-1}:
        places = [place for place, own_number in enumerate(numbers) if own_number == number]
        for place, tag in zip(places, spread_tags([own[k] for k in places], len(places)), strict=True):
            spread[place] = tag
    assert [n >= 0 for n in number_entities(spread)] == [n >= 0 for n in numbers]


BROKEN = {
    "tag 'PER' must be O": "a O\nMaria PER\n\nb O\n",
    "'Maria' must be a token and its tag": "a O\nMaria\n\nb O\n",
}


@pytest.mark.parametrize(("message", "text"), BROKEN.items())
def test_a_broken_line_is_named_and_its_sentence_can_be_dropped(message, text, tmp_path):
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=rf"a\.conll:2: {message}"):
        read(path)
    pass_through(path, tmp_path / "b.conll", ReadOptions(on_bad_row="drop"))
    assert (tmp_path / "b.conll").read_text() == "b O\n"


def test_conll_needs_a_splice_and_tokens(tmp_path):
    path = write(tmp_path)
    with pytest.raises(UsageError, match="render 'spaces' joins tokens"):
        transform_file(path, tmp_path / "b.conll", preset="typos")
    with pytest.raises(UsageError, match="conll holds one token per line"):
        transform_file(path, tmp_path / "b.conll", preset="natural", keep_original=True)
    (tmp_path / "a.txt").write_text("hello\n")
    with pytest.raises(InputError, match="conll is written only from conll"):
        pass_through(tmp_path / "a.txt", tmp_path / "b.conll")
    transform_file(path, tmp_path / "b.jsonl", preset="typos", output=WriteOptions())
    assert sorted(file.suffix for file in tmp_path.iterdir() if "manifest" not in file.name) == [
        ".conll",
        ".jsonl",
        ".txt",
    ]


@pytest.mark.parametrize("preset", ["natural+misspellings", "spaces", "punctuation"])
def test_spans_and_tags_of_twins_say_the_same(preset, tmp_path):
    tagged = "I O|do O|not O|like O|the B-ORG|BBC I-ORG|, O|really O|, O|Maria B-PER|did O|a O|lot O|. O||"
    lines = tagged.replace("|", "\n")
    path = write(tmp_path, lines * 20)
    transform_file(path, tmp_path / "b.conll", preset=preset, seed=1)
    transform_file(path, tmp_path / "b.jsonl", preset=preset, seed=1)
    rows = [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()]
    again = read(tmp_path / "b.conll")
    assert [row["text"].split() for row in again] == [row["text"].split() for row in rows]
    assert [len(json.loads(row["spans"])) for row in again] == [len(row["spans"]) for row in rows]
