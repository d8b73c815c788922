"""Texts to judge edits on: data sets that Salva reads, and three corpora as NLTK packs them.

A corpus is given as NAME=PATH, or as NAME=PATH:even or NAME=PATH:odd for every other text: what was read to
choose pairs must not serve to measure them. Every text has a reference, which finds it in the same file: the
number of its row, or for NLTK's corpora the name of its file and the number of its text.
"""

from __future__ import annotations

import random
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from salva.errors import InputError, UsageError
from salva.rows import open_rows
from salva.transforms import Transform

HALVES = {"even": 0, "odd": 1}
MARK, MARK_END = "[[", "]]"


class Text(NamedTuple):
    """A text, the corpus that it is from, and where it is there."""

    corpus: str
    row: str
    text: str


class Edited(NamedTuple):
    """One edit of a text."""

    source: Text
    start: int
    end: int
    old: str
    new: str
    rule: str

    def show(self, before: int = 150, after: int = 110) -> str:
        """Return the edit with the text around it, on one line.

        >>> Edited(Text("a", "0", "I saw the movie there."), 10, 15, "movie", "film", "pair").show()
        'I saw the [[movie => film]] there.'
        """
        text = self.source.text
        left, right = text[max(0, self.start - before) : self.start], text[self.end : self.end + after]
        shown = f"{left}{MARK}{self.old} => {self.new}{MARK_END}{right}"
        return " ".join(shown.replace("<br /><br />", " // ").split())


def read_corpora(named: Iterable[str]) -> list[Text]:
    """Return the texts of corpora given as NAME=PATH."""
    texts: list[Text] = []
    for given in named:
        name, equals, path = given.partition("=")
        if not equals or not name or not path:
            raise UsageError(f"{given!r} must be NAME=PATH, such as imdb=train.parquet")
        whole, colon, half = path.rpartition(":")
        own = [Text(name, row, text) for row, text in read_texts(Path(whole if half in HALVES else path))]
        texts += own[HALVES[half] :: 2] if colon and half in HALVES else own
    return texts


def read_texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the reference and the text of every row of a data set, or of a corpus as NLTK packs it."""
    if path.suffix != ".zip":
        with open_rows(path) as rows:
            column = (text for batch in rows for text in batch.column("text").to_pylist())
            yield from ((str(number), text) for number, text in enumerate(column) if text)
        return
    if path.stem not in PACKED:
        raise InputError.at(path, None, f"is not one of NLTK's {', '.join(PACKED)}; unpack it")
    with zipfile.ZipFile(path) as packed:
        for name in sorted(packed.namelist()):
            if name.endswith(".txt") and "README" not in name:
                yield from PACKED[path.stem](Path(name).name, packed.read(name).decode("latin-1"))


def product_reviews(name: str, content: str) -> Iterator[tuple[str, str]]:
    """Yield the reviews of one file, as the title and the sentences of each."""
    reviews: list[list[str]] = []
    own: list[str] = []
    for line in content.splitlines():
        if line.startswith("[t]"):
            title = line[3:].strip()
            reviews, own = reviews + ([own] if own else []), [f"{title}."] if title else []
        elif "##" in line:
            own.append(line.split("##", 1)[1].strip())
    for number, sentences in enumerate(reviews + ([own] if own else [])):
        yield f"{name[:12]}:{number}", " ".join(sentences)


def addresses(name: str, content: str) -> Iterator[tuple[str, str]]:
    """Yield the long paragraphs of one State of the Union address."""
    for number, paragraph in enumerate(re.split(r"\n\s*\n|\n(?=\S)", content)):
        text = " ".join(paragraph.split())
        if len(text) > 80:
            yield f"{name.removesuffix('.txt')}:{number}", text


def web_text(name: str, content: str) -> Iterator[tuple[str, str]]:
    """Yield the long lines of one file of web text."""
    for number, line in enumerate(content.splitlines()):
        if len(line) > 40:
            yield f"{name.removesuffix('.txt')}:{number}", line


PACKED: dict[str, Callable[[str, str], Iterator[tuple[str, str]]]] = {
    "product_reviews_1": product_reviews,
    "state_union": addresses,
    "webtext": web_text,
}


def find_edits(transform: Transform, texts: list[Text], seed: int = 0) -> Iterator[Edited]:
    """Yield every edit that a preset makes in some texts."""
    if not texts:
        return
    rows: list[dict[str, Any]] = transform.transform([own.text for own in texts], seed=seed).edits.to_pylist()
    for row in rows:
        yield Edited(texts[row["row"]], *(row[name] for name in ("start", "end", "old", "new", "rule")))


def draw_edits(
    transform: Transform,
    texts: list[Text],
    most: int,
    seed: str,
    *,
    leave_out: frozenset[str] = frozenset(),
    batch: int = 100,
) -> Iterator[Edited]:
    """Yield one edit from each of the first `most` texts that have some, in an order drawn from `seed`.

    Edits by the rules in `leave_out` do not count.
    """
    chance = random.Random(seed)  # noqa: S311
    order, found = chance.sample(texts, len(texts)), 0
    for start in range(0, len(order), batch):
        by_text: dict[tuple[str, str], list[Edited]] = {}
        for edit in find_edits(transform, order[start : start + batch]):
            if edit.rule not in leave_out:
                by_text.setdefault(edit.source[:2], []).append(edit)
        for own in by_text.values():
            if found == most:
                return
            found += 1
            yield chance.choice(own)
