"""Markup is not a word, and what is protected comes out as it went in, whatever the preset and the render."""

from __future__ import annotations

import re

import pytest

import salva
from salva.edits.render import RENDERS
from salva.errors import UsageError
from salva.text import detokenize, tokenize

EVERY_WORD = {
    "hybrid": {"p_typo": 1.0, "max_typos_per_example": 100, "p_synonym_noun": 1.0, "p_synonym_verb": 1.0},
    "synonyms": {"prob": 1.0},
    "typos": {"prob": 1.0},
    "corrupt": {},
}
TAG = re.compile(r"<[^<>]*>|&#?\w+;")
REVIEW = (
    'What a film.<br /><br />The "plot" made&nbsp;no sense &amp; it\'s<br/>long.<p class = "br">Acting'
    " (<i>really</i>) awful...<!-- it 's -- no comment -->\n"
    '<hr> <b>"Boring"</b> she said, don&#39;t see it!</p>'
)
MARKUP_WORDS = {"br", "nbsp", "amp", "hr", "comment", "class"}
NAMES = (
    "https://www.imdb.com/title/tt0120338/?ref_=fn",
    "a.b@c-d.com",
    "@movie_fan",
    "#terrible",
    "www.film.org",
)
NAMED = "See {} or mail {}, says {}: it is {} (from {} I mean). New\t\tYork!".format(*NAMES)


def everything(name: str, render: str, **settings) -> salva.Transform:
    return salva.preset(name, render=render, **EVERY_WORD[name] | settings)


@pytest.fixture(params=EVERY_WORD)
def name(request) -> str:
    return request.param


@pytest.mark.parametrize("render", RENDERS)
def test_tags_and_entities_come_out_whole_and_unedited(name, render):
    for seed in range(5):
        twins = everything(name, render).transform(REVIEW, seed=seed, severity=1.0)
        assert TAG.findall(twins.transformed) == TAG.findall(REVIEW)
        assert MARKUP_WORDS.isdisjoint(twins.edits["old"].to_pylist())


@pytest.mark.parametrize("render", RENDERS)
def test_nothing_is_put_between_a_word_and_its_tag(name, render):
    text = (
        everything(name, render).put_together("A film.<br /><br />The <i>end</i> &amp; more<br>").transformed
    )
    assert ".<br /><br />The <i>end</i> &amp; more<br>" in text


@pytest.mark.parametrize("render", RENDERS)
@pytest.mark.parametrize(
    "text", ["movie.<br />So", "<p>movie</p>", "a movie<br/>", "&quot;movie&quot; it is"]
)
def test_a_word_beside_a_tag_is_a_word(name, render, text):
    twins = everything(name, render).transform([text + " " * k for k in range(8)], severity=1.0)
    assert {edit.rstrip(".") for edit in twins.edits["old"].to_pylist()} >= {"movie"}


@pytest.mark.parametrize("render", RENDERS)
def test_what_is_protected_comes_out_byte_for_byte(name, render):
    own = {"protect_words": ["new\t\tyork"], "protect_patterns": [r"\w+ I mean"]}
    for seed in range(5):
        twins = everything(name, render, protect=True, **own).transform(NAMED, seed=seed, severity=1.0)
        assert [part for part in (*NAMES, "New\t\tYork") if part not in twins.transformed] == []


@pytest.mark.parametrize("render", RENDERS)
def test_spans_of_single_rows_come_out_byte_for_byte(name, render):
    rows = [NAMED, "é " + NAMED, "movie", None]
    spans = [[(text.index("New"), text.index("New") + 10)] if text and "New" in text else [] for text in rows]
    kept = [text and text[spans[k][0][0] : spans[k][0][1]] if spans[k] else "" for k, text in enumerate(rows)]
    for seed in range(3):
        twins = everything(name, render).transform(rows, seed=seed, severity=1.0, protected=spans)
        assert [
            part for part, twin in zip(kept, twins.transformed, strict=True) if part not in (twin or "")
        ] == []
    with pytest.raises(UsageError, match="protected has 1 entries for 4 texts; give one per text"):
        everything(name, render).transform(rows, protected=[[]])


def test_quotes_stand_as_they_stood_before_and_after_tags():
    text = '<i>"Hello"</i> she said. "<b>Bye</b>" he said.'
    assert salva.preset("hybrid").put_together(text).transformed == text
    assert salva.preset("synonyms").put_together('"<b>Bye</b>" he').transformed == "``<b>Bye</b>'' he"


@pytest.mark.parametrize(
    ("preset", "together"),
    [
        ("hybrid", lambda text: detokenize(tokenize(text))),
        ("synonyms", lambda text: " ".join(tokenize(text))),
        ("typos", lambda text: " ".join(text.split())),
        ("corrupt", lambda text: re.sub(" (?=[.?!,])", "", " ".join(tokenize(text, by="word")))),
    ],
)
def test_a_setting_restores_the_letter_of_the_document(preset, together):
    plain = salva.preset(preset, protect_markup=False)
    assert plain.put_together(REVIEW).transformed == together(REVIEW)
    edits = (
        salva.preset(preset, protect_markup=False, **EVERY_WORD[preset]).transform(REVIEW, severity=1.0).edits
    )
    assert not MARKUP_WORDS.isdisjoint(edits["old"].to_pylist())


def test_protect_protects_markup_without_the_setting(name):
    twins = everything(name, "spaces", protect=True, protect_markup=False).transform(REVIEW, severity=1.0)
    assert TAG.findall(twins.transformed) == TAG.findall(REVIEW)


@pytest.mark.parametrize("render", RENDERS)
def test_a_text_with_markup_does_not_depend_on_its_neighbours(name, render):
    texts = ["A film.<br />", '"No," she said.', "<br>", "", '"', None, "The end.</p>", '" &amp;']
    whole = everything(name, render).transform(texts, severity=1.0).transformed
    alone = [everything(name, render).transform([text], severity=1.0).transformed[0] for text in texts]
    assert whole == alone


def test_a_splice_with_markup_reverts(name):
    twins = everything(name, "splice").transform([REVIEW, NAMED], severity=1.0)
    assert twins.summary.edits > 15
    assert twins.revert() == [REVIEW, NAMED]
