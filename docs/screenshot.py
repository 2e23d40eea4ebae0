"""Take the screenshot of a report that the README shows: `make run`, then `python docs/screenshot.py`."""

from __future__ import annotations

import shutil
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

WIDTH, COLOURS = 1000, 48
HERE = Path(__file__).parent


def screenshot(report: Path, target: Path) -> None:
    """Write the standings section of a report, its table of numbers closed, to a PNG file with few colours."""
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or "/usr/bin/chromium"
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
        page.goto(report.resolve().as_uri())
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = false; })")
        page.add_style_tag(content="section#standings { padding: 24px }")
        picture = page.locator("section#standings").screenshot()
        browser.close()
    image = Image.open(BytesIO(picture)).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)


if __name__ == "__main__":
    screenshot(Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent / "report.html"), HERE / "report.png")
