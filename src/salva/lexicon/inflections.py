"""English inflection: the forms of a lemma under a Penn tag.

Regular forms follow from spelling; the shipped table has the lemmas whose forms do not, and every adjective
and adverb that is compared with -er and -est.
"""

from __future__ import annotations

import re
from functools import cache

from salva.lexicon.shipped import read_tables

BASE_TAGS = frozenset({"NN", "VB", "VBP", "JJ", "RB"})
TAGS = {
    "n": ("NN", "NNS"),
    "v": ("VB", "VBP", "VBZ", "VBD", "VBN", "VBG"),
    "a": ("JJ", "JJR", "JJS"),
    "r": ("RB", "RBR", "RBS"),
}

_SIBILANT = re.compile(r"(s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")
# One vowel between consonants in a word of one syllable: stop, plan, quit; not fix, play, show.
_SHORT = re.compile(r"^([^aeiou]*|[^aeiou]*qu)[aeiou][^aeiouwxy]$")


def inflect(lemma: str, tag: str) -> tuple[str, ...]:
    """Return the forms of a lemma under a tag, the usual one first; none if it has no such form.

    >>> inflect("stop", "VBG"), inflect("go", "VBN"), inflect("big", "JJR"), inflect("enormous", "JJR")
    (('stopping',), ('gone',), ('bigger',), ())
    >>> inflect("put up with", "VBZ"), inflect("piece of cake", "NNS")
    (('puts up with',), ('pieces of cake',))
    """
    if tag in BASE_TAGS:
        return (lemma,)
    if " " in lemma:
        return _inflect_phrase(lemma, tag)
    listed = _exceptions().get((lemma, tag))
    if listed is not None or tag[0] in "JR":
        return listed or ()
    return (inflect_regular(lemma, tag),)


def inflect_regular(lemma: str, tag: str) -> str:
    """Return the form of a noun or verb that follows from its spelling.

    >>> [inflect_regular(*word) for word in (("box", "NNS"), ("try", "VBD"), ("die", "VBG"), ("plan", "VBN"))]
    ['boxes', 'tried', 'dying', 'planned']
    """
    if tag in {"NNS", "VBZ"}:
        if _CONSONANT_Y.search(lemma):
            return f"{lemma[:-1]}ies"
        return lemma + ("es" if _SIBILANT.search(lemma) else "s")
    doubled = lemma + lemma[-1] if _SHORT.search(lemma) else lemma
    if tag == "VBG":
        if lemma.endswith("ie"):
            return f"{lemma[:-2]}ying"
        silent = lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye"))
        return f"{lemma[:-1] if silent else doubled}ing"
    if _CONSONANT_Y.search(lemma):
        return f"{lemma[:-1]}ied"
    return f"{lemma}d" if lemma.endswith("e") else f"{doubled}ed"


def _inflect_phrase(lemma: str, tag: str) -> tuple[str, ...]:
    """Inflect the first word of a verb, the head of a noun, the last word of anything else."""
    words = lemma.split(" ")
    place = len(words) - 1
    if tag[0] == "V":
        place = 0
    elif "of" in words[1:]:
        place = words.index("of", 1) - 1
    forms = inflect(words[place], tag)
    return tuple(" ".join([*words[:place], form, *words[place + 1 :]]) for form in forms)


@cache
def _exceptions() -> dict[tuple[str, str], tuple[str, ...]]:
    tables = read_tables("inflections.arrow")
    names = ("lemmas", "tags", "forms")
    lemmas, tags, forms = (tables[name].to_pylist() for name in names)
    return {
        (lemma, tag): tuple(filter(None, own.split(" ")))
        for lemma, tag, own in zip(lemmas, tags, forms, strict=True)
    }
