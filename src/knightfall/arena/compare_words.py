"""The result of a comparison of two versions in one sentence."""

from __future__ import annotations

from knightfall.arena.formatting import elo_difference, points_interval
from knightfall.arena.statistics.pairs import Interval
from knightfall.arena.verdicts import Verdict
from knightfall.rules.formatting import plural

_DECIDED = ("better", "worse")


def verdict_word(head: Verdict, panel: Verdict | None) -> str:
    """Return "better", "worse", "mixed" (the two parts disagree) or "no difference"."""
    words = {verdict.word for verdict in (head, panel) if verdict is not None and verdict.word in _DECIDED}
    return "mixed" if len(words) > 1 else words.pop() if words else "no difference"


def sentence(old: str, new: str, head: Verdict, elo: Interval, panel: Verdict | None, panel_name: str) -> str:
    """Return the verdict on ``new`` with the clearest statement first."""
    pairs = plural(head.pairs, "pair")
    told_head = f"{elo_difference(elo)} head to head after {pairs}"
    if head.word in _DECIDED:
        parts = [f"{new} is {head.word} than {old}: {told_head}"]
        if panel is not None:
            parts.append(_panel_behind(head.word, panel, panel_name))
        return "; ".join(parts)
    if panel is not None and panel.word in _DECIDED:
        first = f"{new} is {panel.word} than {old} over {panel_name or 'the panel'}: {_figure(panel)}"
        return f"{first}; no difference is shown head to head: {elo_difference(elo)} after {pairs}"
    behind = "" if panel is None else f", and {_figure(panel)} over {panel_name or 'the panel'}"
    return f"no difference shown between {new} and {old} after {pairs}: {elo_difference(elo)} head to head{behind}"


def _panel_behind(word: str, panel: Verdict, name: str) -> str:
    where = f"over {name or 'the panel'}"
    if panel.word == word:
        return f"{where} as well: {_figure(panel)}"
    if panel.word in _DECIDED:
        return f"but {where} it is {panel.word}: {_figure(panel)}"
    return f"{where} no difference is shown: {_figure(panel)}"


def _figure(panel: Verdict) -> str:
    return "no game was played" if panel.interval is None else points_interval(panel.interval)
