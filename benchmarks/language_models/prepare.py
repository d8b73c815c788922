"""Turn public data sets into rows for the tasks next to this file: one JSON line per question.

    python benchmarks/language_models/prepare.py SOURCE TARGET

SOURCE is a folder with `balanced-copa-dev-all.xml`, `truthfulqa.csv`, `bbh-sports_understanding.json`,
`bbh-snarks.json`, `gsm8k-test.jsonl`, as their authors publish them, and `imdb/test.parquet` (`id`, `text`,
`label`), which may also be in the folder above. Nothing is drawn at random: options are ordered, and reviews
chosen, by a hash of their texts.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow.parquet as pq

REVIEWS = 1_000
_LINKS = {"cause": "because", "effect": "so"}
_STATEMENT = re.compile(r"^\((\w)\) (.+)$", re.MULTILINE)
_QUOTED = re.compile(r'"(.+)"', re.DOTALL)

Rows = Iterable[dict[str, Any]]


def copa(source: Path) -> Rows:
    """Yield the premises without their full stops, and what follows them as the end of a sentence."""
    for item in ElementTree.parse(source / "balanced-copa-dev-all.xml").getroot().iter("item"):
        premise, first, second = (_text(item, name) for name in ("p", "a1", "a2"))
        yield {
            "id": int(item.attrib["id"]),
            "premise": premise.removesuffix("."),
            "link": _LINKS[item.attrib["asks-for"]],
            "first": _as_end(first),
            "second": _as_end(second),
            "answer": int(item.attrib["most-plausible-alternative"]),
        }


def truthfulqa(source: Path) -> Rows:
    """Yield the questions, with their best answer among the incorrect ones."""
    with (source / "truthfulqa.csv").open(encoding="utf-8-sig", newline="") as file:
        for number, row in enumerate(csv.DictReader(file)):
            best = row["Best Answer"].strip()
            wrong = [answer.strip() for answer in row["Incorrect Answers"].split(";")]
            choices = sorted({best, *filter(None, wrong)}, key=lambda text: _hash(row["Question"] + text))
            answer = choices.index(best) + 1
            yield {"id": number, "question": row["Question"], "choices": choices, "answer": answer}


def sports(source: Path) -> Rows:
    """Yield the sentences that are or are not plausible."""
    for number, example in enumerate(_examples(source, "sports_understanding")):
        quoted = _QUOTED.search(example["input"])
        assert quoted is not None, example
        yield {
            "id": number,
            "sentence": quoted[1],
            "choices": ["yes", "no"],
            "answer": example["target"],
        }


def snarks(source: Path) -> Rows:
    """Yield the two statements, one of which is sarcastic; an item that has only one is left out."""
    for number, example in enumerate(_examples(source, "snarks")):
        question = example["input"].partition("\n")[0]
        texts = [text for _, text in _STATEMENT.findall(example["input"])]
        answer = example["target"].strip("()")
        if len(texts) == 2:
            yield {
                "id": number,
                "question": question,
                "first": texts[0],
                "second": texts[1],
                "answer": answer,
            }


def gsm8k(source: Path) -> Rows:
    """Yield the word problems with their solutions, as they are."""
    for number, line in enumerate((source / "gsm8k-test.jsonl").read_text("utf-8").splitlines()):
        yield {"id": number, **json.loads(line)}


def imdb(source: Path) -> Rows:
    """Yield reviews, the same number of both labels."""
    own, above = source / "imdb/test.parquet", source.parent / "imdb/test.parquet"
    rows = pq.read_table(own if own.is_file() else above, columns=["id", "text", "label"]).to_pylist()
    rows.sort(key=lambda row: _hash(row["text"]))
    by_label = {label: [row for row in rows if row["label"] == label] for label in (0, 1)}
    for pair in list(zip(*by_label.values(), strict=True))[: REVIEWS // 2]:
        yield from pair


DATA = {
    "copa": copa,
    "truthfulqa": truthfulqa,
    "sports": sports,
    "snarks": snarks,
    "gsm8k": gsm8k,
    "imdb": imdb,
}


def _text(item: ElementTree.Element, name: str) -> str:
    return (item.findtext(name) or "").strip()


def _as_end(sentence: str) -> str:
    """Return a sentence as the end of another."""
    return sentence if re.match(r"I\b", sentence) else sentence[:1].lower() + sentence[1:]


def _examples(source: Path, name: str) -> Iterator[dict[str, str]]:
    yield from json.loads((source / f"bbh-{name}.json").read_text("utf-8"))["examples"]


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def main() -> None:
    """Write the rows of every data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    given = parser.parse_args()
    given.target.mkdir(parents=True, exist_ok=True)
    for name, rows in DATA.items():
        lines = [json.dumps(row, ensure_ascii=False) for row in rows(given.source)]
        (given.target / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
        print(f"{name}: {len(lines):,} rows")


if __name__ == "__main__":
    main()
