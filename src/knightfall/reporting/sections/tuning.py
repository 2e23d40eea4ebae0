"""The report of a study: the gain, the response surface, the trials, and the data needed to repeat it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from knightfall import __version__
from knightfall.arena.formatting import percent_interval, points_interval, range_of
from knightfall.lab.tuning.effects import Effect, main_effects
from knightfall.lab.tuning.errors import TuningError
from knightfall.lab.tuning.space import CHOICE, Parameter, setting_words, value_words
from knightfall.lab.tuning.study import Study, Trial
from knightfall.lab.tuning.words import conclusion, tuned_lead
from knightfall.reporting.charts.plots import Dot, draw_dots
from knightfall.reporting.charts.surfaces import Surface, draw_response, draw_surface, steps
from knightfall.reporting.document import (
    Alert,
    Block,
    Cell,
    Chart,
    Commands,
    Document,
    Figures,
    Fold,
    Points,
    Section,
    Table,
    Text,
)
from knightfall.reporting.formatting import badge, listed, percent, plural

_SHOWN = 3  # number of parameters whose surfaces are drawn in pairs
_OPEN_ROWS = 12  # number of trials in the table that is always visible


def study_document(studies: Sequence[Study], command: str) -> Document:
    """Return a report of studies only."""
    sections = tuning_sections(studies)
    names = listed([study.head["heuristic"] for study in studies])
    count = sum(len(study.trials) for study in studies)
    subtitle = f"Parameters of {names}: {plural(count, 'setting')} tried, the best confirmed where tuning never looked."
    ends = (_method(studies), _origin(studies, command))
    return Document("Tuning report", subtitle, (*sections, *ends), f"Written by Knightfall {__version__}.")


def with_studies(document: Document, studies: Sequence[Study]) -> Document:
    """Return a report with the studies added at the end, if there are any."""
    if not studies:
        return document
    return replace(document, sections=(*document.sections, *tuning_sections(studies), _method(studies)))


def tuning_sections(studies: Sequence[Study]) -> list[Section]:
    """Return one section per study."""
    return [_section(study, f"tuning-{at}" if at > 1 else "tuning") for at, study in enumerate(studies, start=1)]


def _section(study: Study, name: str) -> Section:
    if len(study.trials) < 2 or study.best is None:
        raise TuningError(f"no trial of the study of {study.head['heuristic']} is finished yet")
    effects = main_effects(study)
    parts = [
        Section(f"{name}-surface", "Response surface", tuple(_surfaces(study, effects))),
        Section(f"{name}-trials", "Trials", tuple(_trials(study))),
    ]
    if effects:
        parts.insert(1, Section(f"{name}-effects", "Main effects", tuple(_effects(study, effects))))
    return Section(name, f"Tuning: {study.head['heuristic']}", tuple(_summary(study)), tuple(parts))


def _summary(study: Study) -> list[Block]:
    blocks: list[Block] = []
    confirmed = study.confirmation
    if confirmed is None:
        done, wanted = len(study.trials), study.head["trials"]
        blocks.append(Alert(f"This study is not finished: {done:,} of {wanted:,} trials, and nothing is confirmed."))
    else:
        blocks.append(Text(_capital(f"{conclusion(study)}."), "Result."))
        blocks.append(_confirmation(study))
    goal = study.goal
    figures = [
        ("trials", f"{len(study.trials):,}"),
        ("goal", study.head["unit"]),
        ("board", str(goal["board"]).replace("x", "×")),
        ("tuned on", study.head["seen"]),
    ]
    if goal["against"] and goal["goal"] == "accuracy":
        figures.append(("positions from play of", ", ".join(goal["against"])))
    if goal["stage"]:
        figures.append(("stage, in plies", goal["stage"]))
    if study.winner is not None:
        figures.append(("to use", setting_words(study.winner.setting)))
    return [*blocks, Figures(tuple(figures))]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _confirmation(study: Study) -> Table:
    confirmed = study.confirmation
    assert confirmed is not None
    told = confirmed.compared
    best = study.trials[confirmed.trial]
    rows = (
        (Cell("best", setting_words(best.setting)), _value(best), percent_interval(told.challenger)),
        (Cell("start", setting_words(study.start.setting)), _value(study.start), percent_interval(told.start)),
        (
            Cell("difference"),
            f"{tuned_lead(study)} points",
            Cell(confirmed.word, points_interval(told.difference), badge=badge(confirmed.word)),
        ),
    )
    unit = _capital(study.head["unit"])
    columns = ("setting", f"where it was tuned: {study.head['seen']}", f"confirmed: {study.head['unseen']}")
    return Table(f"{unit} with 95% intervals", columns, rows, wide=True)


def _value(trial: Trial) -> str:
    return "failed" if trial.value is None else percent_interval(trial.value)


# --- the surface


def _surfaces(study: Study, effects: Sequence[Effect]) -> list[Block]:
    best = study.best
    assert best is not None
    if len(study.parameters) == 1:
        return [_curve(study, study.parameters[0], best)]
    order = [effect.parameter for effect in effects] or [parameter.name for parameter in study.parameters]
    named = {parameter.name: parameter for parameter in study.parameters}
    chosen = [named[name] for name in order[:_SHOWN]]
    blocks: list[Block] = []
    if len(study.parameters) > 2:
        what = "the three parameters that matter most" if len(chosen) == _SHOWN else "parameters"
        blocks.append(Text(f"Pairs of {what}; each picture is a mean over whatever the others were."))
    for across, up in combinations(chosen, 2):
        blocks.append(_surface(study, Surface(across, up, study.trials, study.start, best)))
    return blocks


def _curve(study: Study, parameter: Parameter, best: Trial) -> Chart:
    unit = study.head["unit"]
    title = f"{_capital(unit)} by {parameter.name}"
    known = [trial for trial in study.trials if trial.value is not None]
    if parameter.kind != CHOICE:
        known.sort(key=lambda trial: float(trial.setting[parameter.name]))
    rows = tuple(
        (
            Cell(value_words(trial.setting[parameter.name]), _role(study, trial)),
            percent(trial.score),
            range_of(trial.value),
        )
        for trial in known
        if trial.value is not None
    )
    table = Table(title, (parameter.name, unit, "95% interval"), rows, frozenset({1, 2}))
    description = f"{_range_words(study, known)} {_best_words(study)}"
    if parameter.kind == CHOICE:
        dots = [Dot(value_words(trial.setting[parameter.name]), (trial.value,)) for trial in known]
        return Chart(title, description, draw_dots(dots, f"{unit}, %"), table)
    points = [(float(trial.setting[parameter.name]), trial.value) for trial in known if trial.value is not None]
    return Chart(title, description, draw_response(parameter, points, f"{unit}, %", study.start, best), table)


def _surface(study: Study, surface: Surface) -> Chart:
    unit = study.head["unit"]
    across, up = surface.across, surface.up
    title = f"{_capital(unit)} by {across.name} and {up.name}, %"
    how = "Bands, more colour for more, with a line and a figure between them; dots are trials."
    if not surface.is_smooth:
        how = "A grid of means, more colour for more; empty where nothing was tried."
    description = f"{how} {_range_words(study, surface.inside())} {_best_words(study)}"
    return Chart(title, description, draw_surface(surface), _numbers(surface, title))


def _numbers(surface: Surface, title: str) -> Table:
    """Return the table of the values in the picture, at a few places."""
    across, up = surface.across, surface.up
    if surface.is_smooth:
        shares = np.linspace(0.0, 1.0, 5)
        values = surface.smoothed(*np.meshgrid(shares, shares))
        columns = [f"{across.low + share * (across.high - across.low):g}" for share in shares]
        names = [f"{up.low + share * (up.high - up.low):g}" for share in shares]
        cells = [[f"{100 * value:.1f}" for value in row] for row in values]
    else:
        known = surface.cells()
        columns, names = steps(across), steps(up)
        cells = [
            [f"{100 * known[column, row]:.1f}" if (column, row) in known else "–" for column in range(len(columns))]
            for row in range(len(names))
        ]
    rows = tuple((f"{up.name} {name}", *row) for name, row in zip(names, cells, strict=True))
    head = (f"{up.name} \\ {across.name}", *columns)
    return Table(title, head, rows[::-1], frozenset(range(1, len(head))))


def _range_words(study: Study, trials: Sequence[Trial]) -> str:
    values = [trial.score for trial in trials]
    unit = study.head["unit"]
    return f"{plural(len(trials), 'setting')}, from {percent(min(values))} to {percent(max(values))} of {unit}."


def _best_words(study: Study) -> str:
    best = study.best
    assert best is not None
    start = study.start
    return (
        f"Best where it was tuned: {setting_words(best.setting)}, {_value(best)}; "
        f"the start: {setting_words(start.setting)}, {_value(start)}."
    )


# --- effects and trials


def _effects(study: Study, effects: Sequence[Effect]) -> list[Block]:
    text = (
        f"From the screening, a {study.head['design']['kind']}: the mean at each level of a parameter, whatever the "
        "others were, and the share of all variance that lies between its levels."
    )
    rows = tuple(
        (
            effect.parameter,
            f"{100 * effect.size:.1f}",
            f"{effect.share:.0%}",
            ", ".join(f"{name}: {percent(mean)}" for name, mean in effect.levels),
        )
        for effect in effects
    )
    columns = ("parameter", "best level less worst, points", "share of variance", "mean at each level")
    return [Text(text), Table("Main effects", columns, rows, frozenset({1, 2}))]


def _role(study: Study, trial: Trial) -> str:
    return "start" if trial.number == 0 else "best" if trial == study.best else ""


def _trials(study: Study) -> list[Block]:
    order = sorted(study.trials, key=lambda trial: (-trial.score, trial.number))
    names = [parameter.name for parameter in study.parameters]
    rows: list[tuple[Cell | str, ...]] = []
    for trial in order:
        note = trial.failure or (f"{plural(trial.faults, 'game')} lost by faults" if trial.faults else "")
        found = ("failed", "–") if trial.value is None else (percent(trial.score), range_of(trial.value))
        values = [value_words(trial.setting[name]) for name in names]
        rows.append((Cell(str(trial.number), _role(study, trial)), *values, *found, Cell(trial.how, note)))
    columns = ("trial", *names, study.head["unit"], "95% interval", "how")
    numeric = frozenset(range(1, len(names) + 3))
    text = Text(
        "What tuning itself saw, best first. The best of many owes part of its lead to luck, which is why it is "
        "confirmed elsewhere."
    )
    if len(rows) <= _OPEN_ROWS:
        return [text, Table("All trials", columns, tuple(rows), numeric)]
    few = Table("The best trials", columns, tuple(rows[:_OPEN_ROWS]), numeric)
    whole = Table("All trials", columns, tuple(rows), numeric)
    return [text, few, Fold(f"All {len(rows):,} trials", (whole,))]


# --- method and origin


def _method(studies: Sequence[Study]) -> Section:
    goals = {study.goal["goal"] for study in studies}
    points = [
        "The first trial is the start, the setting to beat. The screening covers the ranges evenly, by every "
        "combination of a few levels or, where these are too many, by a scrambled Sobol sequence. What follows is "
        "proposed by Optuna's tree-structured Parzen estimator from the trials before.",
        "The best of all trials is held against the start where tuning never looked, once, and both on the same "
        "positions or openings; the interval is that of the paired difference. Better means that all of it lies above "
        "zero.",
        "Not distinguishable means that no difference is shown. It does not mean that there is none: the upper end of "
        "the interval says how large it may be.",
    ]
    if "accuracy" in goals:
        points.append(
            "Wins kept: in critical positions, where some move wins and some other loses, how often the choice keeps "
            "the win, by exact truth. One half of the positions, told by a hash, is for tuning, the other for judging."
        )
    if "tournament" in goals:
        points.append(
            "Games won: all trials play the same openings against the same opponents with the same seeds. No opening "
            "of the confirmation is one of these, or an image of one under a symmetry of the board."
        )
    points.append(
        "Surfaces are smoothed: each point is the mean of the trials nearby, a near one counting for more. Between "
        "trials they are a guess."
    )
    return Section("tuning-method", "How it was tuned", (Points(tuple(points)),))


def _origin(studies: Sequence[Study], command: str) -> Section:
    commands = [study.head["command"] for study in studies if study.head["command"]]
    blocks: list[Block] = [Text("", "The commands that made it."), Commands((*dict.fromkeys(commands), command))]
    for study in studies:
        code = study.head["code"]
        rows = [(name, str(code[name])) for name in ("knightfall", "python", "numba", "numpy", "scipy", "optuna")]
        rows.append(("hash of the sources that decide moves", str(code["sources"])))
        rows.append(("hash of the sources that decide trials", str(code["tuning"])))
        rows += [(f"heuristic {name}", str(digest)) for name, digest in code["heuristics"].items()]
        rows.append(("seed", study.head["seed"]))
        blocks.append(Table(f"Versions, sources and seed: {study.head['heuristic']}", ("what", "value"), tuple(rows)))
    return Section("tuning-origin", "To do it again", tuple(blocks))
