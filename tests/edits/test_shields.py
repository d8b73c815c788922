"""What is protected: markup, addresses and names, whole characters, and what the user names."""

from __future__ import annotations

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from salva._kernels.constants import CONTINUES, GLUED, OPAQUE
from salva.edits.chunk import Draw
from salva.edits.protect import Protection
from salva.errors import InputError, UsageError
from salva.text import tokenize
from tests.edits.conftest import COMPILED, cut
from tests.reference import shields as slow
from tests.text.conftest import hostile_texts

RULES = ("space", "word", "nltk")
PARTS = (  # noqa: SIM905  (words are easier to read than a list)
    "<br/> </p> <- <3 <?xml?> <b &amp; &#39; &#xA0; &#x; &#; &é; a@b.co @b. @name @é #tag "
    "me.x+y@mail.example.org ## &#tag http:// ://x svn+ssh://a.b/c?d=e https://a www. WWW.a wwww.b xwww.c"
).split()
SINGLES = "<>&;#@:/._-%+!?\"'wWaé1日 \n"
parts = st.sampled_from([*PARTS, *SINGLES, "<br />", "<!-- c -->"]) | hostile_texts.map(lambda text: text[:4])
marked_texts = st.lists(parts, max_size=20).map("".join)

MARKS = "\u0301\u0308\u200d\u0903\u094d\u0600\u0d4e👍🏽🇦🇿"
CLUSTERS = ["ᄀ", "ᅡ", "ᆨ", "한", "क्ष", "न", "日", "can", "not", "gimme", "a", "e.", "'s", " ", '"']
clusters = st.lists(st.sampled_from([*MARKS, *CLUSTERS]), max_size=20).map("".join)
PATTERNS = (r"\w+", r"日|é", r"[^\w\s]", r"(?i)mr\.|the\b", r"(?<=\s)\S", r"\n+.", r"(?s).{3}$", "no such")


def blocked(text: str, by: str, protection: Protection) -> list[bool]:
    return cut([text], by, Draw(0, 1.0, 0), protection).blocked.astype(bool).tolist()


def shielded(text: str, by: str, protection: Protection) -> list[slow.Token]:
    """Return the tokens of a text with what is known of them, places in code points."""
    chunk, data = cut([text], by, Draw(0, 1.0, 0), protection), text.encode()
    places = [
        [len(data[:byte].decode()) for byte in bytes_] for bytes_ in (chunk.cuts.starts, chunk.cuts.stops)
    ]
    ties = [(chunk.ties & bit > 0).tolist() for bit in (GLUED, CONTINUES, OPAQUE)]
    words, no = chunk.words.array.to_pylist(), chunk.blocked.astype(bool).tolist()
    return [slow.Token(*row) for row in zip(*places, words, no, *ties, strict=True)]


def words_left(text: str, protection: Protection, by: str = "word") -> list[str]:
    return [token.word for token in shielded(text, by, protection) if not token.blocked]


def spans(text: str, by: str) -> list[tuple[int, int]]:
    found = tokenize([text], by=by)
    return list(zip(found.starts[0].as_py(), found.ends[0].as_py(), strict=True))


@pytest.mark.parametrize("by", RULES)
@given(text=marked_texts | hostile_texts, markup=st.booleans(), names=st.booleans())
@example(text="x <b>y</b> &amp;#z a@b.c#d a@b.c@d www.e <i>@f x#y é@g", markup=True, names=True)
@example(
    text="a.b&amp;c@d.e <a@b.c> <a&lt;b> x@y.z://w http://&amp; @http://v wwww.u", markup=True, names=True
)
def test_tokens_that_touch_markup_or_names_are_blocked_and_tied(by, text, markup, names):
    expected = slow.tokens(text, by, markup=markup, names=names)
    assert shielded(text, by, Protection(markup=markup, names=names)) == expected


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("go <br /><i>on</i>", ["go", "on"]),
        ("a < b and c > d", ["a", "<", "b", "and", "c", ">", "d"]),
        ("R&amp;D it&#39;s &nbsp stays", ["R", "D", "it", "s", "&", "nbsp", "stays"]),
        ("<b open <i>x", ["<", "b", "open", "x"]),
        ("film.<br />So <i>un</i>even", ["film", ".", "So", "un", "even"]),
    ],
)
def test_tags_and_entities_are_markup(text, left):
    assert words_left(text, Protection(markup=True)) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("mail a.b+c@d-e.org now", ["mail", "now"]),
        ("see https://a.b/c_d?e=f#g, ok", ["see", "ok"]),
        ("see WWW.a.b/c <here>", ["see", "<", "here", ">"]),
        ("by @Zoë_1: #日本 rocks", ["by", ":", "rocks"]),
        ("C# a@b C#x e@ # 9", ["C", "#", "a", "@", "b", "C", "#", "x", "e", "@", "#", "9"]),
    ],
)
def test_addresses_and_names_are_names(text, left):
    assert words_left(text, Protection(names=True)) == left


