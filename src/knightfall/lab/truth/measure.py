"""`kf.accuracy`: heuristics graded against exact truth, from Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from knightfall.catalogue.heuristic import Heuristic
from knightfall.catalogue.loader import load
from knightfall.lab.truth.accuracy import DEPTHS, Accuracy, Grader
from knightfall.lab.truth.sets import truth_set


def accuracy(
    heuristic: Heuristic | str,
    *,
    depths: Sequence[int] = DEPTHS,
    truth: Path | str | None = None,
    board: str | None = None,
    worst: int = 0,
) -> Accuracy:
    """Return how often the choices of a heuristic keep a won position won, and how well its values tell won from lost.

    ``heuristic`` is a heuristic or its name, as in ``"central_mobility(peak=5)"`` or ``"my.py:custom_score"``.
    ``depths`` are the plies that a plain search looks beyond each move. ``truth`` is the file of a truth set; without
    it the set of the package for this ``board`` is used (default: 7x7). ``worst`` positions are kept as examples.

    >>> import knightfall as kf
    >>> found = kf.accuracy("improved", depths=[0])
    >>> found.heuristic, found.counts[0], found.kept[0].low > 0.6
    ('improved', 11745, True)
    """
    made = load(heuristic) if isinstance(heuristic, str) else heuristic
    return Grader(truth_set(None if truth is None else Path(truth), board)).measure(made, depths, worst)
