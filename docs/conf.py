"""The documentation site: `make docs` builds it with Sphinx into build/docs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from docutils.parsers.rst import Directive

import knightfall

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "Knightfall"
author = "the Knightfall authors"
release = version = knightfall.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"Knightfall {release}"
html_copy_source = False

# Links to headings work as they do on GitHub.
myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]

# Docstrings are read by people in a shell first, so they use single backticks for code, as Markdown does.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"

COLUMNS = "90"
"""Width of the help texts."""

ROOT = Path(__file__).parent.parent
OUTSIDE = {
    "benchmarks": "benchmarks/RESULTS.md",
    "changes": "CHANGELOG.md",
    "contributing": "CONTRIBUTING.md",
    "examples": "examples/README.md",
    "overview": "README.md",
    "security": "SECURITY.md",
}
"""Pages of the site whose text is a file outside docs/. The pages in docs/ are stubs that link to that file."""


def insert_outside_pages(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the stubs by the files they stand for, with links that lead to the pages of the site."""
    path = ROOT / OUTSIDE.get(docname, f"docs/{docname}.md")
    app.env.note_dependency(str(path))
    pages = {ROOT / outside: name for name, outside in OUTSIDE.items()}

    def from_docs(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(path.parent / link[2]))
        page = f"{pages[target]}.md" if target in pages else os.path.relpath(target, ROOT / "docs")
        return f"{link[1]}{page}" if target.exists() else link[0]

    source[0] = re.sub(r"(\]\(|<img src=\")([^)#:\s\"]+)", from_docs, path.read_text(encoding="utf-8"))


def help_text(command: list[str]) -> str:
    """Return what `knightfall COMMAND --help` prints."""
    arguments = [sys.executable, "-m", "knightfall", *command, "--help"]
    environment = {**os.environ, "COLUMNS": COLUMNS, "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(arguments, env=environment, capture_output=True, encoding="utf-8", check=True)
    return done.stdout


class CommandHelp(Directive):
    """A section for each command, with its help text, subcommands included."""

    def run(self) -> list[nodes.Node]:
        return self.sections([])

    def sections(self, command: list[str]) -> list[nodes.Node]:
        text = help_text(command)
        title = " ".join(["knightfall", *command])
        section = nodes.section(ids=[nodes.make_id(title)], names=[title])
        section += nodes.title("", "", nodes.literal("", title))
        section += nodes.literal_block(text, text, language="none")
        self.state.document.note_implicit_target(section, section)
        found: list[nodes.Node] = [section]
        usage, _, rest = text.partition("\n")
        if "COMMAND" in usage:
            listed = rest.split("\nHelp:\n")[0]
            for name in re.findall(r"^  ([a-z]+)  +\S", listed, flags=re.M):
                found += self.sections([*command, name])
        return found


def setup(app: Sphinx) -> None:
    app.add_directive("command-help", CommandHelp)
    app.connect("source-read", insert_outside_pages)
