"""Models that find spans: a perfect tagger stays perfect under every condition, and others are scored."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import salva
from salva.datasets.spans import Entity
from salva.datasets.tags import label_of, number_entities
from salva.edits.alignment import Alignment
from salva.errors import InputError, UsageError
from salva.evaluation import evaluate
from salva.pairs.entities import score_entities
from salva.tasks import KINDS, Key, make_task, span_task
from salva.transforms.backward import PART, align_rows, move_back

NAMES = {"Maria": "PER", "Paris": "LOC", "Berlin": "LOC", "Jonas": "PER"}
TEXTS = [
    "Maria really loved the great movie in Paris, and  Jonas did not.",
    "Jonas does not know whether the film was good; Berlin is far away!",
    "Nobody liked it (not even Maria), but the acting was really wonderful.",
    "An awful story.",
]
SETTINGS = {"noise": 0, "flips": 5, "blame_calls": 5, "severities": (1.0,)}


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
        transform = salva.preset(name)
        for twins in (transform.transform(TEXTS, severity=1.0), transform.put_together(TEXTS)):
            spans = twins.project([entities_of(text) for text in TEXTS])
            known |= dict(zip(twins.transformed, spans, strict=True))
    return lambda texts: [json.dumps(known[str(getattr(text, "text", text))]) for text in texts]


def test_a_perfect_tagger_stays_perfect_under_every_preset(tmp_path):
    presets = ["natural", "misspellings", "hybrid", "typos", "corrupt", "spaces"]
    how = {"task": span_task("entities"), "presets": presets, **SETTINGS}
    run = evaluate(ROWS, model=oracle(presets), out=tmp_path / "run", **how)
    for condition in run.results.conditions:
        assert (condition.entities.f1_before, condition.entities.f1_after) == (100, 100), condition.name
        assert condition.score.consistency.value == 100
        assert condition.replies.score_after == 100
    assert {one.label for one in run.results.entities} == {"PER", "LOC"}
    assert json.loads((tmp_path / "run/results.json").read_text())["entities"]


def test_entities_that_are_missed_lower_recall_and_not_precision(tmp_path):
    run = evaluate(
        ROWS,
        model=tag,
        task=span_task("entities"),
        presets=[salva.preset("typos", prob=1.0)],
        out=tmp_path / "run",
        **SETTINGS,
    )
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


def test_replies_are_lists_of_spans_or_unparsed():
    kind, key = KINDS["spans"](), Key(('[[0, 5, "PER"]]',), {}, {})
    assert kind.grade('Sure: [{"start": 0, "end": 5, "label": "PER"}]', key) == ('[[0, 5, "PER"]]', 1.0)
    assert kind.grade("[]", key) == ("[]", 0.0)
    for reply in ("none", "[[5, 0, 1]]", "[[0, 5]]", '[[0.5, 5, "PER"]]', "[" * 100_000 + "]"):
        assert kind.grade(reply, key) is None


def test_bad_targets_are_refused_in_one_line(tmp_path):
    rows = [{"text": "short", "entities": '[[0, 50, "X"]]'}]
    with pytest.raises(
        InputError, match="column 'entities': span 1 ends at 50, but the text has 5 characters"
    ):
        evaluate(rows, model=tag, task=span_task("entities"), presets=["typos"], out=tmp_path / "run")
    with pytest.raises(UsageError, match="edits one column"):
        make_task("t", {"prompt": "{a} {b}", "edit": ["a", "b"], "target": "s", "answer": {"kind": "spans"}})


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
    return [(label_of(tags[own[0]]), own[0], own[-1]) for own in places.values()]
