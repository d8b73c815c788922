"""The score of pairs on a terminal of 80 columns: names and intervals stay whole."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from salva.cli import show
from salva.cli.twins.show import print_score
from salva.numbers import Estimate
from salva.twins.pair import TwinPair
from salva.twins.scoring import score

FUNCTIONS = ("append", "swap_first_last", "repeat", "remove_second")
WIDE = Estimate(100.0, 99.97, 100.0)


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    show._console.cache_clear()
    yield
    show._console.cache_clear()


def pairs(kind, count):
    return [TwinPair(f"{kind} A{i}", f"{kind}_twin A{i}", "A", "A", kind, i) for i in range(count)]


def printed(capsys, some, **changes):
    found = score(some, ["A"] * len(some), ["A"] * len(some), resamples=200)
    groups = [replace(one, **changes) for one in (found.overall, *found.kinds)]
    print_score(replace(found, overall=groups[0], kinds=tuple(groups[1:])))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines[: lines.index(next(x for x in lines if x.startswith("rule")))])) <= 80
    return lines


@pytest.mark.parametrize("counts", [(2500,) * 4, (2500, 2499, 3, 1000)], ids=["same", "other"])
def test_names_and_intervals_are_whole_at_80_columns(capsys, counts):
    some = [pair for kind, count in zip(FUNCTIONS, counts, strict=True) for pair in pairs(kind, count)]
    rates = ("accuracy", "twin_accuracy", "both_right", "consistency", "among_incorrect")
    lines = printed(capsys, some, **dict.fromkeys(rates, WIDE), p=0.0, p_holm=0.0)
    for name in ("all", *FUNCTIONS):
        assert len([x for x in lines if re.match(rf" *{name} .*\[100\.0, 100\.0\].*< 0\.0001 *$", x)]) == 1


def test_the_number_of_pairs_is_said_once_where_it_is_the_same(capsys):
    some = [*pairs("append", 30), *pairs("repeat", 30)]
    lines = printed(capsys, some)
    assert lines[0] == "60 pairs of 60 sources, 30 of each kind"
    assert not [x for x in lines if re.search(r"append +30 ", x)]
    lines = printed(capsys, some[1:])
    assert lines[0] == "59 pairs of 59 sources"
    assert [x for x in lines if re.search(r"append +29 ", x)]


def test_a_name_without_room_is_cut_and_no_interval_is(capsys):
    lines = printed(capsys, pairs("a very long phrase/another phrase that is longer than that", 30))
    assert [x for x in lines if re.match(r" *a very long .*….*\[\d+\.\d, 100\.0\]", x)]
