"""Checks of arguments, and the hint for a name that does not exist."""

from __future__ import annotations

import numpy as np
import pytest

from salva._arguments import argument, check_number, check_whole, did_you_mean, on_command_line
from salva.errors import UsageError
from salva.models.guard import guarded


@pytest.mark.parametrize("value", [0, 5, np.int64(5), np.uint8(3)])
def test_a_whole_number_is_returned_as_an_int(value):
    assert type(check_whole("limit", value, 0, 5)) is int


@pytest.mark.parametrize("value", [-1, 6, True, 1.0, "1", None, np.array([1])])
def test_what_is_not_a_whole_number_in_the_limits_is_refused(value):
    with pytest.raises(UsageError, match=r"limit=.* must be a whole number from 0 to 5"):
        check_whole("limit", value, 0, 5)


@pytest.mark.parametrize("value", [0, 0.5, np.float32(0.5), 1])
def test_a_number_is_returned_as_a_float(value):
    assert type(check_number("rate", value, 0, 1)) is float


@pytest.mark.parametrize("value", [-0.1, 2, float("nan"), float("inf"), True, "0.5", None])
def test_what_is_not_a_number_in_the_limits_is_refused(value):
    with pytest.raises(UsageError, match=r"rate=.* must be between 0 and 1"):
        check_number("rate", value, 0, 1)


def test_a_name_that_is_near_no_other_gets_what_the_caller_says():
    assert did_you_mean("zebra", ["hybrid"], otherwise="the presets are hybrid") == "the presets are hybrid"


def test_values_are_quoted_for_the_shell_on_the_command_line():
    labels = {"very good": "it's 1"}
    assert argument("label_map", labels) == """label_map={'very good': "it's 1"}"""
    with on_command_line():
        assert argument("label_map", labels) == """--label-map 'very good=it'"'"'s 1'"""
        assert argument("severities", [0.5, 1.0], flag="--severity") == "--severity 0.5 --severity 1.0"


def test_flags_are_named_only_inside_the_block_also_after_an_error():
    with pytest.raises(KeyError), on_command_line():
        raise KeyError
    assert argument("encoding", "latin-1") == "encoding='latin-1'"


def test_the_thread_of_a_model_names_arguments_as_its_caller_does():
    with on_command_line():
        assert guarded(lambda: argument("logits", True)) == ("--logits", None)
    assert guarded(lambda: argument("logits", True)) == ("logits=True", None)
