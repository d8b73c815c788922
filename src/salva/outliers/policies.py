"""How a score treats missing words, ties and multiword terms: the rules of known scorers, by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from salva._arguments import did_you_mean
from salva.errors import UsageError
from salva.outliers.lookup import CHAIN


@dataclass(frozen=True, slots=True)
class Policy:
    """How missing words and ties count.

    A missing inlier is dropped, and the exercise either keeps its size (so it cannot be a hit) or shrinks;
    or all exercises of the set count as wrong, or are skipped. With a missing outlier, its exercise is wrong
    or skipped. `ties` count for or against the outlier, `opp` is the OPP that this scorer reports. At least
    `least` inliers must be known for an exercise to be ranked.
    """

    name: str
    meaning: str
    chain: tuple[str, ...]
    missing_inlier: Literal["keep size", "shrink", "wrong", "skip"]
    missing_outlier: Literal["wrong", "skip"]
    ties: Literal["for", "against"]
    opp: Literal["opp", "opp_1based"]
    least: int = 1
    zero_multiwords: bool = False  # a multiword term with unknown parts is a zero vector, and so not missing
    as_published: bool = False  # sets may have white space around words and inside terms, like its own
    distinct: bool = False  # a word that appears twice counts once: the scorer uses Python sets of words


POLICIES = {
    policy.name: policy
    for policy in (
        Policy(
            name="default",
            meaning="a missing word never makes a hit; ties count against the outlier",
            chain=CHAIN,
            missing_inlier="keep size",
            missing_outlier="wrong",
            ties="against",
            opp="opp",
        ),
        Policy(
            name="50-8-8",
            meaning="the 50-8-8 scorer: a missing inlier makes the whole set wrong",
            chain=("exact", "parts"),
            missing_inlier="wrong",
            missing_outlier="wrong",
            ties="for",
            opp="opp",
            zero_multiwords=True,
            as_published=True,
            distinct=True,
        ),
        Policy(
            name="hamod",
            meaning="HAMOD's od_eval_embed.py: missing inliers are dropped, the exercise keeps its size",
            chain=("exact", "parts"),
            missing_inlier="keep size",
            missing_outlier="wrong",
            ties="for",
            opp="opp_1based",
        ),
        Policy(
            name="hamod-ignore",
            meaning="like hamod, but ignores missing words: exercises shrink, or do not count",
            chain=("exact", "parts"),
            missing_inlier="shrink",
            missing_outlier="skip",
            ties="for",
            opp="opp_1based",
        ),
        Policy(
            name="wikisem",
            meaning="WikiSem500: like hamod-ignore, with at least 2 known inliers, ties against the outlier",
            chain=("parts", "cased"),
            missing_inlier="shrink",
            missing_outlier="skip",
            ties="against",
            opp="opp",
            least=2,
        ),
        Policy(
            name="mangoes",
            meaning="mangoes: skips exercises with a missing word, does not split multiword terms",
            chain=("lower",),
            missing_inlier="skip",
            missing_outlier="skip",
            ties="against",
            opp="opp_1based",
        ),
    )
}


def policy_of(name: str) -> Policy:
    """Return a policy by its name.

    >>> policy_of("hamod").ties
    'for'
    """
    if name not in POLICIES:
        hint = did_you_mean(name, POLICIES, otherwise=f"the policies are {', '.join(POLICIES)}")
        raise UsageError(f"unknown policy {name!r}; {hint}")
    return POLICIES[name]
