"""Consistency with what it is worth: numbers that follow by hand, under both rules, and honest about gaps."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import ThresholdError, UsageError
from salva.numbers import score as score_codes
from salva.numbers.significance import mcnemar
from salva.twins.comparators import accepted_outputs, own_function
from salva.twins.pair import TwinPair
from salva.twins.results import check_limits
from salva.twins.scoring import score
from tests.conftest import SHARED


def pair(i=0, kind="append", target="A B", source=None):
    return TwinPair(source or f"copy A{i} B1", f"copy_twin A{i} B1", target, target, kind, i)


# Both right; both wrong and the same; right, then wrong; both empty; wrong, then right; two other wrong ones.
PAIRS = [pair(i) for i in range(6)]
ANSWERS = ["A B", "C", "A B", "", "D", "E"]
TWINS = ["A  B ", "C", "X", "", "A B", "F"]


def values(group, *names):
    return [getattr(group, name).value for name in names]


def test_the_numbers_follow_by_hand():
    found = score(PAIRS, ANSWERS, TWINS).overall
    assert values(found, "accuracy", "twin_accuracy", "both_right") == pytest.approx(
        [200 / 6, 200 / 6, 100 / 6]
    )
    assert (found.right_to_wrong, found.wrong_to_right, found.p, found.drop.value) == (1, 1, 1.0, 0.0)
    assert (found.n, found.n_failed, found.n_unlabelled, found.sources) == (6, 0, 0, 6)


ANSWER = st.sampled_from(["A B", "B A", "", " ", None])


@given(st.lists(st.tuples(ANSWER, ANSWER), max_size=30))
def test_the_numbers_are_those_of_a_plain_count(answers):
    found = (
        score([pair(i) for i in range(len(answers))], *zip(*answers, strict=True), resamples=10)
        if answers
        else None
    )
    both = [(a.strip(), b.strip()) for a, b in answers if a is not None and b is not None]
    wrong = [(a, b) for a, b in both if (a, b) != ("A B", "A B")]
    if not both:
        return
    group = found.overall
    assert group.consistency.value == pytest.approx(100 * sum(a == b for a, b in both) / len(both))
    assert group.accuracy.value == pytest.approx(100 * sum(a == "A B" for a, _ in both) / len(both))
    assert group.right_to_wrong == sum(a == "A B" != b for a, b in both)
    if wrong:
        among = group.by_rule["any"].among_incorrect.value
        assert among == pytest.approx(100 * sum(a == b for a, b in wrong) / len(wrong))


def test_two_empty_answers_are_consistent_under_one_rule_alone():
    rules = score(PAIRS, ANSWERS, TWINS).overall.by_rule
    assert rules["nonempty"].consistency.value == pytest.approx(200 / 6)
    assert rules["any"].consistency.value == 50
    assert values(rules["nonempty"], "consistent_wrong", "among_incorrect") == pytest.approx([100 / 6, 20])
    assert values(rules["any"], "consistent_wrong", "among_incorrect") == pytest.approx([200 / 6, 40])


@pytest.mark.parametrize("rule", ["nonempty", "any"])
def test_the_rule_is_named_and_chosen(rule):
    found = score(PAIRS, ANSWERS, TWINS, rule=rule)
    assert f"|rule:{rule}|" in found.signature
    assert found.overall.consistency == found.overall.by_rule[rule].consistency


@pytest.mark.parametrize("sources", [range(6), [0, 0, 1, 1, 1, 2]])
def test_it_is_the_scorer_of_the_evaluation(sources):
    codes = {"A B": 0, "C": 1, "X": 2, "": 3, "D": 4, "E": 5, "F": 6}
    before, after = [codes[a] for a in ANSWERS], [codes[b.strip().replace("  ", " ")] for b in TWINS]
    there = score_codes([0] * 6, before, after, clusters=list(sources))
    here = score([pair(i) for i in sources], ANSWERS, TWINS, rule="any").overall
    for ours, theirs in {
        "accuracy": "accuracy_before",
        "twin_accuracy": "accuracy_after",
        "both_right": "both_right",
        "consistency": "consistency",
        "drop": "drop",
    }.items():
        assert getattr(here, ours) == getattr(there, theirs)
    assert (here.p, here.right_to_wrong) == (there.p, there.right_to_wrong)


def test_121_a_pair_with_a_failed_side_is_not_measured():
    found = score(PAIRS, [None, *ANSWERS[1:]], [*TWINS[:5], None])
    assert (found.overall.n, found.overall.n_failed) == (4, 2)
    assert found.overall.consistency.value == 50
    assert found.notes[0] == "pairs not measured because a side has no answer: 2"


def test_when_nothing_was_answered_nothing_is_claimed():
    found = score(PAIRS, [None] * 6, [None] * 6)
    assert found.overall.consistency.value is None
    assert found.overall.p is None
    assert json.loads(json.dumps(found.as_dict(), allow_nan=False))["overall"]["n_failed"] == 6


def test_no_pairs_is_no_division():
    assert score([], [], []).overall.accuracy.value is None


def test_perfect_answers_are_perfect_and_not_too_sure():
    found = score(PAIRS, ["A B"] * 6, ["A B"] * 6).overall
    assert values(found, "accuracy", "twin_accuracy", "consistency") == [100, 100, 100]
    assert found.among_incorrect.value is None
    assert found.consistency.low < 100 == found.consistency.high


def test_a_constant_answer_is_consistent_and_said_to_mean_nothing():
    found = score(PAIRS, ["Z"] * 6, ["Z"] * 6)
    assert values(found.overall, "consistency", "accuracy", "among_incorrect") == [100, 0, 100]
    assert found.overall.chance == 100
    assert "all answers are identical: consistency says nothing about synonyms here" in found.notes


def test_empty_answers_are_said_to_be_empty():
    found = score(PAIRS, [""] * 6, [""] * 6)
    assert [found.overall.by_rule[rule].consistency.value for rule in ("nonempty", "any")] == [0, 100]
    assert (found.empty, found.twin_empty) == (6, 6)
    assert "pairs with two empty answers, which the two rules count differently: 6" in found.notes


def test_pairs_of_one_source_are_one_witness():
    apart = [pair(i) for i in range(40)]
    together = [pair(0, source="copy A B") for _ in range(20)] + [pair(1, source="copy C D")] * 20
    answers = ["A B"] * 20 + ["X"] * 20
    wide = score(together, answers, answers).overall
    narrow = score(apart, answers, answers).overall
    assert (wide.sources, narrow.sources) == (2, 40)
    assert wide.accuracy.value == narrow.accuracy.value == 50
    assert wide.accuracy.high - wide.accuracy.low > 2 * (narrow.accuracy.high - narrow.accuracy.low)


def test_flips_have_an_exact_p():
    answers, twins = ["A B"] * 9 + ["X"], ["X"] * 8 + ["A B"] * 2
    found = score([pair(i) for i in range(10)], answers, twins).overall
    assert (found.right_to_wrong, found.wrong_to_right) == (8, 1)
    assert found.p == mcnemar(8, 1)


def test_the_test_of_flips_counts_sources_and_not_pairs():
    pairs = [pair(i % 3) for i in range(30)]
    found = score(pairs, ["A B"] * 30, ["X"] * 30)
    assert (found.overall.right_to_wrong, found.overall.sources) == (30, 3)
    assert found.overall.p == found.kinds[0].p == mcnemar(3, 0)


def test_every_function_depth_and_length_has_its_numbers():
    pairs = [
        pair(0, "append"),
        pair(1, "repeat"),
        TwinPair("copy " * 3 + "A " * 9, "x", "A", "A", "repeat", 2),
    ]
    found = score(pairs, ["A B", "X", "A"], ["A B", "X", "B"])
    assert [(group.name, group.n) for group in found.kinds] == [("append", 1), ("repeat", 2)]
    assert [(group.name, group.n) for group in found.depths] == [("depth 1", 2), ("depth 3", 1)]
    assert [(group.name, group.n) for group in found.lengths] == [("1 to 10 words", 2), ("11 to 20 words", 1)]


def test_p_values_of_functions_are_corrected_together():
    pairs = [pair(i, "append" if i < 10 else "repeat") for i in range(20)]
    found = score(pairs, ["A B"] * 20, ["X"] * 20)
    assert [group.p_holm for group in found.kinds] == [2 * mcnemar(10, 0)] * 2


def test_plain_text_has_no_depth():
    found = score([pair(source="Is a lorry slow?")], ["no"], ["no"])
    assert found.depths == ()


def test_a_pair_without_a_target_counts_for_consistency_alone():
    found = score([pair(target="")], ["A"], ["A"])
    assert (found.overall.n, found.overall.n_unlabelled) == (0, 1)
    assert found.overall.consistency.value == 100
    assert "no pair has a target: it is unknown whether consistent answers are right" in found.notes


def test_a_control_whose_target_changes_is_right_when_the_answers_differ():
    swap = TwinPair("append A , B", "prepend A , B", "A B", "B A", "append", 0)
    made = score([swap] * 2, ["A B", "A B"], ["B A", "A B"])
    found = made.overall
    assert "pairs whose targets differ, so that equal answers are wrong: 2" in made.notes
    assert values(found, "both_right", "consistency", "twin_accuracy") == [50, 50, 50]


@pytest.mark.parametrize(
    ("compare", "same"),
    [("exact", False), ("normalised", True), ("label", False), ("python:operator:eq", False)],
)
def test_comparators_differ_in_what_they_forgive(compare, same):
    found = score([pair()], ["The  film, great!"], ["the film great"], compare=compare).overall
    assert found.consistency.value == 100 * same


def test_labels_are_the_same_in_quotes_and_capitals():
    assert score([pair(target="positive")], ['"Positive."'], ["positive"], compare="label").overall.n == 1


def test_accepted_outputs_judge_free_answers_by_the_synonym():
    rule = accepted_outputs({"football/soccer": ["voetbal"]})
    one = TwinPair("He likes football.", "He likes soccer.", "", "", "football/soccer", 0)
    found = score(
        [one, one], ["Hij houdt van voetbal.", "x"], ["Voetbal bevalt hem", "y"], compare=rule
    ).overall
    assert values(found, "consistency", "accuracy", "among_incorrect") == [50, 50, 0]


def test_a_function_of_the_users_own_decides():
    rule = own_function(lambda a, b: a[:1] == b[:1])
    assert score([pair()], ["A x"], ["A y"], compare=rule).overall.both_right.value == 100


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"rule": "strict"}, "rule='strict' must be one of any, nonempty"),
        ({"compare": "exakt"}, "comparator 'exakt' is unknown; expected one of exact"),
        ({"compare": "accepted"}, "needs accepted outputs"),
    ],
)
def test_what_is_not_known_is_refused(options, problem):
    with pytest.raises(UsageError, match=problem):
        score(PAIRS, ANSWERS, TWINS, **options)


def test_answers_of_another_number_are_refused():
    with pytest.raises(UsageError, match="pairs 6, answers 5, twin answers 6"):
        score(PAIRS, ANSWERS[:5], TWINS)


def test_a_limit_holds_for_all_pairs_and_for_every_function():
    pairs = [pair(0, "append"), pair(1, "repeat")]
    found = score(pairs, ["A B", "X"], ["A B", "Y"])
    check_limits(found, ["consistency < 0", "among_incorrect > 0", "by_rule.any.consistency < 0"])
    with pytest.raises(ThresholdError, match="consistency < 75: all has 50, repeat has 0"):
        check_limits(found, ["consistency < 75"])


def test_the_same_answers_give_the_same_bytes():
    first, second = (json.dumps(score(PAIRS, ANSWERS, TWINS).as_dict()) for _ in range(2))
    assert first == second


def test_examples_differ_or_are_wrong_together_and_show_every_function():
    pairs = [pair(i, ("append", "repeat")[i % 2]) for i in range(100)]
    found = score(pairs, ["A B"] * 50 + ["X"] * 50, ["Y"] * 50 + ["X"] * 50, examples=12)
    assert len(found.examples) == 12
    assert {(one.kind, one.same) for one in found.examples} == {
        (kind, same) for kind in ("append", "repeat") for same in (True, False)
    }


@pytest.mark.slow
def test_the_official_pairs_have_6716_sources():
    folder = SHARED / "data/pcfgset/substitutivity/primitive"
    if not folder.is_dir():
        pytest.skip("needs the official files in ../shared, which are not part of the project")
    from salva.twins.pcfg.pairing import read_pairs

    pairs = read_pairs(folder)
    found = score(pairs, [one.target for one in pairs], [one.twin_target for one in pairs], resamples=100)
    assert (found.pairs, found.overall.sources, found.overall.consistency.value) == (10_000, 6_716, 100)
    assert [group.n for group in found.kinds] == [2_500] * 4


def test_where_some_pairs_have_no_target_that_is_said():
    found = score([pair(0), pair(1, target=""), pair(2, target="")], ["A B"] * 3, ["A B"] * 3)
    assert (found.overall.n, found.overall.n_unlabelled) == (1, 2)
    assert "pairs without a target, which count only for consistency: 2" in found.notes


def test_the_rule_about_empty_answers_does_not_ask_which_side_is_empty():
    same = own_function(lambda a, b: True)
    for answers in (["", "x"], ["x", ""]):
        found = score([pair()], answers[:1], answers[1:], compare=same).overall
        assert [one.consistency.value for one in found.by_rule.values()] == [100, 0]


def test_what_is_empty_when_it_is_compared_is_an_empty_answer():
    found = score([pair(target="A")], ["..."], ["!"], compare="normalised")
    assert (found.empty, found.twin_empty, found.overall.chance) == (1, 1, 100)
    assert [one.consistency.value for one in found.overall.by_rule.values()] == [100, 0]


def test_an_answer_of_which_nothing_is_left_is_right_only_as_it_stands():
    found = score([pair(0, target="!"), pair(1, target="!")], ["!", "..."], ["! ", ""], compare="normalised")
    assert found.overall.accuracy.value == found.overall.twin_accuracy.value == 50


def test_chance_asks_the_function_that_compares():
    first = own_function(lambda a, b: a[0] == b[0])
    pairs = [pair(i) for i in range(4)]
    assert (
        score(pairs, ["a1", "a2", "b1", "b2"], ["a3", "a4", "b3", "b4"], compare=first).overall.chance == 50
    )


def test_chance_asks_a_slow_function_about_some_pairs_and_says_so():
    calls, pairs = [], [pair(i, target="") for i in range(300)]
    parity = own_function(lambda a, b: bool(calls.append(1)) or int(a) % 2 == int(b) % 2)
    answers = [str(i) for i in range(300)]
    found = score(pairs, answers, answers, compare=parity, resamples=10)
    assert found.overall.chance == pytest.approx(50, abs=6)
    assert "chance is estimated from 1,000 shuffled pairs, compared by the function" in found.notes
    assert len(calls) < 5_000
    assert found == score(pairs, answers, answers, compare=parity, resamples=10)


def test_accepted_outputs_of_one_kind_are_not_those_of_another():
    pairs = [pair(0, kind="a/b"), pair(1, kind="c/d")]
    compare = accepted_outputs({"a/b": ["x"], "c/d": ["y"]})
    found = score(pairs, ["x", "y"], ["x!", "y!"], compare=compare).overall
    assert (found.chance, found.consistency.value, found.both_right.value) == (50, 100, 100)


def test_a_kind_that_is_called_all_does_not_hide_the_whole():
    pairs = [pair(0, kind="all"), pair(1, kind="b")]
    found = score(pairs, ["A B", "A B"], ["A B", "X"])
    with pytest.raises(ThresholdError, match="consistency == 50: all has 50"):
        check_limits(found, ["consistency == 50"])
    with pytest.raises(ThresholdError, match="consistency == 100: kind all has 100"):
        check_limits(found, ["consistency == 100"])


def test_a_pair_without_a_kind_has_a_name_all_the_same():
    found = score([pair(0, kind="")], ["A"], ["B"])
    assert ([group.name for group in found.kinds], found.examples[0].kind) == (["(none)"], "(none)")


def test_plain_text_has_no_depth_whatever_it_begins_with():
    texts = [TwinPair("copy that lorry", "copy that truck", "", "", "lorry/truck", 0)]
    assert score(texts, ["x"], ["x"]).depths == ()
    lines = [TwinPair("copy copy A B", "reverse copy A B", "A B", "B A", "copy/reverse", 0)]
    assert [group.name for group in score(lines, ["x"], ["x"]).depths] == ["depth 2"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"compare": 3}, "compare=3 must be the name of a comparator or a function"),
        ({"resamples": 0}, "resamples=0 must be a whole number from 1"),
        ({"seed": None}, "seed=None must be a whole number"),
        ({"answers": [3]}, "answer 3 must be a string"),
        ({"pairs": [("a", "b")]}, "must be a TwinPair"),
    ],
)
def test_what_cannot_be_scored_is_refused_in_one_line(options, problem):
    given = {"pairs": [pair()], "answers": ["A"], "twin_answers": ["B"]} | options
    with pytest.raises(UsageError, match=problem):
        score(**given)


def test_a_function_of_two_answers_is_a_comparator():
    found = score([pair()], ["A"], ["B"], compare=lambda a, b: True)
    assert (found.overall.consistency.value, found.comparator) == (100, "<lambda>: as the function decides")


def test_the_rule_of_the_document_is_the_default_and_the_other_stands_beside_it():
    found = score(PAIRS, ANSWERS, TWINS)
    assert (found.rule, found.overall.consistency.value) == ("any", 50)
    assert list(found.overall.by_rule) == list(found.rules) == ["any", "nonempty"]
    assert "even if empty" in found.rules["any"]
    assert found.overall.by_rule["nonempty"].consistency.value == pytest.approx(200 / 6)


def test_a_kind_without_pairs_is_named():
    found = score([pair(0)], ["A B"], ["A B"], expected=["append", "repeat", "swap"])
    assert "kinds without pairs, which were not measured: repeat, swap_first_last" in found.notes


def test_lines_with_swap_have_a_depth():
    one = TwinPair("copy swap A B", "copy swap_first_last_twin A B", "B A", "B A", "swap_first_last", 0)
    assert [group.name for group in score([one], ["x"], ["x"]).depths] == ["depth 2"]


def test_pairs_of_swap_count_as_those_of_swap_first_last():
    found = score([pair(0, kind="swap"), pair(1, kind="swap_first_last")], ["A B"] * 2, ["A B"] * 2)
    assert [(group.name, group.n) for group in found.kinds] == [("swap_first_last", 2)]
