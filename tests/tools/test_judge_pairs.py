"""Judging pairs: the real engine draws contexts, verdicts decide, and the kept judgements are whole."""

from __future__ import annotations

import pytest

from salva.errors import InputError
from salva.lexicon.pairs import load_pairs, parse_rule
from tools.corpora import Text
from tools.judge_pairs import (
    Reading,
    as_readings,
    ask,
    draw_contexts,
    find_again,
    judge,
    main,
    propose,
    read_sheet,
    show_rule,
    write_sheet,
)
from tools.judgements import (
    ENOUGH,
    MOST_BAD,
    Judgement,
    Place,
    Record,
    decide,
    read_judgements,
    state_bases,
    write_judgements,
)

RULE = "n movie > film | next! night"
TEXTS = [Text("x", str(n), f"We saw {n} movies, a movie night and a good day.") for n in range(20)]
TEXTS += [Text("y", str(n), f"It was a movie for {n} people.") for n in range(3)]


@pytest.fixture(scope="module")
def kept():
    return read_judgements()


def judgement(rule, verdict="accepted"):
    return Judgement(rule, verdict, (), {})


def test_every_shipped_pair_was_accepted_by_readers_or_is_a_narrower_form_of_one_that_was(kept):
    stated = state_bases(load_pairs("pairs"), kept)
    assert [(pair.line, pair.source, target) for pair, target, basis in stated if basis.kind == "none"] == []


def test_kept_judgements_meet_the_bar_and_name_every_place(kept):
    assert len({own.rule for own in kept}) == len(kept)
    for own in kept:
        assert {int(number) for number in own.bad} <= set(range(1, len(own.places) + 1)), own.rule
        if own.verdict == "accepted":
            assert len(own.places) >= ENOUGH, own.rule
            assert len(own.bad) <= MOST_BAD, own.rule
        assert all(str(Place.parse(place)) == place for place in own.places)


def test_quotations_are_short(kept):
    quotations = [text for own in kept for text in own.bad.values()]
    assert max(map(len, quotations)) <= 110


@pytest.mark.parametrize(
    ("pair", "kind"),
    [
        ("n a > b | next c,d; prev! e", "read"),
        ("n a > b | prev! e; next d,c", "read"),
        ("n a > b | next c; prev! e,f; tag NN", "narrowed"),
        ("n a > b | next c,d", "none"),
        ("n a > b | next c,d,g; prev! e", "none"),
        ("n a > c | next c,d; prev! e", "none"),
        ("v a > b | next c,d; prev! e", "none"),
        ("n r > s", "none"),
    ],
)
def test_a_pair_rests_on_the_judgement_of_itself_or_of_a_wider_rule(pair, kind):
    record = Record([judgement("n a > b | next c,d; prev! e"), judgement("n r > s", "rejected")])
    (parsed,) = parse_rule(pair)
    assert record.basis(parsed, parsed.targets[0]).kind == kind


def test_a_rule_of_several_targets_covers_each_of_them():
    record = Record([judgement("n a > b c")])
    assert [record.basis(parse_rule("n a > c b")[0], name).kind for name in "cbd"] == ["read", "read", "none"]


@pytest.mark.parametrize(
    "rule", ["v look_at > see", "x a lot , > lots , / much", "n a > b c | next! COMMA,^; tag NN"]
)
def test_a_rule_is_shown_as_it_is_written(rule):
    assert [show_rule(pair) for pair in parse_rule(rule)] == [rule]


def test_all_shipped_rules_are_shown_as_they_are_written():
    for pair in load_pairs("pairs"):
        (again,) = parse_rule(show_rule(pair), pair.line)
        assert again == pair


def test_contexts_come_from_all_corpora_one_per_text():
    edits = draw_contexts(RULE, TEXTS, seed=0)
    assert len(edits) == len({edit.source[:2] for edit in edits}) == ENOUGH
    assert sum(edit.source.corpus == "y" for edit in edits) == 3
    assert {edit.new for edit in edits} == {"film", "films"}
    assert draw_contexts(RULE, TEXTS, seed=0) == edits != draw_contexts(RULE, TEXTS, seed=1)


def test_a_rare_rule_gets_what_there_is():
    assert len(draw_contexts(RULE, TEXTS[-2:], seed=0)) == 2


def test_places_are_found_again_by_the_rule_and_by_a_narrower_one():
    places = tuple(str(Place("x", str(n), TEXTS[n].text.index("movies"))) for n in range(5))
    own = Judgement(RULE, "accepted", places, {})
    assert [edit.old for edit in find_again(own, TEXTS)] == ["movies"] * 5
    assert len(find_again(own, TEXTS, "n movie > film | prev 1,2")) == 2


def readings(*verdicts):
    return [Reading("n a > b", f"x:{n}@0", f"c{n}", f"q{n}", *own) for n, own in enumerate(verdicts)]


def test_verdicts_decide():
    good, bad = ("good", ""), ("bad", "why")
    (own,) = judge(readings(*[good] * 11, bad))
    assert (own.verdict, own.bad, own.why, len(own.places)) == ("accepted", {"12": "q11"}, "why", 12)
    assert judge(readings(*[good] * 11, bad, bad))[0].verdict == "rejected"
    assert judge(readings(*[good] * 11))[0].verdict == "rare"
    assert decide(2, 2) == "rejected"
    with pytest.raises(InputError, match="x:1@0 has the verdict ''; write good or bad"):
        judge(readings(good, ("", "")))


def test_a_sheet_is_filled_in_by_hand_or_by_keys(tmp_path):
    edits = draw_contexts(RULE, TEXTS, seed=0, most=4)
    write_sheet(tmp_path / "s.tsv", as_readings(RULE, edits))
    lines = read_sheet(tmp_path / "s.tsv")
    assert [line.context for line in lines] == [edit.show() for edit in edits]
    keys = iter(["g", "b wrong sense", "q"])
    answered = list(ask(lines, lambda shown: next(keys)))
    assert [(own.verdict, own.why) for own in answered] == [
        ("good", ""),
        ("bad", "wrong sense"),
        ("", ""),
        ("", ""),
    ]


def test_judgements_are_written_sorted_and_read_back(tmp_path):
    some = [Judgement("n b > a", "rare", ("x:1@2",), {"1": "é"}, "why"), judgement("n a > b")]
    write_judgements(some, tmp_path / "j.gz")
    assert read_judgements(tmp_path / "j.gz") == some[::-1]
    first = (tmp_path / "j.gz").read_bytes()
    write_judgements(some[::-1], tmp_path / "j.gz")
    assert (tmp_path / "j.gz").read_bytes() == first


@pytest.mark.slow
def test_proposals_share_their_first_sense_and_are_not_judged_yet():
    texts = [Text("x", "0", "automobile lawyer " * 20)]
    proposed = propose("n", texts, [], 100)
    assert "n lawyer > attorney" in proposed
    assert not [rule for rule in proposed if "automobile" not in rule and "lawyer" not in rule]
    assert "n lawyer > attorney" not in propose(
        "n", texts, [judgement("n lawyer > attorney", "rejected")], 100
    )


def test_listing_reports_pairs_without_a_basis(tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.txt").write_text("n movie > spaceship\n")
    monkeypatch.setattr("sys.argv", ["judge_pairs", "list", str(tmp_path / "mine.txt")])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    assert capsys.readouterr().out == "1: none: n movie > spaceship\nread: 0, narrowed: 0, none: 1\n"
