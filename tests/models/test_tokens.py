"""Texts as tokens: those that the tokenizer gives for each text by itself, cut at the limit, and padded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.models.tokens import Tokens, set_limit, tokens_of

tokenizers = pytest.importorskip("tokenizers")

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
PIECES = [*SPECIAL, "a", "b", "##a", "##b", "##ab", "good", "film", "##s", ".", ",", "[", "]", "é", "e", "s"]
BEGIN, END = 2, 3
# Accents, white space that is not ASCII, what BERT's rules remove, and tokens of the model's own.
PARTS = ["a", "ab", "films", "Good", "é", "e\u0301", "\u0301", "ß", "Σ", "好", "\u00a0", "\u2028", "\x0b"]
PARTS += ["\0", "\u200d", ".", "[SEP]", "[PAD]", "x" * 101, " ", "\t", "\n", "\r"]
part = st.sampled_from(PARTS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
texts = st.lists(st.lists(part).map("".join), max_size=8)


def tokenizer(limit=9, side="right", **rules):
    made = tokenizers.Tokenizer(
        tokenizers.models.WordPiece({piece: k for k, piece in enumerate(PIECES)}, unk_token="[UNK]")
    )
    made.normalizer = tokenizers.normalizers.BertNormalizer(**rules)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", BEGIN), ("[SEP]", END)],
    )
    made.add_special_tokens(SPECIAL)
    set_limit(made, limit, side)
    return made


def rows_of(tokens: Tokens) -> list[list[int]]:
    return [tokens.ids[a:b].tolist() for a, b in zip(tokens.offsets, tokens.offsets[1:], strict=False)]


MADE = {
    "as usual": tokenizer(),
    "with capitals": tokenizer(lowercase=False, clean_text=False),
    "cut on the left": tokenizer(side="left"),
    "no room for words": tokenizer(limit=2),
    "without a limit": tokenizer(limit=None),
}
WHOLE = {
    "as usual": tokenizer(None),
    "with capitals": tokenizer(None, lowercase=False, clean_text=False),
    "cut on the left": tokenizer(None),
    "no room for words": tokenizer(None),
    "without a limit": tokenizer(None),
}


@pytest.mark.parametrize("name", MADE)
@given(some=texts)
def test_tokens_are_those_of_each_text_cut_at_the_limit(name, some):
    limit = (MADE[name].truncation or {"max_length": 10**6})["max_length"]
    room = limit - 2
    whole = [WHOLE[name].encode(text, add_special_tokens=False).ids for text in some]
    kept = [ids[max(len(ids) - room, 0) :] if name == "cut on the left" else ids[:room] for ids in whole]
    found = tokens_of(MADE[name], some)
    assert rows_of(found) == [[BEGIN, *ids, END] for ids in kept]
    assert found.cut.tolist() == [len(ids) > room for ids in whole]
    assert found.lengths.tolist() == [len(ids) + 2 for ids in kept]


def test_texts_keep_their_order_however_many_there_are():
    some = ["a b " * (k % 7) + "films" * (k % 3) for k in range(500)]
    alone = [rows_of(tokens_of(MADE["as usual"], [text]))[0] for text in some]
    assert rows_of(tokens_of(MADE["as usual"], some)) == alone


def test_the_second_text_of_a_pair_has_another_type():
    pairs = [("a b", "good film"), ("a", "")]
    found = tokens_of(MADE["as usual"], pairs)
    out = np.empty((3, 8), np.int64)
    found.padded_types(np.array([1, 0]), out)
    assert out.tolist() == [[0, 0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 1, 0], [0] * 8]
    assert tokens_of(MADE["as usual"], ["a b"]).types is None


@given(st.lists(st.lists(st.integers(0, 9), max_size=5), min_size=1, max_size=6), st.data())
def test_rows_are_padded_on_the_right_and_below(rows, data):
    chosen = data.draw(st.lists(st.sampled_from(range(len(rows))), max_size=8))
    width = max(map(len, rows)) + data.draw(st.integers(0, 3))
    out = np.full((len(chosen) + data.draw(st.integers(0, 2)), width), -5, np.int64)
    Tokens.of(rows, [False] * len(rows)).padded_ids(np.array(chosen, np.int64), 7, out)
    expected = [rows[k] + [7] * (width - len(rows[k])) for k in chosen]
    assert out.tolist() == expected + [[7] * width] * (len(out) - len(chosen))
