"""The conclusion of a study, in sentences.

The lead during tuning is reported separately from the confirmed one: the best of many trials owes part of its lead to
luck.
"""

from __future__ import annotations

from knightfall.arena.formatting import percent_interval, points_interval
from knightfall.lab.tuning.study import Study

_SMALL = 0.02  # a gain too small to matter; larger ones must be ruled out before a study reports that there is none
_MORE = {"wins kept": "more positions would tell", "games won": "more pairs would tell (--confirm)"}


def tuned_lead(study: Study) -> str:
    """Return the lead of the best setting over the start during tuning, in points."""
    best = study.best
    return f"{round(100 * (0.0 if best is None else best.score - study.start.score), 1) + 0.0:+z.1f}"


def conclusion(study: Study) -> str:
    """Return the conclusion in one sentence: the gain, or that none is shown and how large a missed gain can be."""
    confirmed = study.confirmation
    assert confirmed is not None
    told, unit, unseen = confirmed.compared, study.head["unit"], study.head["unseen"]
    best = study.text_of(study.trials[confirmed.trial])
    where = f"{points_interval(told.difference)} of {unit} (95% confidence) on {unseen}"
    lead = f"tuning itself saw {tuned_lead(study)}"
    if confirmed.word == "better":
        rates = f"{percent_interval(told.challenger)} against {percent_interval(told.start)}"
        return f"improved: {best} is better than the start by {where}: {rates}; {lead}"
    if confirmed.word == "worse":
        return f"nothing to gain: {best}, the best setting that was found, is worse than the start: {where}; {lead}"
    alike = (
        f"{best}, the best of {len(study.trials) - 1:,} other settings, is not distinguishable from the start: {where}"
    )
    missed = max(told.difference.high, 0.0)
    if missed <= _SMALL:
        return f"nothing to gain: {alike}; {lead}; a gain of more than {100 * missed:.1f} points would have been seen"
    return f"no gain is shown: {alike}; {lead}; a gain of up to {100 * missed:.1f} points may be missed: {_MORE[unit]}"
