"""Options that a command takes as one typed value."""

from __future__ import annotations

from dataclasses import dataclass

import click
from click.testing import CliRunner

from salva.cli.options import option, take_options


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawOptions:
    seed: int = option("--seed", type=int, default=7)
    severity: float | None = option("--severity", type=float)
    words: tuple[str, ...] = option("--word", multiple=True)


@dataclass(frozen=True)
class Elsewhere:
    seed: int = 3


def run(*arguments: str) -> dict[str, object]:
    taken: dict[str, object] = {}

    @click.command()
    @take_options(DrawOptions, "draw")
    @take_options(Elsewhere, "other", {"seed": option("--other-seed", type=int)})
    def command(**values):
        taken.update(values)

    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    return taken


def test_options_are_taken_as_one_value():
    draw = run("--seed", "1", "--severity", "0.5", "--word", "a", "--word", "b")["draw"]
    assert draw == DrawOptions(seed=1, severity=0.5, words=("a", "b"))


def test_an_option_that_is_not_given_keeps_its_default():
    assert run() == {"draw": DrawOptions(seed=7, severity=None, words=()), "other": Elsewhere(seed=3)}


def test_two_dataclasses_may_have_a_field_of_the_same_name():
    taken = run("--seed", "1", "--other-seed", "2")
    assert (taken["draw"].seed, taken["other"].seed) == (1, 2)
