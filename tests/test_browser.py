"""The browser of tests: a page is opened even if chromium stops answering."""

from __future__ import annotations

import signal
import threading

from tests.browser import signal_marked


def test_a_page_is_opened_in_a_new_browser_if_the_first_does_not_answer(browser, opened):
    opened("<p>one</p>")
    signal_marked(browser.mark, signal.SIGSTOP)
    threading.Timer(1, signal_marked, [browser.mark, signal.SIGKILL]).start()  # as after a long wait
    assert opened("<p>two</p>").page.inner_text("p") == "two"
