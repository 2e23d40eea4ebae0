"""Suggestions for names that do not exist."""

from __future__ import annotations

from collections.abc import Iterable

_LISTED = 10


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the end of an error message: the nearest known name, else ``otherwise``, else the available names.

    >>> did_you_mean("imprved", ["open", "improved"])
    '; did you mean improved?'
    >>> did_you_mean("xyz", ["open", "improved"]), did_you_mean("xyz", ["open"], "`knightfall heuristics` lists them")
    ('; available: open, improved', '; `knightfall heuristics` lists them')
    """
    from difflib import get_close_matches

    names = list(dict.fromkeys(known))
    folded: dict[str, str] = {}
    for each in names:
        folded.setdefault(each.casefold(), each)
    near = get_close_matches(name.casefold(), folded, n=1)
    if near:
        return f"; did you mean {folded[near[0]]}?"
    if otherwise:
        return f"; {otherwise}"
    more = ", ..." if len(names) > _LISTED else ""
    return f"; available: {', '.join(names[:_LISTED])}{more}"
