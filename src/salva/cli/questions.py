"""`salva questions`: what would be asked, at what cost; a suite to share; tasks of other harnesses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import click

from salva._show import number, number_of
from salva.cli.asked import FLAGS, KEYS, RUN, AskedOptions
from salva.cli.options import OUTPUT, GroupedCommand, common_options, option, take_options
from salva.cli.show import is_quiet, print_result
from salva.errors import UsageError
from salva.harnesses import HARNESSES
from salva.questions import Cost, estimate_cost, export, make_questions, open_suite
from salva.questions.plan import is_suite, plan_questions
from salva.questions.suite import Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenOptions:
    """What is written."""

    output: str | None = option(
        "-o",
        "--output",
        type=OUTPUT,
        metavar="SUITE",
        help="Folder for the questions, as a suite.",
        group=RUN,
    )
    to: str | None = option(
        "--to",
        type=click.Choice(list(HARNESSES)),
        help="Write them as tasks of another harness instead.",
        group=RUN,
    )
    name: str | None = option(
        "--name", metavar="NAME", help="Name of the suite; default: that of DATA.", group=RUN
    )
    licence: str | None = option(
        "--licence", metavar="NOTE", help="Note about the licence of the data.", group=RUN
    )
    digest: str | None = option(
        "--digest", metavar="D", help="The digest that the suite DATA must have, or its beginning.", group=RUN
    )
    overwrite: bool = option("--overwrite", is_flag=True, help="Replace SUITE if it exists.", group=RUN)

    def check(self, source: str, suite: Suite | None) -> None:
        """Refuse options that would have no effect; `suite` is the source, if it is one."""
        if suite is None and (self.to is not None or self.digest is not None):
            flag = "--digest" if self.to is None else "--to"
            made = "make one with salva questions -o SUITE"
            raise UsageError(f"{flag} needs a suite, and {source} is not one; {made}")
        if self.to is not None and self.output is None:
            raise UsageError("--to writes files; name a folder with -o DIR")
        if suite is not None and self.to is None and self.output is not None:
            raise UsageError(f"{source} is a suite already; copy its folder")
        given = {"--name": self.name, "--licence": self.licence, "--overwrite": self.overwrite or None}
        unused = next((name for name, value in given.items() if value is not None), None)
        if unused is not None and self.output is None:
            raise UsageError(f"{unused} is for what is written; name a folder with -o SUITE")


@click.command("questions", cls=GroupedCommand, keys=KEYS, flags=FLAGS)
@click.argument("source", metavar="DATA|SUITE|PAIRS")
@take_options(AskedOptions, "asked")
@take_options(WrittenOptions, "written")
@common_options
def command(source: str, *, asked: AskedOptions, written: WrittenOptions, as_json: bool) -> None:
    """Make the questions that `salva evaluate` would ask about DATA, and count them; no model is asked.

    With -o, they are kept as a suite: a table of all questions (questions.parquet) and a manifest with one
    digest. Whoever evaluates the suite asks the same questions. With --to, they are written as tasks of
    another harness, whose logs are read with `salva evaluate SUITE --model log:PATH`. Of a suite, the digest
    is checked.
    """
    arguments = asked.gather(source)
    suite: Suite | None = None
    if is_suite(source):
        plan_questions(source, **arguments)  # refuses settings of questions that are there already
        suite = open_suite(source, written.digest)
    written.check(source, suite)
    if suite is not None and written.to is not None:
        _export(suite, written, as_json=as_json)
        return
    if suite is None:
        questions = make_questions(
            source,
            out=written.output,
            overwrite=written.overwrite,
            progress=not is_quiet(),
            name=written.name,
            licence=written.licence,
            **arguments,
        )
        suite = None if written.output is None else open_suite(written.output)
    else:
        questions = suite.questions
    cost = estimate_cost(questions, arguments["options"].measure)
    kept = [] if suite is None else [f"{suite.path}: {suite.digest}"]
    print_result(
        {**cost.as_dict(), "digest": None if suite is None else suite.digest},
        [*_describe_cost(cost), *kept],
        as_json=as_json,
    )


def _export(suite: Suite, written: WrittenOptions, *, as_json: bool) -> None:
    assert written.to is not None and written.output is not None  # noqa: S101, PT018
    files = export(suite, written.output, to=written.to, overwrite=written.overwrite)
    print_result(
        {"folder": written.output, "files": files},
        [f"{written.output}: {number_of(len(files), 'file')} for {written.to}"],
        as_json=as_json,
    )


def _describe_cost(cost: Cost) -> Iterator[str]:
    for name in cost.conditions:
        not_asked = cost.not_asked.get(name, 0)
        yield f"{name}: {number_of(not_asked, 'row is', 'rows are')} not asked" if not_asked else name
    conditions = number_of(len(cost.conditions), "condition")
    further = f", {cost.noise_calls:,} to measure noise" if cost.noise_calls else ""
    blame = f", and at most {cost.most_blame_calls:,} to find words to blame" if cost.most_blame_calls else ""
    asked = f"{number_of(cost.distinct, 'different question')} to ask{further}{blame}"
    yield f"{number_of(cost.rows, 'row')}, {conditions}: {asked}"
    sizes = f"{number_of(cost.characters, 'character')} in the questions, about {cost.most_characters:,}"
    yield f"{sizes} in all {number_of(cost.most_calls, 'call')}"
    if cost.most_judge_calls:
        yield f"the judge is asked for at most {number_of(cost.most_judge_calls, 'verdict')}"
    if cost.conditions:
        yield _describe_evidence(cost)


def _describe_evidence(cost: Cost) -> str:
    tests = number_of(cost.tests, "condition")
    worse = number_of(cost.fewest_worse, "independent row")
    test = f"in an exact test at 5 %, corrected for {tests}"
    if cost.smallest_drop is None:
        return f"too few labelled rows to establish any drop: {worse} must get worse and none better, {test}"
    drop = f"smallest drop that can be established: {number(cost.smallest_drop)} points"
    return f"{drop}, if {worse} get worse and none better, {test}"
