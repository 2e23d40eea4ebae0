"""Cells of CSV files that spreadsheets read as text, not as formulas."""

from __future__ import annotations

import re
from typing import Any

_FORMULA = re.compile(r"\s*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def csv_cell(value: Any) -> Any:
    """Return a value for a cell; text that a spreadsheet would evaluate gets a leading apostrophe, as OWASP advises.

    >>> csv_cell("=1+1"), csv_cell("-0.5"), csv_cell("improved"), csv_cell(-3)
    ("'=1+1", '-0.5', 'improved', -3)
    """
    if not isinstance(value, str) or not _FORMULA.match(value) or _NUMBER.fullmatch(value):
        return value
    return f"'{value}"
