"""What a score does with missing words, ties and multiword terms: the ways of known scorers, by name."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Literal

from salva.errors import UsageError
from salva.outliers.lookup import CHAIN

__all__ = ["POLICIES", "Policy", "policy_of"]


@dataclass(frozen=True, slots=True)
class Policy:
    """How missing words and ties count.

    A missing inlier is dropped, and the exercise either keeps its size (so that it cannot be a hit) or
    shrinks; or it makes all exercises of the set wrong; or skips them. A missing outlier makes its exercise
    wrong, or skips it. `ties` are for the outlier or against it, `opp` is the OPP that this scorer reports.
    `least` inliers must be known to rank at all.
    """

    name: str
    meaning: str
    chain: tuple[str, ...]
    missing_inlier: Literal["keep size", "shrink", "wrong", "skip"]
    missing_outlier: Literal["wrong", "skip"]
    ties: Literal["for", "against"]
    opp: Literal["opp", "opp_1based"]
    least: int = 1
    zero_multiwords: bool = False  # a multiword term of unknown parts is a zero vector, and so not missing
    as_published: bool = False  # sets may have white space around words and inside terms, as its own have
    distinct: bool = False  # a word that stands twice counts once: the scorer keeps sets of words


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
            meaning="HAMOD's od_eval_embed.py: missing inliers are dropped, the size of the exercise stays",
            chain=("exact", "parts"),
            missing_inlier="keep size",
            missing_outlier="wrong",
            ties="for",
            opp="opp_1based",
        ),
        Policy(
            name="hamod-ignore",
            meaning="the same, ignoring missing words: exercises shrink, or do not count",
            chain=("exact", "parts"),
            missing_inlier="shrink",
            missing_outlier="skip",
            ties="for",
            opp="opp_1based",
        ),
        Policy(
            name="wikisem",
            meaning="WikiSem500: as hamod-ignore, with 2 known inliers at least, ties against the outlier",
            chain=("parts", "cased"),
            missing_inlier="shrink",
            missing_outlier="skip",
            ties="against",
            opp="opp",
            least=2,
        ),
        Policy(
            name="mangoes",
            meaning="mangoes: an exercise with a missing word is skipped, multiword terms have no parts",
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
        near = difflib.get_close_matches(name, POLICIES, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(POLICIES)}"
        raise UsageError(f"no policy {name!r}; {hint}")
    return POLICIES[name]
