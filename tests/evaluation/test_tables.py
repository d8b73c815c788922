"""Results in tables: nothing in them is run by a spreadsheet, and everything comes back."""

from __future__ import annotations

import csv
import dataclasses

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from salva.errors import InputError, UsageError
from salva.evaluation.tables import conditions_table, plain_row, write_results
from salva.numbers import PairScore
from salva.rows import reviews
from salva.tasks import make_task, span_task
from salva.twins.pair import TwinPair, write_pair_lines
from tests.evaluation.conftest import of_both_families
from tests.evaluation.keywords import balance, classify
from tests.evaluation.running import run
from tests.golden.runs import (
    JUDGED,
    choose,
    find_entities,
    judge,
    questions,
    sentences,
    starts,
    write,
)

FORMULAS = ["=1+1", "+1", "-1", "@A1", "%0", "|cmd", "\tx", "\rx", "\uff1d1", "\uff0b1", "\uff0d1", "\uff20A"]
AWKWARD = ["a\nb", 'say "x"', "a,b;c", "nul\x00", "x\r\n", "'", "", " = 1", "naïve 電影 🎬"]


def named(results, name):
    first = dataclasses.replace(results.conditions[0], name=name, preset=name)
    return dataclasses.replace(results, conditions=(first,))


def cells(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_every_number_of_a_score_has_its_column(results):
    nothing = dataclasses.replace(results, conditions=())
    names = set(conditions_table(nothing).column_names)
    assert {field.name for field in dataclasses.fields(PairScore)} <= names
    assert {"condition", "severity", "edit_rate", "drop_low", "drop_high", "metric_change_high"} <= names


def test_a_table_has_no_column_without_a_value(results):
    every = conditions_table(dataclasses.replace(results, conditions=())).column_names
    rows = [plain_row(one) for one in results.conditions]
    empty = {name for name in every if all(row[name] is None for row in rows)}
    assert set(every) - set(conditions_table(results).column_names) == empty >= {"validity", "variant"}


def ask_in_every_way(folder):
    """Yield runs that together have every number: of labels, options, spans, judged replies, and pairs."""
    rows = [(row["text"], row["label"]) for row in reviews("test").slice(0, 20).to_pylist()]
    once = {"presets": "natural", "severities": 1}
    yield run(rows * 2, classify, metric=balance, **once)
    yield run(questions(20), choose, task="multiple-choice", order=1, **once)
    yield run(sentences()[:20], find_entities, task=span_task("entities"), **once)
    yield run(starts()[:20], write, task=make_task("judged", JUDGED), judge=judge, **once)
    write_pair_lines(folder / "pairs.jsonl", [TwinPair("copy A", "copy B", "A", "A", "copy", 0)])
    yield run(folder / "pairs.jsonl", lambda lines: lines)


def test_every_column_has_a_value_in_some_run_and_none_is_empty_in_a_run(tmp_path):
    found = set()
    for one in ask_in_every_way(tmp_path):
        table = one.table()
        assert [name for name in table.column_names if table[name].null_count == len(table)] == []
        found |= set(table.column_names)
    every = conditions_table(dataclasses.replace(one.results, conditions=())).column_names
    assert [name for name in every if name not in found and not name.startswith("audited_")] == []


def test_values_stand_in_their_columns(results):
    row = conditions_table(results).to_pylist()[3]
    assert (row["condition"], row["preset"], row["severity"]) == ("typos@1", "typos", 1.0)
    assert row["drop"] == results.conditions[3].score.drop.value
    assert row["drop_low"] == results.conditions[3].score.drop.low
    assert row["metric_before"] is None


def test_a_metric_of_the_users_own_is_kept(results):
    row = conditions_table(results).to_pylist()[4]
    assert [row["metric_before"], row["metric_after"], row["metric_change"]] == [0.5, 0.25, -0.25]
    assert row["severity"] is None


def test_a_condition_has_its_family_and_validity(results):
    rows = conditions_table(of_both_families(results)).to_pylist()
    assert [rows[1][name] for name in ("family", "validity")] == ["meaning", 50]
    assert rows[1]["validity_low"] < 50 < rows[1]["validity_high"]
    assert [rows[3][name] for name in ("family", "validity")] == ["corruption", None]


@pytest.mark.parametrize("name", FORMULAS, ids=ascii)
def test_a_text_that_a_spreadsheet_would_run_is_defused(results, tmp_path, name):
    write_results(named(results, name), tmp_path / "a.csv")
    assert cells(tmp_path / "a.csv")[0]["condition"] == "'" + name


@pytest.mark.parametrize("name", FORMULAS, ids=ascii)
def test_raw_leaves_texts_as_they_are(results, tmp_path, name):
    write_results(named(results, name), tmp_path / "a.csv", raw=True)
    assert cells(tmp_path / "a.csv")[0]["condition"] == name


@pytest.mark.parametrize("name", AWKWARD, ids=ascii)
def test_awkward_cells_come_back(results, tmp_path, name):
    write_results(named(results, name), tmp_path / "a.csv")
    assert cells(tmp_path / "a.csv")[0]["condition"] == name


def test_numbers_keep_their_sign(results, tmp_path):
    write_results(results, tmp_path / "a.csv")
    assert cells(tmp_path / "a.csv")[4]["metric_change"] == "-0.25"


@pytest.mark.parametrize("name", FORMULAS + AWKWARD, ids=ascii)
def test_parquet_holds_the_table_as_it_is(results, tmp_path, name):
    write_results(named(results, name), tmp_path / "a.parquet")
    table = pq.read_table(tmp_path / "a.parquet", page_checksum_verification=True)
    assert table.equals(conditions_table(named(results, name)))


def test_no_condition_is_a_table_without_rows(results, tmp_path):
    write_results(dataclasses.replace(results, conditions=()), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text("utf-8").startswith("condition,preset,severity")
    assert isinstance(conditions_table(dataclasses.replace(results, conditions=())), pa.Table)


def test_an_existing_file_stands(results, tmp_path):
    (tmp_path / "a.csv").write_text("mine")
    with pytest.raises(InputError, match="exists; pass overwrite=True"):
        write_results(results, tmp_path / "a.csv")
    write_results(results, tmp_path / "a.csv", overwrite=True)
    assert len(cells(tmp_path / "a.csv")) == 5


@pytest.mark.parametrize("name", ["a.txt", "a.xlsx"])
def test_other_formats_are_refused(results, tmp_path, name):
    with pytest.raises(UsageError, match="output"):
        write_results(results, tmp_path / name)
