"""Escape text for Markdown, so that it is never interpreted as markup."""

from __future__ import annotations

import re

from knightfall.rules.printable import printable


def escape(text: str) -> str:
    """Return text without active markup.

    >>> escape("a<b> & *c* | [d](e) `f` AB_x")
    'a&lt;b&gt; &amp; \\\\*c\\\\* \\\\| \\\\[d](e) \\\\`f\\\\` AB_x'
    """
    text = printable(" ".join(text.split())).replace("\\", "\\\\")
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in "*`|":
        text = text.replace(mark, f"\\{mark}")
    return text.replace("[", "\\[") if "](" in text else text


def code(text: str) -> str:
    """Return text as inline code, between more backticks than it contains in a row.

    >>> code("a b"), code("a`b")
    ('`a b`', '`` a`b ``')
    """
    text = printable(" ".join(text.split()))
    marks = "`" * (longest_run(text) + 1)
    return f"{marks}{text}{marks}" if len(marks) == 1 else f"{marks} {text} {marks}"


def longest_run(text: str) -> int:
    """Return the length of the longest run of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)
