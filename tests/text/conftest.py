"""Texts that are hard to cut, and small chunks of them, for all tests of this folder."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import strategies as st

from salva._kernels.constants import ASSIGNED
from salva.text.columns import over_chunks
from salva.text.spans import WordRows
from salva.text.words import load_characters
from tests.conftest import ROOT

MARKS = [
    *"\"'`.,;:!?-()[]{}<>*&%$#@/\\+=_~^|«»“”‘’„–—―‒…",
    "''",
    "``",
    "--",
    "...",
    ". . .",
    "?!",
    '."',
    ".'",
    ".)",
]
ENDINGS = [
    "n't",
    "N'T",
    "'s",
    "'S",
    "'ll",
    "'RE",
    "'ve",
    "'d",
    "'m",
    "'t",
    "'tis",
    "'twas",
    "'n",
    "'ye",
    "'ſ",
    "'tiſ",
]
WORDS = (  # noqa: SIM905  (words are easier to read than a list)
    "d'ye more'n cannot Gonna gotta LEMME gimme wanna can not gon na me gİmme gımme the The It he said I A a "
    "Mr. Dr. U.S. e.g. J. p.m. No. Inc. vs. x-Mr. café-mr. é. Σ. ΟΔΟΣ etc. b. Stewart stewart E. K. "
    "1999 3.14 1,000 -5. ² ١ 3-D well-made ##number## international http://a.b/c?d=e <br /> x_y"
).split()
CHARACTERS = [
    *"éßΣſıİK日本語क्षि👍",
    "👍🏽",
    "👨‍👩‍👧",
    "e\u0301",
    "\u200b",
    "\u200d",
    "\x00",
    "ǅ",
    "ﬁ",
    "\U0010ffff",
]
SPACES = [
    "\u00a0",
    "\u2028",
    "\u3000",
    "\x1c",
    "\x1f",
    "\x85",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\x0b",
    "\x0c",
]


# Small letters since Unicode 15, which Python 3.11 does not have.
CHANGED = "\u10fc\ua7f2\ua7f3\ua7f4\uab69"


def _known(character: str) -> bool:
    """Return whether this Python and the frozen table both know a character."""
    table = load_characters()
    frozen = table.flags[table.pages[ord(character) >> 8] << 8 | ord(character) & 255] & ASSIGNED
    return bool(frozen) and unicodedata.category(character) != "Cn" and character not in CHANGED


unicode = st.characters(exclude_categories=["Cs"]).filter(_known)
pieces = st.one_of(
    *[st.sampled_from(group) for group in (MARKS, ENDINGS, WORDS, CHARACTERS, SPACES)],
    *[st.just(" ")] * 3,
    unicode,
)
hostile_texts = st.lists(pieces, max_size=40).map("".join)
hostile_words = st.lists(st.lists(pieces, max_size=3).map("".join), max_size=25)


@pytest.fixture(scope="session")
def answers() -> list[dict]:
    """What NLTK makes of texts of many kinds; `tools/write_words_fixture.py` wrote it."""
    lines = (ROOT / "tests/text/nltk.jsonl").read_text("utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def set_chunk_size(patch: pytest.MonkeyPatch, size: int) -> None:
    """Let columns be cut after about so many bytes."""
    for takes_size in (over_chunks, WordRows.over_chunks):
        patch.setitem(takes_size.__kwdefaults__, "size", size)
    patch.setattr("salva.text.tagger.TYPED_BYTES", size)
