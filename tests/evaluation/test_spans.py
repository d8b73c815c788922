"""Models that find spans: a perfect tagger stays perfect under every condition, and others are scored."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from salva import preset as salva_preset
from salva.edits.alignment import Alignment
from salva.errors import InputError
from salva.numbers import score_entities
from salva.rows.columns import Entity, number_entities
from salva.tasks import span_task
from salva.transforms.backward import PART, align_rows, move_back
from tests.evaluation.running import run as run_on

NAMES = {"Maria": "PER", "Paris": "LOC", "Berlin": "LOC", "Jonas": "PER"}
TEXTS = [
    "Maria really loved the great movie in Paris, and  Jonas did not.",
    "Jonas does not know whether the film was good; Berlin is far away!",
    "Nobody liked it (not even Maria), but the acting was really wonderful.",
    "An awful story.",
]
SETTINGS = {"task": span_task("entities"), "flips": 5, "blame_calls": 5, "severities": (1.0,)}


def entities_of(text: str) -> list[list]:
    return [[found.start(), found.end(), NAMES[found[0]]] for found in re.finditer("|".join(NAMES), text)]


ROWS = [{"text": text, "entities": json.dumps(entities_of(text))} for text in TEXTS]


def tag(texts) -> list[str]:
    """Find the names as they are spelled: a name that is misspelled is missed."""
    return [json.dumps(entities_of(str(getattr(text, "text", text)))) for text in texts]


def oracle(presets: list[str]):
    """Return a tagger that knows where the entities are in every twin."""
    known = {text: entities_of(text) for text in TEXTS}
    for name in presets:
        transform = salva_preset(name)
        for twins in (transform.transform(TEXTS, severity=1.0), transform.put_together(TEXTS)):
            spans = twins.project([entities_of(text) for text in TEXTS])
            known |= dict(zip(twins.transformed, spans, strict=True))
    return lambda texts: [json.dumps(known[str(getattr(text, "text", text))]) for text in texts]


@pytest.mark.slow
def test_a_perfect_tagger_stays_perfect_under_every_preset(tmp_path):
    presets = ["natural", "misspellings", "hybrid", "typos", "corrupt", "spaces"]
    run = run_on(ROWS, oracle(presets), presets=presets, out=tmp_path / "run", **SETTINGS)
    for condition in run.results.conditions:
        assert (condition.entities.f1_before, condition.entities.f1_after) == (100, 100), condition.name
        assert condition.score.changed == 0
        assert condition.replies.score_after == 100
    assert {one.label for one in run.results.entities} == {"PER", "LOC"}
    assert json.loads((tmp_path / "run/results.json").read_text())["entities"]


def test_entities_that_are_missed_lower_recall_and_not_precision(tmp_path):
    run = run_on(ROWS, tag, presets=[salva_preset("typos", prob=1.0)], out=tmp_path / "run", **SETTINGS)
    [condition] = [one for one in run.results.conditions if one.severity == 1]
    entities = condition.entities
    assert entities.f1_before == 100
    assert entities.precision_after in (0, 100)
    assert entities.recall_after < 50
    assert entities.f1_drop.value == pytest.approx(100 - entities.f1_after)


def test_a_span_of_a_twin_is_right_only_if_a_target_becomes_it():
    edit = Alignment(
        *np.array([[0, 0], [4, 12], [9, 12], [4, 16], [12, 17]])
    )  # a longer word, and an insertion
    target = Entity(4, 9, "LOC")
    assert move_back(edit, [target], [Entity(4, 12, "LOC")]) == [target]
    assert move_back(edit, [target], [Entity(5, 10, "LOC")]) == [(4, 9, "LOC", PART)]
    assert move_back(edit, [target], [Entity(4, 12, "PER"), Entity(0, 3, "PER")]) == [
        (4, 9, "PER"),
        (0, 3, "PER"),
    ]
    assert move_back(edit, [], [Entity(13, 17, "X")]) == [(10, 12, "X", PART)]


def test_a_target_without_text_counts_as_found():
    gone = Alignment(*np.array([[0, 1], [2, 0], [5, 1], [2, 0], [2, 3]]))
    first, second = align_rows(gone, 2)
    assert move_back(first, [Entity(2, 5, "X")], []) == [(2, 5, "X")]
    assert move_back(second, [Entity(0, 1, "X")], []) == []


def as_tags(texts, *, lines: bool) -> list[str]:
    """Tag the words of texts that are names, marks included."""
    replies = []
    for text in texts:
        words = str(getattr(text, "text", text)).split()
        tags = [f"B-{NAMES[bare]}" if (bare := word.strip("(),.!;")) in NAMES else "O" for word in words]
        pairs = [f"{word} {tag}" for word, tag in zip(words, tags, strict=True)]
        replies.append("\n".join(pairs) if lines else json.dumps(tags))
    return replies


@pytest.mark.slow
def test_tags_of_twins_are_moved_back_like_spans(tmp_path):
    texts = ["Maria really loved the great movie in Paris", "Jonas does not know whether it was good"]
    rows = [{"text": text, "entities": json.dumps(entities_of(text))} for text in texts]
    runs = [
        run_on(rows, model, presets=["natural", "typos"], **SETTINGS)
        for model in (
            tag,
            lambda some: as_tags(some, lines=True),
            lambda some: as_tags(some, lines=False),
        )
    ]
    spans, *tags = ([one.entities for one in run.results.conditions] for run in runs)
    assert tags == [spans, spans]
    assert all(one.replies.unparsed_after.value == 0 for run in runs for one in run.results.conditions)


def test_every_label_has_its_numbers_on_page_terminal_and_json(tmp_path, salva):
    run = run_on(ROWS, tag, presets=[salva_preset("typos", prob=1.0)], out=tmp_path / "run", **SETTINGS)
    found = {one.label: one.score for one in run.results.entities if one.condition == "typos@1"}
    assert {label: score.support for label, score in found.items()} == {"LOC": 2, "PER": 4}
    assert found["PER"].f1_drop.low is not None
    page = (tmp_path / "run/report.html").read_text()
    section = page.split('<section id="entities">')[1].split("</section>")[0]
    assert re.findall(r"<tr data-item>.+?<td><bdi>(\w+)</bdi></td><td class=\"n\">(\d)", section) == [
        (one.label, str(one.score.support)) for one in run.results.entities
    ]
    assert "F1 of entities by label" in run.summary()
    assert "F1 of entities by label" in salva("report", tmp_path / "run").out
    stored = json.loads((tmp_path / "run/results.json").read_text())["entities"]
    assert [one["score"]["support"] for one in stored] == [one.score.support for one in run.results.entities]


def test_bad_targets_are_refused_in_one_line(tmp_path):
    rows = [{"text": "short", "entities": '[[0, 50, "X"]]'}]
    with pytest.raises(
        InputError, match="column 'entities': span 1 ends at 50, but the text has 5 characters"
    ):
        run_on(rows, tag, presets=["typos"], **SETTINGS)


def test_pooled_scores_are_those_of_the_conll_evaluation():
    gold = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-ORG"], ["O"]]
    found = [["B-PER", "O", "O", "B-LOC"], ["B-ORG", "B-ORG"], ["O"]]
    targets, answers = ([_entities(row) for row in side] for side in (gold, found))
    score = score_entities(targets, targets, answers)  # 3 entities, 4 found, 2 of them right
    assert score.precision_after == pytest.approx(100 * 2 / 4)
    assert score.recall_after == pytest.approx(100 * 2 / 3)
    assert score.f1_after == pytest.approx(100 * 4 / 7)


def _entities(tags: list[str]) -> list[tuple]:
    numbers = number_entities(tags)
    places = {n: [k for k, own in enumerate(numbers) if own == n] for n in set(numbers) - {-1}}
    return [(tags[own[0]][2:], own[0], own[-1]) for own in places.values()]
