"""Take the screenshots of reports in README and docs: `make pictures`. Needs chromium."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, ViewportSize, sync_playwright

import salva
from salva.datasets import reviews
from salva.evaluation.settings import DEFAULT_PRESETS
from salva.outliers import WordSet, score, write_score_page
from salva.twins import interpret, make_pairs, run

PICTURES = Path(__file__).parents[1] / "docs/pictures"
SCREEN = ViewportSize(width=1280, height=1100)
TWINNED = {"append": ", ", "repeat": "", "remove_second": ", ", "swap_first_last": ""}
SETS = [
    WordSet(
        "Drinks",
        "EN",
        ("tea", "coffee", "milk", "juice", "water", "beer", "wine", "lemonade"),
        ("cup", "soup", "kitchen", "waiter", "thirst", "party", "shoe", "cloud"),
    ),
    WordSet(
        "Colours",
        "EN",
        ("red", "blue", "green", "yellow", "brown", "white", "black", "grey"),
        ("bright", "paint", "rainbow", "brush", "light", "picture", "wall", "horse"),
    ),
]


def write_evaluation(page: Path) -> None:
    """Write the report that `salva demo` writes."""
    presets = [*DEFAULT_PRESETS, "documents"]
    salva.evaluate(reviews("test"), model="builtin:reviews", presets=presets).report(page)


def write_outliers(page: Path) -> None:
    """Write the page for GloVe's vectors on two sets."""
    write_score_page(score("glove", SETS), page)


def my_model(lines: list[str]) -> list[str]:
    """Answer like a model that has learnt some synonyms but not others."""
    known = [line.replace("append_twin", "append").replace("repeat_twin", "repeat") for line in lines]
    return ["A1" if "_twin" in line else interpret(line) for line in known]


def write_twins(page: Path) -> None:
    """Write the page for that model."""
    lines = [f"{name} A{k} B2 {comma}C3" for k in range(1, 60) for name, comma in TWINNED.items()]
    run(make_pairs(lines), my_model, page.parent / "twins")
    shutil.copy(page.parent / "twins/report.html", page)


REPORTS = {"report": write_evaluation, "outliers": write_outliers, "twins": write_twins}


def picture(browser: Browser, page_file: Path, name: str) -> None:
    """Take a screenshot of the first screen of a page."""
    page = browser.new_page(viewport=SCREEN)
    page.goto(page_file.as_uri())
    page.screenshot(path=PICTURES / f"{name}.png")
    page.close()


def main() -> None:
    """Write every report and take its picture."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, write in REPORTS.items():
            page = Path(folder) / f"{name}.html"
            write(page)
            picture(browser, page, name)
        browser.close()


if __name__ == "__main__":
    main()
