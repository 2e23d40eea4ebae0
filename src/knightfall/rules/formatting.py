"""Numbers with their nouns."""

from __future__ import annotations

_IRREGULAR = {"ply": "plies", "leaf": "leaves"}


def plural(count: int, noun: str) -> str:
    """Return a number with its noun, in the singular or the plural.

    >>> plural(1, "position"), plural(1_200, "pair"), plural(2, "ply")
    ('1 position', '1,200 pairs', '2 plies')
    """
    return f"{count:,} {noun if count == 1 else _IRREGULAR.get(noun, f'{noun}s')}"
