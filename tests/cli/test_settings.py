"""The options of evaluate, and settings that are given as KEY=VALUE: -R, -S and -M."""

from __future__ import annotations

import ast
import dataclasses
import re
from itertools import chain
from pathlib import Path

import click
import pytest

import salva as package
from salva._arguments import argument, on_command_line
from salva.cli.asked import FLAGS, GROUPS, MEASURING, OPENING, READING, parse_model, parse_settings
from salva.cli.evaluate import command
from salva.cli.main import cli
from salva.errors import UsageError

KEYS = [
    pytest.param(flag, name, keys, id=f"{flag} {name}")
    for flag, keys in (("-R", READING), ("-S", MEASURING), ("-M", OPENING))
    for name in keys
]
COMMON = {"--json", "--quiet", "--verbose", "--help"}


def options_of(command):
    context = click.Context(command)
    return [one for one in command.get_params(context) if isinstance(one, click.Option)]


def every_option(group=cli):
    """Return all flags of all commands."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if isinstance(command, click.Group):
            yield from every_option(command)
        yield from chain.from_iterable(one.opts for one in options_of(command))


def parse(flag, keys, *pairs):
    return parse_model(pairs) if flag == "-M" else parse_settings(flag, pairs, keys)


def test_evaluate_has_at_most_25_options_and_60_keys():
    assert len([one for one in options_of(command) if not COMMON & set(one.opts)]) <= 25
    assert len(READING) + len(MEASURING) + len(OPENING) <= 60


@pytest.mark.parametrize(("flag", "name", "keys"), KEYS)
def test_every_key_sets_a_field_of_its_group(flag, name, keys):
    key = keys[name]
    assert key.field in {field.name for field in dataclasses.fields(GROUPS[key.group])}


@pytest.mark.parametrize(("flag", "name", "keys"), KEYS)
def test_a_mistyped_key_gets_the_nearest_one(flag, name, keys):
    with pytest.raises(UsageError, match=rf"^{flag}: .* did you mean '{name}'\?$"):
        parse(flag, keys, f"{name}s=1" if f"{name}s" not in keys else f"{name}x=1")


@pytest.mark.parametrize(("flag", "name", "keys"), KEYS)
@pytest.mark.parametrize("value", ["[[]]", "maybe"])
def test_a_value_is_taken_as_what_its_field_needs_or_refused_in_one_line(flag, name, keys, value):
    key, problem = keys[name], ""
    found: dict[str, object] = {}
    try:
        found = parse(flag, keys, f"{name}={value}")
        found = found if flag == "-M" else found[key.group]
        GROUPS[key.group](**found)
    except UsageError as error:
        problem = str(error)
    assert key.field in found or problem
    assert "\n" not in problem


@pytest.mark.parametrize(
    ("flag", "keys", "pair", "problem"),
    [
        ("-S", MEASURING, "cross=maybe", "-S cross = 'maybe' must be true or false"),
        ("-S", MEASURING, "noise=few", "-S noise = 'few' must be a whole number"),
        (
            "-S",
            MEASURING,
            "max_errors=many",
            "-S max_errors='many' must be a count (20) or a percentage (5%)",
        ),
        ("-S", MEASURING, "opposites=positive", "-S opposites='positive' must be A/B"),
        ("-R", READING, "on_bad_row=skip", "-R on_bad_row = 'skip' must be one of fail, keep, drop"),
        ("-M", OPENING, "timeout=soon", "-M timeout = 'soon' must be a number"),
        ("-M", OPENING, "chat_template", "-M 'chat_template' must be KEY=VALUE"),
        ("-M", OPENING, "=1", "-M '=1' must be KEY=VALUE"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_its_key(flag, keys, pair, problem):
    with pytest.raises(UsageError, match=re.escape(problem)):
        parse(flag, keys, pair)


def test_texts_may_look_like_numbers_and_lists_are_separated_by_commas():
    data = {"delimiter": ";", "encoding": "1252", "limit": 5}
    assert parse_settings("-R", [f"{name}={value}" for name, value in data.items()], READING) == {
        "data": data
    }
    found = parse_settings(
        "-S", ["slice_by=page, genre", "opposites=good/bad,a/b", "max_errors=5%"], MEASURING
    )
    assert found["data"] == {"slice_by": ("page", "genre")}
    assert found["conditions"] == {"opposites": {"good": "bad", "a": "b"}}
    assert found["limits"] == {"errors": 0.05}


@pytest.mark.parametrize("name", ["temperature", "seed", "max_completion_tokens", "logit_bias", "min_tokens"])
def test_a_field_of_a_request_is_not_taken_for_a_mistyped_key(name):
    assert parse_model([f"{name}=1", "timeout=5"]) == {"timeout": 5, "request": {name: 1}}


def test_the_help_has_groups_and_every_key(salva):
    shown = salva("evaluate", "--help").out
    headings = ["The data", "The questions", "The conditions", "What is measured", "The model", "The run"]
    assert [line[:-1] for line in shown.splitlines() if line.endswith(":") and line[0] != " "][:6] == headings
    for heading, keys in (("-M", OPENING), ("-R", READING), ("-S", MEASURING)):
        section = shown.partition(f"Keys of {heading}:\n")[2].partition("\n\n")[0]
        assert set(keys) <= set(re.findall(r"^  (\w+) ", section, re.MULTILINE))


def test_messages_name_options_that_exist():
    known, wrong = set(every_option()), []
    for path in Path(package.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            is_name = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args
            if not is_name or node.func.id != "argument" or not isinstance(node.args[0], ast.Constant):
                continue
            (flag,) = [word.value.value for word in node.keywords if word.arg == "flag"] or [None]
            with on_command_line():
                spelled = argument(node.args[0].value, flag=flag)
            if spelled not in known and node.args[0].value not in FLAGS:
                wrong.append(f"{path.name}: {spelled}")
    assert wrong == []
