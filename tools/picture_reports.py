"""Take the pictures of pages in README and docs: `make pictures`, or name some of them. Needs chromium."""

from __future__ import annotations

import base64
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, ViewportSize, sync_playwright

import salva
from salva.audit import sample, write_sheet
from salva.evaluation import compare
from salva.outliers import WordSet, score, write_score_page
from salva.outliers.people.annotation import write_annotation_page
from salva.questions.conditions import DEFAULT_PRESETS
from salva.rows import reviews
from salva.twins import interpret, make_pairs, write_pairs

PICTURES = Path(__file__).parents[1] / "docs/pictures"
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
    salva.evaluate(reviews("test"), "builtin:reviews", presets=presets).report(page)


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
    pairs = page.parent / "pairs"
    write_pairs(pairs, make_pairs(lines))
    salva.evaluate(pairs, my_model).report(page)


def write_comparison(page: Path) -> None:
    """Write the comparison of the bundled model and two that know few words."""
    runs = page.parent / "runs"
    models = {"bundled": "builtin:reviews", "praise": praise, "blame": blame}
    for name, model in models.items():
        salva.evaluate(reviews("test"), model, presets=DEFAULT_PRESETS, out=runs / name)
    compare(*[runs / name for name in models], names=list(models)).report(page)


def praise(texts: list[str]) -> list[str]:
    """Answer by words of praise."""
    good = ("good", "great", "love", "best", "fine", "brilliant")
    return ["positive" if any(word in text.lower() for word in good) else "negative" for text in texts]


def blame(texts: list[str]) -> list[str]:
    """Answer by words of blame."""
    bad = ("bad", "dull", "worst", "boring", "awful", "terrible")
    return ["negative" if any(word in text.lower() for word in bad) else "positive" for text in texts]


def write_audit(page: Path) -> None:
    """Write a sheet of edits for readers."""
    write_sheet(sample(reviews("test"), preset="natural", n=20, unit="edit"), page)


def write_annotation(page: Path) -> None:
    """Write the page that asks people."""
    write_annotation_page(SETS, page)


REPORTS = {
    "report": write_evaluation,
    "comparison": write_comparison,
    "outliers": write_outliers,
    "twins": write_twins,
    "audit": write_audit,
    "annotation": write_annotation,
}
WIDTHS = {"wide": ViewportSize(width=1280, height=1000), "narrow": ViewportSize(width=390, height=844)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
# A browser encodes WebP; playwright itself does not.
TO_WEBP = """async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext("2d").drawImage(image, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.8 });
    return Array.from(new Uint8Array(await blob.arrayBuffer()));
}"""


def take_screenshot(browser: Browser, page_file: Path, width: str, scheme: Literal["light", "dark"]) -> bytes:
    """Return the first screen of a page, begun if it is one that people work on."""
    page = browser.new_page(viewport=WIDTHS[width], color_scheme=scheme)
    page.goto(page_file.as_uri())
    if page.locator("#start:visible").count():
        page.locator("#start input").fill("Ann")
        page.locator("#start button").click()
    taken: bytes = page.screenshot()
    page.close()
    return taken


def picture(browser: Browser, page_file: Path, name: str) -> None:
    """Take pictures of a page in both widths, light and dark."""
    encoder = browser.new_page()
    for width in WIDTHS:
        for scheme in SCHEMES:
            taken = take_screenshot(browser, page_file, width, scheme)
            source = f"data:image/png;base64,{base64.b64encode(taken).decode()}"
            (PICTURES / f"{name}-{width}-{scheme}.webp").write_bytes(bytes(encoder.evaluate(TO_WEBP, source)))
    encoder.close()


def main() -> None:
    """Write every report, or those that are named, and take their pictures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name in sys.argv[1:] or REPORTS:
            page = Path(folder) / f"{name}.html"
            REPORTS[name](page)
            picture(browser, page, name)
        browser.close()


if __name__ == "__main__":
    main()
