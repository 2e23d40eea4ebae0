"""The display of choices and analyses in a shell and in a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from knightfall.agents.choice import Analysis, Choice, MoveScore, exact_words, shown_score
from knightfall.rules import Geometry
from knightfall.rules.display import Table, counted

_SIDES = ("first", "second")
_PROVERS = ("mcts", "perfect")  # their infinite scores are proofs, even if the number of moves is unknown


def choice_line(choice: Choice) -> str:
    """Return a choice in one line.

    >>> choice_line(Choice(24, 2.5, 5, 1_200, line=(24, 8), geometry=Geometry(7, 7)))
    '<choice d4: +2.50, depth 5, 1,200 nodes, line d4 b6>'
    """
    known = ", ".join(_PHRASES.get(name, "{}").format(value) for name, value in _facts(choice) if name != "move")
    return f"<choice {_label(choice.square, choice.geometry)}{': ' if known else ''}{known}>"


def choice_table(choice: Choice) -> Table:
    """Return a choice as one row of a table."""
    facts = dict(_facts(choice))
    return Table("", tuple(facts), [tuple(facts.values())])


_PHRASES = {"depth": "depth {}", "nodes": "{} nodes", "line": "line {}", "source": "source {}"}


def _facts(choice: Choice) -> Iterator[tuple[str, str]]:
    """Yield the known facts about a choice, each with its name."""
    yield "move", _label(choice.square, choice.geometry)
    if choice.score is not None:
        yield "score", _score(choice.score, choice.ends_in, "" if choice.source == "search" else "perfect")
    if choice.depth:
        yield "depth", str(choice.depth)
    if choice.nodes:
        yield "nodes", f"{choice.nodes:,}"
    if len(choice.line) > 1:
        yield "line", _line(choice.line, choice.geometry)
    if choice.source != "search":
        yield "source", choice.source


def move_line(move: MoveScore) -> str:
    """Return one analysed move in one line.

    >>> move_line(MoveScore(24, -1.0, None, 5, (24, 8), nodes=300, exact=True, geometry=Geometry(7, 7)))
    '<move d4: -1.00, depth 5, 300 nodes, wins, line d4 b6>'
    """
    facts = [
        "" if move.score is None else _score(move.score, move.ends_in),
        f"depth {move.depth}" if move.depth else "",
        counted(move.nodes, "node") if move.nodes else "",
        counted(move.visits, "visit") if move.visits else "",
        exact_words(move.exact, move.distance),
        f"line {_line(move.line, move.geometry)}" if len(move.line) > 1 else "",
    ]
    known = ", ".join(fact for fact in facts if fact)
    return f"<move {_label(move.square, move.geometry)}{': ' if known else ''}{known}>"


def analysis_table(found: Analysis) -> Table:
    """Return every move with its score and, if known, its exact value, nodes or visits."""
    geometry, kind = found.position.geometry, found.agent.partition("(")[0]
    rows = [
        (
            geometry.label(move.square),
            "" if move.score is None else _score(move.score, move.ends_in, kind),
            exact_words(move.exact, move.distance),
            str(move.depth),
            "" if move.visits is None else f"{move.visits:,}",
            "" if move.nodes is None else f"{move.nodes:,}",
            _line(move.line, geometry),
        )
        for move in found.moves
    ]
    columns = ("move", "score", "exact", "depth", "visits", "nodes", "line")
    shown = [at for at, name in enumerate(columns) if name in ("move", "score", "line") or any(r[at] for r in rows)]
    note = f"{counted(len(rows), 'move')}, {counted(found.nodes, 'node')}, {found.seconds:.3f} s"
    if found.winner is not None:
        soon = "" if found.distance is None else f" in {counted(found.distance, 'move')}"
        note = f"{_SIDES[found.winner - 1]} wins{soon}: proven\n{note}"
    return Table(
        f"{found.agent} for {_SIDES[found.position.to_move - 1]} in {found.position.fen()}",
        tuple(columns[at] for at in shown),
        [[row[at] for at in shown] for row in rows],
        numbers=("score", "exact", "depth", "visits", "nodes"),
        wrapped=("line",),
        note=note,
    )


def _score(score: float, ends_in: int | None, kind: str = "") -> str:
    """Return a score in the form for an agent of that kind: Monte Carlo scores are rates."""
    if ends_in is None and math.isinf(score) and kind in _PROVERS:
        return exact_words(score > 0)
    if ends_in is None and kind == "mcts":
        return f"{score:.1%}"
    return shown_score(score + 0.0, ends_in)  # + 0.0 converts -0 to 0


def _label(square: int, geometry: Geometry | None) -> str:
    return str(square) if geometry is None else geometry.label(square)


def _line(squares: Iterable[int], geometry: Geometry | None) -> str:
    return " ".join(_label(square, geometry) for square in squares)
