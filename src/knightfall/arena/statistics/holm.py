"""Holm's correction for several questions."""

from __future__ import annotations

from collections.abc import Sequence


def holm_confidences(p_values: Sequence[float], confidence: float = 0.95) -> list[float]:
    """Return the confidence of each question's interval, so that the total error rate is that of a single question.

    The smallest p value is compared with the level for all questions, the next one with the level for one question
    less, and so on. After the first that fails, all others keep its level.

    >>> [round(c, 4) for c in holm_confidences([0.001, 0.2, 0.02])]
    [0.9833, 0.95, 0.975]
    """
    allowed = 1 - confidence
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    found = [0.0] * len(p_values)
    level = 0.0
    failed = False
    for place, index in enumerate(order):
        if not failed:
            level = allowed / (len(p_values) - place)
            failed = p_values[index] > level
        found[index] = 1 - level
    return found
