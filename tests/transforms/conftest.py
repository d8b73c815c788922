"""What tests of transforms share: texts that are hard to rewrite, and every preset."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

import salva
from salva.rows import reviews
from tests.text.conftest import hostile_texts

SENTENCES = [
    "The acting was really great, and I loved this movie!",
    "It isn't bad.<br /><br />GREAT story; see http://a.b/c?d=great or write to great.movie@film.com",
    "Absolutely  terrible plot...\tpoorly developed characters\n\n#awful @director",
    "Café naïve résumé ΜΕΓΑΛΟ кино великолепно",
    "👨‍👩‍👧 loved it 👍🏽 cafe\u0301 great\u0301 1️⃣ 🇩🇪",
    "I don't know, but it's a story that you'll like, and we've seen worse. The Spielbergs aren't here!",
    "They didn't say that it wasn't good. I'm sure she'll come; he's late, we couldn't wait, it isn't far.",
    "I watched films; they were funny, weren't they? &amp; &#38; <b>brilliant</b>",
]
# Contrasts edit a share of the texts, one place each.
CONTRASTED = [f"She was good in {n} scenes, and Mary likes Rome." for n in range(20, 40)]
# Words that presets know, between pieces that nothing is meant for.
texts = st.lists(st.one_of(st.sampled_from(SENTENCES), hostile_texts), max_size=6).map(" ".join)
seeds = st.integers(0, 2**64 - 1)
severities = st.sampled_from([0.1, 0.25, 0.5, 0.9, 1.0])
PRESETS = salva.presets()
# Presets that edit few words do more here, so that texts of a few words show what they promise.
DENSE = {
    "misspellings": {"p_misspelling": 1.0},
    "case": {"p_case": 1.0},
    "punctuation": {"p_punctuation": 1.0},
    "spaces": {"p_space": 1.0},
}


def dense(name: str, **settings: Any) -> salva.Transform:
    """Return the transform of a preset with many edits."""
    return salva.preset(name, **DENSE.get(name, {}), **settings)


@pytest.fixture(params=PRESETS)
def name(request) -> str:
    return request.param


@pytest.fixture
def transform(name):
    return dense(name)


@pytest.fixture(scope="session")
def review_texts() -> list[str]:
    return reviews("test").column("text").to_pylist()
