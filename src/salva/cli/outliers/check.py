"""`salva outliers check`: what is wrong with sets."""

from __future__ import annotations

from dataclasses import asdict
from typing import get_args

import click

from salva._show import number_of
from salva.cli.options import common_options
from salva.cli.show import is_quiet, print_json, print_line, working
from salva.errors import ThresholdError
from salva.outliers.checks.collection import Level
from salva.outliers.checks.format import fix
from salva.outliers.checks.table import Finding, Profile, check, missing_checks, select_codes, tally
from salva.outliers.drafts import parse_name
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
@click.option("--fix", "repair", is_flag=True, help="First repair white space, line ends, Unicode forms.")
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
    "--language",
    "languages",
    multiple=True,
    metavar="LANG",
    help="Report only on this language; can be repeated.",
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
def check_command(
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
    reported = languages or None
    ignored = [code for codes in ignore for code in codes.split(",")]
    fixes = fix(paths, languages=reported) if repair else []
    lists = _by_language(frequencies, "--frequencies")
    with working("checking the sets"):
        findings = check(
            paths,
            profile=profile,
            frequencies=lists,
            vectors=_by_language(vectors, "--vectors"),
            languages=reported,
            ignore=ignored,
        )
    files, counts = set_files(paths, languages=reported), tally(findings)
    present = {parse_name(path)[1] for path in files}
    with_list = present if isinstance(lists, str) else lists or ()
    not_run = missing_checks(present, select_codes(profile, ignored), with_list)
    if as_json:
        print_json(
            {
                "profile": profile,
                "sets": len(files),
                "counts": counts,
                "fixed": [*map(asdict, fixes)],
                "findings": [*map(asdict, findings)],
                "not_run": [*map(asdict, not_run)],
            }
        )
    else:
        for repaired in fixes:
            print_line(f"{repaired.path}: fixed: {', '.join(repaired.changes)}")
        for finding in _at_least(level, findings):
            print_line(str(finding))
        if not_run and not is_quiet():
            print_line(f"not run: {'; '.join(map(str, not_run))}")
        levels = [number_of(count, name) for name, count in counts.items() if name != "waived"]
        print_line(f"{number_of(len(files), 'set')}: {', '.join(levels)}, {counts['waived']:,} waived")
    if counts["error"]:
        errors, sets = number_of(counts["error"], "error"), number_of(len(files), "set")
        raise ThresholdError(f"{errors} in {sets}; see above")


def _by_language(values: tuple[str, ...], option: str) -> str | dict[str, str] | None:
    """Return the value per language, or the only value if it names no language."""
    named = {value[:at].upper(): value[at + 1 :] for value in values if (at := value.find("=")) in (2, 3)}
    if len(named) == len(values):
        return named or None
    if len(values) > 1:
        raise click.UsageError(f"with several {option}, each must name a different language, such as EN=FILE")
    return values[0]


def _at_least(level: Level, findings: list[Finding]) -> list[Finding]:
    levels = get_args(Level)
    shown = levels[: levels.index(level) + 1]
    return [finding for finding in findings if finding.level in shown and not finding.waived]
