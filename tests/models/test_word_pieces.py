"""Texts from the tokens of their words: exactly what the tokenizer gives, and only where that is certain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.models.tokens import set_limit, tokens_of
from salva.models.word_pieces import WordPieces, remember_words

tokenizers = pytest.importorskip("tokenizers")

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
PIECES = [*SPECIAL, "a", "b", "##a", "##b", "##ab", "good", "film", "##s", ".", ",", "[", "]", "é", "e", "s"]
# Accents, white space that is not ASCII, what BERT's rules remove, and tokens of the model's own.
PARTS = ["a", "ab", "films", "Good", "é", "e\u0301", "\u0301", "ß", "Σ", "好", "\u00a0", "\u2028", "\x0b"]
PARTS += ["\0", "\u200d", ".", "[SEP]", "[PAD]", "x" * 101, " ", "\t", "\n", "\r"]
texts = st.lists(
    st.lists(st.sampled_from(PARTS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=3)).map(
        "".join
    ),
    max_size=8,
)


def tokenizer(limit=9, side="right", **rules):
    made = tokenizers.Tokenizer(
        tokenizers.models.WordPiece({piece: k for k, piece in enumerate(PIECES)}, unk_token="[UNK]")
    )
    made.normalizer = tokenizers.normalizers.BertNormalizer(**rules)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    made.add_special_tokens(SPECIAL)
    set_limit(made, limit, side)
    return made


def as_lists(tokens):
    return tokens.ids.tolist(), tokens.offsets.tolist(), tokens.cut.tolist()


ITSELF = tokenizer()
MEMORY = remember_words(ITSELF, 9)
CASED = tokenizer(lowercase=False, clean_text=False)
CASED_MEMORY = remember_words(CASED, 9)


@pytest.mark.slow
@given(texts)
def test_the_tokens_are_those_of_the_tokenizer(some):
    assert as_lists(MEMORY.tokens(some)) == as_lists(tokens_of(ITSELF, some))


def test_words_are_forgotten_when_there_are_too_many_and_learned_again():
    memory = WordPieces(ITSELF, 9, most_words=4)
    for some in (["a b ab ba", "good films"], ["film good", ""], ["a b", "ba"], []):
        assert as_lists(memory.tokens(some)) == as_lists(tokens_of(ITSELF, some))


@given(texts)
def test_capitals_are_kept_if_the_rules_say_so(some):
    assert as_lists(CASED_MEMORY.tokens(some)) == as_lists(tokens_of(CASED, some))


def test_a_tokenizer_whose_words_depend_on_others_is_used_as_it_is():
    bytes_ = tokenizer()
    bytes_.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel()
    spread = tokenizer()
    spread.add_special_tokens([tokenizers.AddedToken("<mask>", lstrip=True)])
    unknown = tokenizer()
    unknown.model = tokenizers.models.WordPiece({"a": 0}, unk_token="?")
    spaced = tokenizer()
    spaced.add_tokens(["good film"])
    for other in (bytes_, spread, unknown, spaced, tokenizer(side="left"), tokenizer(limit=2)):
        assert remember_words(other, (other.truncation or {}).get("max_length")) is None
