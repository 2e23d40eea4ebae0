"""The results of a tournament on a terminal, in its width, with the best and the baseline marked."""

from __future__ import annotations

from collections.abc import Sequence

from knightfall.arena.formatting import percent_interval
from knightfall.arena.plan import Matchup
from knightfall.arena.results import Results
from knightfall.arena.statistics.pairs import PairCounts
from knightfall.arena.tables import (
    fault_lines,
    foot,
    gen1_list,
    rating_rows,
)
from knightfall.cli.layout import Column, Page, cells, name_lines, table, wrapped

_CELL = 12  # characters of a column with games won and lost when names take several lines
_RESULT = 9  # characters of a result in a crosstable
_VERDICTS = {"better than": "green", "worse than": "red"}
_TERMS = (
    ("first move", "what it is worth to make the first move after the opening"),
    ("attacker", "what it is worth to be to move while both knights stand on squares of one colour"),
)


def results_page(results: Results, page: Page) -> str:
    """Return all results of a tournament for a terminal."""
    marks = Marks(results, page)
    parts = [_crosstable(results, page) if results.plan.is_round_robin else _matches(results, page, marks)]
    if results.plan.panel == "gen1":
        parts.append([line for text in gen1_list(results).splitlines() for line in wrapped(text, page.width, "    ")])
    if results.plan.sprt is None:
        parts.append(_standings(results, page, marks))
        if results.games_played and len(results.plan.names) > 1:
            parts.append(_ratings(results, page, marks))
    parts.append([line for verdict in results.verdicts for line in _verdict(verdict.sentence, page)])
    faults = fault_lines(results).splitlines()
    parts.append([page.paint(line, "yellow") for text in faults for line in wrapped(text, page.width, "  ")])
    parts.append(wrapped(foot(results), page.width, "  "))
    return "\n\n".join("\n".join(part) for part in parts if part)


class Marks:
    """Signs and styles of the best candidates and of the baseline."""

    def __init__(self, results: Results, page: Page) -> None:
        self._page = page
        rates = {entry.candidate: entry.estimate.mean for entry in results.standings if entry.games}
        highest = max(rates.values(), default=0.0)
        self._best = [name for name, rate in rates.items() if rate == highest] if len(rates) > 1 else []
        self._baseline = results.plan.baseline if len(rates) > 1 else None

    def sign(self, name: str) -> str:
        """Return the signs to print beside a name."""
        return ("*" if name in self._best else "") + ("=" if name == self._baseline else "")

    def style(self, name: str) -> tuple[str, ...]:
        """Return the styles of a name's row."""
        return ("bold", "green") if name in self._best else ("cyan",) if name == self._baseline else ()

    def key(self) -> list[str]:
        """Return the line that explains the signs."""
        if not self._best:
            return []
        baseline = ", = baseline" if self._baseline is not None else ""
        key = wrapped(f"* highest win rate{baseline}", self._page.width)
        return [self._page.paint(line, "dim") for line in key]


