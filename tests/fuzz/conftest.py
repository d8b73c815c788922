"""How long fuzzers run: `FUZZ_SECONDS` is divided among them; without it, each runs the same few examples."""

from __future__ import annotations

import time

import pytest

from tests.fuzz.strategies import SECONDS

COUNTS: dict[str, int] = {}


def is_fuzzer(item: pytest.Item) -> bool:
    return "fuzz" in item.path.parts and hasattr(getattr(item, "obj", None), "hypothesis")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a fuzzer again and again until its share of the time is over, and count its examples."""
    if not SECONDS or not is_fuzzer(pyfuncitem):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    fixtures = {name: pyfuncitem.funcargs[name] for name in names}
    inner = pyfuncitem.obj.hypothesis.inner_test

    def counted(*arguments, **named):
        COUNTS[pyfuncitem.nodeid] = COUNTS.get(pyfuncitem.nodeid, 0) + 1
        return inner(*arguments, **named)

    pyfuncitem.obj.hypothesis.inner_test = counted
    fuzzers = sum(map(is_fuzzer, pyfuncitem.session.items))
    end = time.monotonic() + SECONDS / fuzzers
    try:
        while time.monotonic() < end:
            pyfuncitem.obj(**fixtures)
    finally:
        pyfuncitem.obj.hypothesis.inner_test = inner
    return True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for name, count in COUNTS.items():
        terminalreporter.write_line(f"{count:>9,} examples  {name}")
    if COUNTS:
        terminalreporter.write_line(f"{sum(COUNTS.values()):>9,} examples in all")
