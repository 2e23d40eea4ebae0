"""Every command shown in the README and docs is run, and what it prints is what is shown.

(Python examples are doctests and run as such.) Times and rates differ from run to run, so decimal numbers and
numbers with thousands separators are not compared.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import environment, run

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def sessions() -> list[tuple[str, str, str]]:
    """Page, command and shown output of each command in a console block."""
    found = []
    for page in PAGES:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, output = part.partition("\n")
                found.append((page.name, command, output))
    return found


def comparable(text: str) -> list[list[str]]:
    """The words of each line, less what no two runs have in common."""
    steady = re.sub(r"\d[\d,]*(?= times)|\d[\d,]*,\d{3}|\d+\.\d+", "#", text)
    return [line.split() for line in steady.rstrip().splitlines()]


@pytest.mark.parametrize(("page", "command", "output"), sessions())
def test_commands_print_what_is_shown(page: str, command: str, output: str, tmp_path: Path) -> None:
    if command.startswith("make "):
        assert re.search(rf"^{command.split()[1]}:", (ROOT / "Makefile").read_text(), re.M)
        return
    env = environment(
        PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", NO_COLOR="1", KNIGHTFALL_PROGRESS="off"
    )
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=900, encoding="utf-8"
    )
    assert comparable(done.stdout + done.stderr) == comparable(output)


def test_the_readme_shows_a_fair_number_of_commands() -> None:
    assert sum(page == "README.md" for page, _, _ in sessions()) >= 6


def test_the_picture_is_made_by_the_program(tmp_path: Path) -> None:
    shown = re.search(r"`knightfall (show .*) --svg docs/board.svg`", (ROOT / "README.md").read_text())
    assert shown is not None
    arguments = re.fullmatch(r"show '(.*)' (.*)", shown[1])
    assert arguments is not None
    made = tmp_path / "board.svg"
    assert run("show", arguments[1], *arguments[2].split(), "--svg", str(made)).returncode == 0
    assert made.read_text() == (ROOT / "docs" / "board.svg").read_text()
