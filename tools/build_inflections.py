"""Build `inflections.arrow`: the forms that do not follow from spelling.

    pip install lemminflect && python tools/build_inflections.py

For every single word of WordNet, the forms that lemminflect's dictionary has are compared with the regular
one; those that differ are kept, and all comparatives and superlatives.
"""

from __future__ import annotations

import pyarrow as pa
from lemminflect import getInflection  # type: ignore[import-not-found]

from salva.lexicon import WordNet
from salva.lexicon.inflections import BASE_TAGS, TAGS, inflect_regular
from tools.tables import write_tables

INVARIANT = frozenset(
    {"aircraft", "deer", "fish", "means", "offspring", "series", "sheep", "shrimp", "species"}
)
SINGULAR_ONLY = ("anybody", "anyone", "everybody", "everyone", "nobody", "somebody", "someone")


def irregular_forms() -> dict[tuple[str, str], str]:
    """Return the forms, separated by blanks, by lemma and tag."""
    found = {(word, "NNS"): "" for word in SINGULAR_ONLY}
    for letter, tags in TAGS.items():
        for lemma in sorted(set(WordNet.load().lemmas(letter))):  # type: ignore[arg-type]
            if not (lemma.isascii() and lemma.isalpha() and lemma.islower()):
                continue
            for tag in tags:
                forms = () if tag in BASE_TAGS else getInflection(lemma, tag, inflect_oov=False)
                own = own_forms(lemma, tag, forms)
                if forms and (tag[0] in "JR" or own != (inflect_regular(lemma, tag),)):
                    found.setdefault((lemma, tag), " ".join(own))
    return found


def own_forms(lemma: str, tag: str, forms: tuple[str, ...]) -> tuple[str, ...]:
    """Return the forms in letters only; a plural that is the singular again means that there is none."""
    letters = tuple(form for form in forms if form.isalpha())
    if tag != "NNS" or lemma in INVARIANT:
        return letters
    return tuple(form for form in letters if form != lemma)


def main() -> None:
    """Write the table, sorted by lemma and tag."""
    rows = sorted((lemma, tag, forms) for (lemma, tag), forms in irregular_forms().items())
    columns = zip(*rows, strict=True)
    names = ("lemmas", "tags", "forms")
    write_tables(
        "inflections.arrow",
        {name: pa.array(column, pa.string()) for name, column in zip(names, columns, strict=True)},
    )


if __name__ == "__main__":
    main()
