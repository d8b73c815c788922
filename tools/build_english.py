"""Build `english.arrow`: words written in small letters, and everything that a reader may take for a word.

    python -m tools.build_english

The words are those of the other tables and lists, so build this one after them. `salva.lexicon.english` reads
the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from salva._types import Pos
from salva.lexicon.english import FUNCTION, PLAIN
from salva.lexicon.inflections import BASE_TAGS, TAGS, inflect
from salva.lexicon.pairs import load_pairs
from salva.lexicon.shipped import polarity, read_tables, stop_words
from salva.lexicon.wordnet import WordNet
from tools.tables import write_tables

PARTS: tuple[Pos, ...] = ("n", "v", "a", "r")

# Function words that no other shipped list has, some of them old.
MORE_WORDS = """
    albeit amidst amongst cannot doth else ere hath nay oft shalt thee thine thou thy towards unto upon versus
    whenever whereas wherein whether whilst whoever yea
"""

# Tags of words that have no meaning of their own: articles, pronouns, prepositions, conjunctions …
CLOSED_TAGS = frozenset({"CC", "DT", "EX", "IN", "MD", "PDT", "PRP", "PRP$", "TO", "WDT", "WP", "WP$", "WRB"})


def compile_tables() -> dict[str, pa.Array]:
    """Return the words, sorted, and the sets that each belongs to."""
    function, plain = find_function_words(), find_plain_words()
    words = sorted(plain | find_other_words(plain))
    kinds = [PLAIN * (word in plain) + FUNCTION * (word in function) for word in words]
    return {"words": pa.array(words, pa.string()), "kinds": pa.array(kinds, pa.uint8())}


def find_plain_words() -> set[str]:
    """Return English words that are written in small letters, with their inflected forms."""
    wordnet = WordNet.load()
    used = wordnet.words.take(pa.array(np.unique(wordnet.members.values))).to_pylist()
    lemmas = set(filter(is_small, used))
    fixed = {word for word, tag in fixed_tags().items() if not tag.startswith("NNP")}
    variants = (name for pair in load_pairs("spellings") for name in (pair.source, *pair.targets))
    listed = find_function_words() | polarity().keys() | fixed | set(pieces(variants))
    return lemmas | inflected(lemmas) | set(filter(is_small, listed))


def find_function_words() -> set[str]:
    """Return words without a meaning of their own."""
    closed = {word for word, tag in fixed_tags().items() if tag in CLOSED_TAGS}
    return set(filter(is_small, closed | stop_words() | set(MORE_WORDS.split())))


def find_other_words(plain: set[str]) -> set[str]:
    """Return names and the parts of phrases, in lower case, and the words that the tagger knows."""
    wordnet = WordNet.load()
    parts = set(pieces(wordnet.words.to_pylist()))
    irregular = (form[:-1] for form in wordnet.irregular_forms()[0])
    tagged = read_tables("tagger.arrow")["words"].to_pylist()
    return parts | inflected(parts - plain) | set(pieces([*irregular, *tagged]))


def inflected(lemmas: set[str]) -> set[str]:
    """Return the inflected forms of those lemmas that WordNet has, by the parts of speech that it gives."""
    wordnet, forms = WordNet.load(), set[str]()
    for part in PARTS:
        own = lemmas.intersection(wordnet.lemmas(part))
        for tag in set(TAGS[part]) - BASE_TAGS:
            forms.update(*(inflect(lemma, tag) for lemma in own))
    return forms


def fixed_tags() -> dict[str, str]:
    """Return words to which the tagger always gives the same tag."""
    tables = read_tables("tagger.arrow")
    tags = tables["tags"].take(tables["fixed_tags"]).to_pylist()
    return dict(zip(tables["fixed_words"].to_pylist(), tags, strict=True))


def is_small(word: str) -> bool:
    """Return whether a word has only small letters from a to z."""
    return word.isascii() and word.isalpha() and word.islower()


def pieces(names: Iterable[str]) -> list[str]:
    """Return the runs of letters in some names, in lower case."""
    return re.findall(r"[a-z]+", "\n".join(names).lower())


if __name__ == "__main__":
    write_tables("english.arrow", compile_tables())
