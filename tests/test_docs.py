"""The documentation: its links, its index, its layout.

The long tests build the site and run the examples.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import environment
from test_readme import BLOCK, comparable

import knightfall

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"
PAGES = [*ROOT.glob("*.md"), *DOCS.glob("*.md"), *EXAMPLES.glob("*.md"), *(ROOT / "benchmarks").glob("*.md")]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")
WIDTH = 100
NOT_WRAPPED = {"CHANGELOG.md", "RESULTS.md"}


def text_of(page: Path) -> str:
    """The page without its code blocks and code spans."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"`[^`]*`", lambda span: "x" * len(span[0]), text)


def anchors(page: Path) -> set[str]:
    """What a link to a heading of the page can end in, as GitHub and Sphinx make it."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = [heading.replace("`", "") for heading in re.findall(r"^#+ (.+)$", text, flags=re.M)]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page: Path) -> list[str]:
    """The relative links of a page that lead nowhere."""
    found = []
    for match in LINK.finditer(text_of(page)):
        link = match[1] or match[2]
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            found.append(f"{page.name}: {link}")
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `b` c\n[1](#a-b-c) [2](#a) [3](page.md#a-b-c) [4](none.md) [5](https://example.org)\n")
    assert broken_links(page) == ["page.md: #a", "page.md: none.md"]


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in NOT_WRAPPED], ids=lambda page: page.name)
def test_text_is_wrapped(page: Path) -> None:
    for line in text_of(page).splitlines():
        is_text = not line.startswith(("|", "#", "<"))
        assert len(line) <= WIDTH or not is_text or " " not in line.strip(), f"{page.name}: {line}"


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 200


def test_the_index_lists_every_page() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    trees = "\n".join(re.findall(r"^```\{toctree\}\n(.*?)^```$", index, flags=re.M | re.S))
    listed = [re.sub(r".*<(.*)>", r"\1", line) for line in trees.splitlines() if line and not line.startswith(":")]
    assert sorted([*listed, "index"]) == sorted(page.stem for page in DOCS.glob("*.md"))
    assert [name for name in listed if f"]({name}.md)" not in index] == []


def test_the_reference_has_every_public_name() -> None:
    api = (DOCS / "api.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\.\. auto\w+:: (\w+)$", api, flags=re.M)
    assert sorted(documented) == sorted(name for name in knightfall.__all__ if name != "__version__")


def test_the_architecture_page_names_what_exists() -> None:
    """Every folder of the package is on the page, and every file on the page is in the package."""
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    package = Path(knightfall.__file__).parent
    folders = [folder.name for folder in package.iterdir() if (folder / "__init__.py").exists()]
    assert [name for name in folders if f"{name}/" not in text] == []
    files = re.findall(r"`((?:\w+/)*\*?\w+\.py)`", text)
    assert files
    roots = (
        package,
        *(package / name for name in folders),
        package / "native" / "search",
        package / "native" / "solve",
    )
    for name in files:
        assert any(list(root.glob(name)) for root in roots) or (ROOT / name).exists(), name


@pytest.mark.long
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """As `make docs` builds it."""
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "--quiet", "-d", str(tmp_path / "doctrees")]
    done = subprocess.run([*command, str(DOCS), str(tmp_path / "site")], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    reference = (tmp_path / "site" / "api.html").read_text(encoding="utf-8")
    for name in knightfall.__all__:
        assert name == "__version__" or f'id="knightfall.{name}"' in reference
    commands = (tmp_path / "site" / "cli.html").read_text(encoding="utf-8")
    assert "knightfall book verify" in commands
    assert "--distance" in commands
    assert "import-linter" in (tmp_path / "site" / "contributing.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_examples_print_what_their_page_shows(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    env = environment(PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", KNIGHTFALL_PROGRESS="off")
    shown = "".join(BLOCK.findall((EXAMPLES / "README.md").read_text(encoding="utf-8")))
    scripts = re.findall(r"^\$ python (examples/\w+\.py)\n((?:(?!\$ ).*\n)*)", shown, flags=re.M)
    assert {name for name, _ in scripts} == {f"examples/{file.name}" for file in EXAMPLES.glob("*.py")}
    for name, output in scripts:
        done = subprocess.run(
            [sys.executable, name], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert comparable(done.stdout) == comparable(output), name
    assert [file.name for file in tmp_path.iterdir()] == ["examples"]


@pytest.mark.long
def test_the_notebook_contains_its_outputs(tmp_path: Path) -> None:
    notebook = tmp_path / "notebook.ipynb"
    shutil.copy(EXAMPLES / "notebook.ipynb", notebook)
    command = [sys.executable, str(Path(__file__).with_name("notebooks.py")), str(notebook)]
    subprocess.run(command, check=True, cwd=tmp_path, timeout=600)
    made, stored = (json.loads(file.read_text("utf-8")) for file in (notebook, EXAMPLES / "notebook.ipynb"))

    def lines(cell: object) -> list[list[str]]:
        return comparable(json.dumps(cell, indent=1, sort_keys=True))

    for now, before in zip(made["cells"], stored["cells"], strict=True):
        assert lines(now) == lines(before)
