"""Text that others wrote, made safe to print: names, messages and file names may hold orders to a terminal."""

from __future__ import annotations

import re

# Control characters but tab and line feed, marks that turn the direction of writing, and bytes that were not UTF-8.
_UNSAFE = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
_ALONE = re.compile(_UNSAFE)
# The colours that this program writes itself; they move nothing and hide nothing.
_OR_COLOUR = re.compile(rf"\x1b\[(?:0|(?:[12]|3[1-6])(?:;(?:[12]|3[1-6]))*)m|{_UNSAFE}")


def printable(text: str, *, colours: bool = False) -> str:
    r"""Return the text with everything that a terminal would obey written out; ``colours`` stay if that is wanted.

    >>> print(printable("a\x1b]0;title\x07b\u202e\udcff"))
    a\x1b]0;title\x07b\u202e\xff
    """
    return (_OR_COLOUR if colours else _ALONE).sub(_written_out, text)


def _written_out(match: re.Match[str]) -> str:
    found = match[0]
    if len(found) > 1:
        return found
    code = ord(found)
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte of a file name that is not UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
