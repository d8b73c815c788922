"""Answers to texts and to their twins: what changed, by how much, and how certain that is."""

from __future__ import annotations

from salva.pairs.compare import Difference, compare
from salva.pairs.curve import Curve, CurvePoint, curve
from salva.pairs.family import with_holm
from salva.pairs.metric import MetricChange, metric_change
from salva.pairs.score import PairScore, score
from salva.pairs.unpaired import UnpairedDrop, unpaired

__all__ = [
    "Curve",
    "CurvePoint",
    "Difference",
    "MetricChange",
    "PairScore",
    "UnpairedDrop",
    "compare",
    "curve",
    "metric_change",
    "score",
    "unpaired",
    "with_holm",
]
