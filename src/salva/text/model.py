"""A perceptron's weights as arrays, compiled from the dictionaries of NLTK and TextBlob."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import chain

import pyarrow as pa

EDGES = ("-START-", "-START2-", "-END-", "-END2-")
SHAPES = ("!HYPHEN", "!YEAR", "!DIGITS")

WORD_PLACES = ("i word", "i-1 word", "i-2 word", "i+1 word", "i+2 word")
SUFFIX_PLACES = ("i suffix", "i-1 suffix", "i+1 suffix")
PLACES = (*WORD_PLACES, *SUFFIX_PLACES, "i pref1", "i-1 tag", "i-2 tag", "i tag+i-2 tag", "i-1 tag+i word")

Rows = dict[str, dict[str, int]]


def compile_model(
    weights: Mapping[str, Mapping[str, float]], tagdict: Mapping[str, str], classes: Collection[str]
) -> dict[str, pa.Array]:
    """Return the arrays of a perceptron; row 0 of the weights is empty, the others follow the features.

    >>> model = compile_model({"bias": {"NN": 0.5}, "i word film": {"NN": 1.25}}, {}, {"NN", "VB"})
    >>> model["values"].to_pylist(), model["words"].to_pylist()[-1]
    ([500, 1250], 'film')
    """
    tags = [*sorted(classes), *sorted(set(tagdict.values()) - set(classes))]
    number = {tag: i for i, tag in enumerate(tags)}
    features = sorted(weights)
    rows = _rows_by_place(features)
    labels = [[label for label in sorted(weights[feature]) if label in classes] for feature in features]
    values = [
        [round(weights[f][label] * 1000) for label in own] for f, own in zip(features, labels, strict=True)
    ]
    return {
        "tags": pa.array(tags, pa.string()),
        "classes": pa.array([len(classes)], pa.int32()),
        "fixed_words": pa.array(sorted(tagdict), pa.string()),
        "fixed_tags": pa.array([number[tagdict[word]] for word in sorted(tagdict)], pa.int16()),
        "sizes": pa.array([0, *map(len, labels)], pa.int32()),
        "labels": pa.array([number[label] for label in chain(*labels)], pa.int16()),
        "values": pa.array(list(chain(*values)), pa.int32()),
        "bias": pa.array([1 + features.index("bias") if "bias" in weights else 0], pa.int32()),
        **_string_tables(rows),
        **_tag_tables(rows, [*tags, *EDGES[:2]]),
    }


def _rows_by_place(features: list[str]) -> Rows:
    rows: Rows = {place: {} for place in PLACES}
    for row, feature in enumerate(features, start=1):
        for place in PLACES:
            if feature.startswith(f"{place} "):
                rows[place][feature[len(place) + 1 :]] = row
                break
    return rows


def _string_tables(rows: Rows) -> dict[str, pa.Array]:
    """Return the words, each with its weight rows for five places and its number among the followers."""
    followers = _followers(rows)
    words = [*SHAPES, *sorted({*chain(*(rows[place] for place in WORD_PLACES)), *followers} - {*SHAPES})]
    suffixes = sorted({*chain(*(rows[place] for place in SUFFIX_PLACES))})
    word_rows = [[*(rows[p].get(word, 0) for p in WORD_PLACES), followers.get(word, 0)] for word in words]
    suffix_rows = [[rows[p].get(suffix, 0) for p in SUFFIX_PLACES] for suffix in suffixes]
    prefixes = rows["i pref1"]
    return {
        "words": pa.array(words, pa.string()),
        "word_rows": pa.array(list(chain(*word_rows)), pa.int32()),
        "suffixes": pa.array(suffixes, pa.string()),
        "suffix_rows": pa.array(list(chain(*suffix_rows)), pa.int32()),
        "prefixes": pa.array(list(prefixes), pa.string()),
        "prefix_rows": pa.array(list(prefixes.values()), pa.int32()),
    }


def _followers(rows: Rows) -> dict[str, int]:
    """Return a number, starting at 1, for every word that has weights for the preceding tag."""
    words = {key.partition(" ")[2] for key in rows["i-1 tag+i word"]}
    return {word: i for i, word in enumerate(sorted(words), start=1)}


def _tag_tables(rows: Rows, tags: list[str]) -> dict[str, pa.Array]:
    pairs, after = rows["i tag+i-2 tag"], rows["i-1 tag+i word"]
    after_rows = [[after.get(f"{tag} {word}", 0) for tag in tags] for word in _followers(rows)]
    return {
        "previous": pa.array([rows["i-1 tag"].get(tag, 0) for tag in tags], pa.int32()),
        "previous_2": pa.array([rows["i-2 tag"].get(tag, 0) for tag in tags], pa.int32()),
        "pairs": pa.array([pairs.get(f"{left} {right}", 0) for left in tags for right in tags], pa.int32()),
        "after": pa.array([0] * len(tags) + list(chain(*after_rows)), pa.int32()),
    }
