"""Invalid rates and agreement: majority of readers, ties invalid, unread items counted and not guessed."""

from __future__ import annotations

import pytest

from salva.audit import count_verdicts, read, sample
from salva.numbers import Estimate, wilson
from salva.numbers.readers import krippendorff_alpha
from tests.audit.conftest import TEXTS, filled

TABLE = {"id": [f"r{i}" for i in range(12)], "text": TEXTS}


@pytest.fixture(scope="module")
def sheet():
    return sample(TABLE, preset="natural", n=20, seed=3)


@pytest.fixture(scope="module")
def texts():
    return sample(TABLE, preset="natural", n=10, unit="text")


def audit_of(sheet, tmp_path, **readers):
    """Return the audit of several readers, each of whom judges item i with letter i of a string."""
    paths = [
        filled(sheet, tmp_path / f"{name}.csv", lambda item, own=own: own[item - 1 : item].strip("."))
        for name, own in readers.items()
    ]
    [audit] = read(paths)
    return audit


def test_the_rate_has_wilson_s_interval(sheet, tmp_path):
    audit = audit_of(sheet, tmp_path, ann="aaaaabcdefaaaaaaaaaa")
    assert audit.invalid == wilson(5, 20)
    assert audit.verdicts == {"a": 15, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1}
    assert (audit.preset, audit.condition, audit.unit) == ("natural", "natural@1", "edit")


def test_unread_items_are_counted_and_not_guessed(sheet, tmp_path):
    audit = audit_of(sheet, tmp_path, ann="ab")
    assert (audit.items, audit.read, audit.unread) == (20, 2, 18)
    assert audit.invalid == wilson(1, 2)


def test_lines_that_are_missing_are_unread(sheet, tmp_path):
    path = filled(sheet, tmp_path / "ann.csv", lambda item: "a")
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:6]), "utf-8")
    [audit] = read(path)
    assert (audit.items, audit.read) == (20, 5)


def test_nothing_read_is_no_rate(sheet, tmp_path):
    audit = audit_of(sheet, tmp_path, ann="")
    assert (audit.read, audit.invalid, audit.readers, audit.alpha) == (0, Estimate(), (), Estimate())


@pytest.mark.parametrize(
    ("verdicts", "settled"),
    [("aab", "a"), ("ab", "b"), ("abc", "b"), ("acc", "c"), ("aabb", "b"), ("ccb", "c"), ("aa.", "a")],
)
def test_most_readers_decide_and_ties_are_invalid(sheet, tmp_path, verdicts, settled):
    audit = audit_of(sheet, tmp_path, **{f"reader{i}": letter for i, letter in enumerate(verdicts)})
    assert [name for name, count in audit.verdicts.items() if count] == [settled]


def test_agreement_is_that_of_the_items_with_two_verdicts(sheet, tmp_path):
    audit = audit_of(sheet, tmp_path, ann="aabbaaaaac", bob="aabcbaaaaa")
    assert audit.agreement.value == 80
    assert audit.alpha.value == pytest.approx(krippendorff_alpha([[2, 0]] * 6 + [[0, 2]] * 2 + [[1, 1]] * 2))
    assert audit.alpha_verdicts.value < audit.alpha.value
    assert [one.item for one in audit.disagreements] == [5, 10]
    assert audit.disagreements[0].verdicts == {"ann": "a", "bob": "b"}
    assert not audit.disagreements[0].valid


def test_two_invalid_verdicts_are_no_disagreement_about_validity(sheet, tmp_path):
    assert audit_of(sheet, tmp_path, ann="b", bob="c").disagreements == ()


def test_one_reader_has_nobody_to_agree_with(sheet, tmp_path):
    audit = audit_of(sheet, tmp_path, ann="aabb")
    assert (audit.agreement, audit.alpha) == (Estimate(), Estimate())


def test_edits_are_counted_by_rule_and_part_of_speech(sheet, tmp_path):
    audit = audit_of(sheet, tmp_path, ann="ab" * 10)
    for kinds, column in ((audit.rules, "rule"), (audit.parts, "part")):
        expected = {}
        for record in sheet.records():
            invalid = int(record["item"]) % 2 == 0
            read_, bad = expected.get(record[column], (0, 0))
            expected[record[column]] = (read_ + 1, bad + invalid)
        assert {one.name: (one.read, one.invalid) for one in kinds} == expected
        assert sum(one.read for one in kinds) == 20
    assert {one.name for one in audit.rules} == {"pair", "contraction"}


def test_whole_twins_have_no_rule(texts, tmp_path):
    path = filled(texts, tmp_path / "ann.csv", lambda item: "valid" if item > 2 else "i")
    [audit] = read(path)
    assert (audit.rules, audit.parts) == ((), ())
    assert audit.verdicts == {"valid": 8, "invalid": 2}


def test_sheets_of_other_twins_or_units_are_audits_of_their_own(sheet, texts, tmp_path):
    other = sample(TABLE, preset="typos", n=5)
    paths = [
        filled(one, tmp_path / f"{number}.csv", lambda item: "")
        for number, one in enumerate((sheet, texts, other))
    ]
    assert [(one.condition, one.unit) for one in read(paths)] == [
        ("natural@1", "edit"),
        ("natural@1", "text"),
        (other.condition, "edit"),
    ]


def test_sheets_of_several_seeds_are_read_as_one(sheet, tmp_path):
    other = sample(TABLE, preset="natural", n=20, seed=4)
    shared = {(i.id, i.place) for i in sheet.items} & {(i.id, i.place) for i in other.items}
    paths = [filled(sheet, tmp_path / "a.csv", lambda item: "a")]
    paths += [filled(other, tmp_path / "b.csv", lambda item: "a")]
    [audit] = read(paths)
    assert audit.items == audit.read == 40 - len(shared)


def test_verdicts_of_a_preset_are_counted_over_all_its_sheets(sheet, texts, tmp_path):
    paths = [filled(sheet, tmp_path / "a.csv", lambda item: "a" if item > 3 else "c")]
    paths += [filled(texts, tmp_path / "b.csv", lambda item: "invalid")]
    half = sample(TABLE, preset="natural", severity=0.5, n=5)
    paths += [filled(half, tmp_path / "c.csv", lambda item: "a" if item > 1 else "")]
    counts = count_verdicts(paths, "natural")
    assert counts == {"a": 17 + len(half.items) - 1, "b": 0, "c": 3, "d": 0, "e": 0, "f": 0}
    assert sum(count_verdicts(paths, "typos").values()) == 0


def test_everything_is_plain_in_the_dict(sheet, tmp_path):
    plain = audit_of(sheet, tmp_path, ann="ab", bob="aa").as_dict()
    assert plain["disagreements"][0]["verdicts"] == {"ann": "b", "bob": "a"}
    assert plain["invalid"]["value"] == 50
