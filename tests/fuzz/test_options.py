"""What stands on the command line: limits, specs of models, and arguments of every kind."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from salva.cli.main import main
from salva.evaluation.gate import check_names
from salva.models.openai import open_openai
from salva.models.protocol import ModelOptions
from salva.numbers import Limit, find_breaches
from salva.outliers.vectors.lookup import Lookup
from tests.fuzz.strategies import fuzz, one_line_errors, texts

PARTS = [
    "drop",
    "drop.low",
    "metric",
    "n",
    ">",
    ">=",
    "==",
    "<",
    "=",
    "4",
    "-0.5e3",
    "1e999",
    "٣",
    "9" * 400,
    " ",
    "\n",
    "nan",
]
rules = st.lists(st.sampled_from(PARTS) | texts, max_size=4).map(" ".join)


@fuzz(rule=rules, value=st.none() | st.floats())
def test_a_limit_is_checked_or_refused(rule, value):
    with one_line_errors():
        limit = Limit.of(rule)
        assert Limit.of(str(limit)).name == limit.name
        check_names([rule])
        find_breaches({"typos@1": {"n": 1, "drop": value, "drop.low": value}}, [rule])


urls = st.lists(
    st.sampled_from(
        [
            "http://",
            "https://",
            "a@b",
            "localhost",
            ":",
            "99999",
            "/v1",
            "?x",
            "#",
            "[::1]",
            "é",
            "%00",
            "xn--",
        ]
    )
    | texts,
    max_size=5,
)


@fuzz(spec=urls.map("".join))
def test_a_spec_of_a_server_is_taken_or_refused(spec):
    with one_line_errors():
        open_openai(f"m@{spec}", ModelOptions(labels=("a", "b")))


@fuzz(
    chain=st.lists(
        st.sampled_from(["exact", "lower", "parts", "suffix:", "suffix:é", "cased", ""]) | texts, max_size=3
    ).map(",".join),
    word=texts,
)
def test_a_chain_of_look_ups_is_taken_or_refused(chain, word):
    with one_line_errors():
        assert len(Lookup.of(chain).needed([word])) >= 0


COMMANDS = [
    "transform",
    "revert",
    "evaluate",
    "report",
    "lexicon",
    "presets",
    "outliers",
    "twins",
    "audit",
    "--version",
    "nonsense",
]
WORDS = [
    "-",
    "--",
    "-o",
    "out.csv",
    "in.csv",
    "--preset",
    "typos",
    "--severity",
    "2",
    "--seed",
    "-1",
    "--set",
    "prob=x",
    "--format",
    "csv",
    "--json",
    "check",
    "score",
    "--limit",
    "9" * 30,
    "--threads",
    "0",
]
commands = st.tuples(st.sampled_from(COMMANDS), st.lists(st.sampled_from(WORDS) | texts, max_size=5))


@fuzz(command=commands)
def test_any_command_line_ends_with_an_exit_code_and_at_most_one_line(tmp_path_factory, command):
    first, rest = command
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.getbasetemp())
        patch.setattr("sys.stdin", None)
        with pytest.raises(SystemExit) as stop:
            main([first, *rest])
    assert stop.value.code in {0, 1, 2, 3, 5}