def _matches(results: Results, page: Page, marks: Marks) -> list[str]:
    """Return the matches: a row per opponent, a column per candidate, as many side by side as fit."""
    plan = results.plan
    heads = [f"{name} {marks.sign(name)}".rstrip() for name in plan.candidates]
    side = min(max(cells("Win Rate:"), *map(cells, plan.opponents)), page.width // 2)
    number = len(str(len(plan.opponents))) + 2
    room = page.width - number - side
    longest = max(len(_won_lost(match.counts)) for match in results.matches.values())
    width = max(_CELL + 1, longest + 2, *(cells(head) + 2 for head in heads))
    if width * len(heads) > room:
        width = min(max(_CELL, longest) + 2, max(room, longest + 1))
    across = max(1, room // width)
    lines: list[str] = []
    for at in range(0, len(heads), across):
        lines += [""] * bool(lines)
        names = plan.candidates[at : at + across]
        lines += _head(page, marks, names, heads[at : at + across], number + side, width)
        for count, opponent in enumerate(plan.opponents, start=1):
            results_of = [results.matches[Matchup(name, opponent)].counts for name in names]
            told = "".join(f"{_won_lost(counts):^{width}}" for counts in results_of)
            first, *rest = name_lines(opponent, side)
            lines.append(f"{count:>{number - 2}}  {first:{side}}{told}".rstrip())
            lines += [" " * number + line for line in rest]
        lines.append("-" * (number + side + width * len(names)))
        told = f"{'Win Rate:':{number + side}}"
        for name in names:
            standing = results.standing(name)
            rate = f"{standing.estimate.mean:.1%}" if standing.games else "-"
            told += page.paint(f"{rate:^{width}}", *marks.style(name))
        lines.append(told.rstrip())
    return lines


def _won_lost(counts: PairCounts) -> str:
    return f"{counts.games_won:>4} | {counts.games_lost:<4}"


def _head(page: Page, marks: Marks, names: Sequence[str], heads: Sequence[str], left: int, width: int) -> list[str]:
    parts = [name_lines(head, width - 2) for head in heads]
    height = max(map(len, parts))
    lines = []
    for at in range(height):
        line = " " * left
        for name, part in zip(names, parts, strict=True):
            text = ([""] * (height - len(part)) + part)[at]  # names of one line are aligned with the last line
            line += page.paint(f"{text:^{width}}", *(marks.style(name) or ("bold",)))
        lines.append(line.rstrip())
    return [*lines, (" " * left + f"{'Won | Lost':^{width}}" * len(heads)).rstrip()]


def _crosstable(results: Results, page: Page) -> list[str]:
    """Return the crosstable: games won and lost by the player on the left."""
    names = results.plan.candidates
    met = {(name, other): results.between(name, other) for name in names for other in names}
    told = {pair: "-" if c is None else f"{c.games_won}-{c.games_lost}" for pair, c in met.items()}
    width = max(_RESULT, *map(len, told.values())) + 2
    side = min(max(map(cells, names)), page.width - width - 5)
    across = max(1, (page.width - side - 5) // width)
    lines: list[str] = []
    for at in range(0, len(names), across):
        lines += [""] * bool(lines)
        others = range(at, min(at + across, len(names)))
        columns = [Column("#", right=True), Column("player", whole=False)]
        columns += [Column(f"{other + 1!s:>{width - 2}}", right=True) for other in others]
        rows = [
            [str(number), name, *(told[name, names[other]] for other in others)]
            for number, name in enumerate(names, start=1)
        ]
        lines += table(page, columns, rows)
    return lines


def _standings(results: Results, page: Page, marks: Marks) -> list[str]:
    columns = [
        Column(""),
        Column("candidate", whole=False),
        Column("win rate, 95% interval", short="win rate, 95%"),
        Column("pairs lost/split/won", right=True, rank=1, short="pairs l/s/w"),
        Column("losing records", right=True, rank=0, short="losing"),
    ]
    rows = []
    for standing in results.standings:
        pairs = standing.pairs
        rate = percent_interval(standing.rate) if pairs.pairs else "-"
        kinds = f"{pairs.ll}/{pairs.wl}/{pairs.ww}"
        rows.append([marks.sign(standing.candidate), standing.candidate, rate, kinds, str(standing.losing_records)])
    styles = [marks.style(standing.candidate) for standing in results.standings]
    return [*_marked(page, columns, rows, styles), *marks.key()]


def _ratings(results: Results, page: Page, marks: Marks) -> list[str]:
    rows = rating_rows(results)
    columns = [Column(""), Column("player", whole=False), Column("Elo among all, 95% interval", short="Elo, 95%")]
    told = [[marks.sign(name), name, elo] for name, elo in rows]
    lines = _marked(page, columns, told, [marks.style(name) for name, _ in rows])
    shown = [f"{name}: {meaning}" for name, meaning in _TERMS if name in dict(rows)]
    return lines + [page.paint(line, "dim") for text in shown for line in wrapped(text, page.width, "  ")]


def _marked(
    page: Page, columns: Sequence[Column], rows: Sequence[Sequence[str]], styles: Sequence[Sequence[str]]
) -> list[str]:
    """Return a table with the signs in the first column. The column is omitted if there are no signs."""
    if any(row[0] for row in rows):
        return table(page, columns, rows, styles)
    return table(page, columns[1:], [row[1:] for row in rows], styles)


def _verdict(sentence: str, page: Page) -> list[str]:
    lines = wrapped(sentence, page.width, "  ")
    for words, colour in _VERDICTS.items():
        if f" is {words} " in sentence:
            return [line.replace(words, page.paint(words, "bold", colour)) for line in lines]
    return lines
