"""The weights of a tagger: read from NLTK's folder, checked, and compiled to arrays."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from salva._files import read_whole, storage_errors
from salva._types import PathLike
from salva.errors import InputError

EDGES = ("-START-", "-START2-", "-END-", "-END2-")
SHAPES = ("!HYPHEN", "!YEAR", "!DIGITS")

WORD_PLACES = ("i word", "i-1 word", "i-2 word", "i+1 word", "i+2 word")
SUFFIX_PLACES = ("i suffix", "i-1 suffix", "i+1 suffix")
PLACES = (*WORD_PLACES, *SUFFIX_PLACES, "i pref1", "i-1 tag", "i-2 tag", "i tag+i-2 tag", "i-1 tag+i word")

Rows = dict[str, dict[str, int]]

MOST_BYTES = 1 << 28
MOST_TAGS = 1 << 8
MOST_WEIGHT = 250.0  # so that the sum of 14 weights and the class fit into 32 bits

TAGGER = "averaged_perceptron_tagger_eng"
# Where NLTK looks for its data after NLTK_DATA, the home of the user and the folders of the Python.
USUAL = (
    ("C:/nltk_data", "D:/nltk_data", "E:/nltk_data")
    if os.name == "nt"
    else tuple(f"/usr/{folder}/nltk_data" for folder in ("share", "local/share", "lib", "local/lib"))
)


def find_tagger() -> Path:
    """Return the folder of NLTK's tagger, paths where NLTK looks for it, without NLTK."""
    named = [folder for folder in os.environ.get("NLTK_DATA", "").split(os.pathsep) if folder]
    own = [str(Path(sys.prefix, folder, "nltk_data")) for folder in ("", "share", "lib")]
    roaming = [f"{os.environ['APPDATA']}/nltk_data"] if os.name == "nt" and "APPDATA" in os.environ else []
    for folder in (*named, "~/nltk_data", *own, *roaming, *USUAL):
        path = Path(os.path.expanduser(folder), "taggers", TAGGER)  # noqa: PTH111  (as NLTK: never raises)
        if path.is_dir():
            return path
    looked = f"{', '.join(named)} or NLTK's usual folders" if named else "NLTK's usual folders"
    raise InputError(
        f"tagger='nltk': no taggers/{TAGGER} in {looked}; run nltk.download({TAGGER!r}), or name its folder"
    )


def read_model(path: PathLike) -> dict[str, pa.Array]:
    """Read the tagger in a folder and return its arrays."""
    folder = Path(path)
    if not folder.is_dir():
        raise InputError.at(path, None, "is not a folder; pass the one that contains NLTK's *.weights.json")
    weights_path, tagdict_path, classes_path = (
        _only_file(folder, f"*.{part}.json") for part in ("weights", "tagdict", "classes")
    )
    classes = _read_json(classes_path)
    if not isinstance(classes, list) or not classes or not all(isinstance(tag, str) for tag in classes):
        raise InputError.at(classes_path, None, "must hold a list of tags")
    tagdict = _read_json(tagdict_path)
    if not isinstance(tagdict, dict) or not all(isinstance(tag, str) for tag in tagdict.values()):
        raise InputError.at(tagdict_path, None, "must map words to tags")
    tags = {*classes, *tagdict.values()}
    if len(tags) > MOST_TAGS:
        raise InputError.at(classes_path, None, f"has more than {MOST_TAGS} tags")
    spaced = sorted(tag for tag in tags if " " in tag)
    if spaced:
        raise InputError.at(classes_path, None, f"tag {spaced[0]!r:.40} contains a space")
    # NLTK treats an empty tag as no tag.
    fixed = {word: tag for word, tag in tagdict.items() if tag}
    return compile_model(_checked_weights(weights_path), fixed, set(classes))


def _only_file(folder: Path, pattern: str) -> Path:
    with storage_errors(folder):
        paths = sorted(folder.glob(pattern))
    if len(paths) != 1:
        hint = "expected one, as in averaged_perceptron_tagger_eng"
        raise InputError.at(folder, None, f"has {len(paths)} files {pattern}; {hint}")
    return paths[0]


def _read_json(path: Path) -> Any:
    content = read_whole(path, MOST_BYTES)
    try:
        loaded = json.loads(content)
        json.dumps(loaded, ensure_ascii=False).encode()
        return loaded
    except json.JSONDecodeError as error:
        raise InputError.at(path, error.lineno, f"is not JSON: {error.msg.lower()}") from None
    except UnicodeDecodeError:
        raise InputError.at(path, None, "is not UTF-8") from None
    except UnicodeEncodeError:
        raise InputError.at(path, None, "contains half of a surrogate pair") from None
    except ValueError as error:
        raise InputError.at(path, None, f"is not JSON: {str(error).lower()}") from None
    except RecursionError:
        raise InputError.at(path, None, "is nested too deeply") from None


def _checked_weights(path: Path) -> Mapping[str, Mapping[str, float]]:
    weights = _read_json(path)
    if not isinstance(weights, dict):
        raise InputError.at(path, None, "must map features to weights")
    for feature, own in weights.items():
        if not isinstance(own, dict):
            raise InputError.at(path, None, f"feature {feature!r} must map tags to weights")
        for tag, weight in own.items():
            problem = _problem(weight)
            if problem:
                raise InputError.at(
                    path, None, f"feature {feature!r}, tag {tag!r}: weight {weight!r:.40} {problem}"
                )
    return weights


def _problem(weight: Any) -> str | None:
    """Return what is wrong with a weight; three decimals, as in NLTK's files, keep sums exact."""
    if isinstance(weight, bool) or not isinstance(weight, int | float):
        return "is not a number"
    if not -MOST_WEIGHT <= weight <= MOST_WEIGHT:
        return f"is not between -{MOST_WEIGHT:g} and {MOST_WEIGHT:g}"
    if round(weight, 3) != weight:
        return "has more than three decimal places"
    return None


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
