"""A page as PDF, printed by an installed browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from knightfall.rules import KnightfallError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_SECONDS = 180
_QUIET = (
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-pdf-header-footer",
)


def find_browser() -> str:
    """Return the path of the browser that prints.

    Raise an error if none is installed.
    """
    found = next((path for name in BROWSERS if (path := shutil.which(name)) is not None), None)
    if found is None:
        raise KnightfallError("--pdf needs chromium or google-chrome, and neither is installed")
    return found


def print_pdf(browser: str, page: str) -> bytes:
    """Return a page as PDF."""
    with tempfile.TemporaryDirectory(prefix="knightfall-") as name:
        folder = Path(name)
        source, target = folder / "report.html", folder / "report.pdf"
        source.write_text(page, encoding="utf-8")
        # Chromium does not run as root unless its sandbox is disabled. The page is our own.
        sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        profile = f"--user-data-dir={folder / 'profile'}"
        command = [browser, *_QUIET, *sandbox, profile, f"--print-to-pdf={target}", source.as_uri()]
        try:
            done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise KnightfallError(f"--pdf: {Path(browser).name} failed: {error}") from None
        if not target.is_file():
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise KnightfallError(
                f"--pdf: {Path(browser).name} printed nothing: {said[-1] if said else 'no reason told'}"
            )
        return target.read_bytes()
