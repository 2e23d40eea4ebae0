"""Makes text from other sources safe to print. Names, messages and file names may contain terminal control codes."""

from __future__ import annotations

import re

# Control characters except tab and line feed, marks that change the writing direction, and bytes that were not UTF-8.
_UNSAFE = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
_ALONE = re.compile(_UNSAFE)
# The colours that this program writes itself. They do not move the cursor or hide text.
_OR_COLOUR = re.compile(rf"\x1b\[(?:0|(?:[12]|3[1-6])(?:;(?:[12]|3[1-6]))*)m|{_UNSAFE}")


def printable(text: str, *, colours: bool = False) -> str:
    r"""Return the text with control characters escaped. With ``colours``, keep this program's own colour codes.

    >>> print(printable("a\x1b]0;title\x07b\u202e\udcff"))
    a\x1b]0;title\x07b\u202e\xff
    """
    return (_OR_COLOUR if colours else _ALONE).sub(_written_out, text)


def _written_out(match: re.Match[str]) -> str:
    found = match[0]
    if len(found) > 1:
        return found
    code = ord(found)
    if 0xDC80 <= code <= 0xDCFF:  # Python represents a byte of a file name that is not UTF-8 as U+DC80 to U+DCFF
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
