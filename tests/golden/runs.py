"""Runs of every kind, with figures that a redesign must not change: counts, rates and drops, no intervals.

Run it (`python -m tests.golden.runs`) to compare with runs.json, or with --write to renew that file.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import salva
from salva import Conditions, Data, Measure, Options
from salva.evaluation import Run
from salva.rows import reviews
from salva.tasks import Task, make_task, span_task
from tests.conftest import SHARED

RUNS = Path(__file__).parent / "runs.json"
PAIRS = SHARED / "data/pcfgset/substitutivity/primitive"

PROMPTS = {
    "terse": "{question}\n{options}\nLetter:",
    "polite": "Please read this.\n\n{question}\n\n{options}\n\nWhich letter is right?",
}
JUDGED = {
    "prompt": "Repeat the first words.\n{question}",
    "edit": ["question"],
    "target": "answer",
    "answer": {
        "kind": "judge",
        "rubric": "Question: {question}\nReply: {reply}\nRight: {target}\nIs it right? yes, partly or no.",
        "verdicts": {"yes": 1.0, "partly": 0.5, "no": 0.0},
    },
}
WORDS = re.findall(
    r"\w+", "film movie story actor scene ending music plot house garden river doctor teacher train winter"
)
NAMES = ["Anna", "Boris", "Carla", "Dmitri", "Elena", "Felix", "Greta", "Hannes", "Irene", "Jonas"]
PLACES = ["Paris", "London", "Berlin", "Madrid", "Vienna", "Lisbon"]
VERBS = ["travelled quickly to", "really loved the old streets of", "bought a wonderful house near"]
OPPOSITES = Conditions(opposites={"positive": "negative"})


def number(text: str, most: int, salt: str = "") -> int:
    """Return a number below `most` that depends on a text alone."""
    digest = hashlib.blake2b((salt + text).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % most


def list_texts() -> list[str]:
    return [row["text"] for row in reviews("test").to_pylist()]


def questions(size: int) -> list[dict[str, Any]]:
    """Return questions with two to four options, five topics, three in a family."""
    texts, rows = list_texts(), []
    for k in range(size):
        text = texts[k % len(texts)][(k // len(texts)) * 150 :][:220]
        options = [WORDS[(k * 7 + j * 3) % len(WORDS)] for j in range(2 + k % 3)]
        row = {"id": f"q{k}", "question": f"What is this about? {text}", "choices": options}
        answer = "ABCD"[number(text, len(options), "key")]
        rows.append({**row, "answer": answer, "topic": WORDS[k % 5], "family": f"f{k // 3}"})
    return rows


def choose(texts: list[str]) -> list[str]:
    """Reply with a letter, which depends on the options and the first words; some replies have none."""
    replies = []
    for text in texts:
        lines = re.findall(r"^([A-D])\. (.*)$", text, re.M)
        best = max(lines, key=lambda line: number(line[1] + text[: 60 + len(text) % 7], 1000))
        k = number(text, 50)
        replies.append("I do not know." if k == 0 else f"The answer is {best[0]}" if k % 2 else best[0])
    return replies


def sentences() -> list[dict[str, Any]]:
    """Return sentences with a person and a place."""
    chance, rows = random.Random(1), []
    for k in range(200):
        person, place = chance.choice(NAMES), chance.choice(PLACES)
        text = f"Yesterday {person} {chance.choice(VERBS)} {place}, because the weather was great."
        named = ((person, "PER"), (place, "LOC"))
        spans = [[text.index(name), text.index(name) + len(name), label] for name, label in named]
        rows.append({"id": f"e{k}", "text": text, "entities": json.dumps(spans)})
    return rows


def find_entities(texts: list[str]) -> list[str]:
    """Find most capitalized words; take some places for persons."""
    replies = []
    for text in texts:
        found = []
        for match in re.finditer(r"(?<!^)\b[A-Z][a-z]+", text):
            if number(text + match[0], 12):
                is_person = match[0] in NAMES or number(match[0], 3) == 0
                found.append([match.start(), match.end(), "PER" if is_person else "LOC"])
        replies.append(json.dumps(found) if number(text, 30) else "none that I can see")
    return replies


def starts() -> list[dict[str, Any]]:
    """Return questions that ask for the first words of a text."""
    texts = list_texts()
    return [
        {"id": f"s{k}", "question": text[k % 50 :][:200], "answer": " ".join(text.split()[:3])}
        for k, text in ((k, texts[k % len(texts)]) for k in range(300))
    ]


def write(texts: list[str]) -> list[str]:
    """Write three of the first words, or nothing."""
    replies = []
    for text in texts:
        words, k = text.split("\n")[0].split(), number(text, 7)
        replies.append("" if k == 0 else " ".join(words[k % 3 : k % 3 + 3]))
    return replies


def judge(texts: list[str]) -> list[str]:
    return [["yes", "partly", "no", "I cannot say"][min(number(text, 10), 9) % 4] for text in texts]


def echo(texts: list[str]) -> list[str]:
    """Repeat some short words."""
    replies = []
    for text in texts:
        k = number(text, 10)
        replies.append("" if k == 0 else " ".join(word for word in text.split() if len(word) < 4)[: 3 + k])
    return replies


def ask_task() -> Run:
    """Prompts and orders as axes, repeats, groups and slices."""
    options = Options(
        data=Data(slice_by=("topic",), group="family"),
        conditions=Conditions(prompts=PROMPTS, order=3, repeat=1),
        measure=Measure(flips=10, blame_calls=8),
    )
    presets = ["natural", "typos"]
    return salva.evaluate(
        questions(1000), choose, task="multiple-choice", presets=presets, severities=[0.5, 1], options=options
    )


def ask_crossed() -> Run:
    """Two axes, crossed with a preset."""
    crossed = Conditions(order=2, prompts=PROMPTS, cross=True)
    options = Options(conditions=crossed, measure=Measure(flips=5, blame_calls=8))
    return salva.evaluate(
        questions(200), choose, task="multiple-choice", presets="natural", severities=1, options=options
    )


def ask_contrasts() -> Run:
    presets = ["negation", "antonyms", "numbers", "names", "misspellings"]
    options = Options(conditions=OPPOSITES)
    return salva.evaluate(reviews("test"), "builtin:reviews", presets=presets, severities=1, options=options)


def ask_suite() -> Run:
    with tempfile.TemporaryDirectory() as home:
        suite, options = Path(home) / "suite", Options(conditions=OPPOSITES)
        presets = ["natural", "typos", "negation"]
        salva.make_questions(reviews("test"), out=suite, presets=presets, severities=1, options=options)
        return salva.evaluate(suite, "builtin:reviews")


def ask_spans() -> Run:
    presets = ["natural", "typos"]
    return salva.evaluate(
        sentences(), find_entities, task=span_task("entities"), presets=presets, severities=1
    )


def ask_judged() -> Run:
    task: Task = make_task("judged", JUDGED)
    options = Options(measure=Measure(judge=judge, flips=10, blame_calls=4))
    presets = ["natural", "misspellings"]
    return salva.evaluate(starts(), write, task=task, presets=presets, severities=1, options=options)


def ask_pairs() -> Run:
    return salva.evaluate(PAIRS, echo, options=Options(measure=Measure(noise=50)))


ASKED: dict[str, Callable[[], Run]] = {
    "task": ask_task,
    "crossed": ask_crossed,
    "contrasts": ask_contrasts,
    "suite": ask_suite,
    "spans": ask_spans,
    "judge": ask_judged,
    "pairs": ask_pairs,
}
PARTS = ("conditions", "contrasts", "axes", "slices", "entities", "classes", "judge", "noise", "robust")
LEFT_OUT = {
    "low",
    "high",
    "p",
    "p_holm",
    "design_effect",
    "effective",
    "surely_effective",
}  # intervals, tests
LEFT_OUT |= {"consistency", "unchanged", "statuses"}  # new, or over changed texts only
LEFT_OUT |= {"digest", "failures", "validity", "stayed"}


def list_figures(results: Mapping[str, Any], flips: list[Any]) -> dict[str, Any]:
    """Return the figures of results, given as plain values, and a digest of the flips."""
    names = ("condition", "row", "label", "before", "after", "text")
    rows = json.dumps([[flip[name] for name in names] for flip in flips])
    figures = {part: _keep_figures(results[part]) for part in PARTS if results[part]}
    return {**figures, "flips": hashlib.sha256(rows.encode()).hexdigest()[:16]}


def _keep_figures(value: Any) -> Any:
    """Return the numbers among plain values, those in lists by their names."""
    if isinstance(value, list | tuple):
        value = {str(_name(one) or k): one for k, one in enumerate(value)}
    if isinstance(value, dict):
        if "value" in value:
            return _keep_figures(value["value"])
        kept = {name: _keep_figures(own) for name, own in value.items() if name not in LEFT_OUT}
        return {name: own for name, own in kept.items() if own is not None and own != {}}
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return round(value, 4) if is_number else None


def _name(one: Any) -> str | None:
    names = ("name", "condition", "axis", "column")
    return " ".join(str(one[name]) for name in names if one.get(name)) if isinstance(one, dict) else None


def measure(name: str) -> dict[str, Any]:
    """Return the figures of a run."""
    run = ASKED[name]()
    return list_figures(run.results.as_dict(), [asdict(flip) for flip in run.flips])


def main(words: list[str]) -> int:
    """Compare, or write; return the exit code. Without the pairs in `../shared`, theirs stay as they are."""
    want = json.loads(RUNS.read_text("utf-8"))
    found = {name: measure(name) for name in ASKED if name != "pairs" or PAIRS.is_dir()}
    if "--write" in words:
        RUNS.write_text(json.dumps({**want, **found}, separators=(",", ":")) + "\n", encoding="utf-8")
        return 0
    wrong = [name for name in found if found[name] != want[name]]
    sys.stdout.write("".join(f"{name} has other figures\n" for name in wrong))
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
