"""`salva suite verify`: check that a suite is as it was frozen."""

from __future__ import annotations

import dataclasses
import logging

import click

from salva._show import number_of
from salva.cli.options import common_options, threads_option
from salva.cli.show import is_quiet, print_json, print_line
from salva.errors import InputError
from salva.evaluation import remake
from salva.suites import open_suite, verify

logger = logging.getLogger("salva")


@click.command("verify")
@click.argument("folder", metavar="SUITE")
@click.option("--digest", metavar="D", help="The digest that the suite must have, or its beginning.")
@click.option("--remake", "again", is_flag=True, help="Make all twins again too, and compare.")
@threads_option
@common_options
def command(folder: str, *, digest: str | None, again: bool, threads: int | None, as_json: bool) -> None:
    """Check every file and line of SUITE against its digest; name the file, line and item of a fault.

    The first fault is reported, all of them with -v or --json. --remake needs the versions of the presets
    with which the suite was frozen.
    """
    faults = verify(folder, digest=digest)
    suite = open_suite(folder)
    if again and not faults:
        faults = remake(suite, threads=threads, progress=not is_quiet())
    if as_json:
        plain = [dataclasses.asdict(fault) for fault in faults]
        print_json({"suite": folder, "digest": suite.digest, "items": len(suite), "faults": plain})
    for fault in faults[1:]:
        logger.info("%s", fault)
    if faults:
        more = f" (and {number_of(len(faults) - 1, 'more fault')}: -v)" if len(faults) > 1 else ""
        raise InputError(f"{faults[0]}{more}")
    if not as_json and not is_quiet():
        what = " and made again" if again else ""
        print_line(f"{folder}: {number_of(len(suite), 'item')} verified{what}, {suite.digest}")
