"""A browser for tests of pages: Debian's chromium, driven by playwright, stopped if it no longer answers.

Now and then chromium never opens a page that it was asked for, and playwright waits for it without a limit. A
browser that takes longer than `PATIENCE` is killed, and the page is opened in a new one.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

PATIENCE = 300  # seconds; on a machine with a load of 16, a page took 5
CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]


class Browser:
    """Chromium, started on first use and again after it was killed."""

    def __init__(self, playwright: Any) -> None:
        self._playwright, self._running, self.mark = playwright, None, ""

    def open(self, address: str, prepare: Any, **options: Any) -> Any:
        """Return a page that shows an address; `prepare` gets the page while it is empty."""
        from playwright.sync_api import Error

        try:
            return self._open(address, prepare, **options)
        except Error:
            self._running = None
            return self._open(address, prepare, **options)

    def close(self) -> None:
        """Stop the browser."""
        if self._running is not None:
            with self._limit():
                self._running.close()

    def _open(self, address: str, prepare: Any, **options: Any) -> Any:
        if self._running is None:
            self.mark = f"--salva-tests={secrets.token_hex(8)}"
            arguments = [*ARGUMENTS, self.mark]
            self._running = self._playwright.chromium.launch(
                executable_path=CHROMIUM, args=arguments, timeout=PATIENCE * 1000
            )
        with self._limit():
            context = self._running.new_context(**options)
            context.set_default_timeout(PATIENCE * 1000)
            page = context.new_page()
            prepare(page)
            page.goto(address)
        return page

    @contextlib.contextmanager
    def _limit(self) -> Iterator[None]:
        timer = threading.Timer(PATIENCE, signal_marked, [self.mark, signal.SIGKILL])
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def signal_marked(mark: str, number: int) -> None:
    """Send a signal to the processes that have an argument; who waits for a killed one gets an error."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                os.kill(int(folder.name), number)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser; of a module, since playwright's event loop is in the way of others."""
    if CHROMIUM is None:
        pytest.skip("needs chromium: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    with playwright.sync_playwright() as started:
        running = Browser(started)
        yield running
        running.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Open a page from a file; give the browser's page, what it asked for, and what it complained about."""
    pages = []

    def open_page(html: str, **options) -> SimpleNamespace:
        path = tmp_path / "report.html"
        path.write_text(html, "utf-8")
        address, requests, complaints = path.as_uri(), [], []

        def listen(page) -> None:
            requests.clear()
            page.on("request", lambda request: requests.append(request.url))
            page.on("console", lambda message: complaints.append(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))

        pages.append(browser.open(address, listen, **options))
        return SimpleNamespace(
            page=pages[-1], requests=requests, complaints=complaints, address=path.as_uri()
        )

    yield open_page
    for page in pages:
        page.context.close()
