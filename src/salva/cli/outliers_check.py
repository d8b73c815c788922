"""`salva outliers check`: find what is wrong with sets, and repair what can be repaired."""

from __future__ import annotations

import dataclasses
from typing import get_args

import click

from salva._show import number_of
from salva.cli.options import common_options
from salva.cli.show import is_quiet, print_json, print_line
from salva.errors import ThresholdError
from salva.outliers.authoring.files import fix
from salva.outliers.checks.collection import Level
from salva.outliers.checks.table import Finding, Profile, check, missing_checks, select_codes, tally
from salva.outliers.drafts import name_parts
from salva.outliers.sets import set_files


@click.command("check")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path())
@click.option(
    "--profile",
    type=click.Choice(get_args(Profile)),
    default="hamod",
    show_default=True,
    help="Rules to apply; 8-8-8 and 50-8-8 allow names, plurals and CRLF.",
)
@click.option("--fix", "repair", is_flag=True, help="First repair white space, NFC and line ends.")
@click.option(
    "--frequencies",
    multiple=True,
    metavar="[LANG=]FILE",
    help="Lines of word, tab and count, to find rare words; can be given once per language.",
)
@click.option(
    "--vectors",
    multiple=True,
    metavar="[LANG=]SPEC",
    help="A file of vectors, or glove, to find missing words and outliers in the wrong order.",
)
@click.option(
    "--language", "languages", multiple=True, metavar="LANG", help="Report only on these languages."
)
@click.option(
    "--ignore",
    multiple=True,
    metavar="CODE",
    help="Skip a check, such as X4; separate several with commas, or repeat the option.",
)
@click.option(
    "--level",
    type=click.Choice(get_args(Level)),
    default="hint",
    show_default=True,
    help="Print findings of at least this level.",
)
@common_options
def command(
    paths: tuple[str, ...],
    *,
    profile: Profile,
    repair: bool,
    frequencies: tuple[str, ...],
    vectors: tuple[str, ...],
    languages: tuple[str, ...],
    ignore: tuple[str, ...],
    level: Level,
    as_json: bool,
) -> None:
    """Check sets against the guidelines: files, or folders of TOPIC/LANG-TOPIC.txt.

    Exits with 1 if there are errors; with 0 if there are only warnings, hints and waived findings.
    """
    asked = languages or None
    ignored = [code for some in ignore for code in some.split(",")]
    fixes = fix(paths, languages=asked) if repair else []
    lists = _by_language(frequencies, "--frequencies")
    findings = check(
        paths,
        profile=profile,
        frequencies=lists,
        vectors=_by_language(vectors, "--vectors"),
        languages=asked,
        ignore=ignored,
    )
    files, counts = set_files(paths, languages=asked), tally(findings)
    size, names = len(files), {name_parts(path)[1] for path in files}
    silent = missing_checks(
        names, select_codes(profile, ignored), names if isinstance(lists, str) else lists or ()
    )
    if as_json:
        done = [dataclasses.asdict(one) for one in fixes]
        found = [dataclasses.asdict(finding) for finding in findings]
        missing = [dataclasses.asdict(one) for one in silent]
        print_json(
            {"profile": profile, "sets": size, "counts": counts, "fixed": done, "findings": found}
            | {"not_run": missing}
        )
    else:
        for one in fixes:
            print_line(f"{one.path}: fixed: {', '.join(one.changes)}")
        for finding in _grave(findings, level):
            print_line(str(finding))
        if silent and not is_quiet():
            print_line(f"not run: {'; '.join(map(str, silent))}")
        levels = [number_of(count, name) for name, count in counts.items() if name != "waived"]
        print_line(f"{number_of(size, 'set')}: {', '.join(levels)}, {counts['waived']:,} waived")
    if counts["error"]:
        raise ThresholdError(f"{number_of(counts['error'], 'error')} in {number_of(size, 'set')}; see above")


def _by_language(given: tuple[str, ...], option: str) -> str | dict[str, str] | None:
    """Return the value per language, or the only value if it names no language."""
    named = {one[:at].upper(): one[at + 1 :] for one in given if (at := one.find("=")) in (2, 3)}
    if len(named) == len(given):
        return named or None
    if len(given) > 1:
        raise click.UsageError(f"with several {option}, each must name a different language, such as EN=FILE")
    return given[0]


def _grave(findings: list[Finding], level: Level) -> list[Finding]:
    levels = get_args(Level)
    shown = levels[: levels.index(level) + 1]
    return [finding for finding in findings if finding.level in shown and not finding.waived]
