"""Text in Markdown: what others wrote is shown, and never taken for markup."""

from __future__ import annotations

import re

from knightfall.rules.printable import printable


def escape(text: str) -> str:
    """Return text in which nothing is taken for markup.

    >>> escape("a<b> & *c* | [d](e) `f` AB_x")
    'a&lt;b&gt; &amp; \\\\*c\\\\* \\\\| \\\\[d](e) \\\\`f\\\\` AB_x'
    """
    text = printable(" ".join(text.split())).replace("\\", "\\\\")
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in "*`|":
        text = text.replace(mark, f"\\{mark}")
    return text.replace("[", "\\[") if "](" in text else text


def code(text: str) -> str:
    """Return text as code in a line, between more backticks than it holds in a row.

    >>> code("a b"), code("a`b")
    ('`a b`', '`` a`b ``')
    """
    text = printable(" ".join(text.split()))
    marks = "`" * (longest_run(text) + 1)
    return f"{marks}{text}{marks}" if len(marks) == 1 else f"{marks} {text} {marks}"


def longest_run(text: str) -> int:
    """Return how many backticks stand in a row, at the most."""
    return max(map(len, re.findall("`+", text)), default=0)
