"""`salva outliers check`: what is wrong with sets, and what of it can be repaired."""

from __future__ import annotations

import dataclasses
from typing import get_args

import click

from salva._show import number_of
from salva.cli.options import common_options
from salva.cli.show import is_quiet, print_json, print_line
from salva.errors import ThresholdError
from salva.outliers.check import Finding, Level, Profile, check, run_codes, tally
from salva.outliers.drafts import name_parts
from salva.outliers.fixing import fix
from salva.outliers.not_run import not_run
from salva.outliers.sets import set_files

__all__ = ["command"]


@click.command("check")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path())
@click.option(
    "--profile",
    type=click.Choice(get_args(Profile)),
    default="hamod",
    show_default=True,
    help="Whose rules; the two others allow names, plurals and CRLF.",
)
@click.option("--fix", "repair", is_flag=True, help="First repair white space, NFC and line ends.")
@click.option(
    "--frequencies",
    multiple=True,
    metavar="[LANG=]FILE",
    help="Lines of word, tab and count, to find rare words; may be given once a language.",
)
@click.option(
    "--vectors",
    multiple=True,
    metavar="[LANG=]SPEC",
    help="A file of vectors, or glove, to find missing words and similarities that do not fall.",
)
@click.option("--language", "languages", multiple=True, metavar="LANG", help="Tell about these alone.")
@click.option(
    "--ignore",
    multiple=True,
    metavar="CODE",
    help="Leave out a check, such as X4; several with commas or by repetition.",
)
@click.option(
    "--level",
    type=click.Choice(get_args(Level)),
    default="hint",
    show_default=True,
    help="Print what is at least this grave.",
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

    Errors exit with 1; warnings, hints and what the notes beside a set waive exit with 0.
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
    silent = not_run(names, run_codes(profile, ignored), names if isinstance(lists, str) else lists or ())
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
    """Return what was given for each language; what names none is for the only one."""
    named = {one[:at].upper(): one[at + 1 :] for one in given if (at := one.find("=")) in (2, 3)}
    if len(named) == len(given):
        return named or None
    if len(given) > 1:
        raise click.UsageError(f"several {option} need their languages, such as EN=FILE, each once")
    return given[0]


def _grave(findings: list[Finding], level: Level) -> list[Finding]:
    levels = get_args(Level)
    shown = levels[: levels.index(level) + 1]
    return [finding for finding in findings if finding.level in shown and not finding.waived]
