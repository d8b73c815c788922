"""Answers to texts and to their twins: what changed, by how much, and how certain that is."""

from __future__ import annotations

from salva.pairs.audited import AuditedScore, score_audited
from salva.pairs.drops import Curve, CurvePoint, UnpairedDrop, curve, unpaired
from salva.pairs.graded import JudgedScore, ReplyScore, score_judged, score_replies
from salva.pairs.metric import MetricChange, metric_change
from salva.pairs.score import Difference, PairScore, compare, score
from salva.pairs.several import SeveralScores, score_several
from salva.pairs.several_variants import SeveralVariants, VariantDifference, score_several_variants
from salva.pairs.variants import VariantScore, score_variants

__all__ = [
    "AuditedScore",
    "Curve",
    "CurvePoint",
    "Difference",
    "JudgedScore",
    "MetricChange",
    "PairScore",
    "ReplyScore",
    "SeveralScores",
    "SeveralVariants",
    "UnpairedDrop",
    "VariantDifference",
    "VariantScore",
    "compare",
    "curve",
    "metric_change",
    "score",
    "score_audited",
    "score_judged",
    "score_replies",
    "score_several",
    "score_several_variants",
    "score_variants",
    "unpaired",
]