@pytest.mark.parametrize(("size", "left"), [(4096, ["end"]), (4097, ["<", "b", "x", ">", "end"])])
def test_a_tag_has_at_most_4096_bytes(size, left):
    assert words_left(f"<b {' ' * (size - 5)}x> end", Protection(markup=True)) == left


def test_rows_do_not_protect_each_other():
    protection = Protection(markup=True, names=True)
    chunk = cut(["<b", "x>", "a@", "b.co www.", "c"], "word", Draw(0, 1.0, 0), protection)
    assert not chunk.blocked.any()


@pytest.mark.parametrize("part", ["<a ", "&a", "@a", "a@", "a.", "http:/", "www.", "://", "é@", "<!-"])
def test_no_text_makes_it_slow(part):
    """With a loop inside a loop this takes hours, which the time limit of all tests does not give it."""
    text = part * (1_000_000 if COMPILED else 5_000)
    blocked(text, "space", Protection(markup=True, names=True, whole=True))


@pytest.mark.parametrize("by", RULES)
@given(text=clusters | hostile_texts)
@example(text="\u0600a b\u0301 c\u200d")
def test_no_token_that_is_left_begins_or_ends_inside_a_character(by, text):
    places = spans(text, by)
    torn = slow.inside_characters(text, places)
    left = zip(places, torn, blocked(text, by, Protection(whole=True)), strict=True)
    assert [place for place, is_torn, no in left if is_torn and not no] == []


def test_consonants_that_write_as_one_are_not_torn():
    assert words_left("क्ष a b\u0301 c", Protection(whole=True)) == ["a", "c"]


@given(st.text(st.characters(max_codepoint=127)))
def test_nothing_in_ascii_is_torn(text):
    assert not any(blocked(text, "word", Protection(whole=True)))


def test_words_of_the_user_are_whole_words_in_any_case():
    protection = Protection(words=("salva", "New York", "C++", "straße"))
    text = "SALVA salvage new york New  York newyork c++ C STRASSE Straße"
    assert words_left(text, protection) == ["salvage", "New", "York", "newyork", "C", "STRASSE"]


def test_patterns_of_the_user_protect_what_they_match():
    protection = Protection(patterns=(r"[A-Z]{2,}\d*", r"(?<=é)x+"))
    assert words_left("NASA2 Nasa éxx ABé 日BB日", protection) == ["Nasa"]
    assert words_left("one two", protection) == ["one", "two"]


@pytest.mark.parametrize("by", RULES)
@given(column=st.lists(st.none() | hostile_texts, max_size=5), patterns=st.sets(st.sampled_from(PATTERNS)))
def test_a_match_blocks_what_it_touches_in_its_row(by, column, patterns):
    protection, expected = Protection(patterns=tuple(patterns)), []
    for text in [text or "" for text in column]:
        matches = [match.span() for pattern in patterns for match in regex.finditer(pattern, text)]
        row = slow.tokens(text, by, matches=[span for span in matches if span[0] < span[1]])
        assert shielded(text, by, protection) == row
        expected += [token.blocked for token in row]
    chunk = cut(column, by, Draw(0, 1.0, 0), protection)
    assert chunk.blocked.astype(bool).tolist() == expected


def test_a_pattern_that_takes_too_long_is_named():
    protection = Protection(patterns=(r"(a+)+$",))
    with pytest.raises(
        InputError, match=r"pattern '\(a\+\)\+\$' takes over 1 s on one text; make it simpler"
    ):
        blocked("a" * 20_000 + "!", "word", protection)


def test_a_broken_pattern_is_named():
    with pytest.raises(UsageError, match=r"protect_patterns: '\(' is not a regular expression"):
        blocked("text", "word", Protection(patterns=("ok", "(")))
