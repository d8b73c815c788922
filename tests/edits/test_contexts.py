"""The sentences around edits, and edits that are left out."""

from __future__ import annotations

import numpy as np
import pytest

from salva._presets.natural import NaturalPlanner
from salva.edits.chunk import Draw, Rule
from salva.edits.contexts import AFTER, BEFORE, Rewording, rewordings
from salva.edits.merge import keep_edits
from salva.edits.pairs import compile_pairs
from salva.edits.protect import Protection
from salva.lexicon.pairs import parse_rule
from salva.text import Tagger
from tests.edits.conftest import cut, edits_by_row


def plan(*texts):
    tagger = Tagger.default()
    pairs = [*parse_rule("n movie > film"), *parse_rule("n error > mistake")]
    planner = NaturalPlanner(compile_pairs({Rule.PAIR: pairs}, tagger.tags, checked=[]), tagger)
    chunk = cut(list(texts), "nltk", Draw(0, 1.0, 0), Protection(markup=True))
    return chunk, planner.plan(chunk, 1.0)


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("A movie.", "A movie.", "A film."),
        ("Why? I saw a movie! It was long.", "I saw a movie!", "I saw a film!"),
        ("So<br />the movie<br />was long", "the movie", "the film"),
        ("Naïve. It was an error, sadly", "It was an error, sadly", "It was a mistake, sadly"),
        ("Mr. Lee's movie, then", "Mr. Lee's movie, then", "Mr. Lee's film, then"),
    ],
)
def test_a_sentence_ends_at_a_stop_or_at_markup(text, before, after):
    chunk, edits = plan("", text)
    assert rewordings(chunk, edits, [0]) == [Rewording(before, after)]


def test_long_sentences_are_cut_around_the_edit():
    chunk, edits = plan(f"{'far ' * 200}the movie {'far ' * 200}")
    [(before, after)] = rewordings(chunk, edits, [0])
    left, right = before.split("movie")
    assert BEFORE - 4 <= len(left) <= BEFORE
    assert AFTER - 4 <= len(right) <= AFTER
    assert after == f"{left}film{right}"


def test_edits_are_left_out_and_the_others_stay():
    chunk, edits = plan("A movie and an error.", "No.", "The movie.")
    kept = keep_edits(edits, np.array([True, False, True]))
    every, some = edits_by_row(chunk, edits), edits_by_row(chunk, kept)
    assert [len(row) for row in every] == [2, 0, 1]
    assert some == [every[0][:1], [], every[2]]
