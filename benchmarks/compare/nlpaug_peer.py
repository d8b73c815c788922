"""Run nlpaug on some texts: `keyboard` does the work of Salva's preset `typos`, `synonym` that of `synonyms`.

    NLTK_DATA=FOLDER python nlpaug_peer.py keyboard|synonym|synonym_plain TEXTS

TEXTS is a JSON list of strings; the README next to this file explains how to make the interpreter and FOLDER.
Nothing is capped: `aug_max`, `aug_word_max` and `aug_char_max` are None.

A preset's rate is a share of the words that it may change. `aug_word_p` and `aug_p` are shares of all tokens,
and that many are then taken from those that may change: at 0.5, `aug_p` would take all of them. So the rate
is multiplied by the share of such tokens in TEXTS. The presets' settings map as follows:

- `typos`: `tokenizer` and `reverse_tokenizer` split at white space and join with spaces. 25 % of the words of
  three or more characters (`min_char`) are `aug_word_p`. 40 % of a word's characters, rounded down, are
  `aug_char_p` 0.25, which is rounded up: 33 % and 31 % of the characters of IMDB's words. Neighbours are
  letters (`include_special_char` and `include_numeric` off).
- `synonyms`: 50 % of the alphabetic words that are not stop words are `aug_p`; `stopwords` are NLTK's,
  written in three cases, because nlpaug's match is case-sensitive; `stopwords_regex` matches what is not
  alphabetic. The tokenizer is nlpaug's own, which is faster here than NLTK's.

`synonym_plain` is what the documentation suggests for replacing every second word, `aug_p` 0.5 and the stop
words as a list: it replaces nearly all words that it may replace.

A sentence augmented before the clock starts loads everything that loads on first use; WordNet's entries are
read when they are first needed.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nlpaug.augmenter.char import KeyboardAug  # type: ignore[import-not-found]
from nlpaug.augmenter.word import SynonymAug  # type: ignore[import-not-found]
from nlpaug.util.text.tokenizer import Tokenizer  # type: ignore[import-not-found]
from nltk.corpus import stopwords

NOT_ALPHABETIC = r"\S*(?:[^\w\s]|[\d_])"  # also matched against the token with spaces around it


def share(tokens: list[str], eligible: Callable[[str], bool]) -> float:
    """Return the share of tokens that may change."""
    return sum(map(eligible, tokens)) / len(tokens)


def keyboard(texts: list[str]) -> Any:
    """Return the augmenter for the work of `typos`."""
    words = [word for text in texts for word in text.split()]
    return KeyboardAug(
        tokenizer=str.split,
        reverse_tokenizer=" ".join,
        aug_word_p=0.25 * share(words, lambda word: len(word) >= 3),
        aug_word_max=None,
        aug_char_p=0.25,
        aug_char_max=None,
        min_char=3,
        include_special_char=False,
        include_numeric=False,
    )


def synonym(texts: list[str]) -> Any:
    """Return the augmenter for the work of `synonyms`."""
    stops = frozenset(stopwords.words("english"))
    tokens = [token for text in texts for token in Tokenizer.tokenizer(text)]
    return SynonymAug(
        aug_src="wordnet",
        aug_p=0.5 * share(tokens, lambda token: token.isalpha() and token.lower() not in stops),
        aug_max=None,
        stopwords=stops | {word.capitalize() for word in stops} | {word.upper() for word in stops},
        stopwords_regex=NOT_ALPHABETIC,
    )


def synonym_plain(texts: list[str]) -> Any:
    """Return the augmenter as its documentation suggests for replacing half of the words."""
    return SynonymAug(aug_src="wordnet", aug_p=0.5, aug_max=None, stopwords=stopwords.words("english"))


AUGMENTERS = {"keyboard": keyboard, "synonym": synonym, "synonym_plain": synonym_plain}


def main() -> None:
    """Augment the texts, and print how long it took."""
    name, path = sys.argv[1:]
    texts = json.loads(Path(path).read_text("utf-8"))
    augmenter = AUGMENTERS[name](texts)
    augmenter.augment(["Films rarely age well."])
    random.seed(1)
    started = time.perf_counter()
    augmenter.augment(texts)
    seconds = time.perf_counter() - started
    size = sum(len(text.encode()) for text in texts)
    measured = {"seconds": seconds, "fit_seconds": None, "bytes": size, "rows": len(texts)}
    print(json.dumps({"peer": f"nlpaug {name}", "version": version("nlpaug")} | measured))


if __name__ == "__main__":
    main()
